"""A run with a person as its only agent, who works one day.

Its folder is that of any run, so report, comparison, replay and verification work on it. An
unfinished day is resumed from its world and the journal of its turns.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from trainee_bench.harness.agents.person import PersonAgent
from trainee_bench.harness.agents.runtime.runner import AgentRunner
from trainee_bench.harness.batch.benchmarks import LoadedBenchmark
from trainee_bench.harness.batch.validation import validate_person_plan
from trainee_bench.harness.episodes.orchestrator import run_episode
from trainee_bench.harness.episodes.transports import open_servers
from trainee_bench.harness.episodes.turn_journal import (
    JournalDay,
    TurnJournal,
    read_journal,
    settle_last_turn,
)
from trainee_bench.harness.records.plan import (
    PERSON_ISOLATION,
    AgentConfig,
    DaySequenceMode,
    EpisodeSpec,
    PlanError,
    RunPlan,
)
from trainee_bench.harness.records.results import EpisodeResult
from trainee_bench.harness.records.run_folder import RunFolder, next_run_folder
from trainee_bench.harness.session.turns import TurnRecord
from trainee_bench.harness.support.text import suggest_names
from trainee_bench.meta_tasks.scenario import Scenario
from trainee_bench.world.errors import first_flaw
from trainee_bench.world.world import World

_PERSON_ID = re.compile(r"[A-Za-z0-9_-]{0,32}")
SEEN = "seen"
"""The suffix of a person's name after seeing the day before working it."""
SHOWN_SINCE = (
    "The studio has shown this day since it was left, so you may know what happens in it. Begin "
    "it again in the studio; your result is then marked as seen."
)


@dataclass(frozen=True)
class PersonRun:
    """The run of one *person*, and its episode."""

    plan: RunPlan
    folder: RunFolder
    spec: EpisodeSpec
    person: PersonAgent
    left: tuple[JournalDay, ...] = ()
    """The days that were begun before the person left, if this run is resumed."""

    @property
    def earlier(self) -> tuple[TurnRecord, ...]:
        """The turns of another agent that began this day."""
        return tuple(turn for day in read_journal(self.folder.fork_turns) for turn in day.turns)

    @property
    def made(self) -> tuple[TurnRecord, ...]:
        """The turns that the person made before leaving."""
        return tuple(turn for day in self.left for turn in day.turns)

    async def work(self) -> EpisodeResult:
        """Let the person work the day, or the rest of it; return the result after it was stored.

        Raises PlanError if another process works on the run, ResultFileError if the result cannot
        be written.
        """
        runner = AgentRunner(self.spec.agent_config, agent=self.person)
        with self.folder.locked():
            self.folder.prepare_results(unfinished=[self.spec.id] if self.left else [])
            async with open_servers(self.spec.transport) as servers:
                result = await run_episode(self.spec, self.folder, runner, servers, self.left)
            self.folder.add_result(result)
        return result


def create_person_run(
    benchmark: LoadedBenchmark,
    scenario: str | None,
    day: int,
    runs: Path,
    who: str = "",
    *,
    seen: bool = False,
) -> PersonRun:
    """Create a run in the folder *runs* in which the person *who* works a day of *scenario*.

    *day* counts from 0; *scenario* is by default the first one. *seen* marks a person who knows the
    day. Raises PlanError for a scenario or day that does not exist or cannot be staged. Raises it
    as well for an invalid name, and for a folder that cannot be written.
    """
    config = person_config(who, seen=seen)
    chosen = find_day(benchmark, scenario, day)
    try:
        plan = RunPlan(
            benchmark=benchmark.name,
            scenarios=(chosen,),
            unsupported=tuple(u for u in benchmark.unsupported if u.scenario == chosen.name),
            agents=(config,),
            only_day=day,
        )
    except ValidationError as error:
        raise PlanError(first_flaw(error)[1]) from None
    validate_person_plan(plan)
    (spec,) = plan.episode_specs()
    try:
        runs.mkdir(parents=True, exist_ok=True)
        out = next_run_folder(runs, f"{plan.benchmark}-{config.name}")
    except OSError as error:
        raise PlanError(f"{runs}: {error.strerror}.") from None
    return PersonRun(plan, RunFolder.create(out, plan), spec, PersonAgent())


