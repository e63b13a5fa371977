"""Folders of runs that are opened while the studio runs, and flags that are saved in them."""

from __future__ import annotations

import errno
import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
import httpx2
import pytest

from tests.harness.runs import call
from tests.harness.studio.hostile import SCRIPT
from tests.harness.studio.shown import got, sent, unfinished, visitor
from trainee_bench.harness.records.run_folder import RunFolder
from trainee_bench.harness.records.side_files import MOST_CHARACTERS, MOST_FLAGS

FOLDERS, RESCAN = "/api/folders", "/api/folders/rescan"


async def names(client: httpx2.AsyncClient) -> list[str]:
    return [run["name"] for run in (await got(client, "/api/runs"))["runs"]]


async def opened(client: httpx2.AsyncClient, path: object, status: int = 200) -> Any:
    return await sent(client, FOLDERS, status, path=str(path))


async def test_the_runs_of_an_opened_folder_are_shown_and_later_ones_found(
    ran: Path, tmp_path: Path
) -> None:
    home = tmp_path / "others"
    shutil.copytree(ran, home / "b-run")
    async with visitor(ran) as client:
        assert await opened(client, f" {home} ") == {"path": str(home), "runs": [1]}
        assert await names(client) == ["a-run", "b-run"]
        shutil.copytree(ran, home / "c-run")
        assert await sent(client, RESCAN) == {"new": 1, "runs": 3}
        assert await sent(client, RESCAN) == {"new": 0, "runs": 3}
        assert (await got(client, "/api/episodes/2-0"))["run_name"] == "c-run"


async def test_a_run_is_listed_once_whichever_path_it_is_opened_by(
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
        ("~nobody-of-this-name/runs", "is not a home folder"),
    ],
)
async def test_a_path_that_cannot_be_opened_gets_a_clear_error_and_is_not_remembered(
    ran: Path, tmp_path: Path, path: str, why: str
) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "file").write_text("text", encoding="utf-8")
    special = {"FILE": tmp_path / "file", "EMPTY": tmp_path / "empty"}
    async with visitor(ran) as client:
        refused = await opened(client, special.get(path, path), 400)
        assert why in refused["error"]
        shutil.copytree(ran, tmp_path / "empty" / "later")
        assert await sent(client, RESCAN) == {"new": 0, "runs": 1}


async def test_a_folder_that_vanishes_is_said_to_be_gone_and_found_again(
    ran: Path, tmp_path: Path
) -> None:
    home = tmp_path / "home"
    shutil.copytree(ran, home / "b-run")
    async with visitor(ran) as client:
        await opened(client, home)
        assert (await got(client, "/api/runs/1"))["cells"]
        home.rename(tmp_path / "away")
        await sent(client, RESCAN)
        gone = (await got(client, "/api/runs"))["runs"][1]
        assert "There is no run in" in gone["error"] and gone["episodes"] == 0
        (tmp_path / "away").rename(home)
        await sent(client, RESCAN)
        assert len((await got(client, "/api/runs/1"))["cells"]) == 3


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
        assert (await got(client, "/api/runs/2"))["documents"]
        await got(client, "/api/runs/0/overview")


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


SPRAYER = "0-1"
NAME = "one.day_1.sprayer.1"
FLAGS = f"/api/episodes/{SPRAYER}/flags"


async def put(client: httpx2.AsyncClient, step: int, note: str = "", status: int = 200) -> Any:
    return await sent(client, FLAGS, status, step=step, note=note)


