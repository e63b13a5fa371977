"""The cheat that hands in the answer that is most often right with other seeds."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Self

from pydantic import JsonValue

from trainee_bench.harness.agents.agent import PrivilegedAgent
from trainee_bench.harness.session.agent_session import AgentSession
from trainee_bench.harness.testbench.other_seeds import (
    answers_with_other_seeds,
    days_with_seeds,
)
from trainee_bench.harness.testbench.staged_day import cache_latest
from trainee_bench.harness.testbench.workbook_files import write_as
from trainee_bench.meta_tasks.composition import ComposedDay
from trainee_bench.meta_tasks.kept_days import composed

OTHER_SEED_COUNT = 8
"""The number of other seeds for which the same day is solved."""
_SEARCHED = 10 * OTHER_SEED_COUNT
"""The number of seeds to search for these: a day with complications composes at some only."""
_KNOWN: dict[str, Mapping[str, str]] = {}
"""The answers for the latest days: each morning of a week needs the same ones."""


class CommonestAnswer(PrivilegedAgent):
    """Cheat that knows the path of each deliverable and hands in each field's most common value."""

    name = "commonest_answer"
    score_ceiling = 0.15

    def __init__(self, answers: Mapping[str, str]):
        self._answers = dict(answers)

    @classmethod
    async def for_day(cls, composition: ComposedDay) -> Self:
        """Return the cheat with the right answers of the same day (or the whole week) with other
        seeds."""
        resolved = composition.scenario_day
        if resolved.scenario.week:
            composition = composed(resolved.scenario, resolved.day)
        key = resolved.model_dump_json()
        if key not in _KNOWN:
            scenario = resolved.scenario
            seeds = range(scenario.seed + 1, scenario.seed + 1 + _SEARCHED)
            others = days_with_seeds(scenario, resolved.day, seeds, OTHER_SEED_COUNT)
            seen = await answers_with_other_seeds(composition, others)
            common = {path: most_common_answer([text for _, text in seen[path]]) for path in seen}
            cache_latest(_KNOWN, key, common)
        return cls(_KNOWN[key])

    async def work(self, session: AgentSession) -> None:
        """Write the deliverables."""
        for path, text in self._answers.items():
            await write_as(session.call, path, text)


def most_common_answer(texts: Sequence[str]) -> str:
    """Return the most common of *texts*; of JSON objects, the most common value of each field."""
    try:
        objects = [json.loads(text) for text in texts]
    except ValueError:
        objects = []
    if not objects or not all(isinstance(value, dict) for value in objects):
        return _most(texts)
    names = list(dict.fromkeys(name for value in objects for name in value))
    chosen: dict[str, JsonValue] = {
        name: json.loads(_most([json.dumps(value[name]) for value in objects if name in value]))
        for name in names
    }
    return json.dumps(chosen, indent=1)


def _most(texts: Sequence[str]) -> str:
    """Return the most common text; of several equally common ones, the first."""
    return Counter(texts).most_common(1)[0][0]
