"""Claim 7: feedback and hints do not leak the answer.

Neither the first two tiers of hints nor the first two of feedback contain a value of the
right answer that the objective does not name anyway.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from trainee_bench.harness.agents.cheats.memoriser import OBSERVED_AGENTS
from trainee_bench.harness.agents.runtime.in_process_episode import cached_grade
from trainee_bench.harness.certification.claim import Claim
from trainee_bench.harness.testbench.staged_day import oracle_outputs, single_task_day
from trainee_bench.meta_tasks.composition import ComposedTask
from trainee_bench.meta_tasks.grade import feedback

_MIN_VALUE_CHARS = 4
"""Shorter values are not looked for, because any text contains them."""
_WITH_DIGIT = re.compile(r"[\w.:/-]*\d[\w.:/-]*")


async def certify_leakage(rule: str, seeds: range) -> Claim:
    """Hints and feedback contain no value of the answer.

    Facts: ``values``, the mean number of values that were looked for.
    """
    claim = Claim("discretion")
    looked_for = 0
    for seed in seeds:
        composition = single_task_day(rule, seed)
        task = composition.tasks[0]
        told = task.instance.objective
        values = [v for v in _values(await oracle_outputs(composition)) if not _says(told, v)]
        looked_for += len(values)
        texts = _hints(task)
        for agent in OBSERVED_AGENTS:
            (grade,) = (await cached_grade(agent, composition)).tasks
            texts |= {f"feedback {tier} to {agent}": feedback(grade, tier) for tier in (1, 2)}
        for name, text in texts.items():
            given_away = [value for value in values if _says(text, value)]
            claim.expect(not given_away, f"seed {seed}: {name} says {given_away}")
    claim.facts = {"values": looked_for / len(seeds)}
    return claim


def _hints(task: ComposedTask) -> dict[str, str]:
    hints = task.instance.hints
    return {"hint 1": hints.strategy, "hint 2": hints.where}


def _values(answers: tuple[str, ...]) -> list[str]:
    """The values in *answers*, each once: the texts and numbers of JSON; of other texts the lines,
    and the words with a digit."""
    values: set[str] = set()
    for answer in answers:
        try:
            values |= set(_leaves(json.loads(answer)))
        except ValueError:
            values |= {line.strip() for line in answer.splitlines()}
            values |= set(_WITH_DIGIT.findall(answer))
    return sorted(value for value in values if len(value) >= _MIN_VALUE_CHARS)


def _leaves(data: Any) -> Iterator[str]:
    pending = [data]
    while pending:
        node = pending.pop()
        if isinstance(node, dict):
            pending += node.values()
        elif isinstance(node, list):
            pending += node
        elif not isinstance(node, bool) and node is not None:
            yield str(node)


def _says(text: str, value: str) -> bool:
    """Whether *text* contains *value* as whole words, ignoring case."""
    return re.search(rf"(?<!\w){re.escape(value)}(?!\w)", text, re.IGNORECASE) is not None
