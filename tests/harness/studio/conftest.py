"""Fixtures for all tests of the studio: one run, and one world full of hostile text."""

from __future__ import annotations

import shutil
from pathlib import Path

import anyio
import pytest

from tests.harness.days import one_day
from tests.harness.runs import config, day, invoke, named, run_day, week_file
from tests.harness.studio.hostile import COLLEAGUE, HOSTILE_CALLS
from tests.harness.studio.talkative import run_talkative
from trainee_bench.harness.records.run_folder import RunFolder
from trainee_bench.harness.worth.episode_worth import compute_worths
from trainee_bench.mcp_servers import discover_toolboxes
from trainee_bench.mcp_servers.serving.dispatcher import ToolDispatcher
from trainee_bench.meta_tasks.composition import create_world
from trainee_bench.world.company.directory import Directory

RULES = ("kb_fix.easy", "sales.top_sales_employee")


@pytest.fixture(scope="session")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a run: oracle, sprayer and nothing on one day."""
    return _run(tmp_path_factory.mktemp("studio"), *RULES)


@pytest.fixture
def copied(ran: Path, tmp_path: Path) -> Path:
    """A copy of the run, to write in."""
    return shutil.copytree(ran, tmp_path / "a-run")


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    """A benchmark of the run's day; its folder has no run yet."""
    return config(tmp_path, one=[day(*RULES)])


@pytest.fixture(scope="session")
def modelled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a run of a scripted model, which hands in something wrong."""
    folder = tmp_path_factory.mktemp("modelled")
    return run_day(folder, "--model", "scripted-fair", rules=RULES, out="a-run")


@pytest.fixture(scope="session")
def talked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a run of a model on a server, with replies of all kinds."""
    return run_talkative(tmp_path_factory.mktemp("talked"), RULES[0])


@pytest.fixture(scope="session")
def short(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a run like `ran`, with one task and a few steps, so that their worth is
    computed quickly; the sprayer does harm in them."""
    return _run(tmp_path_factory.mktemp("short"), RULES[0], limits=("--max-steps", "8"))


@pytest.fixture(scope="session")
def valued(ran: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the run and the stored worth of the sprayer's steps."""
    return _valued(ran, tmp_path_factory.mktemp("valued"))


@pytest.fixture(scope="session")
def all_valued(valued: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the run with the stored worth of all agents' steps, so that a page that opens
    an episode has nothing to compute."""
    return _valued(valued / "a-run", tmp_path_factory.mktemp("all-valued"), "oracle", "nothing")


@pytest.fixture(scope="session")
def short_valued(short: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the short run and the worth of its sprayer's steps."""
    return _valued(short, tmp_path_factory.mktemp("short-valued"))


def week_of_two_days(folder: Path) -> Path:
    """Return a benchmark of one small week, in *folder*."""
    return week_file(folder, day(*RULES), day(RULES[0]))


@pytest.fixture(scope="session")
def worked_week(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a run of one week, in which nobody did anything."""
    folder = tmp_path_factory.mktemp("week")
    mine = week_of_two_days(folder)
    invoke("--config", mine, "--agent", "nothing", "--out", folder / "a-run")
    return folder / "a-run"


def _run(folder: Path, *rules: str, limits: tuple[str, ...] = ()) -> Path:
    agents = named("oracle", "sprayer", "nothing")
    return run_day(folder, *agents, *limits, rules=rules, out="a-run")


def _valued(run: Path, home: Path, *agents: str) -> Path:
    shutil.copytree(run, home / "a-run")
    folder = RunFolder.open(home / "a-run")
    wanted = agents or ("sprayer",)
    results = [result for result in folder.ledger.read() if result.agent in wanted]
    for _, worth in compute_worths(folder, results, 1):
        assert not isinstance(worth, str)
        folder.worths.write(worth)
    return home


@pytest.fixture(scope="session")
def hostile_world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A world in which every text that an agent can leave is a script."""
    path = tmp_path_factory.mktemp("hostile") / "hostile.world"
    anyio.run(_work, path)
    return path


async def _work(path: Path) -> None:
    async with await create_world(path, one_day(*RULES, name="hostile", seed=3)) as world:
        me = await world.read(lambda tx: tx.employee)
        somebody = await world.read(lambda tx: Directory(tx).everybody()[0].id)
        calls = ToolDispatcher(world, me, discover_toolboxes().values())
        for tool, arguments in HOSTILE_CALLS:
            members = {"members": [somebody]} if arguments.get("members") == [COLLEAGUE] else {}
            done = await calls.call(tool, {**arguments, **members})
            assert done.error is None or tool.startswith("<"), (tool, done.error)
