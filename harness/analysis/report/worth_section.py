"""The section on lost points by cause, and the costliest steps of each day.

It appears in reports of runs for which these were computed (see `trainee-bench worth`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from trainee_bench.harness.documents.document import (
    FILES,
    Block,
    Bullet,
    Bullets,
    Grid,
    Medium,
    Paragraph,
    Section,
)
from trainee_bench.harness.documents.formatting import NO_VALUE, format_number, pluralize
from trainee_bench.harness.records.results import EpisodeResult
from trainee_bench.harness.records.worth import EpisodeWorth, LossOrigin
from trainee_bench.harness.worth.loss_words import (
    costliest_losses,
    how_certain,
    loss_in_words,
    points_lost,
)

Worths = Mapping[str, EpisodeWorth]
"""The stored worth of the steps of episodes, by their ids."""
NO_WORTHS: Worths = {}
COSTLIEST = 3
"""Number of steps told per day."""
_MARKDOWN = frozenset({Medium.MARKDOWN})
"""A page tells them next to the day's picture."""


def points_lost_grid(worths: Iterable[EpisodeWorth]) -> Grid | None:
    """Return the points that each agent lost, by cause; None if no agent lost any."""
    by_agent: dict[str, list[EpisodeWorth]] = {}
    for worth in worths:
        by_agent.setdefault(worth.agent, []).append(worth)
    lost = {agent: points_lost(days) for agent, days in by_agent.items()}
    origins = [
        origin
        for origin in LossOrigin
        if any(abs(by_origin.get(origin, 0)) > 1e-9 for by_origin in lost.values())
    ]
    if not origins:
        return None
    rows = [
        [agent, *(_cell(by_origin.get(origin, 0.0)) for origin in origins)]
        for agent, by_origin in sorted(lost.items())
    ]
    titles = [
        f"{origin} (tasks)" if origin is LossOrigin.HARM else str(origin) for origin in origins
    ]
    return Grid.from_rows(["points lost to", *titles], rows)


def _cell(lost: float) -> str:
    return format_number(lost) if abs(lost) > 1e-9 else NO_VALUE


def worth_sections(
    results: Sequence[EpisodeResult], agents: Sequence[str], worths: Worths
) -> list[Section]:
    """Return a table of what agents lost, and the costliest steps of each day; none without
    *worths*."""
    told = [worths[result.episode] for result in results if result.episode in worths]
    grid = points_lost_grid(told)
    if grid is None:
        return []
    days = len({worth.episode for worth in told})
    note = (
        f"Mean loss of score per day, over {days} of {pluralize(len(results), 'episode')}; for "
        "harm, the number of tasks that lost their success. A step's loss is the best score still "
        "possible before the step, minus the best score still possible after it."
    )
    notes = [Paragraph(text, "note") for text in (note, *how_certain(told))]
    ordered = sorted(told, key=lambda worth: (agents.index(worth.agent), worth.episode))
    told_steps = map(_costliest, ordered)
    bullets = Bullets(tuple(bullet for bullet in told_steps if bullet is not None))
    steps = Section("The costliest steps of each day", (bullets,), media=_MARKDOWN)
    blocks: list[Block] = [grid, *notes, steps]
    return [Section("Points lost, by cause", tuple(blocks), key="worth", media=FILES)]


def costliest_steps(worth: EpisodeWorth) -> tuple[str, ...]:
    """Return the costliest steps of an episode in words, the costliest first."""
    return tuple(loss_in_words(worth, loss) for loss in costliest_losses(worth, COSTLIEST))


def _costliest(worth: EpisodeWorth) -> Bullet | None:
    steps = costliest_steps(worth)
    if not steps:
        return None
    scores = f"{format_number(worth.points[0].value)} to {format_number(worth.end.value)}"
    return Bullet(scores, id=worth.episode, items=tuple(map(Bullet, steps)))
