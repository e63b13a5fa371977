"""Documents beside a run are confined, and a foreign run leads to nothing outside its folder."""

from __future__ import annotations

import errno
import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import httpx2
import pytest

from tests.harness.studio.acting import acting
from tests.harness.studio.shown import got, sent, studio, taken, visitor
from trainee_bench.harness.batch.person_run import resume_person_run
from trainee_bench.harness.records.side_files import LinkOut

REPORT = "/documents/0/report.html"


@pytest.fixture
def experiment(ran: Path, tmp_path: Path) -> Path:
    """The folder of an experiment with one run."""
    folder = tmp_path / "runs" / "memory-001"
    shutil.copytree(ran, folder / "plain")
    (folder / "experiment.json").write_text("{}", encoding="utf-8")
    (folder / "experiment.html").write_text("<h1>The experiment</h1>", encoding="utf-8")
    return folder


async def addresses(client: httpx2.AsyncClient) -> dict[str, str]:
    """Return the documents of run 0, which its table and its overview list alike."""
    of_table = (await got(client, "/api/runs/0"))["documents"]
    assert (await got(client, "/api/runs/0/overview"))["documents"] == of_table
    return {document["title"]: document["address"] for document in of_table}


async def test_the_report_is_served_without_scripts_forms_or_loads(ran: Path) -> None:
    async with visitor(ran) as client:
        assert await addresses(client) == {"Report": REPORT}
        answer = await client.get(REPORT)
        assert answer.content == (ran / "report.html").read_bytes()
        policy = answer.headers["content-security-policy"]
        assert policy.startswith("default-src 'none'; style-src 'unsafe-inline'; img-src data:;")
        assert "form-action 'none'" in policy and "sandbox allow-same-origin" in policy
        assert "script" not in policy
        assert answer.headers["x-content-type-options"] == "nosniff"
        page = (await client.get("/")).headers["content-security-policy"]
        assert "script-src 'self'" in page and "sandbox" not in page


async def test_pages_of_days_are_served_and_nothing_else_of_the_folder(
    copied: Path, tmp_path: Path
) -> None:
    (copied / "days").mkdir()
    (copied / "days" / "one.day_1.oracle.1.html").write_text("<p>a day", encoding="utf-8")
    (copied / "days" / "link.html").symlink_to(tmp_path / "secret.html")
    (tmp_path / "secret.html").write_text("secret", encoding="utf-8")
    async with visitor(copied) as client:
        day = await client.get("/documents/0/days/one.day_1.oracle.1.html")
        assert day.text == "<p>a day"
        for name in (
            *("run.json", "results.jsonl", "report.md", "days/link.html", "days/../run.json"),
            *("days/%2e%2e/report.html", "../secret.html", "%2Fetc/passwd", "experiment.html", ""),
        ):
            answer = await client.get(f"/documents/0/{name}")
            assert answer.status_code == 404 and "secret" not in answer.text, name


async def test_an_experiment_is_linked_from_its_runs_where_its_folder_was_opened(
    experiment: Path,
) -> None:
    for given in (experiment, experiment.parent):
        async with visitor(given) as client:
            known = await addresses(client)
            assert list(known) == ["Report", "Experiment"]
            assert (await client.get(known["Experiment"])).text == "<h1>The experiment</h1>"
    async with visitor(experiment / "plain") as client:  # the folder around it was not opened
        assert list(await addresses(client)) == ["Report"]
        assert (await client.get("/documents/0/experiment.html")).status_code == 404


async def test_a_document_that_leads_out_of_its_folder_is_not_served(
    experiment: Path, tmp_path: Path
) -> None:
    (tmp_path / "secret.html").write_text("secret", encoding="utf-8")
    for file in (experiment / "experiment.html", experiment / "plain" / "report.html"):
        file.unlink()
        file.symlink_to(tmp_path / "secret.html")
    async with visitor(experiment) as client:
        assert await addresses(client) == {}
        assert (await client.get(REPORT)).status_code == 404


async def test_a_report_that_cannot_be_read_is_said_to_be_so(
    ran: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_: Path) -> bytes:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    async with visitor(ran) as client:
        monkeypatch.setattr(Path, "read_bytes", refuse)
        closed = await client.get(REPORT)
        assert closed.status_code == 409
        assert closed.text == "report.html cannot be read: Permission denied.\n"


