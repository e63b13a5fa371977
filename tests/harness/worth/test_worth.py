"""The worth of each step of an episode: in figures, in words, in the report and as rewards."""

from __future__ import annotations

import json
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from tests.harness.runs import LINKS, MEETING, call, config, day, invoke, named, run_day
from trainee_bench.harness.episodes.replay import read_recorded_day
from trainee_bench.harness.records.results import EpisodeResult
from trainee_bench.harness.records.run_folder import RunFolder
from trainee_bench.harness.records.worth import EpisodeWorth, LossOrigin, StepLoss
from trainee_bench.harness.session.agent_session import AgentSession
from trainee_bench.harness.worth.loss_words import (
    AS_FAR_AS_KNOWN,
    costliest_losses,
    how_certain,
    loss_in_words,
    points_lost,
)
from trainee_bench.harness.worth.moments import RecordedMoments, read_moments, value_curve

HERE = "tests.harness.worth.test_worth"


async def hasty(session: AgentSession) -> None:
    """Writes to everybody, waits, submits nonsense, and finishes the day."""
    await session.call("desk_tasks")
    listed = await session.call("chat_list_people")
    people = (listed.data or {})["people"]
    assert isinstance(people, list)
    everybody = [person["id"] for person in people if isinstance(person, dict)]
    await session.call("mail_send", to=everybody, subject="Help", body="Who knows anything?")
    await session.call("desk_wait", until="17:30", wake=False)
    await session.call("desk_submit", task="T2")


async def idle(session: AgentSession) -> None:
    """Looks at the tasks twice, waits until it is too late, and looks again."""
    await session.call("desk_tasks")
    await session.call("desk_tasks")
    await session.call("desk_wait", until="19:58", wake=False)
    await session.call("desk_tasks")


