"""Setting up meetings: only the people know whether they come, and each answer is needed."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from datetime import time
from itertools import combinations

import pytest
from pydantic import JsonValue

from tests import quick_round
from tests.meta_tasks.days import day_with, staged, truth_of
from tests.meta_tasks.families.booking_days import KINDS, RULES, SEEDS, scene_of
from trainee_bench.harness.certification.tool_sweep import sweep_tools
from trainee_bench.harness.testbench.staged_day import single_task_day
from trainee_bench.meta_tasks.families.meeting_book import MeetingBook
from trainee_bench.meta_tasks.families.meeting_book.data import smallest_rooms
from trainee_bench.meta_tasks.families.meeting_book.subject import LAST_SHIFT
from trainee_bench.meta_tasks.meta_task import Difficulty
from trainee_bench.meta_tasks.scenario import DeadlineMove, TaskSpec, Variation
from trainee_bench.meta_tasks.task_context import CompositionError
from trainee_bench.world.apps.chat import MessageArrives
from trainee_bench.world.colleagues.understanding import Intent, QuestionInterpreter, Topic, hear
from trainee_bench.world.company.people import create_company

NAME = r"[A-Z][a-z]+ [A-Z][a-z]+"

# the rules -------------------------------------------------------------------------------


def test_four_kinds_by_three_counts_of_which_the_managers_are_easy() -> None:
    assert [f"meeting_book.{kind}.c{count}" for kind in KINDS for count in (1, 2, 3)] == RULES
    easy = [rule.id for rule in MeetingBook.rules() if rule.difficulty is Difficulty.EASY]
    assert easy == RULES[:3]


@pytest.mark.parametrize("kind", ["manager", "department"])
@pytest.mark.parametrize("starts", ["13:00", "14:30", "15:00"])
@pytest.mark.parametrize("hours", [0.5, 1.0, 1.5, 2.0])
def test_d2_published_entries_give_the_meeting_at_exactly_their_hours(
    kind: str, starts: str, hours: float
) -> None:
    made = MeetingBook.from_published(
        {
            "task_type": kind,
            "start_time": f"2025-10-01T{starts}:00",
            "last_time": hours,
            "conflict_nums": 2,
        }
    )
    assert made.rule_id == f"meeting_book.{kind}.c2"
    fixed = made.model_dump(mode="json", exclude={"kind", "count"})
    spec = TaskSpec(rule=made.rule_id, parameters=fixed)
    truth = truth_of(day_with(spec, name="published"))
    assert f"{truth.starts:%Y-%m-%dT%H:%M}" == f"2025-10-01T{starts}"
    assert (truth.ends - truth.starts).total_seconds() == hours * 3600


@pytest.mark.parametrize(
    "entry",
    [
        {},
        {"task_type": "capacity", "start_time": "2025-10-01T13:00:00", "last_time": 1,
         "conflict_nums": 1},
        {"task_type": "manager", "start_time": "2025-10-01T13:00:00", "last_time": 1,
         "conflict_nums": 4},
        {"task_type": "manager", "start_time": "noon", "last_time": 1, "conflict_nums": 1},
    ],
)  # fmt: skip
def test_other_published_entries_are_refused(entry: Mapping[str, JsonValue]) -> None:
    with pytest.raises(ValueError, match=r"task_type|conflict_nums|start_time"):
        MeetingBook.from_published(entry)


# what is hidden --------------------------------------------------------------------------


@pytest.mark.parametrize("count", [1, 2, 3])
def test_just_so_many_have_a_reservation(count: int) -> None:
    for seed in SEEDS:
        said = {
            kind: [
                clue.payload
                for clue in scene_of(f"meeting_book.{kind}.c{count}", seed).hidden.clues
            ]
            for kind in KINDS
        }
        assert sum("reception duty" in text for text in said["manager"]) == count
        assert sum("decides whether" in text for text in said["department"]) == 3
        assert said["department"][-1].count("cannot be spared") == count
        assert said["department"][-1].count("may come") == 3 - count
        assert sum("The room must have" in text for text in said["capacity"]) == count
        assert sum("cannot be held without me" in text for text in said["moved"]) == 1
        events = scene_of(f"meeting_book.moved.c{count}", seed).hidden.events
        assert sum(isinstance(planned.event, MessageArrives) for planned in events) == count - 1


@pytest.mark.parametrize("rule", RULES)
def test_everybody_has_an_answer_in_whole_sentences_with_whole_names(rule: str) -> None:
    for seed in SEEDS:
        instance = scene_of(rule, seed)
        answering = [clue.holder for clue in instance.hidden.clues if "/answer_" in clue.id]
        assert sorted(answering) == sorted(instance.graded.truth.asked)
        for clue in instance.hidden.clues:
            assert "{" not in clue.payload and clue.payload.endswith(".")
            assert "Nobody is coming" in clue.payload or re.search(NAME, clue.payload)
            assert len(clue.asks) >= 5


@pytest.mark.parametrize("kind", KINDS)
def test_the_people_to_ask_are_named_once(kind: str) -> None:
    named = []
    for size in (50, 100):
        objective = scene_of(f"meeting_book.{kind}.c1", 0, size).told.objective
        line = next(text for text in objective.splitlines() if text.startswith("People to ask: "))
        names = re.findall(NAME, line.removeprefix("People to ask: "))
        assert len(set(names)) == len(names)
        named.append(len(names))
    assert max(named) > 2


@pytest.mark.parametrize("rule", RULES)
def test_without_any_one_answer_the_guests_come_out_wrong(rule: str) -> None:
    """Each answer names its own colleague, or keeps away a person who would be invited."""
    for seed in SEEDS:
        instance = scene_of(rule, seed)
        truth = instance.graded.truth
        people = create_company(seed).people
        named = []
        for clue in instance.hidden.clues:
            named.append({p.id for p in people if p.name in clue.payload} - truth.asked)
            assert named[-1] or "Nobody is coming in my place" in clue.payload
        assert not any(one & other for one, other in combinations(named, 2))
        assert frozenset[str]().union(*named) == truth.named


@pytest.mark.parametrize("rule", RULES)
def test_the_obvious_assumption_is_wrong_at_every_seed(rule: str) -> None:
    for seed in SEEDS:
        instance = scene_of(rule, seed)
        truth = instance.graded.truth
        assert truth.named and truth.comes
        kept_away = truth.asked - truth.comes
        assert len(kept_away) == (int(rule[-1]) if "manager" in rule or "depart" in rule else 0)
        if ".moved." in rule:
            assert f"from {truth.starts:%H:%M} to" not in instance.told.objective


def test_a_room_for_those_invited_alone_has_too_few_seats() -> None:
    for count in (1, 2, 3):
        for seed in SEEDS:
            truth = scene_of(f"meeting_book.capacity.c{count}", seed).graded.truth
            people = 1 + len(truth.comes | truth.named)
            assert smallest_rooms(people, (), ())[0] not in truth.rooms
            least = 1 + len(truth.comes) + len(truth.named) + len(truth.comes)
            assert all(_seats(room) >= least for room in truth.rooms)
            assert 0 < len(truth.rooms) <= 2


def _seats(room: str) -> int:
    return (4, 4, 6, 6, 8, 10, 12, 16, 24, 60)[int(room[-2:]) - 1]


@pytest.mark.parametrize("kind", KINDS)
def test_rooms_hours_and_guests_differ_from_seed_to_seed(kind: str) -> None:
    truths = [scene_of(f"meeting_book.{kind}.c1", seed).graded.truth for seed in range(60)]
    assert len({truth.starts for truth in truths}) >= 3
    assert len({truth.comes | truth.named for truth in truths}) == 60
    if kind == "capacity":
        rooms = Counter(truth.rooms[0] for truth in truths)
        assert len(rooms) >= 4 and rooms.most_common(1)[0][1] <= 30


@pytest.mark.parametrize("kind", quick_round.quick_first(KINDS))
async def test_reservations_show_nowhere_before_anybody_is_asked(kind: str) -> None:
    """The one secret that all answers share has no clue of its own, so no certificate tries it."""
    rule = f"meeting_book.{kind}.c1"
    plain = single_task_day(rule, 3)
    offsets = ({"T1/reservations": offset} for offset in range(1, 40))
    varied = (single_task_day(rule, 3, Variation(secret_seed_offsets=offset)) for offset in offsets)
    clues = plain.tasks[0].instance.hidden.clues
    variant = next(day for day in varied if day.tasks[0].instance.hidden.clues != clues)
    async with staged(plain) as first, staged(variant) as second:
        await sweep_tools(first.seat.tools.values(), first.observe)
        for entry in await first.world.log():
            await second.observe(entry.tool, entry.arguments)
        assert await first.world.log() == await second.world.log()


# what is told ----------------------------------------------------------------------------


@pytest.mark.parametrize("rule", RULES)
def test_nothing_told_at_the_start_names_anybody_who_was_not_to_be_asked(rule: str) -> None:
    for seed in SEEDS:
        instance = scene_of(rule, seed)
        told, hints = instance.told, instance.told.hints
        said = f"{told.title} {told.objective} {hints.strategy} {hints.where} {hints.how}"
        for handle in instance.graded.truth.named:
            assert not any(part in said for part in handle.title().split("."))


@pytest.mark.parametrize("rule", RULES)
def test_all_that_the_task_says_of_answers_and_messages_comes_true(rule: str) -> None:
    for seed in SEEDS:
        instance = scene_of(rule, seed)
        objective, answers = (
            instance.told.objective,
            [clue.payload for clue in instance.hidden.clues],
        )
        events = instance.hidden.events
        delays = [planned for planned in events if isinstance(planned.event, MessageArrives)]
        assert ("will also write to you" in objective) is bool(delays)
        assert all(planned.due and planned.due.time() <= LAST_SHIFT for planned in delays)
        decided = any("decides whether" in text for text in answers)
        assert ("another person decides whether" in objective) is decided
        begins = any("has to begin at" in text for text in answers)
        assert ("has to begin at another time" in objective) is begins
        away = any("reception duty" in text for text in answers)
        assert ("send a substitute" in objective) is away


def test_nobody_speaks_of_another_time_but_who_needs_it() -> None:
    for seed in SEEDS:
        answers = [clue.payload for clue in scene_of("meeting_book.moved.c1", seed).hidden.clues]
        assert sum("later" in text or "begin" in text for text in answers) == 1


FRESH = (
    "Hi {first}! I'm setting up {code}, the {subject}, today {starts}-{ends}. Can you be there?",
    "Hello {first}, are you available for {code} today at {starts}?",
    "{code} is at {starts} today. Will you come, and who comes with you?",
    "Could you please confirm whether you can attend {code} today and who else should be invited?",
    "Quick question: are you coming to {code} ({starts}-{ends})?",
    "Meeting {code}: can you make it at {starts}? If not, who comes in your place?",
    "I am booking {code} for {starts}. Do you have time? Whom do you bring?",
    "Who from your side should I invite to {code}?",
    "Are you available today from {starts} to {ends} for the {subject} meeting?",
)
FRESH_DECISIONS = (
    "Can {name} attend {code}?",
    "{name} told me to ask you whether they can come to {code}. Can they?",
    "Should I put {name} on the invitation list for {code}?",
    "Regarding {code}: is {name} coming or not?",
    "Have you decided about {name} for {code}?",
    "Can {name} and {other} come to {code}?",
    "{name} and {other} told me that you decide whether they attend {code}. Who of them may come?",
)


@pytest.mark.parametrize("kind", KINDS)
def test_fresh_wordings_are_understood_at_once_or_after_one_question_back(kind: str) -> None:
    for seed in range(4):
        composition = single_task_day(f"meeting_book.{kind}.c3", seed)
        instance = composition.tasks[0].instance
        code, subject, starts, ends = re.findall(
            r"meeting (\S+) \((.+)\) on \S+ from (\S+) to (\d\d:\d\d)", instance.told.objective
        )[0]
        for holder in (
            instance.hidden.clues[1].holder,
            instance.hidden.clues[2].holder,
            instance.hidden.clues[-1].holder,
        ):
            person = composition.company.person(holder)
            own = [clue for clue in instance.hidden.clues if clue.holder == holder]
            listener = QuestionInterpreter([Topic(clue.id, clue.asks, clue.keys) for clue in own])
            words = {"code": code, "subject": subject, "starts": starts, "ends": ends}
            for ask in FRESH:
                asked = ask.format(first=person.first_name, **words)
                assert _told(listener, asked, own[0].id) == own[0].id, asked
            for clue in own[1:]:
                name, other = re.findall(NAME, " ".join(clue.asks[1:3]))[:2]
                for ask in FRESH_DECISIONS:
                    asked = ask.format(name=name, other=other, **words)
                    assert _told(listener, asked, clue.id) == clue.id, asked


def test_a_name_that_is_a_word_of_everyday_makes_no_question_about_it_doubtful() -> None:
    day = single_task_day("meeting_book.department.c1", 5114)
    asks = day.tasks[0].instance.hidden.clues[-1].asks
    assert any("Else" in ask for ask in asks)


def _told(listener: QuestionInterpreter, question: str, meant: str) -> str:
    """The name of the told clue, after a question back if there is one."""
    heard = listener.understand(hear(question))
    if heard.intent is Intent.DOUBTFUL and meant in heard.topics:
        which = ("first", "second", "third")[heard.topics.index(meant)]
        reply = "Yes, please." if len(heard.topics) == 1 else f"The {which} one."
        heard = listener.understand(hear(reply), asked_back=heard.topics)
    return heard.topics[0] if heard.intent is Intent.CLEAR else ""


# beside other tasks ----------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_two_of_a_kind_on_one_day_keep_out_of_each_others_time(kind: str) -> None:
    for one_count, other_count in ((1, 2), (3, 3), (3, 1)):
        rules = [f"meeting_book.{kind}.c{count}" for count in (one_count, other_count)]
        for seed in range(6):
            day = day_with(*rules, seed=seed, name="two")
            one, other = (task.instance.graded.truth for task in day.tasks)
            assert one.window[1] <= other.window[0] or other.window[1] <= one.window[0]


def test_a_meeting_ends_before_its_deadline_even_where_that_moves() -> None:
    spec = TaskSpec(
        rule="meeting_book.moved.c1",
        deadline=time(17),
        moved=DeadlineMove(at=time(9, 30), to=time(15, 10)),
    )
    for seed in range(8):
        day = day_with(spec, seed=seed, name="moves")
        assert truth_of(day).window[1].time() < time(15, 10)


def test_a_meeting_that_may_still_be_put_off_at_noon_begins_after_that() -> None:
    for starts, fits in (("11:00", False), ("13:00", True)):
        spec = TaskSpec(rule="meeting_book.moved.c1", parameters={"starts": starts})
        if fits:
            assert f"{truth_of(day_with(spec, name='fixed')).window[0]:%H:%M}" == starts
        else:
            with pytest.raises(CompositionError, match="finds no hour"):
                day_with(spec, name="fixed")


def test_a_deadline_that_leaves_no_time_for_the_meeting_is_refused() -> None:
    spec = TaskSpec(rule="meeting_book.manager.c1", deadline=time(11))
    with pytest.raises(CompositionError, match="finds no hour"):
        day_with(spec, name="early")


@pytest.mark.parametrize("size", [40, 50, 80, 200, 500])
def test_companies_of_many_sizes_have_enough_to_ask_and_to_name(size: int) -> None:
    for kind in KINDS:
        for seed in range(3):
            instance = scene_of(f"meeting_book.{kind}.c3", seed, size)
            assert 3 <= len(instance.graded.truth.asked) <= 10
            assert len(instance.graded.truth.comes | instance.graded.truth.named) <= 20
            assert not instance.graded.truth.asked & instance.graded.truth.named


@pytest.mark.parametrize("kind", KINDS)
def test_a_company_that_is_too_small_is_refused_in_words(kind: str) -> None:
    with pytest.raises(CompositionError, match="larger|no team|people"):
        scene_of(f"meeting_book.{kind}.c3", 1, 10)
