"""What a meeting decides when nothing is to be bought: topics, who, until when, for how much."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from random import Random

TOPICS = (
    "customer survey",
    "new product photos",
    "trade fair stand",
    "translation of the user guide",
    "redesign of the price list",
    "accessibility review",
    "partner newsletter",
    "video series for beginners",
    "interviews with former customers",
    "clean-up of the image library",
    "workshop on writing",
    "test of two new suppliers",
)


@dataclass(frozen=True)
class MeetingDecision:
    """Something was decided: the topic, who does it, until when, for how many euros."""

    topic: str
    owner: str
    due: date
    budget: int


def draw_decisions(
    draws: Random, names: Sequence[str], count: int, today: date
) -> tuple[MeetingDecision, ...]:
    """*count* decisions about different topics, owned by some of *names*, due two to ten
    weeks after *today*."""
    return tuple(
        MeetingDecision(
            topic=topic,
            owner=draws.choice(list(names)),
            due=today + timedelta(days=draws.randrange(14, 71)),
            budget=draws.randrange(400, 9_600, 50),
        )
        for topic in draws.sample(TOPICS, count)
    )
