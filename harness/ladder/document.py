"""The report of a climb: ladder.json, and a page with the curve as HTML and Markdown."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path

from trainee_bench.harness.analysis.charts.capacity_chart import (
    CapacityCurve,
    WorkedSize,
    capacity_chart,
)
from trainee_bench.harness.analysis.statistics.capacity import HIGHEST, Capacity
from trainee_bench.harness.analysis.statistics.proportion import wilson_share
from trainee_bench.harness.documents.document import (
    FILES,
    Block,
    Chart,
    Charts,
    Document,
    Facts,
    Grid,
    Medium,
    Paragraph,
    Section,
)
from trainee_bench.harness.documents.formatting import (
    NO_VALUE,
    UNKNOWN,
    format_number,
    pluralize,
)
from trainee_bench.harness.documents.html import render_html
from trainee_bench.harness.documents.markdown import render_markdown
from trainee_bench.harness.ladder.live import describe_world
from trainee_bench.harness.ladder.state import END_SENTENCES, ClimbEnd, ClimbState
from trainee_bench.harness.records.begun_episodes import histories
from trainee_bench.harness.records.frozen_model import FrozenModel
from trainee_bench.harness.records.plan import RunPlan
from trainee_bench.harness.records.run_folder import RunFolder

_MEANING = (
    "Capacity is the number of tasks in a world at which the chance that every one of them is "
    f"right falls to one half. The interval holds with 95 %. Above {HIGHEST} only a lower bound is "
    "told; below 1, even a single task fails more often than not."
)
_SLOPE_MEANING = (
    "Slope: 1 if errors are independent from task to task. Below 1, whole worlds go well or "
    "badly; above 1, errors become more frequent with the load."
)
_IDENTITY = (
    "Compare only climbs with the same tools, limits and versions; ladder.json has the figures. "
    "trainee-bench verify repeats every episode, and every choice of a world."
)


class LadderWorld(FrozenModel):
    """A world of a climb; ``complete`` is None if it was not graded."""

    number: int
    episode: str
    tasks: int
    complete: bool | None
    score: float | None


class LadderRecord(FrozenModel):
    """The content of ladder.json. ``stop`` is None if the climb has not ended."""

    agent: str
    model: str | None
    benchmark: str
    seed: int
    generator: int
    score_version: int
    capacity: float | None
    low: float | None
    high: float | None
    slope: float
    told: str
    stop: ClimbEnd | None
    tokens: int | None
    cost_usd: float | None
    worlds: tuple[LadderWorld, ...]
    repeated: tuple[str, ...] = ()
    """The episodes that were begun more than once."""


def publish_climb(
    folder: RunFolder,
    plan: RunPlan,
    state: ClimbState,
    stop: ClimbEnd | None,
    beside: Sequence[ClimbState] = (),
) -> Document:
    """Write the report of the climb in *folder* and return it, for the console to print.

    It also shows the climbs *beside*. *stop* is None while the climb goes on. Raises OSError, and
    ResultFileError for a damaged record of begun episodes.
    """
    recorded = histories(folder.begun.read())
    repeated = tuple(id for id, episode in recorded.items() if len(episode.starts) > 1)
    record = ladder_record(plan, state, stop, repeated)
    document = climb_document(state, stop, beside, repeated)
    for chart in document.charts:
        _write(folder.path / f"{chart.name}.svg", chart.svg)
    _write(folder.path / "ladder.json", record.model_dump_json(indent=1) + "\n")
    _write(folder.path / "ladder.md", render_markdown(document))
    _write(folder.path / "ladder.html", render_html(document))
    return document


def ladder_record(
    plan: RunPlan, state: ClimbState, stop: ClimbEnd | None, repeated: tuple[str, ...] = ()
) -> LadderRecord:
    """Return the figures of a climb, as they are stored."""
    capacity = state.capacity
    worlds = tuple(
        LadderWorld(
            number=world.number,
            episode=world.spec.id,
            tasks=world.tasks,
            complete=None if world.outcome is None else world.outcome.complete,
            score=None if world.result is None else world.result.score,
        )
        for world in state.worlds
    )
    return LadderRecord(
        agent=state.agent,
        model=plan.agents[0].model,
        benchmark=plan.benchmark,
        seed=state.climb.seed,
        generator=plan.generator,
        score_version=plan.score_version,
        capacity=capacity.estimate,
        low=capacity.low,
        high=capacity.high,
        slope=capacity.slope,
        told=str(capacity),
        stop=stop,
        tokens=state.tokens,
        cost_usd=state.cost_usd,
        worlds=worlds,
        repeated=repeated,
    )


def climb_document(
    state: ClimbState,
    stop: ClimbEnd | None,
    beside: Sequence[ClimbState] = (),
    repeated: Collection[str] = (),
) -> Document:
    """Return the report of a climb, with the climbs *beside* it.

    *stop* is why it has ended; *repeated* are the episodes that were begun more than once.
    """
    capacity = state.capacity
    title = f"Capacity of {state.agent}: {capacity}"
    ended = END_SENTENCES[stop] if stop is not None else "It has not ended."
    curves = [curve_of(state), *map(curve_of, beside)]
    chart = Chart("ladder", title, capacity_chart("Chance of a complete world", curves))
    worlds = Section(
        "The climb", (_path_grid(state),), folds_in=frozenset({Medium.HTML}), media=FILES
    )
    blocks: list[Block] = [
        Facts(_facts(state, ended, len(repeated))),
        Section("Curve", (Charts((chart,)), Paragraph(_MEANING, "note")), media=FILES),
        Section("By size", (size_grid(state), Paragraph(_SLOPE_MEANING, "note"))),
        *([Section("Beside other climbs", (_beside_grid([state, *beside]),))] if beside else []),
        worlds,
    ]
    return Document(
        title=title,
        genre="Trainee-Bench · ladder",
        blocks=tuple(blocks),
        lead=_lead(capacity),
        footer=_IDENTITY,
    )


def curve_of(state: ClimbState) -> CapacityCurve:
    """Return the curve of a climb."""
    return CapacityCurve(state.agent, state.capacity, tuple(_sizes(state)))


def size_grid(state: ClimbState) -> Grid:
    """Return the worlds of a climb by their number of tasks."""
    rows = []
    for size in _sizes(state):
        share = wilson_share(size.complete, size.worlds)
        assert share is not None
        scores = [
            world.result.score
            for world in state.worlds
            if world.outcome is not None and world.result is not None and world.tasks == size.tasks
        ]
        known = [score for score in scores if score is not None]
        rows.append(
            [
                str(size.tasks),
                str(size.worlds),
                str(size.complete),
                f"{share.mean:.2f} ({share.low:.2f}-{share.high:.2f})",
                format_number(state.capacity.chance(size.tasks)),
                format_number(sum(known) / len(known) if known else None),
            ]
        )
    titles = ["tasks", "worlds", "complete", "share complete", "fitted", "mean score"]
    return Grid.from_rows(titles, rows)


def _sizes(state: ClimbState) -> list[WorkedSize]:
    outcomes = state.outcomes
    sizes = sorted({outcome.tasks for outcome in outcomes})
    return [
        WorkedSize(
            tasks=size,
            worlds=sum(outcome.tasks == size for outcome in outcomes),
            complete=sum(outcome.tasks == size and outcome.complete for outcome in outcomes),
        )
        for size in sizes
    ]


def _lead(capacity: Capacity) -> str:
    if not capacity.worlds:
        return "No world has been graded, so nothing is known of the capacity."
    worlds = f"from {pluralize(capacity.worlds, 'world')}"
    if capacity.estimate is None and capacity.low is not None:
        return f"Every world was complete. The capacity in tasks is {capacity}, {worlds}."
    if capacity.estimate is None:
        return f"No world was complete. The capacity in tasks is {capacity}, {worlds}."
    return f"The capacity in tasks is {capacity}, {worlds}."


def _facts(state: ClimbState, ended: str, repeated: int) -> tuple[tuple[str, str], ...]:
    capacity = state.capacity
    facts = [
        ("Capacity", str(capacity)),
        ("Slope", format_number(capacity.slope) if capacity.estimate is not None else NO_VALUE),
        ("Worlds", str(len(state.outcomes))),
        ("Tasks", str(state.tasks_worked)),
    ]
    if state.has_model:
        tokens, cost = state.tokens, state.cost_usd
        facts += [
            ("Tokens", UNKNOWN if tokens is None else f"{tokens:,}"),
            ("Cost in US dollars", UNKNOWN if cost is None else f"{cost:.2f}"),
        ]
    facts.append(("Ended", ended))
    if repeated:
        facts.insert(3, ("Begun more than once", str(repeated)))
    if state.broken:
        facts.insert(3, ("Broken", str(len(state.broken))))
    return tuple(facts)


def _path_grid(state: ClimbState) -> Grid:
    """Return each world in the order of the plan."""
    rounds = [
        str(number) for number, count in enumerate(state.climb.rounds, 1) for _ in range(count)
    ]
    rows = [
        [
            str(world.number),
            round_number,
            world.spec.scenario.name,
            describe_world(world).partition(": ")[2],
            str(world.tasks),
            format_number(world.result.score if world.result is not None else None),
        ]
        for world, round_number in zip(state.worlds, rounds, strict=True)
    ]
    titles = ["world", "round", "name", "outcome", "tasks", "score"]
    return Grid.from_rows(titles, rows, left_columns=4)


def _beside_grid(states: Sequence[ClimbState]) -> Grid:
    rows = [[state.agent, str(state.capacity), str(len(state.outcomes))] for state in states]
    return Grid.from_rows(["agent", "capacity", "worlds"], rows)


def _write(path: Path, text: str) -> None:
    """Write *text* to *path*, whole or not at all: somebody may watch it. Raises OSError."""
    draft = path.with_name(f"{path.name}.draft")
    try:
        draft.write_text(text, encoding="utf-8")
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)
