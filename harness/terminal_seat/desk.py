"""The terminal as a desk: a prompt with completion, what a call costs, and what it answered."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from tempfile import mkdtemp

from rich.console import Console
from rich.text import Text

from trainee_bench.harness.session.turns import ToolCall, ToolInfo, ToolResult, TurnRecord
from trainee_bench.harness.terminal_seat.lines import (
    HelpWish,
    argument_names,
    cannot_be_undone,
    describe,
    offer_completions,
    written_path,
)
from trainee_bench.mcp_servers.desk import FINISH_DAY_TOOL

ASKS_AFTER = 15
"""Minutes beyond which a call is asked back about."""
_INTRODUCTION = (
    "Each line is a call and takes its minutes: desk_tasks lists your tasks, desk_submit hands one "
    "in, desk_wait lets time pass, desk_finish_day ends the day. ? lists all tools, ? TOOL "
    "explains one, ? tasks repeats this; questions take no time. Tab completes."
)


class TerminalDesk:
    """Reads lines from standard input and shows answers on *console*; *tools* is the office.

    With a terminal, lines have completion and are asked back about; from a file or a pipe they are
    made as they stand.
    """

    def __init__(self, console: Console, tools: Sequence[ToolInfo]):
        self._console = console
        self._tools = {tool.name: tool for tool in tools}
        self._interactive = sys.stdin.isatty()
        self._prompt = ""
        self._clock = "morning"
        self._pictures = 0
        self._known = set[str]()
        if self._interactive:
            offer_completions(self._candidates, self._costs)

    def begin(self, prompt: str, made: Sequence[TurnRecord] = ()) -> None:
        """Show what the person is told in the morning, and, of a day that was left, every call that
        was *made* with its answer."""
        self._prompt = prompt
        self.say(f"{prompt}\n\n{_INTRODUCTION}")
        for turn in made:
            for call, answer in zip(turn.calls, turn.answers, strict=True):
                self.say(f"\n{self._clock}> {call.name} {json.dumps(dict(call.arguments))}")
                self._known.add(written_path(call))
                self.show(answer)
        if made:
            self.say("\nThe day stands here; go on.")

    def say(self, text: str) -> None:
        """Show *text* as it is."""
        self._console.print(Text(text))

    def read(self) -> str | None:
        """The next line, None at the end of the input."""
        return _typed(f"{self._clock}> " if self._interactive else "")

    def explain(self, wish: HelpWish) -> None:
        """Answer a question that costs nothing."""
        if wish.about == "tasks":
            self.say(self._prompt)
        elif wish.about in self._tools:
            self.say("\n".join(describe(self._tools[wish.about])))
        else:
            tools = [t for name, t in self._tools.items() if name.startswith(wish.about)]
            for tool in tools or self._tools.values():
                line = f"{tool.minutes:>3} min  {tool.name}  {' '.join(argument_names(tool))}"
                self.say(line.rstrip())

    def agrees(self, call: ToolCall, now: datetime) -> bool:
        """Whether *call* is to be made: a person is asked if it takes long or cannot be undone."""
        minutes = self._minutes(call, now)
        long = minutes is None or minutes > ASKS_AFTER
        lost = cannot_be_undone(call, self._known)
        self._known.add(written_path(call))
        if not self._interactive or not (long or lost):
            return True
        takes = "long, up to the rest of the day" if minutes is None else f"{minutes} min"
        answer = _typed(f"{call.name} takes {takes}. Make it? [y/N] ") or ""
        return answer.strip().casefold() in ("y", "yes")

    def _minutes(self, call: ToolCall, now: datetime) -> int | None:
        """What *call* takes at most, None where that is not known before."""
        if call.name in ("calendar_attend", FINISH_DAY_TOOL):
            return None
        if call.name != "desk_wait":
            return self._tools[call.name].minutes
        asked, until = call.arguments.get("minutes"), call.arguments.get("until")
        if isinstance(asked, int):
            return asked
        try:
            at = datetime.strptime(str(until), "%H:%M")
        except ValueError:
            return None
        return max(0, (at.hour - now.hour) * 60 + at.minute - now.minute)

    def show(self, answer: ToolResult) -> None:
        """Show what a call answered, its notices included, and write its pictures to files."""
        self._console.print(Text(answer.text, style="red" if answer.failed else ""))
        for picture in answer.pictures:
            self._pictures += 1
            folder = Path(mkdtemp(prefix="trainee-bench-"))
            path = folder / f"{self._pictures}.{picture.mime_type.rpartition('/')[2]}"
            path.write_bytes(picture.data)
            self.say(f"The picture is in {path}.")
        if answer.time is not None:
            self._clock = f"{answer.time:%H:%M}"

    def remark(self) -> str:
        """What the person says of the day when it is over, before the score; "" from a pipe."""
        if not self._interactive:
            return ""
        self.say("The day is over. Two questions before your score; both may stay empty.")
        experience = _typed("Which experience do you bring to such work? ") or ""
        aids = _typed("Which aids did you use, such as a calculator? ") or ""
        said = {"Experience": experience.strip(), "Aids": aids.strip()}
        return "\n".join(f"{name}: {text}" for name, text in said.items() if text)

    def _candidates(self, line: str, word: str) -> list[str]:
        """What *word*, the last of *line*, may become: a tool, or an argument of the tool."""
        name, _, rest = line.lstrip().partition(" ")
        if not rest and not line.endswith(" "):
            return [f"{tool} " for tool in self._tools if tool.startswith(word)]
        tool = self._tools.get(name)
        if tool is None:
            return []
        return [f"{one}=" for one in argument_names(tool) if one.startswith(word)]

    def _costs(self, line: str, names: Sequence[str]) -> list[str]:
        """*names* that complete *line*, as they are shown: tools with what they cost, arguments
        after the cost of their tool."""
        tools = [(name, self._tools.get(name.strip())) for name in names]
        shown = [f"{name.strip()} ({t.minutes} min)" if t else name for name, t in tools]
        called = self._tools.get(line.split()[0]) if line.strip() else None
        return [f"({called.minutes} min)", *shown] if called else shown


def _typed(prompt: str) -> str | None:
    """A line of the input, None at its end."""
    try:
        return input(prompt)
    except EOFError:
        return None
