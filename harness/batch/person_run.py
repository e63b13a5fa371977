"""A day that a person works, as a run: the person is its one agent, one day is worked.

Its folder is that of any run, so that report, comparison, replay and verification hold for it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from trainee_bench.harness.agents.person import PersonAgent
from trainee_bench.harness.agents.runtime.runner import AgentRunner
from trainee_bench.harness.batch.benchmarks import LoadedBenchmark
from trainee_bench.harness.batch.validation import (
    check_apps_and_tools,
    check_apps_available,
    check_rules,
)
from trainee_bench.harness.episodes.orchestrator import run_episode
from trainee_bench.harness.episodes.transports import open_servers
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
from trainee_bench.harness.support.text import suggest_names
from trainee_bench.meta_tasks.scenario import Scenario

_PERSON_ID = re.compile(r"[A-Za-z0-9_-]{0,32}")
SEEN = "seen"
"""What the name of a person ends in who had seen the day before working it."""


@dataclass(frozen=True)
class PersonRun:
    """The run of one *person*, and the episode that it has."""

    plan: RunPlan
    folder: RunFolder
    spec: EpisodeSpec
    person: PersonAgent

    async def work(self) -> EpisodeResult:
        """Let the person work the day; the result, which is then in the run's folder.

        Raises PlanError if another process works on the run, ResultFileError if the result cannot
        be written.
        """
        runner = AgentRunner(self.spec.agent_config, agent=self.person)
        with self.folder.locked():
            self.folder.prepare_results()
            async with open_servers(self.spec.transport) as servers:
                result = await run_episode(self.spec, self.folder, runner, servers)
            self.folder.ledger.append(result)
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
    """A new run in the folder *runs* in which the person *who* works day number *day* (from 0) of
    *scenario*, by default the first one. *seen* marks a person who knows the day.

    Raises PlanError for a scenario or day that is not there or cannot be staged, for a name that
    is none, and for a folder that cannot be written.
    """
    if not _PERSON_ID.fullmatch(who):
        raise PlanError("A person's id has at most 32 letters, digits, hyphens and underscores.")
    name = "-".join(filter(None, (PersonAgent.name, who, SEEN if seen else "")))
    config = AgentConfig(
        name=name,
        agent=PersonAgent.name,
        isolation=PERSON_ISOLATION,
        day_sequence=DaySequenceMode.FORGETFUL,
    )
    chosen = find_day(benchmark, scenario, day)
    try:
        plan = RunPlan(
            benchmark=benchmark.name,
            scenarios=(chosen,),
            unsupported=tuple(u for u in benchmark.unsupported if u.scenario == chosen.name),
            agents=(config,),
        )
    except ValidationError as error:
        raise PlanError(error.errors(include_url=False, include_input=False)[0]["msg"]) from None
    check_rules(plan)
    check_apps_and_tools(plan)
    check_apps_available(plan)
    spec = next(spec for spec in plan.episode_specs() if spec.day == day)
    try:
        runs.mkdir(parents=True, exist_ok=True)
        out = next_run_folder(runs, f"{plan.benchmark}-{name}")
    except OSError as error:
        raise PlanError(f"{runs}: {error.strerror}.") from None
    return PersonRun(plan, RunFolder.create(out, plan), spec, PersonAgent())


def find_day(benchmark: LoadedBenchmark, scenario: str | None, day: int) -> Scenario:
    """The *scenario* of *benchmark*, which has a day number *day* (from 0) to begin with. Raises
    PlanError."""
    if not benchmark.scenarios:
        raise PlanError(f"{benchmark.name} has no scenario that can be staged.")
    named = {one.name: one for one in benchmark.scenarios}
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
