"""A known fact is told by everybody but the person it names, and read as it was written."""

from __future__ import annotations

from dataclasses import dataclass

from trainee_bench.meta_tasks.authoring import FULL_NAME, KnownFact, TextTemplate
from trainee_bench.world.colleagues.referrals import ReferralPublished
from trainee_bench.world.company.people import create_company


@dataclass(frozen=True)
class Setter:
    name: str
    city: str


SETTER = KnownFact(
    topic="rate in {city}",
    questions=("Who sets the rate in {city}?", "Who decided on {file}?"),
    answer=TextTemplate(Setter, "{name} sets the rate in {city}.", {"name": FULL_NAME}),
)
ABOUT = {"city": "Rome", "file": "rates.csv"}


def test_everybody_tells_it_in_the_words_that_are_read() -> None:
    person = create_company(1).people[3]
    planned = SETTER.event(Setter(person.name, "Rome"), ABOUT, ["rates.csv"], person)
    event = planned.event
    assert isinstance(event, ReferralPublished) and planned.due is None
    assert (event.topic, event.person, event.keys) == ("rate in Rome", person.id, ("rates.csv",))
    assert event.asks == ("Who sets the rate in Rome?", "Who decided on rates.csv?")
    assert SETTER.answer.search(f"Hello! {event.text}") == Setter(person.name, "Rome")


def test_honest_work_asks_in_the_first_of_the_ways_and_nobody_need_be_named() -> None:
    event = SETTER.event(Setter("Ada Lindt", "Rome"), ABOUT).event
    assert isinstance(event, ReferralPublished)
    assert SETTER.question({"city": "Rome"}) == event.asks[0]
    assert (event.person, event.keys) == ("", ())