async def test_reading_a_report_counts_as_being_shown_its_days(ran: Path, mine: Path) -> None:
    async with studio(ran, mine) as client:
        for seen in (False, True):
            (scenario,) = (await got(client, "/api/seats/choices"))["benchmarks"][0]["scenarios"]
            assert scenario["days"][0]["seen"] is seen
            assert (await client.get(REPORT)).status_code == 200


async def test_neither_report_nor_flags_of_a_day_are_shown_while_a_person_works_it(
    ran: Path, mine: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "runs"
    shutil.copytree(ran, folder / "a-run")
    async with visitor(folder / "a-run") as before:
        await sent(before, "/api/episodes/0-0/flags", step=5, note="ask Rhys")
        assert len((await got(before, "/api/runs/0/flags"))["flags"]) == 1
    async with studio(folder, mine) as client:
        await taken(client)
        closed = await client.get(REPORT)
        assert (
            closed.status_code == 409
            and "A person who has not seen this day is working it now" in closed.text
        )
        assert (await got(client, "/api/runs/0/flags"))["flags"] == []
        await got(client, "/api/episodes/0-0/flags", 409)
        assert (await got(client, "/api/runs/0/overview"))["cells"]


SECRET = "what nobody may be shown"


def rename_trajectory(run: Path, name: str) -> None:
    """Let the oracle's result, that of the first episode, name another trajectory."""
    results = run / "results.jsonl"
    lines = [json.loads(line) for line in results.read_text(encoding="utf-8").splitlines()]
    for line in lines:
        if ".oracle." in line["episode"]:
            line["trajectory"] = name
    results.write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")


def own_trajectory(run: Path) -> Path:
    """Return the trajectory of the oracle, whose episode is the first."""
    return next((run / "trajectories").glob("*.oracle.1.json"))


def secret_trajectory(folder: Path, run: Path) -> Path:
    """Write a trajectory outside the run whose thoughts are secret, and return it."""
    steps = json.loads(own_trajectory(run).read_text(encoding="utf-8"))
    for step in steps["steps"]:
        step["message"] = SECRET
    path = folder / "secret.json"
    path.write_text(json.dumps(steps), encoding="utf-8")
    return path


def linked(run: Path, secret: Path) -> str:
    own = own_trajectory(run)
    own.unlink()
    own.symlink_to(secret)
    return f"trajectories/{own.name}"


LEADING_OUT: dict[str, Callable[[Path, Path], str]] = {
    "a path of its own": lambda run, secret: str(secret),
    "a way up": lambda run, secret: f"../{secret.name}",
    "a way up from within": lambda run, secret: f"trajectories/../../{secret.name}",
    "a link": linked,
    "a device": lambda run, secret: "/dev/zero",
    "a link to itself": lambda run, secret: linked(run, own_trajectory(run)),
    "no name of a file": lambda run, secret: "trajectories/\0.json",
}


@pytest.mark.parametrize("name", LEADING_OUT.values(), ids=LEADING_OUT)
async def test_a_result_that_names_a_trajectory_elsewhere_has_no_thoughts(
    name: Callable[[Path, Path], str], copied: Path, tmp_path: Path
) -> None:
    secret = secret_trajectory(tmp_path, copied)
    rename_trajectory(copied, name(copied, secret))
    async with visitor(copied) as client:
        for step in (1, 2):
            answer = await client.get(f"/api/episodes/0-0/steps/{step}")
            assert answer.status_code == 200, answer.text
            assert answer.json()["thought"] is None and SECRET not in answer.text


async def test_a_trajectory_of_the_run_is_also_read_when_the_run_is_reached_by_a_link(
    copied: Path, tmp_path: Path
) -> None:
    secret = secret_trajectory(tmp_path, copied)
    shutil.copy(secret, own_trajectory(copied))
    (tmp_path / "linked").symlink_to(copied)
    async with visitor(tmp_path / "linked") as client:
        details = (await client.get("/api/episodes/0-0/steps/1")).json()
    assert details["thought"]["message"] == SECRET


async def test_a_world_that_is_a_link_out_of_the_run_is_not_opened(
    copied: Path, tmp_path: Path
) -> None:
    worlds = sorted((copied / "worlds").glob("*.world"))
    elsewhere = tmp_path / "elsewhere.world"
    for number, world in enumerate(worlds):
        if number:
            world.unlink()
        else:
            world.rename(elsewhere)
        world.symlink_to(elsewhere)
    before = elsewhere.stat()
    async with visitor(copied) as client:
        answers = [await client.get(f"/api/episodes/0-{n}/log") for n in range(len(worlds))]
        assert [answer.status_code for answer in answers] == [409] * len(worlds)
        assert "no longer in the folder" in answers[0].text
    assert elsewhere.stat().st_mtime_ns == before.st_mtime_ns


async def test_results_that_are_a_link_out_of_the_run_are_not_read(
    copied: Path, tmp_path: Path
) -> None:
    lead_out(copied / "results.jsonl", tmp_path / "results.jsonl")
    async with visitor(copied) as client:
        cells = (await client.get("/api/runs/0")).json()["cells"]
        assert [cell["score"] for cell in cells] == [None] * len(cells)


async def test_a_plan_that_is_a_link_out_of_the_run_is_not_read(
    copied: Path, tmp_path: Path
) -> None:
    lead_out(copied / "run.json", tmp_path / "run.json")
    async with visitor(copied) as client:
        (line,) = (await client.get("/api/runs")).json()["runs"]
        assert line["episodes"] == 0 and "link out of the run's folder" in line["error"]


async def test_values_and_worlds_elsewhere_are_neither_read_nor_computed(
    short_valued: Path, tmp_path: Path
) -> None:
    run = tmp_path / "a-run"
    shutil.copytree(short_valued / "a-run", run)
    stored = run / "worth" / "one.day_1.sprayer.1.json"
    lead_out(stored, tmp_path / "values.json")
    lead_out(run / "worlds" / "one.day_1.nothing.1.world", tmp_path / "another.world")
    async with acting(run) as person:
        linked_values = await person.get("/api/episodes/0-1/worth")
        assert (linked_values["state"], linked_values["curve"]) == ("unusable", None)
        assert f"worth/{stored.name} is not in the folder of the run" in linked_values["why"]
        linked_world = await person.get("/api/episodes/0-2/worth")
        assert linked_world["state"] == "impossible"
        await person.post("/api/episodes/0-2/worth", {}, 409)


@pytest.mark.parametrize("files", ["trajectories/*.turns.jsonl", "worlds/*.world"])
async def test_a_left_day_with_a_journal_or_world_elsewhere_is_not_continued(
    mine: Path, tmp_path: Path, files: str
) -> None:
    async with studio(tmp_path, mine) as client:
        await sent(client, f"{await taken(client)}/call", tool="desk_now", arguments={}, n=1)
    (file,) = tmp_path.glob(f"mine-person-001/{files}")
    before = lead_out(file, tmp_path / "elsewhere")
    async with studio(tmp_path, mine) as client:
        assert (await got(client, "/api/seats"))["left"] == []
        await sent(client, "/api/seats/resume", episode="0-0", status=404)
    with pytest.raises(LinkOut):  # the terminal asks for it by its folder
        await resume_person_run(tmp_path / "mine-person-001")
    assert (tmp_path / "elsewhere").read_bytes() == before


async def test_a_left_day_beside_a_link_out_says_why_it_is_not_continued(
    mine: Path, tmp_path: Path
) -> None:
    async with studio(tmp_path, mine) as client:
        await sent(client, f"{await taken(client)}/call", tool="desk_now", arguments={}, n=1)
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "mine-person-001" / "logs").symlink_to(tmp_path / "elsewhere")
    async with studio(tmp_path, mine) as client:
        (left,) = (await got(client, "/api/seats"))["left"]
        said = await sent(client, "/api/seats/resume", episode=left["episode"], status=409)
    assert "logs is a link out of the run's folder" in said["error"]


def lead_out(file: Path, target: Path) -> bytes:
    """Move *file* to *target*, put a link in its place, and return its content."""
    file.rename(target)
    file.symlink_to(target)
    return target.read_bytes()
