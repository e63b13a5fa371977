"""Known facts: what everybody in the company answers, mostly who knows a hidden fact.

SETTER = KnownFact(
    topic="audience fit of the campaign in {city}",
    questions=("Who sets the audience fit in {city}?", …),        five or more
    answer=TextTemplate(Setter, "{name} has set the audience fit in {city}."),
)
events.append(SETTER.event(Setter(holder.name, city), {"city": city}, person=holder))
who = FactQuestion("setter", SETTER, (("city", city),))
setter = await work(Told(task, anybody, who))                  in honest work
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from trainee_bench.meta_tasks.authoring.hidden_fact import NO_DETAILS
from trainee_bench.meta_tasks.authoring.text_template import Wording
from trainee_bench.meta_tasks.meta_task import PlannedEvent
from trainee_bench.world.colleagues.referrals import ReferralPublished
from trainee_bench.world.company.people import Person

T = TypeVar("T")


@dataclass(frozen=True)
class KnownFact(Generic[T]):
    """A fact that every colleague tells when asked one of *questions*; ``topic`` names it.

    Topic and questions may have ``{placeholders}``, filled in from *about*.
    """

    topic: str
    questions: tuple[str, ...]
    answer: Wording[T]

    def question(self, about: Mapping[str, str] = NO_DETAILS) -> str:
        """How honest work asks."""
        return self.questions[0].format(**about)

    def event(
        self,
        told: T,
        about: Mapping[str, str] = NO_DETAILS,
        keys: Sequence[str] = (),
        person: Person | None = None,
    ) -> PlannedEvent:
        """From the start of the day everybody tells *told*, but *person*, whom it names.

        A question that quotes an id must quote one of *keys*.
        """
        return PlannedEvent(
            ReferralPublished(
                topic=self.topic.format(**about),
                asks=tuple(question.format(**about) for question in self.questions),
                text=self.answer.render(told),
                person=person.id if person else "",
                keys=tuple(keys),
            )
        )
