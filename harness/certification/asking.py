"""Claim: what is hidden can be asked for in many words, and guessed in none.

Each clue that a colleague holds has five questions or more. Its secret has values enough: its own,
apart from the wording, whatever the other clues of the task tell.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from trainee_bench.harness.certification.claim import Claim, rotating_sample
from trainee_bench.harness.testbench.staged_day import single_task_day
from trainee_bench.meta_tasks.answers import text_key
from trainee_bench.meta_tasks.scenario import Variation
from trainee_bench.world.colleagues.knowledge import Clue

MIN_QUESTIONS = 5
"""In how many ways a clue can be asked for, at least."""
MIN_VALUES = 3
"""How many values a secret takes at least, if it is drawn `DRAWS` times."""
DRAWS = 24
_SAID = re.compile(r"[A-Z][a-z]+(?: [A-Z][a-z]+)+|\S*\d\S*")
"""What a text says apart from its wording: names, and words with a digit."""


async def certify_asking(rule: str, seeds: Sequence[int]) -> Claim:
    """Every clue has `MIN_QUESTIONS` different questions, and its secret `MIN_VALUES` values.

    Facts: ``questions``, the fewest that a clue has.
    """
    claim, fewest = Claim("asking"), list[int]()
    for seed in seeds:
        with claim.trying(rule, seed):
            clues = single_task_day(rule, seed).tasks[0].instance.hidden.clues
            for clue in clues:
                if clue.holder:
                    count = len(set(map(text_key, clue.asks)))
                    fewest.append(count)
                    claim.expect(
                        count >= MIN_QUESTIONS,
                        f"seed {seed}: {clue.id} can be asked for in {count} ways only",
                    )
            for clue in rotating_sample(clues, seed):
                values = _values(rule, seed, clue)
                claim.expect(
                    values >= MIN_VALUES,
                    f"seed {seed}: the secret of {clue.id} takes {values} values in {DRAWS} draws",
                )
    claim.facts = {"questions": min(fewest, default=0)}
    claim.tried = max(claim.tried, 1)
    return claim


def _values(rule: str, seed: int, clue: Clue) -> int:
    """How many values the secret of *clue* takes while the others stay, counted to MIN_VALUES."""
    told = [clue.payload]
    for offset in range(1, DRAWS):
        drawn = single_task_day(rule, seed, Variation(secret_seed_offsets={clue.id: offset}))
        told += [one.payload for one in drawn.tasks[0].instance.hidden.clues if one.id == clue.id]
        if _different(told) >= MIN_VALUES:
            break
    return _different(told)


def _different(told: list[str]) -> int:
    """How many different things *told* says, however it words them."""
    said = {tuple(_SAID.findall(text)) for text in told}
    return len(said) if any(said) else len(set(map(text_key, told)))
