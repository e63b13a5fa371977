"""Scripted models answer like a language model, err by a seed, and are told apart by skill.

Notes that they keep pass a night in the text of requests, and nothing else does."""

from __future__ import annotations

from collections import Counter
from functools import cache
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.harness.days import composed_day
from trainee_bench.harness.agents.builtin.openai import OpenAIAgent
from trainee_bench.harness.agents.scripted import (
    GRADED_MODELS,
    SCRIPTED_MODELS,
    create_scripted_model,
)
from trainee_bench.harness.agents.scripted.model import ScriptedModel
from trainee_bench.harness.agents.scripted.notes import KeptNotes, remembered_notes
from trainee_bench.harness.agents.scripted.skill import LearningMode, ModelSkill, NoteKeeping
from trainee_bench.harness.models.conversation import (
    FinishReason,
    ModelReply,
    ModelRequest,
    ModelToolCall,
    ToolMessage,
    UserMessage,
)
from trainee_bench.harness.records.plan import AgentConfig
from trainee_bench.harness.session.agent_session import AgentSession
from trainee_bench.harness.session.limits import EndReason, EpisodeLimits
from trainee_bench.harness.session.prompt import build_prompt
from trainee_bench.harness.session.tool_transports import InProcessToolTransport
from trainee_bench.harness.session.turns import ToolResult
from trainee_bench.harness.testbench.staged_day import stage_day
from trainee_bench.mcp_servers.verifier import DayGrade, grade_world
from trainee_bench.meta_tasks.benchmark import load_shipped_benchmark
from trainee_bench.meta_tasks.composition import ComposedDay, compose_day
from trainee_bench.meta_tasks.meta_task import Difficulty
from trainee_bench.meta_tasks.scenario import (
    Milestone,
    PublishAfter,
    TaskSpec,
)
from trainee_bench.meta_tasks.tool_client import ToolFailed

SHARES = st.floats(0, 1)
SKILLS = st.builds(ModelSkill, easy=SHARES, hard=SHARES, burden=st.floats(0, 0.2))
FLAWLESS = ModelSkill(easy=1, hard=1, burden=0, idle=0)
HOPELESS = ModelSkill(easy=0, hard=0, slips=0, idle=0)
ALL_IDLE = ModelSkill(easy=1, hard=1, burden=0, idle=1)
TASKS = ("kb_fix.easy", "meeting_attend.sum.u1", "sales.sales_statistics")


@cache
def one_day(seed: int = 0, guidance: int = 0) -> ComposedDay:
    return composed_day(*TASKS, name="scripted", seed=seed, guidance=guidance)


# what they can do -------------------------------------------------------------------------


@given(SKILLS, st.sampled_from(Difficulty), st.integers(1, 6), st.integers(0, 3), SHARES)
def test_help_never_harms_and_each_further_task_never_helps(
    skill: ModelSkill, label: Difficulty, tasks: int, hints: int, lessons: float
) -> None:
    chance = skill.chance(label, tasks, hints, lessons)
    assert 0 <= chance <= 1
    assert chance <= skill.chance(label, tasks, hints + 1, lessons) + 1e-9
    assert chance <= skill.chance(label, tasks, hints, 1) + 1e-9
    assert chance >= skill.chance(label, tasks + 1, hints, lessons) - 1e-9


def test_the_graded_models_are_in_order_and_find_hard_what_is_hard() -> None:
    skills = list(GRADED_MODELS.values())
    for better, worse in pairwise(skills):
        assert better.easy - worse.easy >= 0.1
        assert better.hard - worse.hard >= 0.1
    assert all(skill.easy > skill.hard or skill.hard == 1 for skill in SCRIPTED_MODELS.values())


# days they work ---------------------------------------------------------------------------


async def work(
    composition: ComposedDay, model: ScriptedModel, limits: EpisodeLimits, history: str = ""
) -> tuple[AgentSession, DayGrade]:
    """The day worked by the agent openai with this model, and its grade."""
    agent = OpenAIAgent.from_config(AgentConfig(name="x", agent="openai", history=history))
    agent.service = model
    day = await stage_day(composition)
    async with day.world:
        said = await day.world.read(lambda tx: build_prompt(tx, limits))
        session = AgentSession(
            InProcessToolTransport(day.seat),
            InProcessToolTransport(day.seat).tools({}),
            said,
            composition.day,
            limits,
        )
        with session.scope:
            await agent.work(session)
        await model.aclose()
        assert session.fault is None
        return session, await grade_world(day.world)


