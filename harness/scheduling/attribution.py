"""Attribute each call to a task by what the call names.

A call belongs to a task of which it names, in this order of evidence:

1. the id, as the argument ``task``.
2. a question whose answer told one of its facts.
3. a file of its scene, a file to submit, or the folder of such a file.
4. a meeting of its scene, or a meeting that an earlier call booked for it.
5. such a file's name, in a text that it sends or writes.
6. people of its scene and ids from its facts, more of them than of any other task.
7. the website's monitoring tools, if an incident belongs to its scene.

The first kind of evidence that points to any task decides. If it points to several, the call
belongs to the one worked on last, or to none if that is not among them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from pydantic import JsonValue

from trainee_bench.harness.scheduling.day_trace import BOOK_TOOL, WAIT_TOOL, DayTrace
from trainee_bench.mcp_servers.desk import FINISH_DAY_TOOL
from trainee_bench.meta_tasks.composed_day import ComposedTask
from trainee_bench.world.action_log import LogEntry
from trainee_bench.world.apps.calendar import MeetingBooked
from trainee_bench.world.apps.monitor import IncidentBegins
from trainee_bench.world.colleagues.reviews import ReviewAdded
from trainee_bench.world.company.people import Person

_PATH = re.compile(r"(?:drive|workspace):/[^\n]+")
_CODE = re.compile(r"(?=.*[A-Za-z])(?=.*\d)\S+")
"""An id such as web-03, not a number or a word that fits many things."""
_WRITTEN = frozenset({"text", "body", "note", "subject"})
"""Arguments that hold the agent's own text."""
_ROOTS = frozenset({"drive:", "workspace:"})


@dataclass(frozen=True)
class AttributedCall:
    """A call and the id of its task, or "" for none."""

    entry: LogEntry
    task: str


@dataclass(frozen=True)
class _Scene:
    """The things that point to a task; texts are in lower case."""

    files: frozenset[str]
    people: frozenset[str]
    subjects: frozenset[str]
    meetings: frozenset[int]
    has_incident: bool

    @property
    def folders(self) -> frozenset[str]:
        """The folders of its files that are not whole drives."""
        return frozenset(path.rpartition("/")[0] for path in self.files) - _ROOTS

    @property
    def file_names(self) -> frozenset[str]:
        """The names of its files, without their folders."""
        return frozenset(path.rpartition("/")[2] for path in self.files)


def attribute_calls(day: DayTrace) -> tuple[AttributedCall, ...]:
    """Return all calls but waiting and the end of the day, each with its task.

    A call can belong only to tasks that exist on its day.
    """
    keys = {meeting.key: meeting.id for meeting in day.meetings.values() if meeting.key}
    people = {person.id: person for person in day.composition.company.people}
    scenes = {task.id: _scene(task, keys, people) for task in day.composition.tasks}
    answered = _answered_questions(day)
    meetings = {id: task for task, scene in scenes.items() for id in scene.meetings}
    found: list[AttributedCall] = []
    last = ""
    for entry in day.whole_log:
        if entry.tool in (WAIT_TOOL, FINISH_DAY_TOOL):
            continue
        there = {task.id: scenes[task.id] for task in day.tasks_on(entry.at)}
        kinds = (named & there.keys() for named in _evidence(entry, there, answered, meetings))
        candidates = next(filter(None, kinds), set[str]())
        task = ""
        if len(candidates) == 1 or last in candidates:
            task = last if last in candidates else next(iter(candidates))
        found.append(AttributedCall(entry, task))
        if task and (booked := booked_meeting(entry)) is not None:
            meetings[booked] = task
        last = task or last
    return tuple(found)


def booked_meeting(entry: LogEntry) -> int | None:
    """Return the number of the meeting that *entry* booked; None if it booked none."""
    number = entry.data.get("id") if entry.data and entry.tool == BOOK_TOOL else None
    return number if isinstance(number, int) else None


def question_tasks(day: DayTrace, calls: Iterable[AttributedCall]) -> dict[int, frozenset[str]]:
    """Return the tasks that each message of the agent was about, by message number.

    These are the tasks whose facts the answer told, else the task of the call, else all tasks whose
    scene includes the colleague.
    """
    answered = _answered_questions(day)
    found = {}
    for call in calls:
        number = message_number(call.entry)
        if not number:
            continue
        to = next((message.to for message in day.messages if message.id == number), "")
        known = {task.id for task in day.tasks_on(call.entry.at) if to in scene_people(task)}
        about = answered.get(number) or ({call.task} if call.task else known)
        found[number] = frozenset(about)
    return found


