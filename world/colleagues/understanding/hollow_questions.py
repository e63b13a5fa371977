"""Questions for a person that name no subject: *whose ok do we need for this one?*"""

from collections.abc import Sequence

from trainee_bench.world.colleagues.understanding.clause_parsing import Clause, each_in_context
from trainee_bench.world.colleagues.understanding.matcher import TopicMatcher

LEAST_NEAR = 0.3
"""The least closeness of an own topic to such a question within its message."""


def person_asked_for(
    matcher: TopicMatcher, clauses: Sequence[Clause], own: int, known: int
) -> str | None:
    """Return the own topic that such a question is nearest to, or None if others' are nearer.

    The first *own* of the matcher's topics are the colleague's, the first *known* are no public
    ones."""
    for clause, rest in each_in_context(clauses):
        if not (clause.asks and clause.hollow and "who" in clause.kinds):
            continue
        near = [m for m in matcher.matches(clause, rest) if m.at < known and not m.against]
        if near and near[0].at < own and near[0].near >= LEAST_NEAR:
            return matcher.profiles[near[0].at].topic.id
    return None