def model(skill: ModelSkill, composition: ComposedDay, attempt: int = 1) -> ScriptedModel:
    return ScriptedModel("scripted-test", skill, composition, attempt)


def calls(session: AgentSession) -> list[tuple[str, ...]]:
    return [tuple(call.name for call in tx.calls) for tx in session.record]


async def test_one_that_errs_in_nothing_completes_the_day_and_ends_it() -> None:
    session, grade = await work(one_day(), model(FLAWLESS, one_day()), EpisodeLimits())
    assert grade.success
    assert calls(session)[-1] == ("desk_finish_day",)
    assert max(map(len, calls(session))) > 1
    assert session.counts.refused_calls == 0
    assert not session.counts.incidents
    assert all(thought.prompt_tokens and thought.completion_tokens for thought in session.thoughts)
    assert {thought.cost_usd for thought in session.thoughts} == {0.0}


async def test_a_model_that_is_told_of_all_news_polls_for_none_once_all_is_handed_in() -> None:
    session, _ = await work(one_day(), model(FLAWLESS, one_day()), EpisodeLimits())
    made = [name for turn in calls(session) for name in turn]
    last = max(place for place, name in enumerate(made) if name == "desk_submit")
    assert made.count("desk_submit") == len(TASKS)
    looked = [name for name in made[last + 1 : -1] if name != "desk_wait"]
    assert len(looked) <= 2


async def test_one_that_knows_nothing_gets_nothing() -> None:
    session, grade = await work(one_day(), model(HOPELESS, one_day()), EpisodeLimits())
    assert grade.score == 0
    assert calls(session)[-1] == ("desk_finish_day",)


async def test_calls_that_were_refused_are_made_again() -> None:
    one_by_one = EpisodeLimits(steps=400, calls_per_turn=1)
    session, grade = await work(one_day(), model(FLAWLESS, one_day()), one_by_one)
    assert grade.success
    assert session.counts.refused_calls > 0


async def test_idle_turns_of_every_kind_are_survived_and_counted() -> None:
    session, grade = await work(one_day(), model(ALL_IDLE, one_day()), EpisodeLimits(steps=400))
    kinds = {"empty_reply", "malformed_arguments", "cut_reply", "unknown_tool"}
    assert set(session.counts.incidents) == kinds
    assert session.ended is None
    assert grade.score is not None
    assert grade.score >= 0.5


async def test_news_that_come_with_a_useless_call_are_heard() -> None:
    (scenario,) = (
        one for one in load_shipped_benchmark("core-50").scenarios if one.name == "core-50-22"
    )
    day = compose_day(scenario)
    absent = ModelSkill(easy=1, hard=1, burden=0, idle=0.5)
    for attempt in range(1, 5):
        _, grade = await work(day, model(absent, day, attempt), EpisodeLimits())
        assert grade.success, attempt


async def test_a_task_that_can_never_come_is_not_waited_for_until_the_day_is_over() -> None:
    first, then = "kb_fix.easy", "sales.sales_statistics"
    after = PublishAfter(task=first, when=Milestone.SUBMISSION)
    day = composed_day(first, TaskSpec(rule=then, follows=after), name="scripted")
    session, _ = await work(day, model(HOPELESS, day), EpisodeLimits())
    assert (session.ended, calls(session)[-1]) == (None, ("desk_finish_day",))


async def test_a_short_memory_with_summaries_is_enough() -> None:
    session, grade = await work(
        one_day(), model(FLAWLESS, one_day()), EpisodeLimits(), history="summarising:2000"
    )
    assert grade.success
    assert any("\nCall files_" in aside.message for aside in session.asides), (
        "nothing was summed up"
    )
    assert not session.counts.incidents


@pytest.mark.parametrize("alias", ["scripted-fair", "scripted-novice"])
async def test_the_same_try_goes_the_same_way_and_another_goes_another(alias: str) -> None:
    records = []
    for attempt in (1, 1, 2):
        async with create_scripted_model(alias, one_day(), attempt) as made:
            session, _ = await work(one_day(), made, EpisodeLimits())
        records.append([(tx.calls, tx.thought.message) for tx in session.record])
    assert records[0] == records[1] != records[2]


