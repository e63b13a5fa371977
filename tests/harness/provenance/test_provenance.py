"""The provenance of facts for workers whose days are known, and which texts tell a fact."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

import pytest

from trainee_bench.harness.provenance.hidden_facts import FactVersion
from trainee_bench.harness.provenance.measure import measure_provenance
from trainee_bench.harness.provenance.sightings import first_sightings
from trainee_bench.harness.records.provenance_figures import (
    FactOrigin,
    ProvenanceFigures,
    total_provenance,
)
from trainee_bench.harness.testbench.staged_day import (
    StagedDay,
    oracle_log,
    single_task_day,
    stage_day,
)
from trainee_bench.meta_tasks.complications import discover_complications, habits_ignoring
from trainee_bench.meta_tasks.composition import ComposedDay
from trainee_bench.meta_tasks.confidential_facts import PublicKnowledge, facts_in
from trainee_bench.meta_tasks.scenario import Variation
from trainee_bench.meta_tasks.text_figures import read_figures
from trainee_bench.world.action_log import LogEntry
from trainee_bench.world.transaction import Notice, NoticeKind

SEED = 11
SALES, PLAN = "sales.sales_statistics", "event_planning.A1"
RULES = (
    SALES, PLAN, "kb_fix.easy", "meeting_attend.check_sum.u2", "week.appointment",
    "transactions.n2.a0",
    f"{SALES}+retraction", f"{SALES}+sign_off", f"{SALES}+changed_request",
    f"{SALES}+split_knowledge", f"{SALES}+unannounced_handover", f"{SALES}+wrong_colleague",
    f"{SALES}+old_minutes",
)  # fmt: skip
GUESSED = tuple(rule for rule in RULES if not rule.startswith("week"))
CHANGED = ("retraction", "unannounced_handover")
"""Complications that change a fact although the work was already submitted."""


def origins(figures: ProvenanceFigures) -> set[FactOrigin | None]:
    return {fact.origin for fact in figures.facts}


async def honest(composition: ComposedDay) -> ProvenanceFigures:
    day = await stage_day(composition)
    async with day.world:
        assert await day.work() == {}
        return await measure_provenance(day.world, composition)


async def guessed(rule: str) -> ProvenanceFigures:
    """Work like the certificate's guesser: repeat the day of a world with other secrets.

    It looks at nothing, and nobody tells anything.
    """
    truth = single_task_day(rule, SEED)
    clues = tuple(clue.id for clue in truth.tasks[0].instance.hidden.clues)
    other = Variation(secret_seed_offsets=dict.fromkeys(clues, 1))
    log = await oracle_log(single_task_day(rule, SEED, other))
    day = await stage_day(single_task_day(rule, SEED, Variation(withheld=clues)))
    async with day.world:
        for entry in log:
            known = day.seat.tools.get(entry.tool)
            if known is not None and not known.read_only and entry.tool != "calendar_attend":
                await day.observe(entry.tool, entry.arguments)
        return await measure_provenance(day.world, truth)


async def asked(composition: ComposedDay, *questions: tuple[str, str]) -> ProvenanceFigures:
    """Return the provenance of a worker that only asks these questions and reads the answers.

    A question is the person to ask and the text.
    """
    day = await stage_day(composition)
    async with day.world:
        for to, text in questions:
            await _ask(day, to, text)
        return await measure_provenance(day.world, composition)


async def _ask(day: StagedDay, to: str, text: str) -> None:
    await day.call("chat_send_message", {"to": to, "text": text})
    await day.call("desk_wait", {"minutes": 60})
    await day.call("chat_read_history", {"peer": to})


def sales_question(composition: ComposedDay) -> tuple[str, str]:
    clue = composition.tasks[0].instance.hidden.clues[0]
    return clue.holder, clue.asks[0]


@pytest.mark.parametrize("rule", RULES)
async def test_every_fact_that_honest_work_delivers_was_seen(rule: str) -> None:
    figures = await honest(single_task_day(rule, SEED))
    assert figures.facts and origins(figures) == {FactOrigin.SEEN}
    assert figures.unseen_share == 0
    assert figures.recall in (1, None)


@pytest.mark.parametrize("rule", GUESSED)
async def test_every_fact_that_the_guesser_delivers_is_unseen(rule: str) -> None:
    figures = await guessed(rule)
    assert figures.facts and origins(figures) == {FactOrigin.UNSEEN}
    assert figures.unseen_share == 1
    assert figures.telling == 0


@pytest.mark.parametrize("name", CHANGED)
async def test_a_worker_that_ignores_a_changed_fact_delivers_a_stale_one(name: str) -> None:
    composition = single_task_day(f"{SALES}+{name}", SEED)
    day = await stage_day(composition)
    async with day.world:
        ignoring = habits_ignoring(discover_complications()[name])
        assert await day.work(habits=ignoring) == {}
        figures = await measure_provenance(day.world, composition)
    assert figures.delivered(FactOrigin.STALE) == 1
    assert figures.delivered(FactOrigin.UNSEEN) == 0


async def test_a_worker_that_asks_nobody_has_recall_0_and_no_precision() -> None:
    figures = await asked(single_task_day(SALES, SEED))
    assert (figures.precision, figures.recall) == (None, 0)
    assert (origins(figures), figures.unseen_share) == ({None}, None)


async def test_asking_the_same_twice_costs_precision() -> None:
    composition = single_task_day(SALES, SEED)
    question = sales_question(composition)
    once = await asked(composition, question)
    assert (once.questions, once.precision) == (1, 1)
    twice = await asked(composition, question, question)
    assert (twice.questions, twice.precision, twice.recall) == (2, 0.5, once.recall)


async def test_a_question_about_nothing_that_is_needed_costs_precision() -> None:
    composition = single_task_day(SALES, SEED)
    (holder, text) = sales_question(composition)
    figures = await asked(composition, (holder, "How was your weekend?"), (holder, text))
    assert (figures.questions, figures.precision) == (2, 0.5)


async def test_a_question_whose_answer_has_not_come_has_told_nothing() -> None:
    composition = single_task_day(f"{SALES}+slow_holder", SEED)
    to, text = sales_question(composition)
    day = await stage_day(composition)
    async with day.world:
        await day.call("chat_send_message", {"to": to, "text": text})
        figures = await measure_provenance(day.world, composition)
    assert (figures.questions, figures.precision, figures.recall) == (1, 0, 0)


async def test_a_message_to_three_in_a_group_is_three_questions() -> None:
    composition = single_task_day(SALES, SEED)
    holder, text = sales_question(composition)
    people = {person.id: person.name for person in composition.company.people}
    others = [id for id in people if id != holder][:2]
    named = ", ".join(people[id] for id in (holder, *others))
    day = await stage_day(composition)
    async with day.world:
        made = await day.call("chat_create_group", {"name": "A", "members": [holder, *others]})
        group = made.data["groups"][0]["id"]
        await _ask(day, group, f"{named}: {text}")
        figures = await measure_provenance(day.world, composition)
    assert (figures.questions, figures.telling) == (3, 1)


async def test_telling_somebody_what_they_wait_for_is_no_question() -> None:
    rule = f"{SALES}+split_knowledge"
    composition = single_task_day(rule, SEED)
    day = await stage_day(composition)
    async with day.world:
        await day.work()
        sent = [entry for entry in await day.world.log() if entry.tool == "chat_send_message"]
        figures = await measure_provenance(day.world, composition)
    assert 0 < figures.questions < len(sent)


async def test_a_fact_told_after_the_last_write_comes_too_late() -> None:
    composition = single_task_day(SALES, SEED)
    (path,) = composition.tasks[0].instance.told.deliverable_paths
    to, text = sales_question(composition)
    day = await stage_day(composition)
    async with day.world:
        await day.call("files_write", {"path": path, "text": "{}"})
        await _ask(day, to, text)
        before = await measure_provenance(day.world, composition)
        await day.call("files_write", {"path": path, "text": "{} "})
        after = await measure_provenance(day.world, composition)
    assert (origins(before), before.recall) == ({FactOrigin.UNSEEN}, after.recall)
    assert FactOrigin.SEEN in origins(after)


async def test_facts_of_several_days_count_alike_and_those_of_no_day_are_none() -> None:
    composition = single_task_day(SALES, SEED)
    days: Sequence[ProvenanceFigures] = (
        await honest(composition),
        await asked(composition, sales_question(composition), sales_question(composition)),
    )
    total = total_provenance(days)
    assert total is not None
    assert total.questions == sum(day.questions for day in days)
    assert len(total.facts) == sum(len(day.facts) for day in days)
    assert total_provenance([]) is None


ME, ANNA = "tom.trainee", "anna.adler"
TOLD = "The budget for the fair in Bern is 24,000 euros."
NINE = datetime(2025, 10, 1, 9)


def version(payload: str) -> FactVersion:
    (parts,) = facts_in([payload], PublicKnowledge(read_figures(""), (), ()))
    return FactVersion("T1/budget", payload, parts)


def call(tool: str, data: dict[str, Any] | None, *notices: str, **arguments: Any) -> LogEntry:
    return LogEntry(
        seq=1, at=NINE, until=NINE, actor=ME, tool=tool, arguments=arguments, ok=True, text="",
        data=data, effects={},
        notices=tuple(Notice(kind=NoticeKind.MESSAGE, at=NINE, text=text) for text in notices),
    )  # fmt: skip


def message(sender: str, text: str) -> dict[str, Any]:
    return {"messages": [{"id": 7, "sender": sender, "to": ME, "text": text}]}


def sees(*log: LogEntry) -> bool:
    return bool(first_sightings(log, [version(TOLD)], ME))


@pytest.mark.parametrize(
    "text",
    [
        TOLD,
        f"Sure.  {TOLD.upper()} Anything else?",
        "As to the fair in Bern: we have a budget of twenty-four thousand euros.",
        "The fair in Bern has a budget of 24k euros.",
    ],
)
def test_a_fact_is_seen_in_its_words_and_in_others_with_its_subject(text: str) -> None:
    assert sees(call("chat_read_history", message(ANNA, text), peer=ANNA))
    assert sees(call("desk_tasks", {}, f"Message 7 from Anna Adler: {text}"))


@pytest.mark.parametrize(
    "text",
    [
        "The budget for the fair in Bern is 24,500 euros.",
        "The budget for the fair in Bern is 124,000 euros.",
        "Room 24,000 is free.",
        "The budget for the fair in Bern is with me.",
    ],
)
def test_another_value_and_a_value_without_its_subject_tell_nothing(text: str) -> None:
    assert not sees(call("chat_read_history", message(ANNA, text), peer=ANNA))


def test_a_number_that_only_begins_alike_is_another() -> None:
    six = version("Allowed late days: 6")
    sixty = call("chat_read_history", message(ANNA, "Allowed late days: 60"))
    assert not first_sightings([sixty], [six], ME)
    assert first_sightings([call("x", message(ANNA, "Allowed late days: 6, I think"))], [six], ME)


def test_an_agents_own_text_is_not_seen_when_it_reads_it_again() -> None:
    guess = "Guess: the fair in Bern, budget 24k euros"
    assert not sees(call("chat_read_history", message(ME, TOLD), peer=ANNA))
    for text in (TOLD, guess):
        wrote = call("files_write", {"path": "workspace:/a.md", "size": 9}, text=f"# A\n{text}\n")
        read = call("files_read", {"path": "workspace:/a.md", "text": f"# A\n{text}\n"})
        assert sees(read) and not sees(wrote, read)


def test_a_guess_that_a_colleague_confirms_in_the_same_words_is_seen() -> None:
    asked = call("chat_send_message", {}, to=ANNA, text=TOLD)
    assert sees(asked, call("chat_read_history", message(ANNA, TOLD), peer=ANNA))


def test_a_row_of_a_table_is_one_passage_and_two_rows_are_two() -> None:
    together = [["fair in Bern", "budget, euros", 24000]]
    apart = [["fair in Bern", "budget, euros", "?"], ["elsewhere", "–", 24000]]
    assert sees(call("sheets_read", {"rows": together}))
    assert not sees(call("sheets_read", {"rows": apart}))


@pytest.mark.parametrize("copied", [False, True])
def test_a_guess_that_was_put_together_from_pieces_is_not_seen_when_it_is_read(
    copied: bool,
) -> None:
    path, copy = "workspace:/x.txt", "workspace:/y.txt"
    log = [
        call("files_write", {"path": path}, path=path, text=TOLD[:20] + "@"),
        call("files_edit", {"path": path}, path=path, edits=[{"old": "@", "new": TOLD[20:]}]),
        call("files_copy", {"paths": [copy]}, source=path, target=copy),
        call("files_read", {"text": TOLD}, path=copy if copied else path),
        call("files_search", {"matches": [{"path": path, "line": TOLD}]}, query="budget"),
    ]
    assert not sees(*log)
    found = call("files_search", {"matches": [{"path": "drive:/a", "line": TOLD}]}, query="budget")
    assert sees(*log, found)


def test_the_copy_of_somebody_elses_file_tells_what_that_says() -> None:
    copy = "workspace:/y.txt"
    copied = call("files_copy", {"paths": [copy]}, source="drive:/a.txt", target=copy)
    assert sees(copied, call("files_read", {"text": TOLD}, path=copy))


@pytest.mark.parametrize("forwarded", [False, True])
def test_a_saved_attachment_tells_what_it_says_unless_it_is_the_agents_own_file(
    forwarded: bool,
) -> None:
    path, copy = "workspace:/x.txt", "workspace:/y.txt"
    made = [
        call("files_write", {"path": path}, path=path, text=TOLD[:20] + "@"),
        call("files_edit", {"path": path}, path=path, edits=[{"old": "@", "new": TOLD[20:]}]),
        call("mail_send", {"id": 4}, to=[ME], subject="a", body="b", attachments=[path]),
        *([call("mail_forward", {"id": 5}, mail=4, to=[ME])] if forwarded else []),
    ]
    read = call("files_read", {"text": TOLD}, path=copy)
    own = 5 if forwarded else 4
    assert sees(*made, call("mail_save", {"path": copy}, mail=3, path=copy), read)
    assert not sees(*made, call("mail_save", {"path": copy}, mail=own, path=copy), read)
