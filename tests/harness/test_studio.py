"""`trainee-bench studio` prints an address that works here and now, also that of one episode."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import anyio
import httpx2
import pytest

from tests.harness.runs import call, run_day
from trainee_bench.meta_tasks.benchmark import find_scenario
from trainee_bench.meta_tasks.composition import create_world


async def staged(path: Path) -> None:
    await (await create_world(path, find_scenario())).close()


def test_where_there_is_no_run_it_says_so(tmp_path: Path) -> None:
    assert "There is no run in" in call("studio", tmp_path / "none", "--no-browser", exits=2).stderr


@pytest.mark.parametrize(("given", "shows"), [(["day.world"], "1 run"), ([], "0 runs")])
def test_it_prints_an_address_that_lets_in_and_an_interrupt_closes_it(
    tmp_path: Path, given: list[str], shows: str
) -> None:
    anyio.run(staged, tmp_path / "day.world")
    with subprocess.Popen(
        [sys.executable, "-m", "trainee_bench.harness", "studio", *given, "--no-browser"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONUNBUFFERED": "1"},
    ) as studio:
        assert studio.stdout is not None and studio.stderr is not None
        assert f"The studio shows {shows}." in studio.stdout.readline()
        address = ""
        while not address:
            found = re.search(r"http://127\.0\.0\.1:\d+/\?token=\S+", studio.stdout.readline())
            address = found[0] if found else ""
        with httpx2.Client(follow_redirects=True, trust_env=False) as client:
            page = client.get(address)
            assert page.status_code == 200 and "importmap" in page.text
            assert "token" not in str(page.url)
        studio.send_signal(signal.SIGINT)
        assert studio.wait(30) == 130
        assert "The studio is closed." in studio.stderr.read()


@contextmanager
def opened_studio(home: Path, handles: int = 1024) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A studio over *home* that may hold so many file handles, and the address that it prints."""

    import resource  # Windows has none

    def few_handles() -> None:
        resource.setrlimit(resource.RLIMIT_NOFILE, (handles, handles))

    with subprocess.Popen(
        [sys.executable, "-m", "trainee_bench.harness", "studio", str(home), "--no-browser"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONUNBUFFERED": "1"},
        preexec_fn=few_handles,
    ) as studio:
        assert studio.stdout is not None
        try:
            for line in studio.stdout:
                if found := re.search(r"http://127\.0\.0\.1:\d+/\?token=\S+", line):
                    yield studio, found[0]
                    return
            raise AssertionError("the studio printed no address")
        finally:
            studio.kill()


def silent(address: str, sends: bytes) -> socket.socket:
    """A connection to *address* on which no whole request comes, perhaps not even its beginning."""
    one = socket.socket()
    one.setblocking(False)
    one.connect_ex(("127.0.0.1", int(re.findall(r":(\d+)", address)[0])))
    with suppress(OSError):
        one.send(sends)
    return one


@pytest.mark.parametrize("sends", [b"", b"GET / HTTP/1.1\r\nHost: "])
def test_300_connections_without_a_request_at_256_handles_keep_nobody_from_the_studio(
    tmp_path: Path, sends: bytes
) -> None:
    with opened_studio(tmp_path, 256) as (studio, address):
        sockets = [silent(address, sends) for _ in range(300)]
        try:
            for _ in range(3):
                with httpx2.Client(trust_env=False, timeout=10, follow_redirects=True) as client:
                    assert client.get(address).status_code == 200
        finally:
            for one in sockets:
                one.close()
        with httpx2.Client(trust_env=False, timeout=10, follow_redirects=True) as client:
            assert client.get(address).status_code == 200
        studio.send_signal(signal.SIGINT)
        assert studio.wait(30) == 130
        assert studio.stderr is not None and studio.stderr.read() == "The studio is closed.\n"


@pytest.fixture(scope="module")
def long_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a run of so many results that reading them takes long."""
    home = tmp_path_factory.mktemp("long")
    run_day(home, "--agent", "nothing", out="a-run")
    shutil.rmtree(home / "a-run" / "worlds")
    results = home / "a-run" / "results.jsonl"
    result = json.loads(results.read_text(encoding="utf-8"))
    with results.open("w", encoding="utf-8") as file:
        for number in range(20_000):
            file.write(json.dumps(result | {"episode": f"one.day_1.nothing.{number}"}) + "\n")
    return home


@pytest.mark.parametrize("times", [1, 2])
@pytest.mark.parametrize("asked", ["/api/runs", "/api/runs/0", "/api/live/events"])
def test_an_interrupt_while_a_long_run_is_read_ends_the_studio_at_once_and_quietly(
    long_run: Path, asked: str, times: int
) -> None:
    with opened_studio(long_run) as (studio, address):
        with httpx2.Client(trust_env=False, follow_redirects=True) as client:
            client.get(address)
            with pytest.raises(httpx2.ReadTimeout):  # so it is being read
                client.get(httpx2.URL(address).join(asked), timeout=0.5)
            began = time.monotonic()
            for _ in range(times):
                studio.send_signal(signal.SIGINT)
                time.sleep(0.1)
        assert studio.wait(30) == 130
        assert time.monotonic() - began < 3
        assert studio.stderr is not None and studio.stderr.read() == "The studio is closed.\n"


ORACLE, NOTHING = "one.day_1.oracle.1", "one.day_1.nothing.1"


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a run of two agents."""
    home = tmp_path_factory.mktemp("runs")
    agents = ("--agent", "oracle", "--agent", "nothing")
    return run_day(home, *agents, out="a-run")


def commands(text: str) -> set[str]:
    return set(re.findall(r"trainee-bench studio \. --episode ([\w.-]+)", text))


def test_each_day_of_a_report_has_the_command_that_opens_it(run: Path) -> None:
    page = (run / "report.html").read_text(encoding="utf-8")
    assert commands(page) == {ORACLE, NOTHING}
    assert "in the folder of the run" in page
    text = (run / "report.md").read_text(encoding="utf-8")
    assert "run trainee-bench studio . --episode ID in this folder" in text and NOTHING in text


def test_the_command_of_a_report_prints_an_address_that_leads_to_the_episode(run: Path) -> None:
    with subprocess.Popen(
        [
            *(sys.executable, "-m", "trainee_bench.harness", "studio", ".", "--no-browser"),
            *("--episode", NOTHING),
        ],
        cwd=run,
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONUNBUFFERED": "1"},
    ) as studio:
        assert studio.stdout is not None
        printed = "".join(studio.stdout.readline() for _ in range(3))
        studio.send_signal(signal.SIGINT)
        studio.wait(30)
    assert re.search(r"http://127\.0\.0\.1:\d+/\?token=[\w-]+#/episode/0-1\n", printed), printed


def test_an_episode_that_no_run_has_is_refused(run: Path) -> None:
    done = call("studio", run, "--no-browser", "--episode", "two.day_1", exits=2)
    assert "no run here has such an episode" in done.stderr


def test_an_episode_that_several_runs_have_needs_its_run(run: Path, tmp_path: Path) -> None:
    for name in ("a-run", "b-run"):
        shutil.copytree(run, tmp_path / name)
    asked = ["studio", str(tmp_path), "--no-browser", "--episode", ORACLE]
    done = call(*asked, exits=2)
    assert "several runs have it" in done.stderr
    assert "b-run" in done.stderr


def test_the_page_of_an_experiment_has_the_command_too(tmp_path: Path, run: Path) -> None:
    out = tmp_path / "it"
    call("experiment", "workload", "--from", run, "--out", out)
    page = (out / "experiment.html").read_text(encoding="utf-8")
    assert "run trainee-bench studio with the run that --from named" in page