async def test_hints_make_a_task_more_likely_to_be_done() -> None:
    weak = ModelSkill(easy=0.1, hard=0.1, idle=0)
    done = Counter[int]()
    for seed in range(5):
        for guidance in (0, 3):
            composition = one_day(seed, guidance)
            _, grade = await work(composition, model(weak, composition), EpisodeLimits())
            done[guidance] += sum(task.success for task in grade.tasks)
    assert done[3] >= done[0] + 5


# what they make of a conversation -----------------------------------------------------------


async def asked(
    made: ScriptedModel, *messages: UserMessage | ModelReply | ToolMessage
) -> ModelReply:
    day = await stage_day(one_day())
    async with day.world:
        tools = tuple(InProcessToolTransport(day.seat).tools({}))
    return await made.reply(ModelRequest("", messages, tools))


async def test_one_that_gets_no_answers_asks_again_and_in_the_end_gives_up() -> None:
    made = model(FLAWLESS, one_day())
    replies = [await asked(made, UserMessage("go on")) for _ in range(60)]
    assert replies[0].calls[0].name == replies[1].calls[0].name == "desk_now"
    assert len({call.id for reply in replies for call in reply.calls}) == sum(
        len(reply.calls) for reply in replies
    )
    assert replies[-1].calls == ()
    await made.aclose()


async def test_a_failed_answer_is_understood_as_one() -> None:
    made = model(FLAWLESS, one_day())
    first = await asked(made, UserMessage("work"))
    failed = ToolResult("no desk here", None, one_day().day.starts, failed=True)
    second = await asked(made, UserMessage("work"), first, ToolMessage(first.calls[0], failed))
    assert second.calls == () or second.calls[0].name == "desk_finish_day"
    await made.aclose()


FEEDBACK = """\
T1: 0.40
  [x] The list is complete
  [ ] Every sum is right
      seen: 3 sums, 120.50 in all
T2: 0.00
  [ ] The manager was told
      seen: nobody was told
"""


async def reflected(learning: LearningMode, *said: str) -> str:
    made = model(ModelSkill(easy=0, hard=0, learning=learning), one_day())
    shown = tuple(UserMessage(text) for text in said)
    return (await made.reply(ModelRequest("Reflect.", shown))).text


async def test_a_model_that_learns_by_rule_notes_what_was_missed_and_no_value() -> None:
    notes = await reflected(LearningMode.BY_RULE, FEEDBACK)
    assert "Every sum is right" in notes
    assert "The manager was told" in notes
    assert "complete" not in notes
    assert "120.50" not in notes


async def test_a_model_that_learns_by_heart_notes_the_values_and_no_rule() -> None:
    notes = await reflected(LearningMode.BY_HEART, FEEDBACK)
    assert "T1: 3 sums, 120.50 in all" in notes
    assert "Every sum is right" not in notes


@pytest.mark.parametrize("learning", [LearningMode.BY_RULE, LearningMode.BY_HEART])
async def test_notes_so_far_are_kept_once(learning: LearningMode) -> None:
    before = await reflected(learning, FEEDBACK)
    after = await reflected(learning, before, FEEDBACK.replace("T2", "T3"))
    assert set(before.splitlines()) <= set(after.splitlines())
    assert len(set(after.splitlines())) == len(after.splitlines())


async def test_a_model_that_learns_nothing_writes_the_general_note() -> None:
    notes = await reflected(LearningMode.NOTHING, FEEDBACK)
    assert notes == await reflected(LearningMode.NOTHING, FEEDBACK.replace("sum", "date"))


async def test_a_summary_tells_what_was_called_and_is_short() -> None:
    call = ModelToolCall("1", "files_read", "{}", {})
    answer = ToolMessage(call, ToolResult("Line 1\nLine 2", {}, one_day().day.starts))
    spoken = ModelReply("Reading.", (call,))
    request = ModelRequest("Sum up.", (UserMessage("x" * 9_000), spoken, answer))
    reply = await model(FLAWLESS, one_day()).reply(request)
    assert "files_read: Line 1" in reply.text
    assert len(reply.text) < 3_000
    assert reply.finish is FinishReason.DONE


# all of them on the benchmark ---------------------------------------------------------------


