"""Weeks proved solvable and in need of memory: drawn, worked by the oracle, given deadlines.

draft ──compose──► oracle works it ──► deadlines ──► oracle: 1.0; without its notes: 0.3 less
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from functools import partial
from random import Random

import anyio
from pydantic import BaseModel, ConfigDict, Field

from trainee_bench.harness.agents.runtime.in_process_episode import InProcessResult, run_in_process
from trainee_bench.harness.documents.formatting import pluralize
from trainee_bench.harness.generation.chosen_rules import draw_policy_duties, draw_returning_rules
from trainee_bench.harness.generation.draft import SALT_DIGITS, due_afterwards
from trainee_bench.harness.generation.fitting import add_complications
from trainee_bench.harness.generation.scenarios import ScenarioGenerationFailed
from trainee_bench.harness.generation.spec import GenerationSpec, InvalidGenerationSpec, SeedSplit
from trainee_bench.harness.support.worker_processes import worker_processes
from trainee_bench.mcp_servers import names_with
from trainee_bench.meta_tasks.catalog import built_in_rules, find_rule, needed_tools
from trainee_bench.meta_tasks.complications import drawn_for
from trainee_bench.meta_tasks.composition import compose_day
from trainee_bench.meta_tasks.meta_task import Rule
from trainee_bench.meta_tasks.offices.opened import open_offices
from trainee_bench.meta_tasks.scenario import (
    Arrival,
    Clock,
    CompanySize,
    DaySpec,
    Scenario,
    TaskSpec,
)
from trainee_bench.meta_tasks.task_context import CompositionError
from trainee_bench.meta_tasks.working_days import WORKING_WEEK
from trainee_bench.world.random_streams import random_stream, stable_id

MAX_DRAWS = 60
"""Number of draws of a week before generation fails."""
NEEDS_MEMORY = 0.3
"""Least share of a week's score that the oracle loses without its notes."""
SLACK_MINUTES = (30, 45, 60, 90)
"""Minutes between the oracle's submission of a single-day task and its deadline."""
SLACK_FACTORS = (1, 2, 4)
MOST_A_DAY = 6
_ONLY_OF_DAYS = {
    "days": "days", "globs": "rules", "draw": "draw", "flow": "arrival", "demanding": "demanding",
    "overload_every": "overload-every", "hardest": "hardest", "slack": "slack",
    "effort": "effort", "unannounced": "unannounced", "preferred": "prefer",
}  # fmt: skip
"""Fields of a specification that weeks lack, and their options on the command line."""
_GRID = 5
NAMES = ("monday", "tuesday", "wednesday", "thursday", "friday")


