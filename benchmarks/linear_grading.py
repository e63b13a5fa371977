"""The growth of grading time and hearing time with the length of an agent's texts.

    python benchmarks/linear_grading.py [--only ENTRY] [--seed 1] [--characters 100000]

For each entry point (a mail, a chat message, a file for a task, a name, a title, …) a fuzzer
searches for the slowest letters. It tries short words of letters, and random sequences of words,
that have a meaning for some expression. It repeats each up to the entry's limit, and adds an
ending that breaks off the match. The script measures the call, the colleague's answer, and the
grade of the day after it. The table shows the worst texts, their CPU time, and the ratio of the
times for the whole text and for half of it. Design target: 2.5; exit code 1 if a ratio is above.
Times below 20 ms are mostly overhead, so their ratios are left out.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product
from random import Random

import anyio
from pydantic import JsonValue

from trainee_bench.harness.agents.runtime.in_process_episode import run_in_process
from trainee_bench.harness.environment.day import Day
from trainee_bench.harness.session.turns import ToolCall
from trainee_bench.meta_tasks.benchmark import find_scenario
from trainee_bench.meta_tasks.catalog import all_rules
from trainee_bench.meta_tasks.composition import ComposedDay, compose_day
from trainee_bench.meta_tasks.scenario import DaySpec, Scenario, TaskSpec
from trainee_bench.world.apps.chat.conversations import MAX_GROUP_NAME_LENGTH, MAX_MESSAGE_LENGTH
from trainee_bench.world.apps.mail import MAX_BODY_LENGTH, MAX_SUBJECT_LENGTH
from trainee_bench.world.filesystem.paths import MAX_NAME_BYTES

TARGET = 2.5
LEAST_SECONDS = 0.02
LETTERS = "aA1 .,-_\n\"'([{/:?%=;|`#"
ENDINGS = ("", "x", "1", "\n", '"', "!")
WORDS = ("please ", "just ", "then ", "cannot ", "every code ", "EUR ", "who ", "and ", "told")
FIRST_LENGTH = 1_500
"""The length at which the fuzzer compares its texts."""
FINALISTS = 6
Act = Callable[[Day, str], None]


@dataclass(frozen=True)
class Entry:
    """A place for an agent's text: the day, the largest length, and the calls that write it."""

    name: str
    day: Callable[[], Day]
    longest: int
    write: Act


@dataclass(frozen=True)
class Worst:
    """The slowest text, repeated from a unit, and the times for half and all of it."""

    unit: str
    ending: str
    half: float
    whole: float

    @property
    def ratio(self) -> float | None:
        """The ratio of times for the whole text and half; None if the time is too short."""
        return self.whole / self.half if self.whole >= LEAST_SECONDS else None


def call(tool: str, **arguments: JsonValue) -> ToolCall:
    return ToolCall(tool, arguments)


@cache
def usual_day() -> Day:
    return _begun(compose_day(find_scenario()))


@cache
def finished_day(rule: str) -> tuple[Day, tuple[str, ...]]:
    """A day with the one task *rule*, worked by the oracle, and the files that it wrote."""
    scenario = Scenario(name="linear", days=(DaySpec(tasks=(TaskSpec(rule=rule),)),))
    composition = compose_day(scenario)
    worked = anyio.run(run_in_process, "oracle", composition)
    day = _begun(composition)
    paths = set[str]()
    for entry in worked.log:
        if entry.actor:
            day.step([ToolCall(entry.tool, entry.arguments)])
            paths |= {str(value) for value in entry.arguments.values() if _is_text_file(value)}
    return day, tuple(sorted(paths))


def _is_text_file(value: object) -> bool:
    own = isinstance(value, str) and value.startswith("workspace:/")
    return own and not str(value).endswith((".xlsx", ".eml", ".png"))


def _begun(composition: ComposedDay) -> Day:
    day = Day.of(composition)
    day.reset()
    return day


