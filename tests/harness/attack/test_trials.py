"""The figures of an attack, and the bounds that they may not exceed."""

from __future__ import annotations

import json

import pytest

from trainee_bench.harness.attack.presentation import attack_data, attack_document
from trainee_bench.harness.attack.trials import (
    BOUND,
    AttackReport,
    DayTrial,
    TaskTrial,
    WorkerTrial,
)
from trainee_bench.harness.documents.html import render_html
from trainee_bench.harness.documents.markdown import render_markdown


def tried(attack: str, seed: int, **scores: float) -> DayTrial:
    """What *attack* reached on a day with a task of each of these rules."""
    tasks = tuple(
        TaskTrial(f"T{number}", rule, score, score == 1, ())
        for number, (rule, score) in enumerate(scores.items(), 1)
    )
    return DayTrial("one", 0, seed, attack, sum(scores.values()) / len(scores), tasks)


def report(*days: DayTrial, workers: tuple[WorkerTrial, ...] = ()) -> AttackReport:
    return AttackReport("mine", 1, 2, days, workers)


def test_the_exploit_bound_is_the_highest_mean_of_any_attack() -> None:
    found = report(
        tried("a", 1, easy=0.2, hard=0.0),
        tried("a", 2, easy=0.0, hard=0.0),
        tried("b", 1, easy=0.1, hard=0.1),
        tried("b", 2, easy=0.1, hard=0.0),
    )
    assert list(found.attacks) == ["b", "a"]
    assert found.exploit_bound == found.attacks["b"].mean == pytest.approx(0.075)
    assert found.task_bound == 0.1
    assert {rule: next(iter(attacks)) for rule, attacks in found.rules.items()} == {
        "easy": "a",
        "hard": "b",
    }
    assert report().exploit_bound == 0


def test_one_lucky_trial_breaks_no_bound_and_a_second_one_does() -> None:
    lucky = [tried("a", 1, easy=1.0), tried("a", 2, easy=0.0)]
    assert list(report(*lucky).broken()) == []
    assert list(report(*lucky, tried("a", 3, easy=0.06)).broken()) == [
        "a scores 0.353 on average, above 0.05",
        "easy: a scores 0.353 on average over 3 tasks",
    ]
    rare = [tried("a", seed, easy=1.0 if seed < 2 else 0.0) for seed in range(40)]
    assert report(*rare).exploit_bound == BOUND
    assert list(report(*rare).broken()) == []


def test_a_mean_that_one_trial_lifts_above_the_bound_is_said_to_be_perhaps_luck() -> None:
    lucky = report(tried("a", 1, easy=1.0, hard=0.0), tried("a", 2, easy=0.0, hard=0.0))
    assert list(lucky.perhaps_by_luck()) == [
        "a scores 0.250 on average",
        "easy: a scores 0.500 on average over 2 tasks",
    ]
    shown = render_markdown(attack_document(lucky))
    assert "which may be luck" in shown and "easy: a scores 0.500" in shown
    twice = report(tried("a", 1, easy=1.0), tried("a", 2, easy=1.0))
    assert list(twice.perhaps_by_luck()) == []


def test_a_check_that_breaks_on_what_an_attack_hands_in_is_reported_and_breaks_the_attack() -> None:
    task = TaskTrial("T1", "easy", 0.0, False, (), "easy/right: ValueError")
    found = report(DayTrial("one", 0, 7, "a", 0.0, (task,)))
    (said,) = found.broken()
    assert said == "easy: checks broke on the work of a (one, seed 7): easy/right: ValueError"
    assert said in render_markdown(attack_document(found))


def test_a_rule_that_is_known_to_be_above_the_bound_is_told_with_the_reason() -> None:
    days = (tried("a", 1, easy=1.0), tried("a", 2, easy=1.0))
    found = AttackReport("mine", 1, 2, days, (), known={"easy": "few hours"})
    assert "easy: a scores 1.000 on average over 2 tasks (known: few hours)" in found.broken()


def test_a_worker_that_does_not_look_may_handle_a_complication_once_or_in_a_twentieth() -> None:
    def of(handled: int, trials: int) -> AttackReport:
        half = WorkerTrial("x+sign_off", "sign_off", "blind", 0, trials // 2)
        rest = WorkerTrial("y+sign_off", "sign_off", "blind", handled, trials - trials // 2)
        return report(workers=(half, rest))

    assert list(of(1, 4).broken()) == list(of(2, 40).broken()) == []
    assert list(of(2, 39).broken()) == ["the blind worker handles sign_off in 2 of 39 trials"]


def test_a_report_lists_each_kind_of_task_above_the_bound_in_every_form() -> None:
    found = AttackReport(
        "mine",
        scenarios=1,
        seeds=2,
        days=(tried("a", 1, easy=0.5, hard=0.0), tried("a", 2, easy=0.5, hard=0.0)),
        workers=(WorkerTrial("x+sign_off", "sign_off", "late", 0, 4),),
        left_out=("two composes at no seed near its new seed 1",),
    )
    document = attack_document(found)
    page, text = render_html(document), render_markdown(document)
    for shown in (page, text):
        for words in (
            "Exploit bound: 0.250 (a)", "easy: a scores 0.500 on average over 2 tasks",
            "No attack scored in the other 1 rule.", "sign_off", "0 of 4", "two composes at no",
        ):  # fmt: skip
            assert words in shown, words
    data = attack_data(found)
    assert isinstance(data, dict)
    assert json.loads(json.dumps(data)) == data
    assert (data["exploit_bound"], data["task_bound"]) == (0.25, 0.5)


def test_without_any_score_a_report_says_so() -> None:
    text = render_markdown(attack_document(report(tried("a", 1, easy=0.0, hard=0.0))))
    assert "Exploit bound: 0.000." in text
    assert "No attack scored in any of the 2 rules." in text
