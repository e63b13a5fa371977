"""Understanding of questions to colleagues: deterministic, without a model or a database.

A message is analysed once for all listeners (`heard_message`): whether it asks something
(`asking`), and which ids (`ids`) and values (`said_values`) it has. For each listener it is split
into clauses (`normalise`), known ids are marked (`identifiers`) and typos repaired
(`clause_parsing`, `spelling`, `common_words`). Anecdotes around the question are recognised
(`chatter`).

Word embeddings measure how close a clause is to the asks of each topic (`word_vectors`,
`topic_profile`, `meanings`). Ids, names, dates and the kind of answer are compared exactly
(`scoring`, `objections`, `matcher`). Fishing, requests to do the work and small talk are recognised
(`fishing`, `intent`). `interpreter` decides, and asks back if in doubt.
"""

from typing import TYPE_CHECKING

from trainee_bench.world.colleagues.understanding.heard_message import HeardMessage, hear
from trainee_bench.world.colleagues.understanding.topic import Intent, Interpretation, Topic

if TYPE_CHECKING:
    from trainee_bench.world.colleagues.understanding.interpreter import QuestionInterpreter
    from trainee_bench.world.colleagues.understanding.topic_collision import topics_collide

__all__ = [
    "HeardMessage",
    "Intent",
    "Interpretation",
    "QuestionInterpreter",
    "Topic",
    "hear",
    "topics_collide",
]


def __getattr__(name: str) -> object:
    """Import names that need the embeddings at their first use, so that servers start faster."""
    if name == "QuestionInterpreter":
        from trainee_bench.world.colleagues.understanding.interpreter import QuestionInterpreter

        return QuestionInterpreter
    if name == "topics_collide":
        from trainee_bench.world.colleagues.understanding.topic_collision import topics_collide

        return topics_collide
    raise AttributeError(name)
