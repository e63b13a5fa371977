"""A run's folder that comes from elsewhere: nothing outside of it is written or removed."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

from tests.harness.runs import call, invoke, run_day
from tests.harness.studio.acting import acting, worth_of
from trainee_bench.harness.records.results import EpisodeResult
from trainee_bench.harness.records.run_folder import RunFolder
from trainee_bench.harness.records.side_files import LinkOut
from trainee_bench.harness.records.worth import EpisodeWorth
from trainee_bench.harness.worth.episode_worth import compute_worths

FOLDERS = ("worlds", "trajectories", "memories", "faults", "logs", "days", "optimal", "worth")
FILES = (
    "results.jsonl", "report.md", "report.html", "verified.json", "logs/one.day_1.nothing.1.txt",
    "worlds/one.day_1.nothing.1.world", "optimal/one.day_1.json",
)  # fmt: skip


@pytest.fixture(scope="session")
def worked(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, EpisodeWorth]:
    """The folder of a run of one episode, with the worth of its steps."""
    home = tmp_path_factory.mktemp("worked")
    run_day(home, "--agent", "nothing", out="a-run")
    folder = RunFolder.open(home / "a-run")
    ((_, worth),) = compute_worths(folder, folder.ledger.read(), 1)
    assert isinstance(worth, EpisodeWorth)
    return home / "a-run", worth


@pytest.fixture
def run(worked: tuple[Path, EpisodeWorth], tmp_path: Path) -> Path:
    """A separate run for a test to damage."""
    shutil.copytree(worked[0], tmp_path / "a-run")
    return tmp_path / "a-run"


@pytest.fixture
def elsewhere(tmp_path: Path) -> Path:
    """Another folder, with a file that no run knows."""
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "precious.txt").write_text("mine", encoding="utf-8")
    return tmp_path / "elsewhere"


def lead_out(run: Path, name: str, elsewhere: Path) -> None:
    """Move *name* of *run*, if it exists, to *elsewhere*, and link to it."""
    place, target = run / name, elsewhere / Path(name).name
    if place.exists():
        place.rename(target)
    elif name in FOLDERS:
        target.mkdir()
    place.parent.mkdir(exist_ok=True)
    place.symlink_to(target)


def contents(folder: Path) -> dict[Path, bytes | None]:
    return {file: file.read_bytes() if file.is_file() else None for file in folder.rglob("*")}


WRITERS: dict[str, Callable[[Path], Result]] = {
    "resume": lambda run: invoke("--resume", run, exits=2),
    "worth": lambda run: call("worth", run, exits=2),
    "verify": lambda run: call("verify", run, exits=2),
}


@pytest.mark.parametrize("name", [*FOLDERS, *FILES])
@pytest.mark.parametrize("write", WRITERS.values(), ids=WRITERS)
def test_a_run_with_a_link_out_of_it_is_not_written(
    write: Callable[[Path], Result], name: str, run: Path, elsewhere: Path
) -> None:
    lead_out(run, name, elsewhere)
    before = contents(elsewhere)
    said = " ".join(write(run).output.split())
    assert f"{name} is a link out of the run's folder" in said
    assert "remove the link" in said
    assert contents(elsewhere) == before


@pytest.mark.parametrize("name", ["worlds", "memories", "trajectories"])
def test_results_are_not_prepared_where_files_of_others_would_be_removed(
    name: str, run: Path, elsewhere: Path
) -> None:
    shutil.rmtree(run / name)
    (run / name).symlink_to(elsewhere)
    with pytest.raises(LinkOut, match=name):
        RunFolder.open(run).prepare_results()
    assert (elsewhere / "precious.txt").read_text(encoding="utf-8") == "mine"


@pytest.mark.parametrize("name", ["worth", "worth/one.day_1.nothing.1.draft"])
def test_worth_is_not_stored_through_a_link(
    name: str, run: Path, elsewhere: Path, worked: tuple[Path, EpisodeWorth]
) -> None:
    lead_out(run, name, elsewhere)
    before = contents(elsewhere)
    with pytest.raises(LinkOut, match="link out of the run's folder"):
        RunFolder.open(run).worths.write(worked[1])
    assert contents(elsewhere) == before


def test_worth_of_an_episode_whose_name_leads_out_is_not_stored(
    run: Path, worked: tuple[Path, EpisodeWorth]
) -> None:
    folder = RunFolder.open(run)
    with pytest.raises(LinkOut, match="not in the run's folder"):
        folder.worths.write(worked[1].model_copy(update={"episode": "../../out"}))
    assert not (run.parent / "out.json").exists()


def test_the_world_of_a_result_that_names_another_folder_is_not_opened(
    run: Path, elsewhere: Path
) -> None:
    folder = RunFolder.open(run)
    (result,) = folder.ledger.read()
    shutil.copy(run / str(result.world), elsewhere / "another.world")
    before = contents(elsewhere)
    named: EpisodeResult = result.model_copy(update={"world": "../elsewhere/another.world"})
    ((_, said),) = compute_worths(folder, [named], 1)
    assert isinstance(said, str) and "not in the run's folder" in said
    assert contents(elsewhere) == before


@pytest.mark.parametrize("target", ["nowhere", "worlds"], ids=["to nothing", "to itself"])
def test_a_link_that_leads_to_nothing_is_refused_too(target: str, run: Path) -> None:
    shutil.rmtree(run / "worlds")
    (run / "worlds").symlink_to(run.parent / target if target == "nowhere" else target)
    with pytest.raises(LinkOut), RunFolder.open(run).locked():
        pass


def test_links_within_a_run_and_to_it_are_followed(run: Path) -> None:
    (run / "trajectories").rename(run / "kept")
    (run / "trajectories").symlink_to("kept")
    (run.parent / "by-a-link").symlink_to(run)
    with RunFolder.open(run.parent / "by-a-link").locked():
        pass
    call("worth", run.parent / "by-a-link")


async def test_the_studio_says_why_it_does_not_compute_through_a_link(
    run: Path, elsewhere: Path
) -> None:
    lead_out(run, "worth", elsewhere)
    before = contents(elsewhere)
    async with acting(run) as person:
        await person.post(worth_of("0-0"), {})
        shown = await person.worth("0-0")
    assert shown["job"]["state"] == "failed"
    assert "is a link out of the run's folder" in shown["job"]["error"]
    assert contents(elsewhere) == before
