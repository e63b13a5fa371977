"""The worth of each step: shown as it is stored, computed on request, and stopped."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.harness.runs import config, invoke
from tests.harness.studio.acting import acting, worth_of
from tests.harness.studio.conftest import RULES
from tests.harness.studio.shown import unfinished
from trainee_bench.harness.analysis.report.store_worths import store_worths
from trainee_bench.harness.records.results import EpisodeResult
from trainee_bench.harness.records.run_folder import RunFolder
from trainee_bench.harness.worth.episode_worth import episode_worth
from trainee_bench.harness.worth.loss_words import costliest_losses, loss_in_words

SPRAYER, NOTHING = "0-1", "0-2"


@pytest.fixture
def bare(short: Path, tmp_path: Path) -> Path:
    """A folder of runs with the run and without any worth; its name has a space."""
    shutil.copytree(short, tmp_path / "my runs" / "a-run")
    return tmp_path / "my runs"


@pytest.fixture
def crowded(tmp_path: Path) -> Path:
    """A folder of runs with a day on which one of two tasks can be done, and its values."""
    tasks = [{"rule": rule, "worth": worth} for rule, worth in zip(RULES, (10, 30), strict=True)]
    path = config(tmp_path, one=[{"tasks": tasks, "best": [RULES[1]]}])
    home = tmp_path / "runs"
    invoke("--config", path, "--agent", "nothing", "--out", home / "a-run")
    list(store_worths(RunFolder.open(home / "a-run"), None, 1))
    return home


def result_of(folder: RunFolder, agent: str) -> EpisodeResult:
    return next(result for result in folder.ledger.read() if result.agent == agent)


async def test_stored_values_are_shown_with_the_words_of_the_report(short_valued: Path) -> None:
    folder = RunFolder.open(short_valued / "a-run")
    stored = folder.worths.check(result_of(folder, "sprayer"))
    assert stored is not None
    async with acting(short_valued) as person:
        shown = await person.worth(SPRAYER)
        calls = (await person.get(f"/api/episodes/{SPRAYER}/log"))["total"]
    assert (shown["state"], shown["job"]) == ("stored", None)
    curve = shown["curve"]
    assert [point["step"] for point in curve["points"]] == list(range(calls + 1))
    assert [point["value"] for point in curve["points"]] == [point.value for point in stored.points]
    assert [bool(point["harmed"]) for point in curve["points"]] == [
        bool(p.harm) for p in stored.points
    ]
    assert (curve["end"], curve["overloaded"]) == (stored.end.value, False)
    told = [f"{loss['told']}: {loss['price']}" for loss in curve["losses"]]
    assert told == [loss_in_words(stored, loss) for loss in stored.losses]
    ranked = sorted(
        (loss for loss in curve["losses"] if loss["rank"] is not None),
        key=lambda loss: loss["rank"],
    )
    costliest = costliest_losses(stored, len(stored.losses))
    assert [loss["step"] for loss in ranked] == [loss.step for loss in costliest]
    assert any(loss["harmful"] for loss in curve["losses"])


async def test_values_of_a_day_with_more_work_than_hours_are_marked_as_worth(
    crowded: Path,
) -> None:
    async with acting(crowded) as person:
        curve = (await person.worth("0-0"))["curve"]
    assert curve["overloaded"] is True
    assert (curve["points"][0]["value"], curve["end"]) == (1.0, 0.0)


async def test_without_values_the_exact_command_is_named(bare: Path) -> None:
    async with acting(bare) as person:
        shown = await person.worth(SPRAYER)
    assert (shown["state"], shown["curve"], shown["job"]) == ("missing", None, None)
    assert shown["command"] == (f"trainee-bench worth '{bare}/a-run' --episode one.day_1.sprayer.1")


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (lambda text: text[:200], "is damaged or of another version"),
        (lambda text: text.replace('"points"', '"steps"'), "is damaged or of another version"),
        (lambda text: text.replace('"digest": "', '"digest": "other'), "belongs to another world"),
    ],
    ids=["cut off", "another version", "another world"],
)
async def test_a_file_that_cannot_be_used_is_named_with_the_reason(
    short_valued: Path, tmp_path: Path, change: Any, why: str
) -> None:
    shutil.copytree(short_valued / "a-run", tmp_path / "a-run")
    file = tmp_path / "a-run" / "worth" / "one.day_1.sprayer.1.json"
    file.write_text(change(file.read_text(encoding="utf-8")), encoding="utf-8")
    async with acting(tmp_path) as person:
        shown = await person.worth(SPRAYER)
    assert (shown["state"], shown["curve"]) == ("unusable", None)
    assert f"worth/one.day_1.sprayer.1.json {why}" in shown["why"]
    assert "trainee-bench worth" in shown["command"]


async def test_an_episode_without_a_result_has_no_values_yet(
    bare: Path, hostile_world: Path
) -> None:
    unfinished(bare / "a-run")
    async with acting(bare) as person:
        shown = await person.worth("0-0")
        assert (shown["state"], shown["command"]) == ("impossible", "")
        assert "once the day is over" in shown["why"]
        said = await person.post(worth_of("0-0"), {}, 409)
        assert said["error"] == shown["why"]
        await person.post(worth_of("7-7"), {}, 404)
    async with acting(hostile_world) as person:
        assert (await person.worth("0-0"))["state"] == "impossible"


async def test_values_are_computed_on_request_as_the_command_does(bare: Path) -> None:
    folder = RunFolder.open(bare / "a-run")
    result = result_of(folder, "nothing")
    async with acting(bare) as person:
        begun = await person.post(worth_of(NOTHING), {})
        assert begun["job"]["state"] == "running"
        again = await person.post(worth_of(NOTHING), {})
        assert again["job"]["state"] in ("running", "done")
        shown = await person.worth(NOTHING)
        assert shown["job"] == {"state": "done", "share": 1.0, "error": ""}
        assert shown["state"] == "stored"
        assert [loss["step"] for loss in shown["curve"]["losses"]] == [None]
    assert result.world is not None
    assert folder.worths.check(result) == await episode_worth(result, folder.path / result.world)
    assert "Points lost, by cause" in folder.report.read_text(encoding="utf-8")


async def test_a_computation_is_stopped_and_stores_nothing(bare: Path) -> None:
    async with acting(bare) as person:
        await person.post(worth_of(SPRAYER), {})
        await person.post(worth_of(NOTHING), {})
        for episode in (NOTHING, SPRAYER):
            await person.post(f"{worth_of(episode)}/stop", {})
        for episode in (SPRAYER, NOTHING):
            shown = await person.worth(episode)
            assert (shown["state"], shown["job"]["state"]) == ("missing", "stopped")
        await person.post(f"{worth_of('0-0')}/stop", {})
    assert not (bare / "a-run" / "worth").exists()


async def test_closing_the_studio_ends_a_computation(bare: Path) -> None:
    async with acting(bare) as person:
        await person.post(worth_of(SPRAYER), {})
    with RunFolder.open(bare / "a-run").locked():
        assert not (bare / "a-run" / "worth").exists()


async def test_unrequested_values_keep_nobody_from_the_run_and_leave_its_report(
    bare: Path,
) -> None:
    folder = RunFolder.open(bare / "a-run")
    report = folder.report.read_text(encoding="utf-8")
    async with acting(bare) as person:
        assert (await person.worth(NOTHING))["unasked"] is True
        with folder.locked():
            await person.post(worth_of(NOTHING), {"unasked": True})
            shown = await person.worth(NOTHING)
        assert (shown["state"], shown["job"]["error"]) == ("stored", "")
    stored = folder.worths.check(result_of(folder, "nothing"))
    assert stored is not None and stored.end.value == 0
    assert folder.report.read_text(encoding="utf-8") == report


async def test_a_stopped_computation_begins_again_only_on_request(bare: Path) -> None:
    async with acting(bare) as person:
        await person.post(worth_of(SPRAYER), {"unasked": True})
        await person.post(f"{worth_of(SPRAYER)}/stop", {})
        shown = await person.worth(SPRAYER)
        assert (shown["job"]["state"], shown["unasked"]) == ("stopped", False)
        again = await person.post(worth_of(SPRAYER), {"unasked": True})
        assert again["job"]["state"] == "stopped"
        again = await person.post(worth_of(SPRAYER), {})
        assert again["job"]["state"] == "running"


async def test_only_the_last_of_several_opened_episodes_waits(
    bare: Path,
) -> None:
    async with acting(bare) as person:
        for episode in (SPRAYER, NOTHING, "0-0"):
            await person.post(worth_of(episode), {"unasked": True})
        first, second, third = [
            await person.get(worth_of(episode)) for episode in (SPRAYER, NOTHING, "0-0")
        ]
        assert first["job"]["state"] == "running" and third["job"] is not None
        assert (second["job"], second["unasked"]) == (None, True)


async def test_a_folder_in_which_nothing_can_be_stored_is_left_alone(
    bare: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("os.access", lambda path, mode: False)  # tests may run as root
    async with acting(bare) as person:
        answer = await person.post(worth_of(NOTHING), {"unasked": True})
    assert (answer["unasked"], answer["job"]) == (False, None)


async def test_the_step_that_decided_a_missed_checkpoint_is_shown(valued: Path) -> None:
    folder = RunFolder.open(valued / "a-run")
    stored = folder.worths.check(result_of(folder, "sprayer"))
    assert stored is not None and stored.decisions
    async with acting(valued) as person:
        shown = (await person.worth(SPRAYER))["curve"]["decisions"]
    assert [(decision["step"], decision["checkpoint"]) for decision in shown] == [
        (decision.step, decision.checkpoint) for decision in stored.decisions
    ]


@pytest.mark.sweep
async def test_a_world_that_cannot_be_repeated_says_why(bare: Path) -> None:
    folder = RunFolder.open(bare / "a-run")
    world = result_of(folder, "nothing").world
    assert world is not None
    (folder.path / world).write_bytes(b"no world")
    async with acting(bare) as person:
        await person.post(worth_of(NOTHING), {})
        shown = await person.worth(NOTHING)
    assert (shown["state"], shown["job"]["state"]) == ("missing", "failed")
    assert ".world" in shown["job"]["error"]


@pytest.mark.sweep
async def test_nothing_is_computed_while_another_process_works_on_the_run(bare: Path) -> None:
    async with acting(bare) as person:
        with RunFolder.open(bare / "a-run").locked():
            await person.post(worth_of(SPRAYER), {})
            shown = await person.worth(SPRAYER)
        assert shown["job"]["state"] == "failed"
        assert "Another process works on the run" in shown["job"]["error"]