def entries() -> Iterator[Entry]:
    """All entry points."""
    people = [person.id for person in usual_day().composition.company.people]
    colleague, group = people[7], [*people[3:7]]
    named = usual_day().composition.company.people[4].name

    def to_group(day: Day, text: str) -> None:
        day.step([call("chat_create_group", name="Linear", members=[*group])])
        day.step([call("chat_send_message", to="G1", text=f"{named}: {text}")])

    def book(day: Day, text: str) -> None:
        starts, ends = (f"{day.now:%Y-%m-%d}T{clock}" for clock in ("16:00", "16:30"))
        meeting = {"room": "Room_05", "starts": starts, "ends": ends, "attendees": [colleague]}
        day.step([ToolCall("calendar_book", {"title": text, **meeting})])

    def mailed(day: Day, text: str) -> None:
        day.step([call("mail_send", to=[colleague], subject="Linear", body=text)])

    for name, longest, write in (
        ("a mail", MAX_BODY_LENGTH, mailed),
        ("a mail's subject", MAX_SUBJECT_LENGTH, lambda day, text: day.step(
            [call("mail_send", to=[colleague], subject=text, body="b")])),
        ("a message", MAX_MESSAGE_LENGTH, lambda day, text: day.step(
            [call("chat_send_message", to=colleague, text=text)])),
        ("a message to a group", MAX_MESSAGE_LENGTH - 40, to_group),
        ("a group's name", MAX_GROUP_NAME_LENGTH, lambda day, text: day.step(
            [call("chat_create_group", name=text, members=[*group])])),
        ("a meeting's title", 120, book),
        ("a note", MAX_BODY_LENGTH, lambda day, text: day.step(
            [call("desk_write_note", text=text)])),
        ("a file's name", MAX_NAME_BYTES - 4, lambda day, text: day.step(
            [call("files_write", path=f"workspace:/{text}.txt", text="t")])),
        ("a search in mails", MAX_SUBJECT_LENGTH, lambda day, text: day.step(
            [call("mail_search", query=text)])),
        ("a table as CSV", MAX_BODY_LENGTH, lambda day, text: day.step(
            [call("files_write", path="workspace:/t.csv", text=text),
             call("sheets_read", path="workspace:/t.csv")])),
        ("a formula", 8_000, lambda day, text: day.step(
            [call("sheets_calculate", expression=text)])),
    ):  # fmt: skip
        yield Entry(name, usual_day, longest, write)  # type: ignore[arg-type]
    yield _told_to_everybody()
    families = dict.fromkeys(id.split(".")[0] for id in all_rules())
    for family in families:
        if family != "week":
            yield _deliverable(family)


def _told_to_everybody() -> Entry:
    """A mail that also reaches somebody who must not learn the facts of the task."""
    rule = next(id for id in all_rules() if id.startswith("sales.")) + "+curious_colleague"

    def write(day: Day, text: str) -> None:
        people: list[JsonValue] = [person.id for person in day.composition.company.people]
        day.step([call("mail_send", to=people[:60], subject="Linear", body=text)])

    return Entry("a mail to everybody", lambda: finished_day(rule)[0], MAX_BODY_LENGTH, write)


def _deliverable(family: str) -> Entry:
    rule = next(id for id in all_rules() if id.split(".")[0] == family)

    def write(day: Day, text: str) -> None:
        for path in finished_day(rule)[1]:
            day.step([call("files_write", path=path, text=text)])

    return Entry(f"files of {family}", lambda: finished_day(rule)[0], MAX_BODY_LENGTH, write)


def seconds(entry: Entry, text: str) -> float:
    """The CPU time of writing *text* and grading the day after it."""
    day = entry.day().fork()
    began = time.process_time()
    entry.write(day, text)
    day.step([call("desk_wait", minutes=240, wake=False)])
    day.grade()
    spent = time.process_time() - began
    day.close()
    return spent


def units(random: Random) -> Iterator[str]:
    """The pieces of which texts are repetitions."""
    yield from LETTERS
    yield from map("".join, product(LETTERS, repeat=2))
    yield from WORDS
    pieces = [*LETTERS, *WORDS]
    for _ in range(300):
        yield "".join(random.choices(pieces, k=random.randint(2, 6)))


def filled(unit: str, ending: str, length: int) -> str:
    return (unit * (length // len(unit) + 1))[: length - len(ending)] + ending


def worst_of(entry: Entry, random: Random, characters: int) -> Worst:
    """Among the slowest texts of *entry*, the one whose time grows most."""
    longest = min(entry.longest, characters)
    short = min(longest, FIRST_LENGTH)
    tried = sorted(
        ((seconds(entry, filled(unit, ending, short)), unit, ending)
         for unit in units(random) for ending in [random.choice(ENDINGS)]),
        reverse=True,
    )  # fmt: skip
    found = [
        Worst(
            unit,
            ending,
            min(seconds(entry, filled(unit, ending, longest // 2)) for _ in range(3)),
            min(seconds(entry, filled(unit, ending, longest)) for _ in range(3)),
        )
        for _, unit, ending in tried[:FINALISTS]
    ]
    return max(found, key=lambda text: (text.ratio or 0, text.whole))


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, and print a table; 1 if a ratio is above the target."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default="", help="entries whose names contain this")
    parser.add_argument("--seed", type=int, default=1, help="of the fuzzer")
    parser.add_argument("--characters", type=int, default=100_000, help="of a text at most")
    given = parser.parse_args(arguments)
    high = 0.0
    print(f"{'what is written':<28}{'characters':>11}{'ms':>9}{'ratio':>8}  text")
    for entry in entries():
        if given.only not in entry.name:
            continue
        worst = worst_of(entry, Random(f"{given.seed} {entry.name}"), given.characters)
        ratio = worst.ratio
        high = max(high, ratio or 0.0)
        shown = "–" if ratio is None else f"{ratio:.2f}"
        characters = min(entry.longest, given.characters)
        print(
            f"{entry.name:<28}{characters:>11,}{worst.whole * 1e3:>9.1f}{shown:>8}"
            f"  {worst.unit!r} … {worst.ending!r}",
            flush=True,
        )
    return int(high > TARGET)


if __name__ == "__main__":
    sys.exit(main())
