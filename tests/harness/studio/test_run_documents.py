"""Reports and experiments beside a run: served as they are, and shut in."""

from __future__ import annotations

import errno
import os
import shutil
from pathlib import Path

import httpx2
import pytest

from tests.harness.studio.conftest import RULES
from tests.harness.studio.shown import visitor
from tests.harness.studio.test_endpoints import told
from tests.harness.studio.test_flags import sent as flagged
from tests.harness.studio.test_seats import got, studio, taken
from tests.harness.test_run import config, day

REPORT = "/documents/0/report.html"


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    """A benchmark of the day that `ran` has."""
    return config(tmp_path, one=[day(*RULES)])


@pytest.fixture
def experiment(ran: Path, tmp_path: Path) -> Path:
    """The folder of an experiment with one run."""
    folder = tmp_path / "runs" / "memory-001"
    shutil.copytree(ran, folder / "plain")
    (folder / "experiment.json").write_text("{}", encoding="utf-8")
    (folder / "experiment.html").write_text("<h1>The experiment</h1>", encoding="utf-8")
    return folder


async def addresses(client: httpx2.AsyncClient) -> dict[str, str]:
    """The documents of run 0, which its table and its overview name alike."""
    of_table = (await told(client, "/api/runs/0"))["documents"]
    assert (await told(client, "/api/runs/0/overview"))["documents"] == of_table
    return {one["title"]: one["address"] for one in of_table}


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
    ran: Path, tmp_path: Path
) -> None:
    run = tmp_path / "a-run"
    shutil.copytree(ran, run)
    (run / "days").mkdir()
    (run / "days" / "one.day_1.oracle.1.html").write_text("<p>a day", encoding="utf-8")
    (run / "days" / "link.html").symlink_to(tmp_path / "secret.html")
    (tmp_path / "secret.html").write_text("secret", encoding="utf-8")
    async with visitor(run) as client:
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
    async with visitor(experiment / "plain") as client:  # what lies around it was not opened
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


async def test_a_stranger_sees_no_document(ran: Path) -> None:
    async with visitor(ran, let_in=False) as stranger:
        assert (await stranger.get(REPORT)).status_code == 403


async def test_whoever_reads_a_report_has_been_shown_its_days(ran: Path, mine: Path) -> None:
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
        await flagged(before, "/api/episodes/0-0/flags", {"step": 5, "note": "ask Rhys"})
        assert len((await got(before, "/api/runs/0/flags"))["flags"]) == 1
    async with studio(folder, mine) as client:
        await taken(client)
        closed = await client.get(REPORT)
        assert closed.status_code == 409 and "A person works this day now" in closed.text
        assert (await got(client, "/api/runs/0/flags"))["flags"] == []
        await got(client, "/api/episodes/0-0/flags", 409)
        assert (await got(client, "/api/runs/0/overview"))["cells"]
