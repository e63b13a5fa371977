"""The parts that Inspect finds: a task for each shipped benchmark and one for any other, solvers,
and models without a key.

    inspect eval trainee_bench/core_50 --model openai/gpt-5 -T rules=kb_fix.* -T guidance=1
    inspect eval trainee_bench/from_config -T config=mine.json

Every Inspect command imports this module, even for other packages' tasks. So it imports our other
modules only when they are called.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import resources

from inspect_ai import Task, task
from inspect_ai.agent import Agent
from inspect_ai.model import ModelAPI, modelapi
from inspect_ai.solver import Solver, solver

from trainee_bench import configs
from trainee_bench.harness.session.limits import EpisodeLimits

__all__ = ["SHIPPED", "each_day", "from_config", "office_loop", "office_react"]

_USUAL = EpisodeLimits()


@task
def from_config(
    config: str,
    rules: str | list[str] | None = None,
    seeds: int | list[int | str] | None = None,
    guidance: int | None = None,
    modality: str | None = None,
) -> Task:
    """The days of *config*: a benchmark file, or the name of a shipped benchmark.

    *rules* selects the days that have a task with a matching rule. Each day is worked with every
    one of *seeds* instead of its own. *guidance* is from 0 to 3. *modality* sets the form of visual
    material: pictures or tables. Raises PlanError.
    """
    from trainee_bench.harness.integrations.inspect_ai.tasks import build_task, read_choice

    return build_task(config, read_choice(rules, seeds, guidance, modality), office_loop())


def _shipped(name: str) -> Callable[..., Task]:
    """Return the task of the shipped benchmark *name*; core-50 is ``core_50``."""

    @task(name=name.replace("-", "_"))
    def shipped(
        rules: str | list[str] | None = None,
        seeds: int | list[int | str] | None = None,
        guidance: int | None = None,
        modality: str | None = None,
    ) -> Task:
        made: Task = from_config(name, rules, seeds, guidance, modality)
        return made

    made: Callable[..., Task] = shipped
    return made


SHIPPED = {
    name.replace("-", "_"): _shipped(name)
    for name in sorted(
        file.name.removesuffix(".json")
        for file in resources.files(configs).iterdir()
        if file.name.endswith(".json")
    )
}
"""The tasks of the shipped benchmarks, by name."""


@solver
def office_loop(
    steps: int = _USUAL.steps,
    calls_per_turn: int = _USUAL.calls_per_turn,
    history: str = "",
    system_prompt: str = "",
    thinking: int | None = None,
) -> Solver:
    """Our own loop: at most *steps* turns a day, with *calls_per_turn* calls each.

    With *thinking*, so many output tokens of the model take a simulated minute. *history* and
    *system_prompt* name components, as for ``trainee-bench run``. Raises UnknownComponent, and
    ValidationError for limits below 1.
    """
    from trainee_bench.harness.integrations.inspect_ai.own_loop import own_loop

    limits = EpisodeLimits(steps=steps, calls_per_turn=calls_per_turn, tokens_per_minute=thinking)
    return own_loop(limits, history, system_prompt)


@solver
def office_react() -> Solver:
    """Inspect's `react` with the tools of the office, until the day is over."""
    from trainee_bench.harness.integrations.inspect_ai.own_loop import work_each_day, worker

    return work_each_day(worker())


@solver
def each_day(agent: Agent | Solver) -> Solver:
    """Let *agent* work the sample's day, or each day of its week. It remembers nothing over
    night."""
    from trainee_bench.harness.integrations.inspect_ai.own_loop import work_each_day

    return work_each_day(agent)


@modelapi(name="trainee_bench")
def known_calls() -> type[ModelAPI]:
    """Models ``trainee_bench/AGENT``, which make the calls of one of our agents."""
    from trainee_bench.harness.integrations.inspect_ai.scripted_model import KnownCallsModel

    return KnownCallsModel