def stored(run: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads((run / "flags" / f"{NAME}.json").read_text("utf-8"))
    return found


async def test_a_flag_is_kept_in_the_folder_of_the_run_and_found_by_another_studio(
    copied: Path,
) -> None:
    async with visitor(copied) as client:
        assert await got(client, FLAGS) == {"flags": [], "flaw": ""}
        await put(client, 5, " Zwölf Boxkämpfer\njagen Viktor. ")
        await put(client, 2)
        step = await got(client, f"/api/episodes/{SPRAYER}/steps/5")
    async with visitor(copied) as client:
        flags = (await got(client, FLAGS))["flags"]
        assert [flag["step"] for flag in flags] == [2, 5]
        assert flags[1]["note"] == "Zwölf Boxkämpfer\njagen Viktor."
        assert (flags[1]["tool"], flags[1]["at"]) == (step["call"]["tool"], step["call"]["until"])
        of_run = (await got(client, "/api/runs/0/flags"))["flags"]
        assert [(flag["episode"], flag["step"]) for flag in of_run] == [(SPRAYER, 2), (SPRAYER, 5)]
        assert (of_run[0]["agent"], of_run[0]["scenario"]) == ("sprayer", "one")
    assert stored(copied) == flags


async def test_a_step_has_one_flag_whose_note_is_replaced_and_which_is_deleted(
    copied: Path,
) -> None:
    async with visitor(copied) as client:
        await put(client, 5, "first")
        assert [flag["note"] for flag in (await put(client, 5, "second"))["flags"]] == ["second"]
        assert "first" not in (copied / "flags" / f"{NAME}.json").read_text("utf-8")
        await put(client, 6, "stays")
        left = await sent(client, f"{FLAGS}/remove", step=5)
        assert [flag["note"] for flag in left["flags"]] == ["stays"]
        assert "second" not in (copied / "flags" / f"{NAME}.json").read_text("utf-8")
        assert (await sent(client, f"{FLAGS}/remove", step=6))["flags"] == []
        assert (await sent(client, f"{FLAGS}/remove", step=6))["flags"] == []
    assert not list((copied / "flags").iterdir())


def test_flags_change_nothing_that_is_verified(copied: Path) -> None:
    async def flag() -> None:
        async with visitor(copied) as client:
            await put(client, 5, "a note")

    call("verify", copied)
    before = {file: file.read_bytes() for file in copied.rglob("*") if file.is_file()}
    anyio.run(flag)
    after = {file: file.read_bytes() for file in copied.rglob("*") if file.is_file()}
    changed = {file for file in after if after[file] != before.get(file)}
    assert changed == {copied / "flags" / f"{NAME}.json"}
    assert RunFolder(copied).verified
    call("verify", copied)


async def test_notes_are_limited_in_length_and_number(copied: Path) -> None:
    async with visitor(copied) as client:
        await put(client, 1, "x" * MOST_CHARACTERS)
        long = await put(client, 1, "x" * (MOST_CHARACTERS + 1), 400)
        assert str(MOST_CHARACTERS) in long["error"]
        (flag,) = stored(copied)
        many = [{**flag, "step": 1000 + n} for n in range(MOST_FLAGS)]
        (copied / "flags" / f"{NAME}.json").write_text(json.dumps(many), encoding="utf-8")
        full = await put(client, 3, "one more", 409)
        assert f"at most {MOST_FLAGS} flags" in full["error"]


@pytest.mark.parametrize("step", [0, -1, 10_000, "5; DROP", None])
async def test_a_missing_step_is_not_flagged(copied: Path, step: Any) -> None:
    async with visitor(copied) as client:
        wrong = await put(client, step, "note", 404 if step == 10_000 else 400)
    assert wrong["error"] and not (copied / "flags").exists()


async def test_hostile_notes_stay_text_and_lead_nowhere(copied: Path) -> None:
    async with visitor(copied) as client:
        flags = (await put(client, 5, f"{SCRIPT}\x00\u202e../../../etc"))["flags"]
        assert flags[0]["note"].startswith(SCRIPT)
        assert (await got(client, "/api/runs/0/flags"))["flags"][0]["note"] == flags[0]["note"]


async def test_a_folder_that_cannot_be_written_is_named(
    copied: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> int:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    async with visitor(copied) as client:
        await put(client, 5, "kept")
        monkeypatch.setattr(Path, "write_text", refuse)
        refused = await put(client, 6, "note", 409)
        assert f"cannot be written in {copied}: {os.strerror(errno.EROFS)}" in refused["error"]
        assert "Copy the folder of the run" in refused["error"]
        assert [flag["note"] for flag in (await got(client, FLAGS))["flags"]] == ["kept"]


async def test_obstacles_to_flags_are_named(copied: Path) -> None:
    (copied / "flags").write_text("a file", encoding="utf-8")
    async with visitor(copied) as client:
        refused = await put(client, 5, "note", 409)
        assert "Flags cannot be written in" in refused["error"]


@pytest.mark.parametrize("content", ["no json", "{}", '[{"step": 0}]', '[{"step": 1}]', "[1]"])
async def test_a_damaged_file_is_reported_and_neither_shown_nor_overwritten(
    copied: Path, content: str
) -> None:
    (copied / "flags").mkdir()
    file = copied / "flags" / f"{NAME}.json"
    file.write_text(content, encoding="utf-8")
    async with visitor(copied) as client:
        shown = await got(client, FLAGS)
        assert shown["flags"] == [] and "is damaged" in shown["flaw"]
        assert (await got(client, "/api/runs/0/flags"))["flaws"] == [shown["flaw"]]
        assert "is damaged" in (await put(client, 5, "note", 409))["error"]
    assert file.read_text(encoding="utf-8") == content


async def test_flags_are_neither_read_nor_written_through_links_out_of_the_run(
    copied: Path, tmp_path: Path
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / f"{NAME}.json").write_text("[]", encoding="utf-8")
    (copied / "flags").symlink_to(outside)
    async with visitor(copied) as client:
        assert "not a file of the run" in (await got(client, FLAGS))["flaw"]
        await put(client, 5, "note", 409)
        (copied / "flags").unlink()
        (copied / "flags").mkdir()
        (copied / "flags" / f"{NAME}.json").symlink_to(tmp_path / "nowhere.json")
        await put(client, 5, "note", 409)
    assert (outside / f"{NAME}.json").read_text(encoding="utf-8") == "[]"
    assert sorted(file.name for file in tmp_path.iterdir()) == ["a-run", "outside"]


async def test_a_single_world_file_and_a_day_that_has_not_begun_have_no_flags(
    copied: Path, hostile_world: Path
) -> None:
    unfinished(copied)
    shutil.rmtree(copied / "worlds")
    async with visitor(hostile_world, copied) as client:
        shown = await got(client, "/api/episodes/0-0/flags")
        assert "this is a single world file" in shown["flaw"]
        await sent(client, "/api/episodes/0-0/flags", 409, step=1)
        await sent(client, "/api/episodes/1-0/flags", 409, step=1)


async def test_another_page_cannot_flag(copied: Path) -> None:
    async with visitor(copied) as client:
        body = {"step": 5, "note": "x"}
        refused = await client.post(FLAGS, json=body, headers={"origin": "http://evil.example"})
        assert refused.status_code == 403
        assert (await client.post(FLAGS, json=body)).status_code == 403
    assert not (copied / "flags").exists()
