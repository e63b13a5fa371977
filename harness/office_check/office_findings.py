"""Findings about an office as a whole: its folder, its first day, its people and its calendar."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from trainee_bench.harness.office_check.finding import Finding, Weight
from trainee_bench.meta_tasks.answers import text_key
from trainee_bench.meta_tasks.offices.calendar_file import overlaps, read_events
from trainee_bench.meta_tasks.offices.office import Office
from trainee_bench.world.apps.calendar import MeetingBooked

READ = frozenset(
    {
        *("office.yaml", "people.csv", "rooms.csv", "known.yaml", "calendar.ics"),
        *("mail", "drive", "tasks"),
    }
)  # fmt: skip
_BESIDE = (".md", ".txt", ".rst", ".py", ".toml")
"""The endings of files that may lie beside an office, such as a licence or a package's."""
_SATURDAY = 5
_SHOWN = 5
"""The most findings of one kind about the calendar."""


def office_findings(office: Office) -> Iterator[Finding]:
    """Yield what is doubtful about an office apart from its tasks."""
    yield from _unread(office)
    yield from _first_day(office)
    yield from _names(office)
    yield from _double_booked(office)
    yield from _titles(office)


def _unread(office: Office) -> Iterator[Finding]:
    """Yield what the folder has, but nobody reads."""
    for path in sorted(office.folder.iterdir()):
        beside = path.suffix.lower() in _BESIDE or path.name.startswith((".", "__"))
        if path.name not in READ and not beside and path.stem.upper() != "LICENSE":
            text = f"it is not read; an office has {', '.join(sorted(READ))}; check its spelling"
            yield Finding(path.name, text, Weight.DOUBTFUL)
    for path in sorted((office.folder / "mail").glob("*")):
        if path.suffix != ".eml" and not path.name.startswith("."):
            text = "it is not read; only mail/*.eml are mails, without folders within"
            yield Finding(f"mail/{path.name}", text, Weight.DOUBTFUL)


def _first_day(office: Office) -> Iterator[Finding]:
    day = office.file.day
    if day.weekday() >= _SATURDAY:
        text = (
            f"day: {day} is a {day:%A}, on which people work as on any other day; choose a weekday"
        )
        yield Finding("office.yaml", f"{text}, or leave it if your office is open", Weight.HINT)


def _names(office: Office) -> Iterator[Finding]:
    """Yield people whose name is a part of somebody else's."""
    people = (*office.company.people, office.company.trainee)
    for person in people:
        for other in people:
            if person is not other and is_within(person.name, other.name):
                yield Finding(
                    "people.csv",
                    f"the name {person.name} is a part of {other.name}, so a text about one may be "
                    f"taken for the other; give {person.name} a middle name or an initial",
                    Weight.DOUBTFUL,
                )


def is_within(name: str, other: str) -> bool:
    """Return whether a name is some words of another one: "Ana Lee" is within "Ana Lee-Kovac"."""
    return f" {text_key(name)} " in f" {text_key(other)} "


def _double_booked(office: Office) -> Iterator[Finding]:
    """Yield people who are in two meetings at once."""
    if not office.meetings:
        return
    events = read_events(office.folder / "calendar.ics", office.company, office.rooms)
    found: dict[tuple[str, str], list[str]] = defaultdict(list)
    for first, second in overlaps(events, lambda meeting: [meeting.organizer, *meeting.attendees]):
        names = found[str(first), str(second)]
        names += _shared(office, first.meeting, second.meeting) if not names else []
    for (before, after), names in list(found.items())[:_SHOWN]:
        yield Finding(
            "calendar.ics",
            f"{', '.join(names)} would be in two meetings at once: {before} and {after}; they "
            "decline the second invitation; move one, or leave it if that is meant",
            Weight.DOUBTFUL,
        )
    if len(found) > _SHOWN:
        text = f"{len(found) - _SHOWN} more pairs of meetings share people and time"
        yield Finding("calendar.ics", text, Weight.DOUBTFUL)


def _shared(office: Office, first: MeetingBooked, second: MeetingBooked) -> list[str]:
    """Return the names of those who are in both meetings."""
    both = {first.organizer, *first.attendees} & {second.organizer, *second.attendees}
    people = (*office.company.people, office.company.trainee)
    return sorted(person.name for person in people if person.id in both)


def _titles(office: Office) -> Iterator[Finding]:
    """Yield tasks of the same title."""
    first: dict[str, str] = {}
    for name, source in office.tasks.items():
        title = source.file.title
        same = first.setdefault(title.casefold(), name)
        if same != name:
            text = f"title: tasks/{same} has the title {title!r}, too; give each its own"
            yield Finding(f"tasks/{name}/task.yaml", text, Weight.HINT)
