"""How a colleague understands a question: deterministic, without a model and without a database.

A message is heard once (`heard_message`): what it asks in general (`asking`), which ids (`ids`) and
values (`said_values`) it has. For its listener it is split into clauses (`normalise`), the ids they
know are marked (`identifiers`)
and typos repaired (`clause_parsing`, `spelling`, `common_words`). Word embeddings say how close a
clause comes to the asks of each topic (`word_vectors`, `topic_profile`, `meanings`); ids, names,
dates and the kind of answer wanted are compared exactly (`scoring`, `objections`, `matcher`).
Fishing, requests to do the work and small talk are recognised (`fishing`, `intent`). `interpreter`
decides, and asks back if in doubt.
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
    """What needs the embeddings is imported when it is first used: a server starts without."""
    if name == "QuestionInterpreter":
        from trainee_bench.world.colleagues.understanding.interpreter import QuestionInterpreter

        return QuestionInterpreter
    if name == "topics_collide":
        from trainee_bench.world.colleagues.understanding.topic_collision import topics_collide

        return topics_collide
    raise AttributeError(name)