@pytest.mark.sweep  # in the quick round, the rehearsal of an experiment ranks them
@pytest.mark.parametrize("days", [slice(21, 25), slice(20, 28)])
async def test_the_graded_models_come_out_in_their_order(days: slice) -> None:
    compositions = [
        compose_day(scenario) for scenario in load_shipped_benchmark("core-50").scenarios[days]
    ]
    scores = []
    for alias in GRADED_MODELS:
        found = []
        for composition in compositions:
            async with create_scripted_model(alias, composition) as made:
                session, grade = await work(composition, made, EpisodeLimits())
            assert session.ended in (None, EndReason.STEP_LIMIT)
            found.append(grade.score or 0)
        scores.append(sum(found) / len(found))
    gaps = [better - worse for better, worse in pairwise(scores)]
    assert min(gaps) > 0.05, scores


PAGE = {"path": "workspace:/notes/T1.md"}
TEXT = '- limit: 45\n- Monday: {"approved": 2, "names": ["Ann"]}\n'


def noting_model(notes: NoteKeeping, *, habitual: bool = False, memory: str = "") -> KeptNotes:
    kept = KeptNotes(ModelSkill(easy=1, hard=1, notes=notes, habitual=habitual))
    kept.remember(memory)
    return kept


def night(kept: KeptNotes, so_far: str = "") -> str:
    """What is in the memory after the day, the request to reflect having shown its messages."""
    shown = f"{so_far}\nWhat you did:\n" + "\n".join(f"18:00 {one}" for one in kept.messages())
    return "\n".join(f"- {line}" for line in remembered_notes(shown))


def page(kept: KeptNotes) -> str:
    return kept.read(PAGE)


def test_a_model_that_remembers_has_the_page_on_the_next_two_mornings() -> None:
    first = noting_model(NoteKeeping.MEMORY)
    first.write(PAGE | {"text": TEXT})
    assert page(first) == TEXT.strip()
    second = noting_model(NoteKeeping.MEMORY, memory=night(first))
    assert page(second) == TEXT.strip()
    second.write(PAGE | {"text": TEXT.replace("45", "70")})
    third = noting_model(NoteKeeping.MEMORY, memory=night(second, so_far=night(first)))
    assert page(third) == TEXT.replace("45", "70").strip()


def test_many_notes_are_said_in_messages_of_which_each_is_seen_whole() -> None:
    kept = noting_model(NoteKeeping.MEMORY)
    text = "\n".join(f"- figure of day {number}: {number}{'0' * 80}" for number in range(30))
    kept.write(PAGE | {"text": text})
    assert all(len(message) <= 560 for message in kept.messages())
    assert page(noting_model(NoteKeeping.MEMORY, memory=night(kept))) == text


def test_a_model_without_notes_knows_the_page_on_the_same_day_only() -> None:
    first = noting_model(NoteKeeping.NOWHERE)
    first.write(PAGE | {"text": TEXT})
    assert page(first) == TEXT.strip()
    assert night(first) == ""
    with pytest.raises(ToolFailed, match="nothing is noted"):
        page(noting_model(NoteKeeping.NOWHERE, memory="- Noted, T1: limit: 45"))


def test_only_pages_of_notes_are_kept_and_none_by_who_writes_into_the_office() -> None:
    for notes in (NoteKeeping.MEMORY, NoteKeeping.NOWHERE):
        assert noting_model(notes).takes("files_write", PAGE)
        assert not noting_model(notes).takes("files_write", {"path": "workspace:/report.json"})
        assert not noting_model(notes).takes("files_delete", PAGE)
    assert not noting_model(NoteKeeping.OFFICE).takes("files_write", PAGE)


def test_the_habitual_go_by_the_morning_and_know_the_change_on_the_next() -> None:
    first = noting_model(NoteKeeping.MEMORY, habitual=True)
    first.write(PAGE | {"text": TEXT})
    assert page(first) == TEXT.strip()
    second = noting_model(NoteKeeping.MEMORY, habitual=True, memory=night(first))
    second.write(PAGE | {"text": TEXT.replace("45", "70")})
    assert page(second) == TEXT.strip()
    second.write(PAGE | {"text": page(second) + "\n- Tuesday: 3"})  # as who adds a line does
    assert page(second) == TEXT + "- Tuesday: 3"
    third = noting_model(NoteKeeping.MEMORY, habitual=True, memory=night(second))
    assert page(third) == TEXT.replace("45", "70") + "- Tuesday: 3"
