"""What agents lost their points to, and the costliest steps of each day; for runs of which that was
computed (see `trainee-bench worth`)."""

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
"""What was stored of the steps of episodes, by their ids."""
NO_WORTHS: Worths = {}
COSTLIEST = 3
"""So many steps of each day are told."""
_MARKDOWN = frozenset({Medium.MARKDOWN})
"""A page tells them beside the day's picture."""


def points_lost_grid(worths: Iterable[EpisodeWorth]) -> Grid | None:
    """What each agent lost its points to; None if nobody lost any."""
    by_agent: dict[str, list[EpisodeWorth]] = {}
    for worth in worths:
        by_agent.setdefault(worth.agent, []).append(worth)
    lost = {agent: points_lost(days) for agent, days in by_agent.items()}
    origins = [one for one in LossOrigin if any(abs(of.get(one, 0)) > 1e-9 for of in lost.values())]
    if not origins:
        return None
    rows = [
        [agent, *(_cell(of.get(one, 0.0)) for one in origins)] for agent, of in sorted(lost.items())
    ]
    titles = [f"{one} (tasks)" if one is LossOrigin.HARM else str(one) for one in origins]
    return Grid.from_rows(["points lost to", *titles], rows)


def _cell(lost: float) -> str:
    return format_number(lost) if abs(lost) > 1e-9 else NO_VALUE


def worth_sections(
    results: Sequence[EpisodeResult], agents: Sequence[str], worths: Worths
) -> list[Section]:
    """A table of what agents lost, and the costliest steps of each day; none without *worths*."""
    told = [worths[one.episode] for one in results if one.episode in worths]
    grid = points_lost_grid(told)
    if grid is None:
        return []
    days = len({worth.episode for worth in told})
    note = (
        f"Mean loss of score per day, over {days} of {pluralize(len(results), 'episode')}; of "
        "harm the number "
        "of tasks that lost their success to it. A step's loss is the difference of the scores "
        "that were still possible before and after it."
    )
    notes = [Paragraph(text, "note") for text in (note, *how_certain(told))]
    ordered = sorted(told, key=lambda one: (agents.index(one.agent), one.episode))
    bullets = Bullets(tuple(bullet for one in ordered if (bullet := _costliest(one)) is not None))
    steps = Section("The costliest steps of each day", (bullets,), media=_MARKDOWN)
    blocks: list[Block] = [grid, *notes, steps]
    return [Section("What points were lost to", tuple(blocks), key="worth", media=FILES)]


def costliest_steps(worth: EpisodeWorth) -> tuple[str, ...]:
    """The costliest steps of an episode in words, the costliest first."""
    return tuple(loss_in_words(worth, loss) for loss in costliest_losses(worth, COSTLIEST))


def _costliest(worth: EpisodeWorth) -> Bullet | None:
    steps = costliest_steps(worth)
    if not steps:
        return None
    scores = f"{format_number(worth.points[0].value)} to {format_number(worth.end.value)}"
    return Bullet(scores, id=worth.episode, items=tuple(map(Bullet, steps)))
