"""One program carries every command, and the ``python -m`` forms are the same commands."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from trainee_bench.harness.cli import COMMANDS, app, load_command, module_of
from trainee_bench.harness.generation import rule_catalog
from trainee_bench.meta_tasks.catalog import all_rules
from trainee_bench.meta_tasks.complications import discover_complications

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.timeout(300)  # a program each, or an oracle's days of every rule
HEAVY = ("mcp", "numpy", "openai", "pydantic", "uvicorn", "trainee_bench.world")
"""What some command needs, and the list of them does not."""


def called(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *arguments], cwd=ROOT, capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize("command", [*COMMANDS, "serve"])
def test_every_command_explains_itself(command: str) -> None:
    done = CliRunner().invoke(app, [command, "--help"])
    assert done.exit_code == 0
    assert "sage" in done.output


def test_help_names_every_command_with_the_line_that_its_own_help_begins_with() -> None:
    output = " ".join(CliRunner().invoke(app, ["--help"]).output.replace("│", " ").split())
    for name, line in COMMANDS.items():
        assert f"{name} {line}" in output
        assert (load_command(name).help or "").splitlines()[0] == line


def test_help_loads_nothing_that_only_a_command_needs() -> None:
    code = (
        "import sys; from trainee_bench.harness.cli import app; app(['--help'], "
        "standalone_mode=False); print(*sys.modules, file=sys.stderr)"
    )
    loaded = set(called("-c", code).stderr.split())
    assert "typer" in loaded
    assert not loaded & {*HEAVY, *map(module_of, COMMANDS)}


@pytest.mark.parametrize(
    "command",
    ["", "new", *(pytest.param(it, marks=pytest.mark.sweep) for it in COMMANDS if it != "new")],
)
def test_the_module_form_explains_itself_and_each_command_without_a_warning(command: str) -> None:
    named = [command] if command else []
    done = called("-W", "error", "-m", "trainee_bench.harness", *named, "--help")
    assert (done.returncode, done.stderr) == (0, "")


def test_a_run_is_told_where_it_may_not_be_written_and_can_be_repeated(tmp_path: Path) -> None:
    out = tmp_path / "out"
    arguments = ["run", "--limit", "1", "--agent", "nothing", "--out", str(out)]
    assert CliRunner().invoke(app, arguments).exit_code == 0
    again = CliRunner().invoke(app, arguments)
    assert again.exit_code == 2
    assert "--resume" in again.stderr
    assert CliRunner().invoke(app, ["replay", str(out)]).exit_code == 0


def test_the_module_passes_options_and_exit_codes_on_and_serve_names_itself_in_errors() -> None:
    done = called("-m", "trainee_bench.harness", "serve", "no_such_app")
    assert done.returncode == 2
    assert "no_such_app" in done.stderr and "usage: trainee-bench serve" in done.stderr


def test_the_catalogue_lists_every_rule() -> None:
    plain = CliRunner().invoke(app, ["catalog"]).output
    assert f"{len(all_rules())} rules in" in plain
    assert all(id in plain for id in all_rules())


def test_the_catalogue_lists_every_complication_with_the_families_it_fits() -> None:
    plain = CliRunner().invoke(app, ["catalog"]).output
    assert all(f"+{name} " in plain for name in discover_complications())
    listed = json.loads(CliRunner().invoke(app, ["catalog", "--complications", "--json"]).output)
    assert {one["name"] for one in listed} == set(discover_complications())
    families = {one["name"]: one["families"] for one in listed}
    assert families["many_records"] == ["attendance", "sales", "transactions"]


@pytest.mark.parametrize("every", [50, pytest.param(1, marks=pytest.mark.sweep)])
def test_the_catalogue_as_json_says_what_each_rule_is_and_asks_for(
    monkeypatch: pytest.MonkeyPatch, every: int
) -> None:
    named = {"meeting_attend.none.u1", "kb_fix.easy", "kb_fix.hard", "website_analysis.slow_page"}
    rules = {
        id: r for n, (id, r) in enumerate(all_rules().items()) if n % every == 0 or id in named
    }
    monkeypatch.setattr(rule_catalog, "all_rules", lambda: rules)
    monkeypatch.setattr(rule_catalog, "SEEDS", range(1))  # each takes a day of every rule
    listed = json.loads(CliRunner().invoke(app, ["catalog", "--json"]).output)
    assert [entry["id"] for entry in listed] == list(rules)
    for entry in listed:
        assert entry["domain"] and entry["label"] in ("easy", "hard")
        assert entry["parameters"] and entry["checkpoints"]
    asks = {e["id"]: (e["clues"], e["hops"], e["fewest_calls"]) for e in listed}
    assert asks["meeting_attend.none.u1"][:2] == (1, 1)
    assert asks["kb_fix.easy"][:2] == (1, 1)
    assert asks["kb_fix.hard"][0] >= 5
    # The keeper of the roster, the diagnosis told, who approves, the approval.
    assert asks["website_analysis.slow_page"][:2] == (3, 4)
    assert all(calls > clues for clues, _, calls in asks.values())


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["nothing.*"], "no rule matches"),
        (["kb_fix.easy", "nothing.*"], "no rule matches"),
        (["kb_fix.easy", "--json", "no/such/folder.json"], "there is no folder no/such"),
    ],
)
def test_certify_says_what_is_wrong_before_it_works(arguments: list[str], says: str) -> None:
    done = CliRunner().invoke(app, ["certify", *arguments])
    assert done.exit_code == 2
    assert says in " ".join(done.stderr.replace("│", " ").split())
    assert done.stdout == ""
