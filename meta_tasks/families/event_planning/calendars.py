"""On which dates of November the members of a department are free, and what they eat.

Open, and visible nowhere before it is told: a block of dates, in one third of the month, that
everybody keeps free; for each member a date outside that third that nobody else excludes; and
who excludes the other dates outside it. Of each member's own secret: which further dates they
exclude, and their lunch. So without any one member the dates come out wrong, and with another
secret of any one member the right answer is another. Dates alone could not do the latter for
nineteen members: each would need two dates to itself, and a month has thirty.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from random import Random

from trainee_bench.meta_tasks.task_context import TaskContext
from trainee_bench.world.colleagues.knowledge import Clue
from trainee_bench.world.company.people import Person

MONTH = date(2025, 11, 1)
DAYS = range(1, 31)
MONTH_THIRDS = (range(1, 11), range(11, 21), range(21, 31))
MOST_MEMBERS = 20
"""So many dates lie outside one third, each member's own among them."""
LONGEST_BLOCK = 3
_SURVIVES = 0.12
"""How probably a date of the third that is not protected suits everybody by chance."""
_VEGETARIAN = 0.4
_FREE = (
    "For the team event I am free on November {dates}.",
    "The team event? November {dates} would suit me.",
    "I can come to the team event on November {dates}.",
    "I could make November {dates} for the team event.",
)
_LUNCH = {
    True: ("For lunch the vegetarian menu, please.", "And I take the vegetarian menu."),
    False: ("For lunch the standard menu, please.", "And I take the standard menu."),
}


@dataclass(frozen=True)
class MemberCalendars:
    """What the members tell, one clue each; from it the dates on which all of them are free,
    in which third of the month these lie, and how many eat vegetarian."""

    clues: tuple[Clue, ...]
    dates: tuple[date, ...]
    third: int
    vegetarian: int

    @property
    def names(self) -> tuple[str, ...]:
        """The clues' names within the task."""
        return tuple(clue.id.partition("/")[2] for clue in self.clues)


def draw_calendars(
    context: TaskContext, members: Sequence[Person], department: str
) -> MemberCalendars:
    """The calendars of at most MOST_MEMBERS members."""
    third, excluded, shared = _open_part(context.stream("calendars"), len(members))
    rate = 1 - _SURVIVES ** (1 / len(members))
    clues, common, vegetarian = [], set(DAYS), 0
    for number, (member, own) in enumerate(zip(members, excluded, strict=True), start=1):
        name = f"dates_{number}"
        draws = context.secret_stream(name)
        busy = own | {day for day in shared if draws.random() < rate}
        eats_vegetarian = draws.random() < _VEGETARIAN
        free = [day for day in DAYS if day not in busy]
        lunch = draws.choice(_LUNCH[eats_vegetarian])
        clues.append(
            Clue(
                id=context.clue_id(name),
                holder=member.id,
                asks=_asks(department),
                payload=f"{draws.choice(_FREE).format(dates=format_days(free))} {lunch}",
            )
        )
        common &= set(free)
        vegetarian += eats_vegetarian
    dates = tuple(MONTH.replace(day=day) for day in sorted(common))
    return MemberCalendars(tuple(clues), dates, third, vegetarian)


def _open_part(draws: Random, members: int) -> tuple[int, list[set[int]], list[int]]:
    """The third of the common dates, the dates each member excludes in any case, and those
    that anybody may exclude."""
    third = draws.randrange(3)
    length = draws.randint(1, LONGEST_BLOCK)
    first = draws.choice(MONTH_THIRDS[third][: len(MONTH_THIRDS[third]) - length + 1])
    block = range(first, first + length)
    outside = [day for day in DAYS if day not in MONTH_THIRDS[third]]
    draws.shuffle(outside)
    excluded = [{day} for day in outside[:members]]
    rest = outside[members:]
    for day in rest:
        draws.choice(excluded).add(day)
    inside = [day for day in MONTH_THIRDS[third] if day not in block]
    return third, excluded, sorted([*inside, *rest])


def format_days(days: Sequence[int]) -> str:
    """Days in ascending order as they are written: "3, 5-8 and 12"."""
    runs: list[list[int]] = []
    for day in days:
        if runs and day == runs[-1][-1] + 1:
            runs[-1].append(day)
        else:
            runs.append([day])
    parts = [str(run[0]) if len(run) == 1 else f"{run[0]}-{run[-1]}" for run in runs]
    return " and ".join([", ".join(parts[:-1]), parts[-1]]) if len(parts) > 1 else parts[0]


def _asks(department: str) -> tuple[str, ...]:
    return (
        "On which dates in November are you free for the team event?",
        "When are you available for the team event?",
        "Which days in November suit you for the team event, and which lunch would you like?",
        f"I am planning the team event of {department}. On which dates can you come?",
        "Which dates in November can you make for the department's outing?",
        "Could you tell me your free days in November for our team event?",
        "For the team event I need the dates on which you are available in November.",
        "What does your calendar look like in November for the team event?",
        "Which lunch menu do you take at the team event?",
        "Would you like the vegetarian menu at the team event?",
    )
