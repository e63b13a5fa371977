"""Claim: hints and feedback do not leak the answer.

Neither the first two tiers of hints nor the first two tiers of feedback contain a value of the
right answer that the objective does not already name.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

from trainee_bench.harness.agents.cheats.memoriser import OBSERVED_AGENTS
from trainee_bench.harness.agents.runtime.in_process_episode import cached_grade
from trainee_bench.harness.certification.claim import Claim
from trainee_bench.harness.testbench.staged_day import oracle_outputs, single_task_day
from trainee_bench.meta_tasks.composition import ComposedTask
from trainee_bench.meta_tasks.grade import feedback
from trainee_bench.world.apps.desk import RequestChanged

_MIN_VALUE_CHARS = 4
"""Length of the shortest value to search for: shorter ones occur in any text."""
_WITH_DIGIT = re.compile(r"[\w.:/-]*\d[\w.:/-]*")


async def certify_leakage(rule: str, seeds: Sequence[int]) -> Claim:
    """Check that no hint or feedback contains a value of the answer.

    Facts: ``values``, the mean number of values to search for.
    """
    claim = Claim("leakage")
    searched = 0
    for seed in seeds:
        with claim.trying(rule, seed):
            searched += await _search(claim, rule, seed)
    claim.facts = {"values": searched / len(seeds)}
    return claim


async def _search(claim: Claim, rule: str, seed: int) -> int:
    """Search one seed's hints and feedback for values of its answer; return the number of
    values."""
    composition = single_task_day(rule, seed)
    task = composition.tasks[0]
    asked, missing = _asked(task), task.instance.graded.missing
    values = [v for v in _values(await oracle_outputs(composition)) if not _says(asked, v)]
    values += [missing.number] if missing is not None else []
    texts = _hints(task)
    for agent in OBSERVED_AGENTS:
        (grade,) = (await cached_grade(agent, composition)).tasks
        texts |= {f"feedback {tier} to {agent}": feedback(grade, tier) for tier in (1, 2)}
    for name, text in texts.items():
        leaked = [value for value in values if _says(text, value)]
        claim.expect(not leaked, f"seed {seed}: {name} says {leaked}")
    return len(values)


def _asked(task: ComposedTask) -> str:
    """Return the whole request, including what it changes into."""
    instance = task.instance
    changes = [
        planned.event
        for planned in instance.hidden.events
        if isinstance(planned.event, RequestChanged)
    ]
    return "\n".join([instance.told.objective, *(change.objective for change in changes)])


def _hints(task: ComposedTask) -> dict[str, str]:
    hints = task.instance.told.hints
    return {"hint 1": hints.strategy, "hint 2": hints.where}


def _values(answers: tuple[str, ...]) -> list[str]:
    """Return the distinct values in *answers*.

    JSON has its texts and numbers. Other texts have their lines and their words with a digit,
    except the column names of a table.
    """
    values: set[str] = set()
    for answer in answers:
        try:
            values |= set(_leaves(json.loads(answer)))
        except ValueError:
            values |= {line.strip() for line in answer.splitlines()}
            head, *rows = answer.splitlines() or [""]
            names = set(_WITH_DIGIT.findall(head)) if "," in head and rows else set()
            values |= set(_WITH_DIGIT.findall(answer)) - names
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
    """Return whether *text* contains *value* as whole words, in upper or lower case."""
    return re.search(rf"(?<!\w){re.escape(value)}(?!\w)", text, re.IGNORECASE) is not None