@pytest.fixture(scope="module")
def worked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of four agents on a day with a meeting and links to mend, and its values."""
    folder = tmp_path_factory.mktemp("worth")
    agents = named("oracle", "nothing", "careless", f"{HERE}:hasty")
    return run_day(folder, *agents, rules=(MEETING, LINKS))


@pytest.fixture(scope="module")
def computed(worked: Path) -> Result:
    assert "Points lost, by cause" not in (worked / "report.md").read_text(encoding="utf-8")
    return worth(worked, "--jobs", "1")


worth = partial(call, "worth")


def results(folder: Path) -> dict[str, EpisodeResult]:
    return {result.agent: result for result in RunFolder.open(folder).ledger.read()}


def stored(folder: Path, agent: str) -> EpisodeWorth:
    found = RunFolder.open(folder).worths.read(results(folder)[agent])
    assert found is not None
    return found


def test_values_never_rise_and_losses_add_up_from_first_value_to_score(
    worked: Path, computed: Result
) -> None:
    for agent, result in results(worked).items():
        found = stored(worked, agent)
        values = [point.value for point in found.points] + [found.end.value]
        assert all(before >= after for before, after in pairwise(values)), agent
        assert found.end.value == result.score
        assert all(point.value <= point.at_most + 1e-9 for point in found.points)
        lost = sum(loss.lost for loss in found.losses)
        assert lost == pytest.approx(values[0] - values[-1])
        shares = sum(task.share for loss in found.losses for task in loss.tasks)
        assert shares == pytest.approx(lost)


def test_an_agent_that_does_everything_right_loses_nothing(worked: Path, computed: Result) -> None:
    found = stored(worked, "oracle")
    assert {point.value for point in found.points} == {1.0}
    assert all(point.is_exact for point in found.points)
    assert found.losses == ()


def test_an_agent_that_does_nothing_loses_everything_when_the_work_ends(
    worked: Path, computed: Result
) -> None:
    (loss,) = stored(worked, "nothing").losses
    assert (loss.step, loss.lost) == (None, 1)
    assert {task.origin for task in loss.tasks} == {LossOrigin.NEVER_BEGUN}


def test_each_loss_names_its_step_and_its_cause(worked: Path, computed: Result) -> None:
    found = stored(worked, f"{HERE}:hasty")
    harm, missed, *_ = found.losses
    assert harm.did == "mail sent to all"
    assert harm.lost == 0
    assert harm.harm
    assert {(task.origin, task.success_lost) for task in harm.tasks} == {(LossOrigin.HARM, True)}
    assert found.points[2].harm == {}
    assert set(found.points[3].harm) == {"T1", "T2"}
    assert missed.did == "waited until 17:30"
    assert [task.task for task in missed.tasks if task.lost > 0][:1] == ["T1"]
    assert all(task.checkpoints for task in missed.tasks if task.lost > 0)


def test_a_look_that_takes_no_time_costs_nothing(tmp_path: Path) -> None:
    path, out = config(tmp_path, one=[day(LINKS)]), tmp_path / "out"
    free = json.loads(path.read_text(encoding="utf-8"))
    free["scenarios"][0]["minutes"] = {"desk_tasks": 0}
    path.write_text(json.dumps(free), encoding="utf-8")
    invoke("--config", path, "--out", out, "--agent", f"{HERE}:idle")
    worth(out, "--jobs", "1")
    (loss,) = stored(out, f"{HERE}:idle").losses
    assert (loss.step, loss.did, loss.lost) == (3, "waited until 19:58", 1)


def test_costly_steps_are_told_in_words(worked: Path, computed: Result) -> None:
    found = stored(worked, f"{HERE}:hasty")
    words = [loss_in_words(found, loss) for loss in found.losses]
    assert words[0].startswith("08:02, mail sent to all: success lost on every task; harm: ")
    assert words[1].startswith("08:07, waited until 17:30: ")
    assert "of the score lost on T1" in words[1]
    for line in words:
        assert line in " ".join(computed.output.split())


def test_a_loss_beside_a_value_that_may_be_too_low_is_told_as_far_as_is_known(
    worked: Path, computed: Result
) -> None:
    found = stored(worked, f"{HERE}:hasty")
    for loss in found.losses:
        before = found.points[-1 if loss.step is None else loss.step - 1]
        after = found.end if loss.step is None else found.points[loss.step]
        certain = before.is_exact and (after.is_exact or loss.step is None)
        assert loss_in_words(found, loss).endswith(AS_FAR_AS_KNOWN) is not certain
    exact = [point.is_exact for point in found.points]
    assert not all(exact)
    general, *_ = how_certain([found])
    assert general.startswith(f"After {sum(exact)} of {len(exact)} steps the value is certainly")
    assert general in " ".join(computed.output.split())
    assert AS_FAR_AS_KNOWN in (worked / "report.md").read_text(encoding="utf-8")
    assert how_certain([stored(worked, "oracle")]) == []


def test_no_loss_is_told_on_a_task_that_ends_with_full_score(
    worked: Path, computed: Result
) -> None:
    found = stored(worked, f"{HERE}:hasty")
    loss = next(loss for loss in found.losses if loss.lost > 0.1)
    loser = next(task.task for task in loss.tasks if task.share > 0.1)
    assert loser in loss_in_words(found, loss)
    saved = found.end.model_copy(
        update={
            "tasks": {**found.end.tasks, loser: 1.0},
            "successes": (*found.end.successes, loser),
        }
    )
    otherwise = found.model_copy(update={"end": saved})
    assert loser not in loss_in_words(otherwise, loss)
    assert "of the score lost" in loss_in_words(otherwise, loss)
    assert sum(points_lost([otherwise]).values()) == pytest.approx(
        sum(points_lost([found]).values())
    )


def test_the_costliest_steps_come_first_and_are_no_more_than_asked_for(
    worked: Path, computed: Result
) -> None:
    found = stored(worked, f"{HERE}:hasty")
    assert [loss.lost for loss in costliest_losses(found, 1)] == [max(o.lost for o in found.losses)]
    prices = [loss.lost for loss in costliest_losses(found, 9)]
    assert prices == sorted(prices, reverse=True)


def test_the_report_shows_lost_points_by_cause_once_they_are_computed(
    worked: Path, computed: Result
) -> None:
    text = (worked / "report.md").read_text(encoding="utf-8")
    section = text.partition("## Points lost, by cause")[2].partition("\n## ")[0]
    assert "never begun" in section
    assert "waited until 17:30" in section
    page = (worked / "report.html").read_text(encoding="utf-8")
    assert "Points lost, by cause" in page
    assert "Costliest steps" in page.partition('id="days"')[2]


def test_values_of_another_world_are_not_shown(worked: Path, computed: Result) -> None:
    folder = RunFolder.open(worked)
    result = results(worked)["nothing"]
    other = result.model_copy(update={"digest": "that of another world"})
    assert folder.worths.read(result) is not None
    assert folder.worths.read(other) is None


def test_one_episode_is_shown_step_by_step_and_written_as_json(
    worked: Path, computed: Result, tmp_path: Path
) -> None:
    episode, out = results(worked)[f"{HERE}:hasty"].episode, tmp_path / "values.json"
    done = worth(worked, "--episode", episode, "--json", out)
    (told,) = json.loads(out.read_text(encoding="utf-8"))
    assert EpisodeWorth.model_validate(told) == stored(worked, f"{HERE}:hasty")
    assert len([line for line in done.output.splitlines() if "people looked up" in line]) == 1


@pytest.mark.parametrize(
    ("arguments", "said"),
    [(["--episode", "other"], "there is no such id"), (["--jobs", "0"], "--jobs")],
)
def test_wrong_use_is_told(worked: Path, arguments: list[str], said: str) -> None:
    done = worth(worked, *arguments, exits=2)
    assert said in " ".join(done.output.split())


def test_a_world_that_cannot_be_repeated_is_named_and_the_others_are_computed(
    tmp_path: Path,
) -> None:
    out = run_day(tmp_path, "--agent", "oracle", "--agent", "nothing")
    damaged = results(out)["nothing"]
    assert damaged.world is not None
    (out / damaged.world).write_bytes(b"no world")
    assert f"{damaged.episode}: " in worth(out, exits=1).output
    assert stored(out, "oracle").losses == ()


async def test_no_moment_between_two_equal_ones_would_have_another_value(worked: Path) -> None:
    """Try every moment that bisection leaves out."""
    world = results(worked)["careless"].world
    assert world is not None
    recorded = await read_recorded_day(worked / world)
    moments = await read_moments(recorded)
    curve = await value_curve(recorded.composition, moments)
    alone = [
        (await value_curve(recorded.composition, RecordedMoments((moment,), moments.grade))).best[0]
        for moment in moments.moments
    ]
    assert curve.tried < len(alone)
    best = [max((grade.score or 0) for grade in alone[at:]) for at in range(len(alone))]
    assert [grade.score for grade in curve.best] == best


exported = partial(call, "export", "sft")


def test_rewards_of_all_turns_and_the_first_value_add_up_to_the_score(
    worked: Path, computed: Result, tmp_path: Path
) -> None:
    out = tmp_path / "examples.jsonl"
    exported("--rewards", "--least-score", 0, worked, out)
    lines: list[dict[str, Any]] = [json.loads(line) for line in out.read_text().splitlines()]
    assert len(lines) == 4
    for line in lines:
        turns = sum(message["role"] == "assistant" for message in line["messages"])
        assert len(line["rewards"]) == turns
        if turns:
            assert line["start_value"] + sum(line["rewards"]) == pytest.approx(line["score"])
            assert max(line["rewards"]) <= 0


def test_rewards_need_the_values(tmp_path: Path) -> None:
    out = run_day(tmp_path, "--agent", "oracle")
    done = exported("--rewards", out, tmp_path / "examples.jsonl", exits=2)
    assert "trainee-bench worth" in " ".join(done.output.split())


def test_points_lost_are_the_mean_over_days(worked: Path, computed: Result) -> None:
    two = [stored(worked, "nothing"), stored(worked, "oracle")]
    assert points_lost(two) == {LossOrigin.NEVER_BEGUN: pytest.approx(0.5)}


def test_a_loss_on_a_day_of_one_task_does_not_speak_of_every_task(
    worked: Path, computed: Result
) -> None:
    found = stored(worked, f"{HERE}:hasty")
    only: StepLoss = found.losses[0].model_copy(update={"tasks": found.losses[0].tasks[:1]})
    assert "success lost on T1" in loss_in_words(found, only)
