"""Output to a pipe: whole lines, and a reader who leaves early stops nothing."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[3]


def test_a_run_goes_on_when_nobody_reads_its_lines_any_more(tmp_path: Path) -> None:
    out = tmp_path / "out"
    command = [
        sys.executable,
        "-m",
        "trainee_bench.harness",
        "run",
        "--agent",
        "nothing",
        "--limit",
        "2",
        "--out",
        str(out),
    ]
    with subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None and process.stderr is not None
        process.stdout.close()
        said = process.stderr.read()
    assert (process.returncode, said) == (0, b"")
    assert (out / "results.jsonl").read_bytes().count(b"\n") == 2
    assert (out / "report.md").exists()


def test_a_piped_table_is_not_cut_to_a_terminals_width_nor_coloured() -> None:
    code = (
        "from trainee_bench.harness.support.terminal import output_console\n"
        "from rich.table import Table\n"
        "table = Table('x' * 60, 'y' * 60)\n"
        "table.add_row('a', 'b', style='red')\n"
        "output_console().print(table)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert "x" * 60 in done.stdout and "y" * 60 in done.stdout
    assert "\x1b" not in done.stdout
