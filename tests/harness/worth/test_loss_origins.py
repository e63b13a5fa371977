"""What points were lost to: coming late is another cause than being there and getting it wrong."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from pydantic import JsonValue

from tests.harness.test_run import config, day, read
from tests.harness.test_run import invoke as run
from trainee_bench.harness.agents.runtime.in_process_episode import run_agent_on_day
from trainee_bench.harness.records.results import EpisodeResult
from trainee_bench.harness.records.worth import LossOrigin
from trainee_bench.harness.testbench.staged_day import single_task_day, stage_day
from trainee_bench.harness.worth.episode_worth import episode_worth

MEETING, SEED = "meeting_attend.check_sum.u1", 5
Arguments = Mapping[str, JsonValue]
Change = Callable[[str, Arguments], Arguments]
ON_TIME = "You were in the meeting on time"


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> EpisodeResult:
    """The result of any episode: only its names are told."""
    folder = tmp_path_factory.mktemp("losses")
    path = config(folder, one=[day("kb_fix.easy")])
    run("--config", path, "--agent", "nothing", "--out", folder / "out")
    return read(folder / "out")[0]


def get_it_wrong(tool: str, arguments: Arguments) -> Arguments:
    """Leave a request out of the list; the grand total stays right."""
    if tool != "files_write":
        return arguments
    written = json.loads(str(arguments["text"]))
    written["requirement"].pop()
    return {**arguments, "text": json.dumps(written)}


def come_late(tool: str, arguments: Arguments) -> Arguments:
    """Wait a quarter of an hour longer."""
    if tool != "desk_wait":
        return arguments
    until = datetime.strptime(str(arguments["until"]), "%H:%M") + timedelta(minutes=15)
    return {**arguments, "until": f"{until:%H:%M}"}


def be_absent(tool: str, arguments: Arguments) -> Arguments:
    """Wait until the meeting is over, long before the deadline."""
    return {**arguments, "until": "15:00"} if tool == "desk_wait" else arguments


@pytest.mark.parametrize(
    ("change", "origin", "did"),
    [
        (get_it_wrong, LossOrigin.WRONG, "the work ended"),
        (come_late, LossOrigin.MISSED, "waited until"),
        (be_absent, LossOrigin.MISSED, "waited until 15:00"),
    ],
)
async def test_an_appointment_is_missed_only_by_who_was_not_there_on_time(
    change: Change, origin: LossOrigin, did: str, result: EpisodeResult, tmp_path: Path
) -> None:
    composition = single_task_day(MEETING, SEED)
    right, changed = await stage_day(composition), await stage_day(composition)
    async with right.world, changed.world:
        await run_agent_on_day("oracle", right)
        for entry in await right.world.log():
            await changed.observe(entry.tool, change(entry.tool, entry.arguments))
        await (await changed.world.fork(tmp_path / "changed.world")).close()
    (loss,) = (await episode_worth(result, tmp_path / "changed.world")).losses
    (task,) = loss.tasks
    assert task.origin == origin
    assert ON_TIME in task.checkpoints
    assert loss.did.startswith(did)
