"""The terminal as a desk: a prompt with completion, the cost of each call, and its answer."""

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
    HelpRequest,
    argument_names,
    cannot_be_undone,
    describe,
    duration,
    offer_completions,
    written_path,
)
from trainee_bench.mcp_servers.desk import FINISH_DAY_TOOL

ASKS_AFTER = 15
"""The desk asks before it makes a call that takes more than this many minutes."""
_INTRODUCTION = (
    "Each line is a call and takes its minutes. desk_tasks lists your tasks, desk_submit hands one "
    "in, desk_wait lets time pass, desk_finish_day ends the day. ? lists all tools, ? TOOL "
    "explains that tool, ? tasks repeats this. Questions take no time. Tab completes."
)


class TerminalDesk:
    """A desk that reads standard input and shows answers on *console*; *tools* is the office.

    In a terminal, lines have completion, and costly or irreversible calls must be confirmed. Lines
    from a file or a pipe are executed without questions.
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
        """Show the person's morning prompt and, if the day was left before, every call *made* so
        far with its answer."""
        self._prompt = prompt
        self.say(f"{prompt}\n\n{_INTRODUCTION}")
        for turn in made:
            for call, answer in zip(turn.calls, turn.answers, strict=True):
                self.say(f"\n{self._clock}> {call.name} {json.dumps(dict(call.arguments))}")
                self._known.add(written_path(call))
                self.show(answer)
        if made:
            self.say("\nThe day continues from here.")

    def say(self, text: str) -> None:
        """Show *text* literally."""
        self._console.print(Text(text))

    def read(self) -> str | None:
        """Return the next line, None at the end of the input."""
        return _typed(f"{self._clock}> " if self._interactive else "")

    def explain(self, wish: HelpRequest) -> None:
        """Answer a question that costs nothing."""
        if wish.about == "tasks":
            self.say(self._prompt)
        elif wish.about in self._tools:
            self.say("\n".join(describe(self._tools[wish.about])))
        else:
            tools = [t for name, t in self._tools.items() if name.startswith(wish.about)]
            for tool in tools or self._tools.values():
                words = f"{tool.name} {' '.join(argument_names(tool))}".rstrip()
                self.say(f"{words} ({duration(tool)})")

    def agrees(self, call: ToolCall, now: datetime) -> bool:
        """Return whether to make *call*; ask the person if it takes long or cannot be undone."""
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
        """Return the most minutes that *call* takes, None if that is unknown in advance."""
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
        """Show the answer to a call with its notices, and write its pictures to files."""
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
        """Ask for the person's remarks after the day, before the score; "" from a pipe."""
        if not self._interactive:
            return ""
        self.say("The day is over. Two questions before your score; you may leave both empty.")
        experience = _typed("What experience do you have with such work? ") or ""
        aids = _typed("Which aids did you use, for example a calculator? ") or ""
        remarks = {"Experience": experience.strip(), "Aids": aids.strip()}
        return "\n".join(f"{name}: {text}" for name, text in remarks.items() if text)

    def _candidates(self, line: str, word: str) -> list[str]:
        """Return the completions of *word*, the last one of *line*: tools, or arguments of the
        tool."""
        name, _, rest = line.lstrip().partition(" ")
        if not rest and not line.endswith(" "):
            return [f"{tool} " for tool in self._tools if tool.startswith(word)]
        tool = self._tools.get(name)
        if tool is None:
            return []
        return [f"{argument}=" for argument in argument_names(tool) if argument.startswith(word)]

    def _costs(self, line: str, names: Sequence[str]) -> list[str]:
        """Return the completions *names* of *line* for display: tools with their costs, arguments
        after the cost of their tool."""
        tools = [(name, self._tools.get(name.strip())) for name in names]
        shown = [f"{name.strip()} ({duration(t)})" if t else name for name, t in tools]
        called = self._tools.get(line.split()[0]) if line.strip() else None
        return [f"({duration(called)})", *shown] if called else shown


def _typed(prompt: str) -> str | None:
    """Return a line of the input, None at its end."""
    try:
        return input(prompt)
    except EOFError:
        return None
