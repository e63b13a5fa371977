"""Context of a clause: the ids, names and dates of the other clauses of its message."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from trainee_bench.world.colleagues.understanding.clause_parsing import Clause, Word
from trainee_bench.world.colleagues.understanding.identifiers import KnownIds
from trainee_bench.world.colleagues.understanding.topic_profile import is_about_document
from trainee_bench.world.task_ids import is_task_id


@dataclass(frozen=True, slots=True)
class ClauseContext:
    """Context of a clause in its message."""

    quoted: tuple[str, ...]
    """The known ids that the clause quotes, or else those that the message quotes; and the ids of
    tasks that the message quotes."""
    quotes: bool
    """Whether the clause itself quotes one."""
    exclusive: tuple[tuple[str, frozenset[str]], ...]
    """The days, months and the like of the clause or else of the message, by sort."""
    names: tuple[Word, ...]
    """Words of the message that may be names of people."""
    stems: frozenset[str]
    """Stems of all words of the message."""
    strangers: tuple[str, ...]
    """Other words that look like ids, and unknown ids of tasks that the message names."""
    document: bool
    """Whether the message asks where something is written, or how it is done."""
    you: bool
    """Whether another clause is about the colleague."""


def context_of_clause(clause: Clause, rest: Sequence[Clause], keyring: KnownIds) -> ClauseContext:
    """Return the context of a clause, given the *rest* of its message."""
    here, whole = (clause,), (clause, *rest)
    quoted = _with_tasks(
        quoted_ids_in(here if clause.marks else whole, keyring), quoted_ids_in(whole, keyring)
    )
    strangers = unknown_ids_in(here if clause.literals or clause.marks else whole)
    if not any(map(is_task_id, quoted)):
        strangers = _with_tasks(strangers, unknown_ids_in(whole))
    return ClauseContext(
        quotes=bool(clause.marks),
        quoted=quoted,
        exclusive=_exclusive(clause, rest),
        names=tuple(word for each in whole for word in each.words if word.name),
        stems=frozenset(word.stem for each in whole for word in each.words),
        strangers=strangers,
        document=any(is_about_document(each) for each in whole),
        you=any(each.you and each.asks for each in rest),
    )


def _with_tasks(quoted: tuple[str, ...], anywhere: Sequence[str]) -> tuple[str, ...]:
    """Return the *quoted* ids and, if no id of a task is among them, those that the message quotes
    *anywhere*: they say what the whole message is about."""
    if any(map(is_task_id, quoted)):
        return quoted
    return (*quoted, *(key for key in anywhere if is_task_id(key)))


def _exclusive(clause: Clause, rest: Sequence[Clause]) -> tuple[tuple[str, frozenset[str]], ...]:
    found: dict[str, frozenset[str]] = {}
    for other in rest:
        for sort, values in other.exclusive:
            found[sort] = found.get(sort, frozenset()) | values
    return tuple(sorted({**found, **dict(clause.exclusive)}.items()))


def unknown_ids_in(clauses: Iterable[Clause]) -> tuple[str, ...]:
    """Return possible ids that are not known; unknown words may be names of servers."""
    found: list[str] = []
    for clause in clauses:
        found += clause.literals
        found += [word.text for word in clause.words if word.unknown]
    return tuple(found)


def quoted_ids_in(clauses: Iterable[Clause], keyring: KnownIds) -> tuple[str, ...]:
    """Return the known ids that clauses quote."""
    keys = (keyring.marked(mark) for clause in clauses for mark in clause.marks)
    return tuple(key for key in keys if key is not None)
