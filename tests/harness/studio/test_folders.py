"""Folders of runs that are opened and looked into again while the studio runs."""

from __future__ import annotations

import errno
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.harness.studio.shown import visitor
from tests.harness.studio.test_endpoints import told
from tests.harness.studio.test_flags import sent

FOLDERS, RESCAN = "/api/folders", "/api/folders/rescan"


async def names(client: httpx2.AsyncClient) -> list[str]:
    return [run["name"] for run in (await told(client, "/api/runs"))["runs"]]


async def opened(client: httpx2.AsyncClient, path: object, status: int = 200) -> Any:
    return await sent(client, FOLDERS, {"path": str(path)}, status)


async def test_the_runs_of_an_opened_folder_are_shown_and_later_ones_found(
    ran: Path, tmp_path: Path
) -> None:
    home = tmp_path / "others"
    shutil.copytree(ran, home / "b-run")
    async with visitor(ran) as client:
        assert await opened(client, f" {home} ") == {"path": str(home), "runs": [1]}
        assert await names(client) == ["a-run", "b-run"]
        shutil.copytree(ran, home / "c-run")
        assert await sent(client, RESCAN, {}) == {"new": 1, "runs": 3}
        assert await sent(client, RESCAN, {}) == {"new": 0, "runs": 3}
        assert (await told(client, "/api/episodes/2-0"))["run_name"] == "c-run"


async def test_a_run_is_listed_once_by_whatever_path_it_is_opened(
    ran: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ran.parent)
    monkeypatch.setenv("HOME", str(ran.parent.parent))
    (tmp_path / "link").symlink_to(ran)
    async with visitor(Path("a-run")) as client:
        paths = ("a-run", ran, ".", f"~/{ran.parent.name}", tmp_path / "link", ran.parent)
        for path in paths:
            assert (await opened(client, path))["runs"] == [0]
        assert await names(client) == ["a-run"]


async def test_the_runs_of_experiments_in_a_folder_are_shown(ran: Path, tmp_path: Path) -> None:
    experiment = tmp_path / "runs" / "memory-001"
    shutil.copytree(ran, experiment / "plain")
    (experiment / "experiment.json").write_text("{}", encoding="utf-8")
    (tmp_path / "runs" / "empty").mkdir()
    async with visitor(tmp_path / "none") as client:
        assert (await opened(client, tmp_path / "runs"))["runs"] == [0]
        assert await names(client) == ["plain"]


@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("/no/such/folder", "There is no folder /no/such/folder"),
        ("FILE", "is a file. Name the folder of a run"),
        ("EMPTY", "neither it nor a folder in it has a run.json"),
        ("  ", "Type the path"),
        ("", "path: "),
        ("x" * 4_001, "path: "),
        ("y" * 4_000, "cannot be read"),
        ("nul\0byte", ""),
        ("~nobody-of-this-name/runs", "names no home folder"),
    ],
)
async def test_what_cannot_be_opened_gets_a_clear_error_and_is_not_remembered(
    ran: Path, tmp_path: Path, path: str, why: str
) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "file").write_text("text", encoding="utf-8")
    special = {"FILE": tmp_path / "file", "EMPTY": tmp_path / "empty"}
    async with visitor(ran) as client:
        refused = await opened(client, special.get(path, path), 400)
        assert why in refused["error"]
        shutil.copytree(ran, tmp_path / "empty" / "later")
        assert await sent(client, RESCAN, {}) == {"new": 0, "runs": 1}


async def test_a_folder_that_vanishes_is_said_to_be_gone_and_found_again(
    ran: Path, tmp_path: Path
) -> None:
    home = tmp_path / "home"
    shutil.copytree(ran, home / "b-run")
    async with visitor(ran) as client:
        await opened(client, home)
        assert (await told(client, "/api/runs/1"))["cells"]
        home.rename(tmp_path / "away")
        await sent(client, RESCAN, {})
        gone = (await told(client, "/api/runs"))["runs"][1]
        assert "There is no run in" in gone["error"] and gone["episodes"] == 0
        (tmp_path / "away").rename(home)
        await sent(client, RESCAN, {})
        assert len((await told(client, "/api/runs/1"))["cells"]) == 3


@pytest.mark.parametrize("place", [FOLDERS, RESCAN])
async def test_only_the_page_itself_opens_folders(ran: Path, tmp_path: Path, place: str) -> None:
    body = {"path": str(ran)}
    async with visitor(tmp_path, let_in=False) as stranger:
        origin = {"origin": str(stranger.base_url).rstrip("/")}
        assert (await stranger.post(place, json=body, headers=origin)).status_code == 403
    async with visitor(tmp_path) as client:
        evil = {"origin": "http://evil.example"}
        assert (await client.post(place, json=body, headers=evil)).status_code == 403
        assert (await client.post(place, json=body)).status_code == 403
        assert (await client.get(place, params=body)).status_code == 404
        assert await names(client) == []


async def test_a_folder_that_becomes_a_link_to_itself_stops_nothing(
    ran: Path, tmp_path: Path
) -> None:
    for name in ("home", "a-run", "other"):
        shutil.copytree(ran, tmp_path / name / "run")
    async with visitor(tmp_path / "a-run" / "run") as client:
        await opened(client, tmp_path / "home")
        for gone in (tmp_path / "home", tmp_path / "a-run" / "run"):
            shutil.rmtree(gone)
            gone.symlink_to(gone.name)
        assert (await opened(client, tmp_path / "other"))["runs"] == [2]
        assert len(await names(client)) == 3
        assert (await told(client, "/api/runs/2"))["documents"]
        await told(client, "/api/runs/0/overview")


async def test_an_experiment_that_cannot_be_read_hides_no_run_beside_it(
    ran: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    closed = tmp_path / "runs" / "a-closed"
    closed.mkdir(parents=True)
    (closed / "experiment.json").write_text("{}", encoding="utf-8")
    shutil.copytree(ran, tmp_path / "runs" / "b-run")
    list_folder = Path.iterdir

    def refuse(folder: Path) -> Iterator[Path]:
        if folder == closed:
            raise PermissionError(errno.EACCES, "closed")
        return list_folder(folder)

    monkeypatch.setattr(Path, "iterdir", refuse)
    async with visitor(tmp_path / "runs") as client:
        assert await names(client) == ["b-run"]
        assert (await opened(client, tmp_path / "runs"))["runs"] == [0]
