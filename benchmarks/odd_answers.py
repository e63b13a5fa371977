"""The counts of `odd_calls.py`, and its checks of every answer."""

from __future__ import annotations

import json
import re
import signal
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mcp import types
from odd_arguments import Call
from odd_wires import LIMIT
from odd_words import OUTSIDE

from trainee_bench.mcp_servers.serving.server import FACTS_META_KEY, MAX_RESULT_CHARACTERS

OUR_WORDS = re.compile(
    r"\b(str|int|dict|tuple|bool|float|frozenset|NoneType|None|dictionary|pydantic|sqlite\w*|"
    r"\w+Error|Traceback|asyncio|site-packages|Internal error|iterable)\b|<class|object at 0x|"
    r"(?<![A-Z])(True|False)\b|server has a bug"
)
"""Words that no refusal may contain, unless the caller wrote them first."""
Answer = dict[str, Any]


@dataclass
class Tally:
    """The counts so far, and the faults that were found."""

    calls: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)
    succeeded: Counter[str] = field(default_factory=Counter)
    malformed: Counter[str] = field(default_factory=Counter)
    faults: dict[str, list[str]] = field(default_factory=dict)
    slowest: list[tuple[float, str]] = field(default_factory=list)
    texts: dict[str, str] = field(default_factory=dict)

    def fault(self, kind: str, what: str) -> None:
        found = self.faults.setdefault(kind, [])
        found.append(what)
        if len(found) <= 5:
            print(f"FAULT {kind}: {what[:600]}", flush=True)

    def took(self, seconds: float, what: str) -> None:
        self.slowest = sorted([*self.slowest, (seconds, what)], reverse=True)[:8]


def spelt(value: Any) -> str:
    """*value* as JSON, unless it is nested too deeply or has figures of more than 4,300 digits."""
    try:
        return json.dumps(value)
    except (ValueError, RecursionError):
        return "(no JSON)"


class Hung(BaseException):
    """A call in this process has not answered in time."""


@contextmanager
def in_time(seconds: float = LIMIT) -> Iterator[None]:
    """Raise Hung if the block takes longer."""

    def ring(*_: object) -> None:
        raise Hung

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


# one answer ---------------------------------------------------------------------------------


def check(tally: Tally, over: str, call: Call, answer: Answer) -> None:
    """Check an answer against the rules for all answers."""
    name, arguments = call
    tally.calls[over] += 1
    text = "\n".join(block["text"] for block in answer["content"] if block["type"] == "text")
    shown = f"{name} {spelt(arguments)[:200]} -> {text[:300]!r}"
    if len(text) > MAX_RESULT_CHARACTERS:
        tally.fault("too long", f"{len(text)} {shown}")
    if not answer.get("isError"):
        tally.succeeded[name] += 1
        return
    tally.refused[over] += 1
    said = re.split(r"\n\[\d\d:\d\d\]", text)[0]
    if len(said) < 12:
        tally.fault("says nothing", shown)
    own = said.partition("It printed:")[0]
    given = spelt(arguments)
    if any(word.group(0) not in given for word in OUR_WORDS.finditer(own)):
        tally.fault("tells of our own code", shown)
    if over == "memory":
        pattern = re.sub(r"'[^']*'|\"[^\"]*\"|\d[\d,.:-]*|\b(drive|workspace):\S*", "~", said)
        tally.texts.setdefault(f"{name.partition('_')[0]} {pattern[:160]}", shown)


def as_answer(result: types.CallToolResult) -> Answer:
    found: Answer = json.loads(result.model_dump_json(by_alias=True, exclude_none=True))
    return comparable(found)


def comparable(answer: Answer) -> Answer:
    """Return the content of *answer* without the parts that each transport adds."""
    facts = (answer.get("_meta") or {}).get(FACTS_META_KEY)
    said = {name: answer.get(name) for name in ("content", "structuredContent")}
    return {**said, "isError": bool(answer.get("isError")), "facts": facts}


def lying_around(folder: Path) -> set[str]:
    """Every file that a call may not make."""
    found = {str(path) for part in ("home", "tmp") for path in (folder / part).rglob("*")}
    places = (Path("/tmp"), Path("/"), Path.cwd(), folder, folder.parent, Path(sys.prefix))
    found |= {str(place / OUTSIDE) for place in places if (place / OUTSIDE).exists()}
    return found
