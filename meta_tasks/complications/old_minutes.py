"""The answer is in the minutes of one of many meetings; the colleague only knows which.

All minutes are open to everybody, and each says something different. Only the colleague's answer
tells which minutes are right.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from random import Random

from trainee_bench.meta_tasks.authoring.converters import DATE, PATH
from trainee_bench.meta_tasks.authoring.text_template import TextTemplate
from trainee_bench.meta_tasks.complication import Complicated, Complication, ComplicationKind, Stage
from trainee_bench.meta_tasks.complication_scene import Scene, name_of
from trainee_bench.meta_tasks.meta_task import PlannedEvent
from trainee_bench.meta_tasks.scene_features import SceneFeature
from trainee_bench.meta_tasks.secret_draws import SecretDraws
from trainee_bench.meta_tasks.task_context import CompositionError
from trainee_bench.meta_tasks.tool_client import ToolFailed
from trainee_bench.meta_tasks.work.asking import Says
from trainee_bench.meta_tasks.work.habits import Habit, Inner, around
from trainee_bench.meta_tasks.work.need import Work
from trainee_bench.meta_tasks.work.sources import ReadText
from trainee_bench.world.apps.files import FileAppears
from trainee_bench.world.colleagues.knowledge import Clue

MEETINGS = 6
"""The number of meetings, each with its own minutes."""
_FIRST_ITEM = 3
"""The number of the first item that is about the task."""
_AROUND = 2 * (_FIRST_ITEM - 1)
"""The number of other topics of a meeting, before and after those items."""
_TRIES = 12


@dataclass(frozen=True)
class Pointer:
    """The colleague's answer: the day of the meeting, where the minutes are, and which item it
    is."""

    day: date
    path: str
    item: int


POINTER = TextTemplate(
    Pointer,
    "You find that in the minutes of our meeting on {day}: it is item {item} of {path}. Use only "
    "these; what other minutes say about it, earlier or later, is wrong.",
    {"day": DATE, "path": PATH},
)
_TOPICS = (
    "The coffee machine on the second floor is being repaired.",
    "The fire drill went well. Two people took the lift; they have been told not to.",
    "The new badges come next month. The old ones work until then.",
    "Bicycles belong in the yard, not in the corridor.",
    "The team lunch is postponed until everybody is back.",
    "The last person in the office closes the windows.",
    "The printer by the stairs prints only in black for the time being.",
    "Please hand in travel expenses by the fifth of the month.",
    "There were no objections to the last minutes.",
    "The plants are watered on Mondays; thank you to everybody who helps.",
    "The meeting room on the ground floor has a new screen; the cable is in the drawer.",
    "Lost property is now kept at the reception.",
    "The canteen closes at two on Fridays.",
    "Visitors sign in at the reception and wear a badge.",
    "The heating was too high last week; the caretaker has turned it down.",
    "Parcels can be collected from the post room until four.",
    "Please label your food in the fridge; it is emptied on Fridays.",
    "The first-aid box has been refilled.",
    "The lift will be inspected next week and stands still for a morning.",
    "Two chairs are missing from the small meeting room; please bring them back.",
    "The phone list is out of date; please send corrections to HR.",
    "The summer party cost less than planned.",
    "There will be flu vaccinations in the office in November.",
    "The blinds on the south side have been repaired.",
    "Somebody has left an umbrella in the large meeting room.",
    "The recycling bins are now next to the printers.",
)


class ReadsTheMinutes(Habit):
    """A habit: reads the item of the minutes to which an answer points."""

    name = "reads the minutes"

    @around(Says)
    async def _says(self, work: Work, need: Says, inner: Inner[str]) -> str:
        text = await inner()
        for pointer in POINTER.find_all(text):
            item = _item_of(await work(ReadText(pointer.path)), pointer)
            text = text.replace(POINTER.render(pointer), item)
        return text


class OldMinutes(Complication):
    """A colleague who does not tell the fact, but which minutes contain it."""

    name = "old_minutes"
    kind = ComplicationKind.SOURCES
    stage = Stage.READING
    about = (
        "The fact is in old minutes, among others that say something else; a colleague knows which "
        "ones count."
    )
    requires = frozenset({SceneFeature.RECORDED_FACT})
    habits = (ReadsTheMinutes(),)

    def apply(self, scene: Scene) -> Complicated:
        """Stage the minutes with the task. The secret is which of them count."""
        context, clues = scene.context, scene.held_clues()
        days = _days(context.stream("days of the minutes"), context.day.starts.date())
        paths = [context.reserve_path(f"drive:/minutes/minutes_{day:%Y-%m-%d}.md") for day in days]
        first = SecretDraws.OLD_MINUTES_OPEN
        said = {clue: scene.other_clues(clue, first, MEETINGS) for clue in clues}
        scene, right, wrong = _chosen(scene, said)
        believed = dict[str, str]()
        for item, clue in enumerate(clues, start=_FIRST_ITEM):
            pointer, other = (
                POINTER.render(Pointer(days[place], paths[place], item))
                for place in (right[clue], wrong[clue])
            )
            believed[pointer] = other
            scene = scene.with_clue(clue.model_copy(update={"payload": pointer}))
        lines = [
            [
                f"{context.company.person(clue.holder).name}: {said[clue][place][1].payload}"
                for clue in clues
            ]
            for place in range(MEETINGS)
        ]
        topics = context.stream("topics of the minutes").sample(_TOPICS, MEETINGS * _AROUND)
        texts = [
            _minutes(topics[place::MEETINGS], day, items)
            for place, (day, items) in enumerate(zip(days, lines, strict=True))
        ]
        events = [
            PlannedEvent(FileAppears(path=path, text=text))
            for path, text in zip(paths, texts, strict=True)
        ]
        unread = [path for place, path in enumerate(paths) if place not in right.values()]
        scene = scene.with_events(*events).taking(*(clue.id for clue in clues))
        return Complicated(scene.with_background(*unread), believed=believed)


def _chosen(
    scene: Scene, said: Mapping[Clue, Sequence[tuple[int, Clue]]]
) -> tuple[Scene, Mapping[Clue, int], Mapping[Clue, int]]:
    """Return the scene that follows from the minutes that count; for each clue, the place of those
    minutes, and the place of others that give a different answer. Raises CompositionError if no
    others do."""
    draws = {clue: scene.context.secret_stream(name_of(clue)) for clue in said}
    for _ in range(_TRIES):
        right = {clue: draws[clue].randrange(MEETINGS) for clue in said}
        settled = _settled(scene, said, right)
        for step in range(1, MEETINGS):
            wrong = {clue: (place + step) % MEETINGS for clue, place in right.items()}
            if _settled(scene, said, wrong).graded.truth != settled.graded.truth:
                return settled, right, wrong
    raise CompositionError(f"{scene.context.task}: the answer is the same by all minutes")


def _settled(
    scene: Scene, said: Mapping[Clue, Sequence[tuple[int, Clue]]], places: Mapping[Clue, int]
) -> Scene:
    """Return the scene that follows from the minutes at *places*."""
    drawn = {name_of(clue): said[clue][place][0] for clue, place in places.items()}
    return scene.settled({**scene.secrets, **drawn})


def _item_of(minutes: str, pointer: Pointer) -> str:
    """Return the text of the item. Raises ToolFailed if the minutes have no such item."""
    for line in minutes.splitlines():
        number, _, text = line.partition(". ")
        if number == str(pointer.item):
            return text
    raise ToolFailed(f"{pointer.path} has no item {pointer.item}")


def _days(draws: Random, today: date) -> list[date]:
    """Return `MEETINGS` different workdays of the last two months, in order."""
    past = [today - timedelta(days=number) for number in range(3, 60)]
    return sorted(draws.sample([day for day in past if day.weekday() < 5], MEETINGS))


def _minutes(topics: Sequence[str], day: date, lines: Sequence[str]) -> str:
    """Return the minutes of a meeting: *lines* among other *topics*."""
    parts = [*topics[: _FIRST_ITEM - 1], *lines, *topics[_FIRST_ITEM - 1 :]]
    numbered = "\n\n".join(f"{number}. {part}" for number, part in enumerate(parts, start=1))
    return f"# Minutes of {day:%Y-%m-%d}\n\n{numbered}\n"
