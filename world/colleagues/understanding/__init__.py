"""How a colleague understands a question: deterministic, without a model and without a database.

A question is normalised and split into clauses (`normalise`) and exact ids are marked
(`identifiers`). Words get senses from the lexicon and typos are repaired (`clause_parsing`,
`lexicon`, `spelling`, `common_words`). Each clause is scored against the asks of each topic
(`topic_profile`, `scoring`, `matcher`). Fishing, requests to do the work and small talk are
recognised (`fishing`, `intent`). `interpreter` decides, and asks back if in doubt.
"""

from trainee_bench.world.colleagues.understanding.interpreter import QuestionInterpreter
from trainee_bench.world.colleagues.understanding.topic import Intent, Interpretation, Topic
from trainee_bench.world.colleagues.understanding.topic_collision import topics_collide

__all__ = ["Intent", "Interpretation", "QuestionInterpreter", "Topic", "topics_collide"]
