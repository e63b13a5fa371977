"""How a colleague understands a question: deterministic, without a model and without a database.

A question is folded and split into clauses (`normalise`), exact ids are marked (`identifiers`),
words get senses from the lexicon of the trade, typos repaired (`reading`, `lexicon`, `spelling`,
`office_english`); each clause is weighed against the asks of each topic (`profile`, `weighing`);
fishing, requests to do the work and small talk are told apart (`intent`); `listener` decides, and
in doubt leaves it to a question back.
"""

from trainee_bench.world.colleagues.understanding.interpreter import QuestionInterpreter
from trainee_bench.world.colleagues.understanding.topic import Intent, Interpretation, Topic
from trainee_bench.world.colleagues.understanding.topic_collision import topics_collide

__all__ = ["Intent", "Interpretation", "QuestionInterpreter", "Topic", "topics_collide"]
