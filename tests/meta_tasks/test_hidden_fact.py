"""Facts that one person knows, or everybody; handbooks and roles beside them."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from trainee_bench.harness.testbench.staged_day import single_task_day
from trainee_bench.meta_tasks.absences import mark_absent
from trainee_bench.meta_tasks.authoring import (
    FULL_NAME,
    CompositionError,
    Handbook,
    HiddenFact,
    KnownFact,
    Precondition,
    TaskContext,
    TextTemplate,
    first_groups,
    head_of,
    pick_colleagues,
    pick_free,
)
from trainee_bench.meta_tasks.task_context import DayReservations
from trainee_bench.world.apps.files import FileAppears
from trainee_bench.world.colleagues.referrals import ReferralPublished
from trainee_bench.world.company.people import create_company


@dataclass(frozen=True)
class Rate:
    city: str
    percent: int


RATE = HiddenFact(
    name="rate_{city}",
    questions=("What is the rate in {city}?", "Which rate holds in {city}, see {file}?"),
    answer=TextTemplate(Rate, "The rate in {city} is {percent} %."),
)
ABOUT = {"city": "Rome", "file": "rates.csv"}
HANDBOOK = Handbook(
    path="drive:/sales/sales_handbook.md",
    resource="trainee_bench.meta_tasks.families.sales/sales_handbook.md",
    topic="sales handbook",
    questions=("Where is it?",),
    referral="It is {path}.",
)


def stage_of(task: str = "T1", commons: DayReservations | None = None) -> TaskContext:
    day = single_task_day("kb_fix.easy", 0)
    return TaskContext(
        task=task,
        key=("test", task),
        company=create_company(1),
        day=day.day,
        deadline=day.tasks[0].deadline,
        reservations=commons or DayReservations(),
    )


# the fact -----------------------------------------------------------------------------------


def test_the_clue_is_told_by_its_holder_in_the_words_that_are_read() -> None:
    stage = stage_of()
    holder = stage.company.people[3]
    clue = RATE.clue(stage, holder, Rate("Rome", 7), ABOUT, ["rates.csv"])
    assert (clue.id, clue.holder, clue.keys) == ("T1/rate_Rome", holder.id, ("rates.csv",))
    assert clue.asks == ("What is the rate in Rome?", "Which rate holds in Rome, see rates.csv?")
    assert RATE.answer.search(f"Sure: {clue.payload} Bye!") == Rate("Rome", 7)
    assert (clue.after, clue.not_yet, clue.not_yet_from) == ((), "", ())


def test_honest_work_asks_in_the_first_of_the_ways_that_the_holder_understands() -> None:
    clue = RATE.clue(stage_of(), stage_of().company.people[3], Rate("Rome", 7), ABOUT)
    assert RATE.question({"city": "Rome"}) == clue.asks[0]


def test_a_condition_names_the_clues_of_the_own_task() -> None:
    condition = Precondition(("who", "diagnosis"), "First tell me more.", ("who",))
    stage = stage_of()
    clue = RATE.clue(stage, stage.company.people[3], Rate("Rome", 7), ABOUT, condition=condition)
    assert clue.after == ("T1/who", "T1/diagnosis")
    assert (clue.not_yet, clue.not_yet_from) == ("First tell me more.", ("T1/who",))


# handbooks ----------------------------------------------------------------------------------


def test_every_task_brings_its_handbook_which_appears_once_and_keeps_its_path() -> None:
    commons = DayReservations()
    page, known = (planned.event for planned in HANDBOOK.events(stage_of("T1", commons)))
    assert isinstance(page, FileAppears) and isinstance(known, ReferralPublished)
    assert page.text == HANDBOOK.text() and "cancelled" in HANDBOOK.text()
    assert known.text == f"It is {page.path}."
    again = stage_of("T2", commons)
    assert [planned.event for planned in HANDBOOK.events(again)] == [page, known]
    assert page.once
    assert again.reserve_path(page.path) != page.path


def test_parts_of_a_handbook_are_exchanged_word_for_word() -> None:
    assert "withdrawn" in HANDBOOK.text({"cancelled": "withdrawn"})
    assert "cancelled" not in HANDBOOK.text({"cancelled": "withdrawn"})


# roles --------------------------------------------------------------------------------------


def test_later_groups_fill_up_only_where_the_first_are_too_small() -> None:
    stage = stage_of()
    one, two, three = stage.company.people[:3]
    assert first_groups(stage, [(one, two), (three,)], 2) == (one, two)
    assert first_groups(stage, [(one,), (one, two), (three,)], 2) == (one, two)
    with pytest.raises(CompositionError, match="needs 4 candidates, but the company has 3"):
        first_groups(stage, [(one,), (two, three)], 4)


def test_a_role_goes_to_another_person_while_there_is_one() -> None:
    commons = DayReservations()
    people = create_company(1).people[:3]
    picked = [pick_free(stage_of(f"T{n}", commons), "keeper", people, "kept") for n in range(3)]
    assert {person.id for person in picked} == {person.id for person in people}
    assert pick_free(stage_of("T9", commons), "keeper", people, "kept") in people


def test_a_department_is_headed_by_the_first_of_its_managers() -> None:
    company = create_company(1)
    assert head_of(company, "HR") == company.staff("HR", manager=True)[0]


def test_colleagues_who_are_picked_lead_nobody_are_there_and_hold_nothing_else() -> None:
    commons = DayReservations()
    first, second = stage_of("T1", commons), stage_of("T2", commons)
    company = first.company
    leading = {person.manager for person in company.people}
    away = [person for person in company.people if person.department == "Engineering"][-1]
    mark_absent(stage_of("T3", commons), away)
    picked = [*pick_colleagues(first, "one", 3), *pick_colleagues(second, "one", 3)]
    assert len({person.id for person in picked}) == 6
    for person in picked:
        assert not person.is_manager and person.id not in leading and person != away
        assert person.department in ("Engineering", "Sales_2", "Sales_3")


def test_a_company_with_too_few_colleagues_is_refused() -> None:
    with pytest.raises(CompositionError, match="needs 60 candidates"):
        pick_colleagues(stage_of(), "many", 60)


# what everybody knows ---------------------------------------------------------------------


@dataclass(frozen=True)
class Setter:
    name: str
    city: str


SETTER = KnownFact(
    topic="rate in {city}",
    questions=("Who sets the rate in {city}?", "Who decided on {file}?"),
    answer=TextTemplate(Setter, "{name} sets the rate in {city}.", {"name": FULL_NAME}),
)


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
