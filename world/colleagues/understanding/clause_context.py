"""A clause among the other clauses of its message: what it says and what stands around it."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from trainee_bench.world.colleagues.understanding.clause_parsing import Clause, Word
from trainee_bench.world.colleagues.understanding.identifiers import KnownIds
from trainee_bench.world.colleagues.understanding.topic_profile import is_about_document

CONTEXT_CREDIT = 0.6
LEANING_CREDIT = 0.9
"""What stands in another clause of the message counts less, unless the clause leans on it with
*it* or *that*."""


@dataclass(frozen=True, slots=True)
class ClauseContext:
    """What a clause says, and what stands around it in the message."""

    here: Mapping[str, float]
    """The senses of the clause with their credit."""
    context: Mapping[str, float]
    """Those of the message's other clauses."""
    elsewhere: tuple[Word, ...]
    """The words of the other clauses."""
    quoted: tuple[str, ...]
    """The known ids it quotes, or else the message."""
    quotes: bool
    """It quotes one itself."""
    share: float
    """What something said in another clause counts."""
    strangers: tuple[str, ...]
    """Other words that look like ids."""
    document: bool
    """The message asks where something stands, or how it is done."""
    how: bool
    """The message asks how something is done, which is asking for guidance on it."""
    you: bool
    """Another clause is about the colleague."""


def context_of_clause(clause: Clause, rest: Sequence[Clause], keyring: KnownIds) -> ClauseContext:
    """A clause among the other clauses of its message."""
    elsewhere = tuple(word for other in rest for word in other.words)
    share = LEANING_CREDIT if clause.refers else CONTEXT_CREDIT
    here, whole = (clause,), (clause, *rest)
    return ClauseContext(
        here=senses(clause.words),
        context=senses(elsewhere, share),
        elsewhere=elsewhere,
        quotes=bool(clause.marks),
        share=share,
        quoted=quoted_ids_in(here if clause.marks else whole, keyring),
        strangers=unknown_ids_in(here if clause.literals or clause.marks else whole),
        document=any(is_about_document(each) for each in whole),
        how=any("how" in each.kinds for each in whole),
        you=any(each.you and each.asks for each in rest),
    )


def senses(words: Iterable[Word], share: float = 1.0) -> dict[str, float]:
    """The senses of words with the credit of the best word for each."""
    found: dict[str, float] = {}
    for word in words:
        for sense in word.senses:
            found[sense] = max(found.get(sense, 0.0), word.credit * share)
    return found


def unknown_ids_in(clauses: Iterable[Clause]) -> tuple[str, ...]:
    """What looks like an id and is no known one; unknown words may be names of servers."""
    found: list[str] = []
    for clause in clauses:
        found += clause.literals
        found += [word.text for word in clause.words if word.unknown]
    return tuple(found)


def quoted_ids_in(clauses: Iterable[Clause], keyring: KnownIds) -> tuple[str, ...]:
    """The known ids that clauses quote."""
    keys = (keyring.marked(mark) for clause in clauses for mark in clause.marks)
    return tuple(key for key in keys if key is not None)