def person_config(who: str, *, seen: bool = False) -> AgentConfig:
    """Return the person *who* as an agent of a plan. Raises PlanError for an invalid name."""
    if not _PERSON_ID.fullmatch(who):
        raise PlanError("A person's id has at most 32 letters, digits, hyphens and underscores.")
    return AgentConfig(
        name="-".join(filter(None, (PersonAgent.name, who, SEEN if seen else ""))),
        agent=PersonAgent.name,
        isolation=PERSON_ISOLATION,
        day_sequence=DaySequenceMode.FORGETFUL,
    )


def works_unseen(spec: EpisodeSpec) -> bool:
    """Whether a person who had not seen the day before works the episode of *spec*."""
    by_person = spec.agent_config.isolation == PERSON_ISOLATION
    return by_person and spec.forked_from is None and not spec.agent.endswith(f"-{SEEN}")


def _left_episode(folder: RunFolder, plan: RunPlan) -> EpisodeSpec | None:
    """Return the episode in *folder* that a person has begun and not ended, None if there is none.

    Raises ResultFileError.
    """
    over = {result.episode for result in folder.ledger.read()}
    for spec in plan.episode_specs():
        by_person = spec.agent_config.isolation == PERSON_ISOLATION
        if by_person and spec.id not in over and folder.turns(spec).is_file():
            return spec
    return None


async def resume_person_run(path: Path) -> PersonRun:
    """Return the run in the folder *path*, ready to continue a day that a person left.

    A call that was made counts even if the person never got its answer. Raises PlanError if there
    is no such day or somebody works it now. Raises ResultFileError if its results cannot be read,
    and WorldFileError if its world cannot be read.
    """
    folder = RunFolder.open(path)
    plan = folder.plan()
    spec = _left_episode(folder, plan)
    if spec is None:
        raise PlanError(f"{path} has no day that a person left before its end.")
    if folder.day_was_shown and works_unseen(spec):
        raise PlanError(SHOWN_SINCE)
    with folder.locked():
        folder.refuse_links_out()
        left = await _left_days(folder, spec)
    return PersonRun(plan, folder, spec, PersonAgent(), left)


async def _left_days(folder: RunFolder, spec: EpisodeSpec) -> tuple[JournalDay, ...]:
    """Return the begun days of the episode of *spec*, with the last call completed from the world.

    Returns nothing if the episode had hardly begun, so that it begins again.
    """
    journal = TurnJournal(folder.turns(spec))
    journal.repair()
    left = read_journal(folder.turns(spec))
    if not left or not folder.world(spec).is_file():
        return ()
    async with await World.open(folder.world(spec)) as world:
        log, employee = await world.log(), await world.read(lambda tx: tx.employee)
    begins = spec.forked_from.step if spec.forked_from is not None else 0
    earlier = [turn for day in left[:-1] for turn in day.turns]
    own = [entry for entry in log if entry.seq > begins and entry.actor == employee]
    done = settle_last_turn(left[-1], earlier, own)
    if done is not None:
        journal.turn_ends(done.answers)
    return tuple(left)


def find_day(benchmark: LoadedBenchmark, scenario: str | None, day: int) -> Scenario:
    """Return the *scenario* of *benchmark* whose day number *day* (from 0) can be worked first.

    Raises PlanError.
    """
    if not benchmark.scenarios:
        raise PlanError(f"{benchmark.name} has no scenario that can be staged.")
    named = {s.name: s for s in benchmark.scenarios}
    if scenario is None:
        scenario = benchmark.scenarios[0].name
    if scenario not in named:
        near = suggest_names(scenario, named, list(named)[:5])
        raise PlanError(f"{benchmark.name} has no scenario {scenario!r}; try {near}.")
    found = named[scenario]
    if day not in found.world_days:
        days = ", ".join(str(number + 1) for number in found.world_days)
        raise PlanError(f"{scenario} has no day {day + 1} to begin with; it has {days}.")
    return found
