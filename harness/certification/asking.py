"""Claim: hidden facts can be asked for in many wordings, and not guessed.

Each clue that a colleague holds has at least five questions. Its secret takes enough values, by its
content and not just its wording, while the other clues of the task stay the same.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from trainee_bench.harness.certification.claim import NO_FACTS, Claim, rotating_sample
from trainee_bench.harness.documents.formatting import pluralize
from trainee_bench.harness.testbench.staged_day import single_task_day
from trainee_bench.meta_tasks.answers import text_key
from trainee_bench.meta_tasks.scenario import Variation
from trainee_bench.world.colleagues.knowledge import Clue

MIN_QUESTIONS = 5
"""Minimum of different questions for a clue."""
MIN_VALUES = 3
"""Minimum of values that a secret takes if it is drawn `DRAWS` times."""
DRAWS = 24
_SAID = re.compile(
    r"[A-Z][a-z]+(?: [A-Z][a-z]+)+|\S*\d\S*"
    r"|(?<!\w)(?![a-z])[A-Za-z]*(?![\x00-\x7f])[^\W\d_]\w*"
)
"""The content of a text apart from its wording: names, words with a digit, and words with a letter
that is not ASCII, unless they begin with a small one."""


async def certify_asking(rule: str, seeds: Sequence[int]) -> Claim:
    """Check that every clue has `MIN_QUESTIONS` questions and its secret `MIN_VALUES` values.

    Facts: ``questions``, the smallest number of questions of a clue.
    """
    claim, fewest = Claim("asking"), list[int]()
    for seed in seeds:
        with claim.trying(rule, seed):
            clues = single_task_day(rule, seed).tasks[0].instance.hidden.clues
            for clue in clues:
                if clue.holder:
                    count = len(set(map(text_key, clue.asks)))
                    ways = pluralize(count, "way")
                    fewest.append(count)
                    claim.expect(
                        count >= MIN_QUESTIONS,
                        f"seed {seed}: {clue.id} can be asked for in only {ways}",
                    )
            for clue in rotating_sample(clues, seed):
                values = _values(rule, seed, clue)
                claim.expect(
                    values >= MIN_VALUES,
                    f"seed {seed}: the secret of {clue.id} takes {values} values in {DRAWS} draws",
                )
    claim.facts = {"questions": min(fewest, default=0)}
    claim.end_trials(NO_FACTS)
    return claim


def _values(rule: str, seed: int, clue: Clue) -> int:
    """Count the values of the secret of *clue* while other secrets stay, up to MIN_VALUES."""
    told = [clue.payload]
    for offset in range(1, DRAWS):
        drawn = single_task_day(rule, seed, Variation(secret_seed_offsets={clue.id: offset}))
        told += [
            drawn_clue.payload
            for drawn_clue in drawn.tasks[0].instance.hidden.clues
            if drawn_clue.id == clue.id
        ]
        if _different(told) >= MIN_VALUES:
            break
    return _different(told)


def _different(told: list[str]) -> int:
    """Count the different contents of *told*, whatever the wording."""
    said = {tuple(_SAID.findall(text)) for text in told}
    return len(said) if any(said) else len(set(map(text_key, told)))
