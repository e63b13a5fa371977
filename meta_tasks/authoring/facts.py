"""Hidden facts: only one colleague knows them, no file says them, and the deliverable needs them.

FIT = HiddenFact(
    name="fit",
    questions=("What is the audience fit in {city}?", …),      five or more
    answer=TextTemplate(Fit, "The audience fit in {city}: {values}."),
)
FIT.clue(context, holder, told, about={"city": city})                 in the instance
told = await needs.fact_from(work, task, name, FIT, {"city": city})   in honest work

And known facts: everybody in the company tells them, mostly who knows a hidden fact.

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

from trainee_bench.meta_tasks.authoring.text_template import Wording
from trainee_bench.meta_tasks.meta_task import PlannedEvent
from trainee_bench.meta_tasks.task_context import TaskContext
from trainee_bench.world.colleagues.knowledge import Clue
from trainee_bench.world.colleagues.referrals import ReferralPublished
from trainee_bench.world.company.people import Person

T = TypeVar("T")
NO_DETAILS: Mapping[str, str] = {}


@dataclass(frozen=True)
class Precondition:
    """The condition for telling a fact: ``after`` names clues and expectations of the task. Until
    then the holder says ``not_yet``, and even that only after ``not_yet_from``. Without ``not_yet``
    they answer as if they did not know (see `Clue`)."""

    after: tuple[str, ...] = ()
    not_yet: str = ""
    not_yet_from: tuple[str, ...] = ()


AT_ONCE = Precondition()


@dataclass(frozen=True)
class HiddenFact(Generic[T]):
    """A fact that one colleague tells when asked; ``answer`` is told word for word.

    ``name`` names its clue. ``questions`` are five or more ways to ask for it; honest work uses the
    first. Both may have ``{placeholders}``, filled in from *about*: the file, the city, the
    department that this fact is about.
    """

    name: str
    questions: tuple[str, ...]
    answer: Wording[T]

    def clue_name(self, about: Mapping[str, str] = NO_DETAILS) -> str:
        """Return the clue's name within its task, as checkpoints use it."""
        return self.name.format(**about)

    def questions_about(self, about: Mapping[str, str]) -> tuple[str, ...]:
        """Return all ways to ask, filled in."""
        return tuple(question.format(**about) for question in self.questions)

    def question(self, about: Mapping[str, str] = NO_DETAILS) -> str:
        """Return the question that honest work asks."""
        return self.questions[0].format(**about)

    def clue(
        self,
        context: TaskContext,
        holder: Person,
        told: T,
        about: Mapping[str, str] = NO_DETAILS,
        keys: Sequence[str] = (),
        condition: Precondition = AT_ONCE,
    ) -> Clue:
        """Return the clue that lets *holder* tell *told*, once *condition* is met.

        A question that quotes an id must quote one of *keys*.
        """
        return Clue(
            id=context.clue_id(self.clue_name(about)),
            holder=holder.id,
            payload=self.answer.render(told),
            asks=self.questions_about(about),
            keys=tuple(keys),
            after=tuple(map(context.clue_id, condition.after)),
            not_yet=condition.not_yet,
            not_yet_from=tuple(map(context.clue_id, condition.not_yet_from)),
        )


@dataclass(frozen=True)
class KnownFact(Generic[T]):
    """A fact that every colleague tells when asked one of *questions*; ``topic`` names it.

    Topic and questions may have ``{placeholders}``, filled in from *about*.
    """

    topic: str
    questions: tuple[str, ...]
    answer: Wording[T]

    def question(self, about: Mapping[str, str] = NO_DETAILS) -> str:
        """Return the question that honest work asks."""
        return self.questions[0].format(**about)

    def event(
        self,
        told: T,
        about: Mapping[str, str] = NO_DETAILS,
        keys: Sequence[str] = (),
        person: Person | None = None,
    ) -> PlannedEvent:
        """Return the event that lets everybody tell *told* from the start of the day, except
        *person*, whom it names.

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
