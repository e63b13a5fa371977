"""How often workers look at things, and how long they wait, whatever the task.

These times decide when a worker looks and acts, never what it does. On a day that announces
everything, nobody looks again without a notice, and most of these times have no effect.
"""

from __future__ import annotations

from datetime import timedelta

from trainee_bench.meta_tasks.moments import TIME_TO_REACT

# waiting for somebody --------------------------------------------------------------------------
ANSWER_TAKES = timedelta(hours=9)
"""The longest wait for an answer: somebody may be in meetings until they go home."""
ANSWER_SOON = timedelta(minutes=15)
"""The time after a question in which an answer is likely to come at any minute."""
LOOK_FOR_ANSWER_SOON, LOOK_FOR_ANSWER_LATER = timedelta(minutes=3), timedelta(minutes=10)
"""The time between two looks for an answer, in that time and afterwards."""
LOOK_FOR_AWAY = timedelta(hours=1)
"""The time between two looks for the answer of somebody who is away."""
IMPATIENCE = timedelta(minutes=30)
"""The longest wait of an impatient worker."""
QUESTION_ROUNDS = 3
"""The most times to ask the same: each answer may name somebody else, or ask back."""

# looking at what changes -----------------------------------------------------------------------
LOOK_FOR_TASK = timedelta(minutes=5)
"""The time between two looks for a task, or for news, that should have come."""
LOOK_HOLDS = timedelta(minutes=10)
"""The time that a look stays valid where changes are not announced."""
LOOKS_TOGETHER = timedelta(minutes=10)
"""The span within which due looks are taken one after the other, with one wait."""
LONGEST_UNSEEN = timedelta(minutes=40)
"""The longest time without a look where changes are not announced: later, colleagues may have
gone."""
LAST_LOOK = TIME_TO_REACT - timedelta(minutes=1)
"""The time from the last look to a deadline: it is after the last moment of a change."""
LOOK_SHARE, LOOK_SHARE_WAITING = 5, 2
"""The least time that a look stays valid, as a multiple of the time that it takes: usually, and
while waiting for what it may show."""

# what is urgent --------------------------------------------------------------------------------
SPARE = timedelta(minutes=15)
"""The spare time before a deadline, besides what is to be handed in, below which a task goes before
all others."""
DUE_SOON = timedelta(minutes=60)
"""The time before a deadline or promise in which its work goes before all others."""
APPOINTMENT_TAKES = timedelta(minutes=30)
"""The usual length of an appointment."""
GROUP_MINUTES = 6
"""The extra minutes that a question to a group takes."""
