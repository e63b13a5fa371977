"""A batch that is run from Python, and the names that are public."""

from __future__ import annotations

import importlib
import re
from pathlib import Path

import pytest

from trainee_bench.harness.api import PlanError, run
from trainee_bench.harness.records.run_folder import RunFolder

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "reference" / "public_api.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| `(\w+)` \| `from ([\w.]+) import \1` \|", PAGE, re.MULTILINE)


def test_a_batch_is_run_graded_and_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    done = run("quickstart", ["oracle", "nothing"], limit=1, out=tmp_path / "out")
    assert {result.agent: result.score for result in done.results} == {"oracle": 1, "nothing": 0}
    assert (done.folder / "report.html").is_file()
    assert RunFolder.open(done.folder).ledger.read() == list(done.results)
    assert capsys.readouterr().out == "", "whoever wants a table reads the report"


def test_what_cannot_be_run_is_refused_in_words(tmp_path: Path) -> None:
    with pytest.raises(PlanError, match="nobody"):
        run(agents=["nobody"], out=tmp_path / "out")


def test_the_table_of_public_names_has_rows() -> None:
    assert {"World", "Toolbox", "MetaTask", "AgentProtocol", "run", "EpisodeResult"} <= {
        name for name, _ in ROWS
    }
    assert len(ROWS) == PAGE.count("\n| `")


@pytest.mark.parametrize(("name", "module"), ROWS)
def test_a_public_name_is_declared_where_it_is_imported_from(name: str, module: str) -> None:
    try:
        found = importlib.import_module(module)
    except ModuleNotFoundError as missing:
        if ".integrations." not in module:
            raise
        pytest.skip(f"{missing.name} is not installed")
    assert name in found.__all__ and hasattr(found, name)
