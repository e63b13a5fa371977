"""How often a worker looks at things, and how long it waits, whatever the task.

They decide when a worker looks and acts, never what it does. Where a day tells all that happens,
nobody looks again without a notice, and most of these times have no effect.
"""

from __future__ import annotations

from datetime import timedelta

from trainee_bench.meta_tasks.moments import TIME_TO_REACT

# waiting for somebody --------------------------------------------------------------------------
ANSWER_TAKES = timedelta(hours=9)
"""How long one waits for an answer: somebody may be in meetings until they go home."""
ANSWER_SOON = timedelta(minutes=15)
"""So long after asking an answer is likely to come at any minute."""
LOOK_FOR_ANSWER_SOON, LOOK_FOR_ANSWER_LATER = timedelta(minutes=3), timedelta(minutes=10)
"""How often one looks for an answer in that time, and afterwards."""
LOOK_FOR_AWAY = timedelta(hours=1)
"""How often one looks for the answer of somebody who is away."""
IMPATIENCE = timedelta(minutes=30)
"""How long an impatient worker waits."""
QUESTION_ROUNDS = 3
"""How often one asks on: each answer may name somebody else, or ask back."""

# looking at what changes -----------------------------------------------------------------------
LOOK_FOR_TASK = timedelta(minutes=5)
"""How often one looks for a task, or for news, that should have come."""
LOOK_HOLDS = timedelta(minutes=10)
"""How long a look holds where nobody tells of changes."""
LOOKS_TOGETHER = timedelta(minutes=10)
"""Looks whose turns are so near are taken one after the other, with one wait."""
LONGEST_UNSEEN = timedelta(minutes=40)
"""How long one leaves a thing unseen where nobody tells: later, colleagues may have gone."""
LAST_LOOK = TIME_TO_REACT - timedelta(minutes=1)
"""How long before a deadline the last look is taken: after the last moment of a change."""
LOOK_SHARE, LOOK_SHARE_WAITING = 5, 2
"""A look holds for so many times as long as it takes, at least, and where one waits for what it
may show."""

# what is urgent --------------------------------------------------------------------------------
SPARE = timedelta(minutes=15)
"""Tasks whose deadline leaves so little beside what is to be handed in go before all others."""
DUE_SOON = timedelta(minutes=60)
"""What is due so soon, or promised for then, goes before all others."""
APPOINTMENT_TAKES = timedelta(minutes=30)
"""About what an appointment takes."""
GROUP_MINUTES = 6
"""What a question that goes to a group takes beside sending it."""