class WeekSpec(BaseModel):
    """The number of weeks, of duties in each, and of further tasks on each day."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]*$")
    weeks: int = Field(ge=1, le=100_000)
    fewest_duties: int = Field(default=2, ge=1)
    most_duties: int = Field(default=4, le=7)
    fewest: int = Field(default=2, ge=1)
    most: int = Field(default=3, le=MOST_A_DAY)
    least: int = Field(default=15, ge=1)
    """Least number of tasks of the whole week, if its days can have so many."""
    fewest_complications: int = Field(default=0, ge=0)
    most_complications: int = Field(default=1, le=4)
    """Least and most complications of each single-day task."""
    seed: int = Field(default=0, ge=0)
    company_size: CompanySize = Scenario.model_fields["company_size"].default
    starts: Clock = Scenario.model_fields["starts"].default
    ends: Clock = Scenario.model_fields["ends"].default
    split: SeedSplit = SeedSplit.TRAIN
    salt: str = Field(default="", pattern=r"^([0-9a-f]{32})?$")
    returning: bool = False
    """Whether rules return on later days, as in `draw_returning_rules`.

    The week then has ``fewest_duties`` duties and the tasks of that plan, without complications.
    """

    @classmethod
    def of(cls, order: GenerationSpec, returning: bool = False) -> WeekSpec:
        """Return the weeks that a command requests with *order*, one for each of its scenarios.

        *returning* says whether rules return in them. Raises InvalidGenerationSpec for what only
        days can have, such as an own office.
        """
        for office in open_offices():
            raise InvalidGenerationSpec(
                f"generated weeks are in the built-in company; leave --office {office} out, or "
                "write its week in a benchmark file"
            )
        for name, option in _ONLY_OF_DAYS.items():
            if getattr(order, name) != GenerationSpec.model_fields[name].default:
                raise InvalidGenerationSpec(f"weeks have no --{option}; leave it out")
        if order.most > MOST_A_DAY:
            raise InvalidGenerationSpec(
                f"a day of a week has at most {MOST_A_DAY} tasks besides duties; reduce --tasks"
            )
        return cls(
            name=order.name, weeks=order.scenarios, fewest=order.fewest, most=order.most,
            fewest_complications=order.fewest_complications,
            most_complications=order.most_complications, seed=order.seed,
            company_size=order.company_size, starts=order.starts, ends=order.ends,
            split=order.split, salt=order.salt, returning=returning,
        )  # fmt: skip

    @property
    def stream_seed(self) -> int | str:
        """The name of the random streams of these weeks, besides their number."""
        return f"{self.seed}/{self.salt}" if self.salt else self.seed


def generate_weeks(spec: WeekSpec, jobs: int) -> Iterator[Scenario]:
    """Yield the weeks of *spec* in order, made by at most *jobs* worker processes.

    Raises ScenarioGenerationFailed.
    """
    with worker_processes(min(jobs, spec.weeks)) as pool:
        yield from pool.map(partial(_make_in_process, spec), range(1, spec.weeks + 1))


def _make_in_process(spec: WeekSpec, number: int) -> Scenario:
    return anyio.run(make_week, spec, number)


def describe_weeks(spec: WeekSpec) -> str:
    """Describe a benchmark of *spec* in one sentence."""
    if spec.returning:
        return (
            f"{pluralize(spec.weeks, 'week')} of {WORKING_WEEK} days with {spec.fewest_duties} "
            "duties each, one "
            "of which has a policy that changes, and further tasks whose rules return on later "
            f"days (seed {spec.seed}{', salted' if spec.salt else ''}, {spec.split})."
        )
    return (
        f"{pluralize(spec.weeks, 'week')} of {WORKING_WEEK} days with "
        f"{spec.fewest_duties}-{spec.most_duties} "
        f"duties each and {spec.fewest}-{spec.most} further tasks a day, of "
        f"{spec.fewest_complications}-{spec.most_complications} complications each (seed "
        f"{spec.seed}{', salted' if spec.salt else ''}, {spec.split})."
    )


async def make_week(spec: WeekSpec, number: int) -> Scenario:
    """Make week *number* (from 1) of *spec*; the same arguments give the same week.

    Raises ScenarioGenerationFailed if none of MAX_DRAWS drafts can be worked in full, or all need
    too little memory.
    """
    why = ""
    for attempt in range(MAX_DRAWS):
        key = ("generate week", spec.name, spec.stream_seed, spec.split, number, attempt)
        draws = random_stream(*key)
        try:
            draft = draw_week(spec, number, draws)
            settled = await _with_deadlines(draft, draws)
            if settled is not None and await _needs_memory(settled):
                return settled
            why = "the oracle cannot do all of its tasks in time, or needs too little memory"
        except CompositionError as error:
            why = str(error)
    raise ScenarioGenerationFailed(
        f"{spec.name}, week {number}: none of {MAX_DRAWS} drafts is usable; the last one: {why}. "
        "Use fewer tasks (--tasks) or longer hours (--hours)."
    )


def draw_week(spec: WeekSpec, number: int, draws: Random) -> Scenario:
    """Draw week *number* (from 1) of *spec* without deadlines.

    It has duties, which come on the first day, and for each day tasks of different families. Raises
    CompositionError if too few complications fit a rule.
    """
    if spec.returning:
        duties = draw_policy_duties(draws, spec.fewest_duties)
        listed = draw_returning_rules(draws)
        listed[0] = [*duties, *listed[0]]
    else:
        listed = _draw_rules(spec, draws)
    days = [
        DaySpec(name=name, tasks=tuple(due_afterwards(TaskSpec(rule=rule)) for rule in rules))
        for name, rules in zip(NAMES, listed, strict=True)
    ]
    return Scenario(
        name=f"{spec.name}-{number:0{len(str(spec.weeks))}d}",
        seed=spec.split.draw_seed(draws),
        salt=stable_id("salt", spec.salt, number, length=SALT_DIGITS) if spec.salt else "",
        days=tuple(days),
        company_size=spec.company_size,
        starts=spec.starts,
        ends=spec.ends,
        arrival=Arrival.STREAMED,
        week=True,
        tools=names_with(needed_tools(task.rule for day in days for task in day.tasks)),
    )


def _draw_rules(spec: WeekSpec, draws: Random) -> list[list[str]]:
    """Draw the rules of each day; none comes twice in the week."""
    rules = built_in_rules().values()
    duties = [rule for rule in rules if rule.meta_task.family_class.whole_week]
    chosen = draws.sample(duties, draws.randint(spec.fewest_duties, spec.most_duties))
    taken = {rule.id for rule in chosen}
    days = []
    for place, count in enumerate(_draw_counts(spec, len(chosen), draws)):
        tasks = [rule.id for rule in chosen] if place == 0 else []
        for rule in _draw_day(spec, count, taken, draws):
            made = _complicated(rule, (spec.fewest_complications, spec.most_complications), draws)
            tasks.append(made.id)
        days.append(tasks)
    return days


def _complicated(rule: Rule, bounds: tuple[int, int], draws: Random) -> Rule:
    """Return *rule* with complications that fit it and each other.

    *bounds* are their fewest and most. Raises CompositionError if too few fit.
    """
    count = draws.randint(*bounds)
    chosen = add_complications(rule, (), drawn_for(rule.meta_task.family_class), count, draws)
    if len(chosen) < bounds[0]:
        raise CompositionError(f"only {len(chosen)} complications fit {rule.id}, not {bounds[0]}")
    return find_rule("+".join([rule.id, *chosen]))


def _draw_counts(spec: WeekSpec, duties: int, draws: Random) -> list[int]:
    """Draw the number of single-day tasks of each day, raised until the week has enough."""
    counts = [draws.randint(spec.fewest, spec.most) for _ in range(WORKING_WEEK)]
    for place in draws.sample(range(WORKING_WEEK), WORKING_WEEK):
        missing = spec.least - duties - sum(counts)
        counts[place] += max(0, min(missing, spec.most - counts[place]))
    return counts


def _draw_day(spec: WeekSpec, count: int, taken: set[str], draws: Random) -> list[Rule]:
    """Draw *count* rules of different families with room for the least number of complications.

    None is among the rules *taken*, to which the drawn rules are added.
    """
    families: dict[str, list[Rule]] = {}
    for rule in built_in_rules().values():
        family = rule.meta_task.family_class
        room = len(drawn_for(family)) >= spec.fewest_complications
        if room and not family.whole_week and rule.id not in taken:
            families.setdefault(rule.meta_task.family_class.family, []).append(rule)
    names = draws.sample(sorted(families), count)
    chosen = [draws.choice(families[name]) for name in names]
    taken.update(rule.id for rule in chosen)
    return chosen


async def _with_deadlines(draft: Scenario, draws: Random) -> Scenario | None:
    """Return *draft* with a deadline for each single-day task, soon after the oracle submits it.

    None if the oracle cannot meet any.
    """
    rehearsal = await _rehearse(draft)
    if rehearsal is None:
        return None
    slack = {task.id: draws.choice(SLACK_MINUTES) for task in compose_day(draft).tasks}
    for slower in SLACK_FACTORS:
        settled = _tightened(
            draft, rehearsal, {id: slower * minutes for id, minutes in slack.items()}
        )
        if await _rehearse(settled) is not None:
            return settled
    return None


def _tightened(draft: Scenario, rehearsal: InProcessResult, slack: dict[str, int]) -> Scenario:
    composition = compose_day(draft)
    due = dict[tuple[int, str], datetime]()
    for task in composition.tasks:
        handed_in = rehearsal.handed_in[task.id]
        if not task.meta_task.family_class.whole_week and handed_in is not None:
            ends = composition.days[task.due_place].ends
            later = handed_in + timedelta(minutes=slack[task.id])
            due[task.published_place, task.rule] = min(ends, _rounded_up(later))
    days = tuple(
        day.model_copy(
            update={
                "tasks": tuple(
                    task.model_copy(update={"deadline": due[place, task.rule].time()})
                    if (place, task.rule) in due
                    else task
                    for task in day.tasks
                )
            }
        )
        for place, day in enumerate(draft.days)
    )
    return draft.model_copy(update={"days": days})


async def _rehearse(scenario: Scenario) -> InProcessResult | None:
    """Let the oracle work the week; None unless it submitted everything at full score."""
    rehearsal = await run_in_process("oracle", compose_day(scenario))
    full = rehearsal.grade.success and rehearsal.grade.score == 1
    return rehearsal if full and None not in rehearsal.handed_in.values() else None


async def _needs_memory(scenario: Scenario) -> bool:
    """Return whether the oracle loses enough of the week's score without its notes."""
    forgot = await run_in_process("oracle_without_notes", compose_day(scenario))
    return (forgot.grade.score or 0) <= 1 - NEEDS_MEMORY + 1e-9


def _rounded_up(moment: datetime) -> datetime:
    """Return *moment*, rounded up to five minutes."""
    return moment + timedelta(minutes=-moment.minute % _GRID)
