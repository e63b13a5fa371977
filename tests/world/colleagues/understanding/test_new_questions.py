"""Measuring new questions: scenes for writers, and what became of each question."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks import understanding
from benchmarks.new_questions import NewQuestion, Outcome, ask_all, read_questions
from benchmarks.scenes import DAYS, REFERRAL, TEXTS, Scene, SceneFile, for_writers, make_scenes

SMALL = make_scenes(3, {"A": ("kb_fix.easy", "transactions.split_invoice.s2")})


def scene(kind: str) -> Scene:
    return next(one for one in SMALL.scenes if one.kind == kind)


def asked(kind: str, text: str) -> Outcome:
    (outcome,) = ask_all([NewQuestion(scene=scene(kind).id, question=text)], SMALL)
    return outcome


def old_id() -> str:
    return scene("charts").situation.partition("OLD")[2][:6]


def test_scenes_are_the_same_each_time_and_name_nothing_that_is_asked_word_for_word() -> None:
    assert make_scenes(3, SMALL.days) == SMALL
    assert {one.kind for one in SMALL.scenes} >= {"charts", "days", "limit", "intern handbook"}
    page = for_writers(SMALL)
    for one in SMALL.scenes:
        assert f"## {one.id}\n" in page and one.right not in page
    assert "What is the new id" not in page


def test_the_days_of_scenes_have_every_kind_of_fact_and_of_public_topic() -> None:
    kinds = {one.kind.partition(" in ")[0] for one in make_scenes(1, DAYS).scenes}
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


def test_who_holds_the_fact_and_names_another_place_is_counted_as_away() -> None:
    sent = asked("charts", "Where is the intern handbook?")
    assert (sent.mark, sent.away) == ("AWAY", True)


def test_telling_another_fact_is_counted_as_wrong() -> None:
    pairs = (
        (file, one, other)
        for file in (make_scenes(seed, {"A": ("kb_fix.hard",)}) for seed in range(40))
        for one in file.scenes
        for other in file.scenes
        if one.kind == other.kind == "charts" and one.to == other.to and one is not other
    )
    file, one, other = next(pairs)
    chart = other.situation.partition("OLD")[2][:6]
    question = NewQuestion(scene=one.id, question=f"What is the new id of chart OLD{chart}?")
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
    assert not any(one.right == REFERRAL for one in SMALL.scenes)
