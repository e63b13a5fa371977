"""No two clues at one colleague may be taken for each other."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from itertools import combinations
from typing import Any

from trainee_bench.meta_tasks.meta_task import TaskInstance
from trainee_bench.meta_tasks.task_context import CompositionError
from trainee_bench.world.colleagues.knowledge import Clue
from trainee_bench.world.colleagues.understanding import Topic, topics_collide


def check_clue_collisions(scenes: Sequence[TaskInstance[Any]]) -> None:
    """Raise CompositionError where a question for one clue could be taken for another of
    the same holder."""
    held: dict[str, list[Clue]] = defaultdict(list)
    for instance in scenes:
        for clue in instance.hidden.clues:
            if clue.holder and clue.asks:
                held[clue.holder].append(clue)
    for holder, clues in held.items():
        for one, other in combinations(clues, 2):
            if topics_collide(_topic(one), _topic(other)):
                raise CompositionError(
                    f"{holder} holds {one.id} and {other.id}, and a question for one could be "
                    "taken for the other; use another seed or put them on different days"
                )


def _topic(clue: Clue) -> Topic:
    return Topic(clue.id, clue.asks, clue.keys)
