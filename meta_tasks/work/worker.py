"""A worker: the honest work of some tasks, with habits, by one engine and one planner. Equal
questions to several people become one message where that takes less time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from trainee_bench.meta_tasks.tool_client import ToolFailed, ToolResponse
from trainee_bench.meta_tasks.work.achieving import Beside
from trainee_bench.meta_tasks.work.asking import Asked, JointQuestion
from trainee_bench.meta_tasks.work.engine import Engine, ToolCaller
from trainee_bench.meta_tasks.work.habits import Habit, ways_with
from trainee_bench.meta_tasks.work.ledger import Cell
from trainee_bench.meta_tasks.work.need import Call, Need, TaskWork, Work
from trainee_bench.meta_tasks.work.outline import NO_PLAN, DayOutline
from trainee_bench.meta_tasks.work.planner import Planner
from trainee_bench.meta_tasks.work.sources import DirectorySearch, TaskRoot
from trainee_bench.meta_tasks.work.standing import STANDING
from trainee_bench.world.apps.chat import MAX_ADDRESSEES

SMALLEST_GROUP = 3
"""The number of people from which a group pays off: making a group and writing to it takes eleven
minutes, writing to each person five."""


async def send_together(
    engine: Engine, first: Cell, ready: Sequence[Cell]
) -> Sequence[tuple[Sequence[Cell], ToolResponse | ToolFailed]]:
    """Send one message for the question of *first* and all *ready* ones that join it: to one
    person, or to a group where that takes less time."""
    lead = _asked(first)
    same = [cell for cell in ready if _asked(cell).question.joins == lead.question.joins]
    same = [cell for cell in same if _asked(cell).round == lead.round]
    if lead.named:
        same = [cell for cell in same if _asked(cell).task == lead.task]
    names = _names(engine)
    people = list(dict.fromkeys([lead.to, *(_asked(cell).to for cell in same)]))[:MAX_ADDRESSEES]
    if len(people) < SMALLEST_GROUP or not all(person in names for person in people):
        people = [lead.to]
    cells = [cell for cell in same if _asked(cell).to in people]
    missing = tuple(dict.fromkeys(name for cell in cells for name in _asked(cell).missing))
    text, to, why = lead.text(missing), people[0], tuple(cell.need for cell in cells)
    if len(people) > 1:
        group = {"name": f"For {lead.task}", "members": list[object](people)}
        made = await engine.make("chat_create_group", group, why)  # type: ignore[arg-type]
        if isinstance(made, ToolFailed):
            return [(cells, made)]
        to = str(made.data["groups"][0]["id"])
        text = f"{', '.join(names[person] for person in people)}: {text}"
    return [(cells, await engine.make("chat_send_message", {"to": to, "text": text}, why))]


def _asked(cell: Cell) -> Asked:
    call = cell.request
    assert isinstance(call, Call) and isinstance(call.joint, JointQuestion)
    return call.joint.asked


def _names(engine: Engine) -> dict[str, str]:
    """Return the names, by id, of all people whom the directory has shown."""
    return {
        person.id: person.name
        for need, cell in engine.ledger.cells.items()
        if isinstance(need, DirectorySearch) and cell.value
        for person in cell.value
    }


@dataclass(frozen=True)
class Worked(Need[None]):
    """The work on a task as its family does it."""

    task: str

    async def satisfy(self, work: Work) -> None:
        """Raise: `employ`, which knows the families, replaces this."""
        raise NotImplementedError


def employ(
    tools: ToolCaller,
    costs: Mapping[str, int],
    works: Mapping[str, TaskWork],
    habits: Sequence[Habit],
    outline: DayOutline = NO_PLAN,
    at_once: int = 1,
) -> Planner:
    """Return a worker for the tasks of *works*, by id. `Planner.run` lets it work.

    It makes up to *at_once* calls in one turn; for more than one, *tools* have to be a
    `BatchToolCaller`.
    """

    async def root(work: Work, need: Need[object]) -> None:
        assert isinstance(need, TaskRoot)
        if need.task == STANDING:
            await works[STANDING](work, STANDING)
        else:
            await work.all([Worked(need.task), *await work(Beside(need.task))])

    async def worked(work: Work, need: Need[object]) -> None:
        assert isinstance(need, Worked)
        await works[need.task](work, need.task)

    way_of = ways_with(habits, {TaskRoot: root, Worked: worked})
    roots = [TaskRoot(task) for task in works]
    engine = Engine(tools, way_of, roots, {JointQuestion: send_together}, outline.trusts_notices)
    return Planner(engine, costs, outline, at_once)
