"""What the desk, the two people and Wednesday's message say of a talk on Thursday."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import time

from pydantic import Field

from trainee_bench.meta_tasks.authoring import (
    CLOCK,
    FULL_NAME,
    PATH,
    ClockText,
    Deliverable,
    HiddenFact,
    PersonRef,
    TextTemplate,
    english_list,
    one_of,
)

SUBJECT = "Our talk on Thursday"
TOPICS = ("the office move", "the new website", "the summer party", "the customer survey")

# what is told ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class AppointmentBrief:
    """What the desk says."""

    one: str
    other: str
    topic: str
    by: time
    reader: str
    path: str
    fields: type[Deliverable]


class AppointmentReport(Deliverable):
    """Friday's report."""

    first_hour: ClockText = Field(description='the hour that was booked first, such as "10:00"')
    held_at: ClockText = Field(description='the hour at which the talk was held, such as "11:00"')
    cancelled_by: PersonRef = Field(description="full name of whoever could not come after all")
    common_hours: int = Field(description="how many hours suited both, by what they first said")


RULES = (
    "want to talk with you on Thursday about",
    (
        "for half an hour that begins at a full hour. Ask each of them, before Tuesday evening, at "
        "which hours they can come: after that"
    ),
    "reads no messages before Thursday.",
    "book the earliest hour that suits both, with both of them invited.",
    "If one of them cancels, cancel the meeting and book the next hour that suits both,",
    "when the talk is, and no other time. Be there on time.",
    "On Friday, hand in",
)
OBJECTIVE = TextTemplate(
    AppointmentBrief,
    "{one} and {other} want to talk with you on Thursday about {topic}, for half an hour that "
    "begins at a full hour. Ask each of them, before Tuesday evening, at which hours they can "
    "come: after that {other} travels and reads no messages before Thursday. By Tuesday {by}, "
    "book the earliest hour that suits both, with both of them invited. If one of them cancels, "
    "cancel the meeting and book the next hour that suits both, by Wednesday {by}. Then, also by "
    f'Wednesday {{by}}, mail {{reader}}, with the subject "{SUBJECT}", when the talk is, and no '
    "other time. Be there on time. On Friday, hand in {path}, a JSON object with exactly these "
    "fields:\n{fields}",
    {
        "one": FULL_NAME,
        "other": FULL_NAME,
        "topic": one_of({topic: topic for topic in TOPICS}),
        "reader": FULL_NAME,
        "path": PATH,
        "fields": one_of({AppointmentReport: AppointmentReport.describe()}),
    },
)

# what is said once ----------------------------------------------------------------------------


@dataclass(frozen=True)
class FreeHours:
    """At which hours of Thursday somebody can come."""

    hours: tuple[time, ...]


FACT = HiddenFact(
    name="hours_{number}",
    questions=(
        "At which hours can you come on Thursday for our talk about {topic}?",
        "When would you be free on Thursday to talk about {topic}?",
        "Which full hours suit you on Thursday for {topic}?",
        "What times on Thursday work for you to discuss {topic}?",
        "At what hours could we meet on Thursday about {topic}?",
        "When on Thursday do you have half an hour for {topic}?",
    ),
    answer=TextTemplate(
        FreeHours, "On Thursday I can come at {hours}.", {"hours": english_list(CLOCK)}
    ),
)


@dataclass(frozen=True)
class TalkCancelled:
    """Who cannot come after all."""

    topic: str


CANCELLED = TextTemplate(
    TalkCancelled,
    "I am sorry: tomorrow I cannot come to our talk about {topic} at the hour that we booked. The "
    "next one that suits us all is fine. I am in a workshop until tomorrow morning.",
    {"topic": one_of({topic: topic for topic in TOPICS})},
)
