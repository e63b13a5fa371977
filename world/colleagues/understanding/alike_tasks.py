"""The same fact of alike tasks: a question that does not say for which task it is."""

from collections.abc import Sequence

from trainee_bench.world.colleagues.understanding.scoring import TopicMatch
from trainee_bench.world.colleagues.understanding.topic import Topic
from trainee_bench.world.colleagues.understanding.topic_profile import TopicProfile
from trainee_bench.world.task_ids import is_task_id

CLEAR_MARGIN = 0.1
"""The lead over the colleague's other topics that a topic needs to be answered at once."""
ALIKE_MARGIN = 0.4
"""The lead that it needs over the same fact of another task."""


def clear_margin(best: TopicMatch, other: TopicMatch, profiles: Sequence[TopicProfile]) -> float:
    """Return the lead over the *other* match that the *best* one needs to be answered at once."""
    fact = _fact_of(profiles[best.at].topic)
    same = fact and fact == _fact_of(profiles[other.at].topic) and best.quoted == other.quoted
    return ALIKE_MARGIN if same else CLEAR_MARGIN


def _fact_of(topic: Topic) -> str:
    """Return the name of the fact that a topic of a named task is about; "" for other topics. The
    id of a topic is "task/name"."""
    return topic.id.partition("/")[2] if any(map(is_task_id, topic.keys)) else ""