def scene_people(task: ComposedTask) -> frozenset[str]:
    """Return the ids of the people whom *task* may need: holders of facts, listeners and
    reviewers."""
    instance = task.instance
    holders = {clue.holder for clue in instance.hidden.clues}
    holders |= {expected.holder for expected in instance.hidden.expectations}
    events = (planned.event for planned in instance.hidden.events)
    reviewers = {event.review.reviewer for event in events if isinstance(event, ReviewAdded)}
    return frozenset((holders | reviewers) - {""})


def _evidence(
    entry: LogEntry,
    scenes: Mapping[str, _Scene],
    answered: Mapping[int, set[str]],
    meetings: Mapping[int, str],
) -> Iterator[set[str]]:
    """Yield the tasks that each kind of evidence points to, the strongest kind first."""
    named = str(entry.arguments.get("task", "")).strip().casefold()
    yield {task for task in scenes if task.casefold() == named}
    yield answered.get(message_number(entry), set())
    given = {text.strip().rstrip("/") for text in _texts(entry, _WRITTEN, inside=False)}
    yield {
        task
        for task, scene in scenes.items()
        if given & scene.folders or any(path in text for path in scene.files for text in given)
    }
    meeting = entry.arguments.get("meeting")
    yield {meetings[meeting]} if isinstance(meeting, int) and meeting in meetings else set()
    written = " ".join(_texts(entry, _WRITTEN, inside=True))
    yield {
        task for task, scene in scenes.items() if any(name in written for name in scene.file_names)
    }
    words = given | {word.strip(".,:;!?()'\"") for word in written.split()}
    named_by = {
        task: len(scene.people & given) + len(scene.subjects & words)
        for task, scene in scenes.items()
    }
    most = max(named_by.values(), default=0)
    yield {task for task, count in named_by.items() if count == most > 0}
    instruments = entry.tool.startswith("monitor_")
    yield {task for task, scene in scenes.items() if instruments and scene.has_incident}


def _scene(task: ComposedTask, keys: Mapping[str, int], people: Mapping[str, Person]) -> _Scene:
    """Gather the things that point to *task* from its scene."""
    instance = task.instance
    events = [planned.event for planned in instance.hidden.events]
    leaves = {leaf for event in events for leaf in _leaves(event.model_dump(mode="json"))}
    files = {leaf for leaf in leaves if _PATH.fullmatch(leaf)}
    files |= {*instance.told.deliverable_paths, *instance.told.writable_paths}
    files |= {record.path for record in instance.hidden.records}
    named = {leaf for leaf in leaves if leaf in people}
    named |= {id for id in (*scene_people(task), instance.told.requester) if id in people}
    about = {key for clue in instance.hidden.clues for key in clue.keys if _CODE.fullmatch(key)}
    booked = {event.key for event in events if isinstance(event, MeetingBooked)}
    return _Scene(
        files=frozenset(path.casefold() for path in files),
        people=frozenset(
            text.casefold() for id in named for text in (id, people[id].name, people[id].email)
        ),
        subjects=frozenset(key.casefold() for key in about),
        meetings=frozenset(keys[key] for key in booked if key in keys),
        has_incident=any(isinstance(event, IncidentBegins) for event in events),
    )


def _answered_questions(day: DayTrace) -> dict[int, set[str]]:
    """Return the tasks whose facts each answered message told, by message number."""
    told: dict[int, set[str]] = {}
    for disclosure in day.disclosures:
        question = day.question_of(disclosure)
        if question is not None:
            told.setdefault(question.id, set()).add(disclosure.clue.partition("/")[0])
    return told


def message_number(entry: LogEntry) -> int:
    """Return the number of the message that *entry* sent, 0 if it sent none."""
    message = entry.data.get("message") if entry.data and entry.tool == "chat_send_message" else {}
    number = message.get("id") if isinstance(message, dict) else None
    return number if isinstance(number, int) else 0


def _texts(entry: LogEntry, names: frozenset[str], *, inside: bool) -> Iterator[str]:
    """Yield the texts of the arguments in *names*, or of all other arguments, in lower case."""
    for name, value in entry.arguments.items():
        if (name in names) is inside:
            yield from (leaf.casefold() for leaf in _leaves(value))


def _leaves(value: JsonValue) -> Iterator[str]:
    """Yield all strings within *value*."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for inner in value.values():
            yield from _leaves(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _leaves(inner)
