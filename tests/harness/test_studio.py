"""`trainee-bench studio` prints an address that works here and now, and says what is missing."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import anyio
import httpx2
import pytest
from typer.testing import CliRunner

from trainee_bench.harness.cli import app
from trainee_bench.meta_tasks.benchmark import find_scenario
from trainee_bench.meta_tasks.composition import create_world


async def staged(path: Path) -> None:
    await (await create_world(path, find_scenario())).close()


def test_where_there_is_no_run_it_says_so(tmp_path: Path) -> None:
    done = CliRunner().invoke(app, ["studio", str(tmp_path / "none"), "--no-browser"])
    assert done.exit_code == 2 and "There is no run in" in done.stderr


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
