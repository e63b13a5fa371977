"""Everyday wording: greetings, times of day, half sentences, two questions at once."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks import understanding
from benchmarks.new_questions import NewQuestion, Outcome, ask_all, read_questions
from benchmarks.scenes import DAYS, REFERRAL, TEXTS, Scene, SceneFile, for_writers, make_scenes
from trainee_bench.world.colleagues.understanding import Intent, QuestionInterpreter, Topic, hear
from trainee_bench.world.colleagues.understanding.intent import is_work
from trainee_bench.world.colleagues.understanding.normalise import (
    normalize_text,
    without_courtesies,
)

MEETING = Topic(
    "meeting",
    (
        "Can you come to meeting K-118 (spring fair) today from 14:30 to 15:30?",
        "Are you free today from 14:30 to 15:30 for the spring fair, K-118?",
        "Can you make it to K-118 at 14:30, and whom should I invite with you?",
        "Will you attend K-118 today at 14:30, or is somebody coming in your place?",
        "Who else should be invited to K-118 for you?",
        "Can I count on you for K-118, and whom else shall I invite on your behalf?",
        "Do you have time for the spring fair, K-118, at 14:30?",
    ),
    ("K-118",),
)
DAYS_APART = Topic(
    "days",
    (
        "How many days apart may two invoices be to count as one purchase, for ledger.csv?",
        "Within how many days do two invoices in ledger.csv count as split?",
        "Up to how many days apart are two invoices still a split? I am reviewing ledger.csv.",
        "What number of days between invoices do we use for splits in ledger.csv?",
        "How close together must two invoices be dated to be a split purchase, in ledger.csv?",
    ),
    ("ledger.csv",),
)
CHARTS = Topic(
    "charts",
    (
        "What is the new id of chart OLD482913?",
        "Which chart replaces OLD482913?",
        "Chart OLD482913 is gone, what is its new identifier?",
        "What are the new ids of your charts in budget_guide.md?",
        "What should I link instead of OLD482913?",
    ),
    ("OLD482913", "budget_guide.md"),
)
CLOSURES = Topic(
    "closures",
    (
        "On which days was Marketing closed in September?",
        "Which days in September were closure days of Marketing?",
        "When was Marketing closed in September?",
        "Did Marketing close on any days in September, and on which?",
        "I need the closure days of Marketing in September.",
    ),
)
HANDBOOK = Topic(
    "referral:sales handbook",
    (
        "Where is the sales handbook?",
        "Where can I read how our sales figures are calculated?",
        "Which document explains what counts as sales?",
        "Are there rules for adding up the sales of a quarter?",
        "Where do I find a guide to the sales data?",
    ),
    about=("How we count our sales.", "An order counts with its whole amount."),
)
WEBSITE = Topic(
    "website",
    (
        "Who looks after the website today?",
        "Which engineer is on call for the website?",
        "Who is on duty for the website today?",
        "Whose turn is it today to deal with the website?",
        "Who keeps our web pages running?",
    ),
)
HOLDER = QuestionInterpreter([MEETING, DAYS_APART, CHARTS, CLOSURES], [WEBSITE], [HANDBOOK])


def clear(question: str) -> tuple[str, ...]:
    understood = HOLDER.understand(hear(question))
    return understood.topics if understood.intent is Intent.CLEAR else ()


def asked_about(question: str) -> tuple[str, ...]:
    return HOLDER.understand(hear(question)).topics


@pytest.mark.parametrize(
    "greeting", ["Good morning,", "Good morning!", "morning!", "Good evening."]
)
def test_a_greeting_says_nothing_about_the_time_of_a_meeting(greeting: str) -> None:
    assert clear(f"{greeting} can you come to the spring fair, K-118, at 14:30?") == ("meeting",)
    assert clear(f"{greeting} are you free for the spring fair at 14:30 today?") == ("meeting",)


def test_the_time_of_the_writers_morning_is_not_that_of_the_meeting() -> None:
    told = "I only got the planning of K-118 this morning. Are you free for the spring fair?"
    assert asked_about(told) == ("meeting",)
    assert asked_about("Are you free for the spring fair tomorrow morning?") == ()


@pytest.mark.parametrize("time", ["14:30", "2:30 pm", "2.30 p.m.", "14h30", "2:30pm", "2:30"])
def test_a_time_of_day_is_read_however_it_is_written(time: str) -> None:
    assert clear(f"Can you come to the spring fair, K-118, at {time}?") == ("meeting",)


@pytest.mark.parametrize("time", ["16:30", "4:30 pm", "11h00", "9:30"])
def test_another_time_of_day_is_never_answered_at_once(time: str) -> None:
    assert clear(f"Can you come to the spring fair, K-118, at {time}?") == ()


def test_since_when_something_is_so_is_not_when_it_is_asked_for() -> None:
    listener = QuestionInterpreter([WEBSITE])
    question = "The website has been slow since yesterday; who looks after it today?"
    assert listener.understand(hear(question)).topics == ("website",)


@pytest.mark.parametrize(
    "message",
    [
        "Dear Ms, where is the sales handbook? Yours sincerely",
        "Hi there! Where is the sales handbook?\n\nMany thanks and kind regards",
        "hey - where is the sales handbook? thx",
        "Good afternoon, where is the sales handbook? Thank you very much in advance!",
    ],
)
def test_salutation_and_closing_are_left_out(message: str) -> None:
    said = without_courtesies(normalize_text(message)).casefold()
    assert said.strip(" ?\n.!").startswith("where is the sales handbook")
    assert "sincerely" not in said and "thx" not in said and "advance" not in said


@pytest.mark.parametrize("message", ["Thanks!", "Good morning!", "Hello", "Kind regards"])
def test_a_message_of_courtesies_stays_as_it_is(message: str) -> None:
    assert without_courtesies(message) == message


# ids ----------------------------------------------------------------------------------------


def test_a_message_with_a_held_id_never_asks_about_the_figures_of_a_file() -> None:
    for question in (
        "It lasts an hour (K-118). How many people may I put down for you?",
        "About K-118: how many days before do you need to know?",
        "K-118 from 9:30 to 10:30: how close together may two talks be?",
    ):
        assert "days" not in asked_about(question), question


@pytest.mark.parametrize(
    "question",
    ["OLD482913 -> what now?", "OLD482913 in budget_guide.md is now...?", "OLD482913: new one?"],
)
def test_an_id_that_is_held_and_half_a_question_is_answered_or_asked_back(question: str) -> None:
    assert asked_about(question) == ("charts",)


@pytest.mark.parametrize("question", ["OLD482914 -> what now?", "OLD999999 is now ...?"])
def test_an_id_that_is_not_held_is_not_asked_back_about(question: str) -> None:
    assert asked_about(question) == ()


def test_a_question_that_points_back_to_a_statement_is_answered() -> None:
    told = "I am mending budget_guide.md, and your diagram OLD482913 seems to have got a new id."
    assert clear(f"{told} Could you tell me what it is now, please?") == ("charts",)


# whoever holds the fact --------------------------------------------------------------------


def test_a_report_that_something_does_not_work_is_no_request_to_do_it() -> None:
    assert not is_work("old482913 does not resolve any more got the new id for me")
    assert clear("OLD482913 doesn't resolve any more, got the new id for me?") == ("charts",)
    assert not is_work("do you have a name for me") and is_work("do it for me")
    assert is_work("could you resolve it for me") and is_work("please fix the page for me")


def test_a_review_or_check_of_something_is_a_thing_and_no_request_to_do_it() -> None:
    assert not is_work("review of the payments in transactions csv")
    assert not is_work("check of all links")
    assert is_work("please review the payments") and is_work("please check all links")


def test_a_holder_does_not_refuse_the_answer_as_work() -> None:
    on_duty = Topic(
        "on_duty",
        (
            "Who looks after the website today?",
            "Which engineer is on call for the website?",
            "Who is on the roster for the website and its servers?",
            "Whom should I contact about a problem with the website?",
            "Whose turn is it today to deal with the website?",
        ),
    )
    engineer = QuestionInterpreter([on_duty])
    assert engineer.understand(hear("Can you check the roster for me, who is it today?")).topics
    assert not engineer.understand(hear("Can you repair the website for me?")).topics


def test_these_days_are_not_days_that_are_asked_for() -> None:
    asked = "Your charts in budget_guide.md have other ids by now. What are they called these days?"
    assert asked_about(asked) == ("charts",)


def test_being_no_longer_interested_is_not_what_the_writer_says_of_themselves() -> None:
    topic = Topic(
        "candidates",
        (
            "Which candidates for the tester job are no longer available?",
            "Has any applicant for the tester job withdrawn?",
            "Who of the applicants for the tester job is not interested any more?",
            "Have any candidates for the tester job been hired elsewhere?",
            "Which applicants for the tester job have changed their minds?",
        ),
    )
    listener = QuestionInterpreter([topic])
    question = "Is there an applicant for the tester job who is not interested any more?"
    assert listener.understand(hear(question)).topics == ("candidates",)


# two things at once ------------------------------------------------------------------------


def test_beside_an_own_question_a_public_one_is_heard_as_well() -> None:
    both = "When was Marketing closed in September? And where can I read how sales are calculated?"
    understood = HOLDER.understand(hear(both))
    assert (understood.intent, understood.topics) == (Intent.CLEAR, ("closures",))
    assert understood.elsewhere == "referral:sales handbook"


def test_beside_an_own_question_one_for_others_is_heard_as_well() -> None:
    both = (
        "On which days was Marketing closed in September? Also, who looks after the website today?"
    )
    understood = HOLDER.understand(hear(both))
    assert (understood.topics, understood.elsewhere) == (("closures",), "website")


def test_chatter_around_an_own_question_is_no_second_question() -> None:
    for around in (
        "I am adding up sales and attendance all day, what a job!",
        "Who would have thought that I end up counting days?",
        "Sales asked me, too.",
    ):
        understood = HOLDER.understand(hear(f"{around} When was Marketing closed in September?"))
        assert (understood.topics, understood.elsewhere) == (("closures",), "")


# new questions ----------------------------------------------------------------------------


SMALL = make_scenes(3, {"A": ("kb_fix.easy", "transactions.split_invoice.s2")})


def scene(kind: str) -> Scene:
    return next(scene for scene in SMALL.scenes if scene.kind == kind)


def asked(kind: str, text: str) -> Outcome:
    (outcome,) = ask_all([NewQuestion(scene=scene(kind).id, question=text)], SMALL)
    return outcome


def old_id() -> str:
    return scene("charts").situation.partition("OLD")[2][:6]


def test_scenes_are_the_same_each_time_and_name_nothing_that_is_asked_word_for_word() -> None:
    assert make_scenes(3, SMALL.days) == SMALL
    assert {scene.kind for scene in SMALL.scenes} >= {"charts", "days", "limit", "intern handbook"}
    page = for_writers(SMALL)
    for scene in SMALL.scenes:
        assert f"## {scene.id}\n" in page and scene.right not in page
    assert "What is the new id" not in page


def test_the_days_of_scenes_have_every_kind_of_fact_and_of_public_topic() -> None:
    kinds = {scene.kind.partition(" in ")[0] for scene in make_scenes(1, DAYS).scenes}
    texts = json.loads(TEXTS.read_text(encoding="utf-8"))
    assert kinds >= {text["kind"] for text in texts["kinds"]} - {"referral"}
    assert len([kind for kind in kinds if " " in kind]) >= 12


def test_a_question_is_right_at_once_or_after_a_question_back_or_missed() -> None:
    told = asked("charts", f"What is the new id of chart OLD{old_id()}?")
    assert (told.mark, told.at_once, told.after_one, told.wrong) == ("at once", True, True, ())
    back = asked("charts", f"OLD{old_id()} is now ...?")
    assert (back.mark, back.at_once, back.after_one) == ("after one", False, True)
    assert back.answer and back.second_reply
    missed = asked("intern handbook", "Hello there!")
    assert (missed.mark, missed.wrong, missed.away) == ("MISSED", (), False)


def test_a_public_topic_is_right_where_the_reply_says_where_to_turn() -> None:
    assert asked("intern handbook", "Where is the intern handbook?").at_once
    assert not asked("intern handbook", "Where are the procurement rules?").at_once


def test_a_holder_who_names_another_place_is_counted_as_away() -> None:
    sent = asked("charts", "Where is the intern handbook?")
    assert (sent.mark, sent.away) == ("AWAY", True)


def test_telling_another_fact_is_counted_as_wrong() -> None:
    pairs = (
        (file, scene, other)
        for file in (make_scenes(seed, {"A": ("kb_fix.hard",)}) for seed in range(40))
        for scene in file.scenes
        for other in file.scenes
        if scene.kind == other.kind == "charts" and scene.to == other.to and scene is not other
    )
    file, scene, other = next(pairs)
    chart = other.situation.partition("OLD")[2][:6]
    question = NewQuestion(scene=scene.id, question=f"What is the new id of chart OLD{chart}?")
    (outcome,) = ask_all([question], file)
    assert (outcome.mark, outcome.wrong) == ("WRONG", (other.right,))


def test_unknown_scenes_and_lines_that_are_no_questions_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="no such scenes: Z9"):
        ask_all([NewQuestion(scene="Z9", question="Hm?")], SMALL)
    broken = tmp_path / "questions.jsonl"
    broken.write_text('{"scene": "A01"}\n')
    with pytest.raises(ValueError, match="question"):
        read_questions(broken)
    gone = SMALL.scenes[0].model_copy(update={"right": "T9/gone"})
    with pytest.raises(ValueError, match="older than its tasks"):
        ask_all(
            [NewQuestion(scene=gone.id, question="Hm?")],
            SMALL.model_copy(update={"scenes": (gone,)}),
        )


def test_the_command_writes_scenes_and_measures_a_file_of_questions(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("benchmarks.scenes.DAYS", SMALL.days)
    scenes, questions = tmp_path / "s.json", tmp_path / "q.jsonl"
    scenes.write_text(SMALL.model_dump_json())
    line = {"scene": scene("charts").id, "style": "terse", "question": f"OLD{old_id()} is now?"}
    questions.write_text(json.dumps(line) + "\n")
    call = ["--questions", str(questions), "--scenes", str(scenes), "--verbose"]
    assert understanding.main(call) == 0
    printed = capsys.readouterr().out
    assert "after one 100.0%" in printed and "terse" in printed and "OLD" in printed
    assert SceneFile.model_validate_json(scenes.read_text()) == SMALL
    assert not any(scene.right == REFERRAL for scene in SMALL.scenes)
