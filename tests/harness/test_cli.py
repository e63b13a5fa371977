"""One program carries every command; what it prints, asks and copies, and the same from Python."""

from __future__ import annotations

import ast
import importlib
import json
import re
import shlex
import subprocess
import sys
from asyncio import to_thread
from functools import partial
from pathlib import Path

import pytest
from click.testing import Result
from pydantic import JsonValue

from tests.harness.runs import call, config, day
from tests.mcp_servers.processes import stdio
from trainee_bench.harness.api import PlanError, run
from trainee_bench.harness.cli import COMMANDS, load_command, module_of
from trainee_bench.harness.generation import rule_catalog
from trainee_bench.harness.records.run_folder import RunFolder
from trainee_bench.harness.session.turns import ToolCall
from trainee_bench.harness.terminal_seat.lines import cannot_be_undone
from trainee_bench.meta_tasks.benchmark import find_scenario
from trainee_bench.meta_tasks.catalog import all_rules
from trainee_bench.meta_tasks.complications import discover_complications
from trainee_bench.meta_tasks.composition import create_world
from trainee_bench.world.world import World

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
    assert "sage" in call(command, "--help").output


def test_help_names_every_command_with_the_line_that_its_own_help_begins_with() -> None:
    output = " ".join(call("--help").output.replace("│", " ").split())
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


@pytest.mark.parametrize("command", ["", "new"])
def test_the_module_form_explains_itself_and_each_command_without_a_warning(command: str) -> None:
    named = [command] if command else []
    done = called("-W", "error", "-m", "trainee_bench.harness", *named, "--help")
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.sweep
def test_every_command_is_loaded_and_explains_itself_without_a_warning() -> None:
    code = (
        "from trainee_bench.harness.cli import COMMANDS, app\n"
        "for name in COMMANDS: app([name, '--help'], standalone_mode=False)"
    )
    done = called("-W", "error", "-c", code)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.count("Usage: ") == len(COMMANDS)


def test_the_module_passes_options_and_exit_codes_on_and_serve_names_itself_in_errors() -> None:
    done = called("-m", "trainee_bench.harness", "serve", "no_such_app")
    assert done.returncode == 2
    assert "no_such_app" in done.stderr and "usage: trainee-bench serve" in done.stderr


def test_the_catalogue_lists_every_rule() -> None:
    plain = call("catalog").output
    assert f"{len(all_rules())} rules in" in plain
    assert all(id in plain for id in all_rules())


def test_the_catalogue_lists_every_complication_with_the_families_it_fits() -> None:
    plain = call("catalog").output
    assert all(f"+{name} " in plain for name in discover_complications())
    listed = json.loads(call("catalog", "--complications", "--json").output)
    assert {one["name"] for one in listed} == set(discover_complications())
    families = {one["name"]: one["families"] for one in listed}
    assert families["many_records"] == ["attendance", "sales", "transactions"]


@pytest.mark.parametrize("every", [50, pytest.param(6, marks=pytest.mark.sweep)])
def test_the_catalogue_as_json_says_what_each_rule_is_and_asks_for(
    monkeypatch: pytest.MonkeyPatch, every: int
) -> None:
    named = {"meeting_attend.none.u1", "kb_fix.easy", "kb_fix.hard", "website_analysis.slow_page"}
    rules = {
        id: r for n, (id, r) in enumerate(all_rules().items()) if n % every == 0 or id in named
    }
    monkeypatch.setattr(rule_catalog, "all_rules", lambda: rules)
    monkeypatch.setattr(rule_catalog, "SEEDS", range(1))  # each takes a day of every rule
    listed = json.loads(call("catalog", "--json").output)
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
    done = call("certify", *arguments, exits=2)
    assert says in " ".join(done.stderr.replace("│", " ").split())
    assert done.stdout == ""


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


def test_an_impossible_run_is_refused_with_a_reason(tmp_path: Path) -> None:
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


AWKWARD = "Eve's $days; new"
_COMMAND = re.compile(r"(?:trainee-bench [a-z]+|--resume|--log-dir|harbor run -p) $")


def test_connect_prints_how_to_grade_a_world_with_an_awkward_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    world = tmp_path / f"{AWKWARD}.world"
    told = call("connect", "cursor", "--world", world)
    command = told.stderr.rpartition("Grade the day: ")[2]
    assert shlex.split(command) == ["trainee-bench", "grade", str(world)]


def test_a_day_that_was_left_says_how_to_go_on_in_a_folder_with_an_awkward_name(
    tmp_path: Path,
) -> None:
    folder = tmp_path / AWKWARD
    mine = config(tmp_path, one=[day("kb_fix.easy")])
    left = call("play", "one", "--config", mine, "--out", folder, given="", exits=130)
    command = left.stderr.rpartition("To continue: ")[2]
    run = folder / "mine-person-001"
    assert shlex.split(command) == ["trainee-bench", "play", "--resume", str(run)]


def test_a_folder_that_is_taken_is_named_as_a_shell_reads_it(tmp_path: Path) -> None:
    folder = tmp_path / AWKWARD
    (folder / "episodes").mkdir(parents=True)
    (folder / "results.jsonl").touch()
    with pytest.raises(PlanError) as refused:
        RunFolder(folder).refuse_taken()
    command = (
        str(refused.value)
        .rpartition("Continue it with ")[2]
        .removesuffix(", or give --out another folder.")
    )
    assert shlex.split(command) == ["--resume", str(folder)]


def test_no_printed_command_holds_a_value_that_is_not_quoted() -> None:
    """Quoted values are those that `shlex` has made, in place or under the name `folder`."""
    bare = [
        f"{path.relative_to(ROOT)}:{text.lineno}"
        for package in ("harness", "mcp_servers", "meta_tasks")
        for path in (ROOT / package).rglob("*.py")
        for text in ast.walk(ast.parse(path.read_text()))
        if isinstance(text, ast.JoinedStr)
        for said, value in zip(text.values, text.values[1:], strict=False)
        if isinstance(said, ast.Constant)
        and _COMMAND.search(str(said.value))
        and isinstance(value, ast.FormattedValue)
        and not re.match(r"shlex\.|folder$|.*_word$", ast.unparse(value.value))
    ]
    assert bare == []


KNOWN = {"workspace:/old.md", "drive:/kb/a.md"}


@pytest.mark.parametrize(
    ("tool", "given", "asked"),
    [
        ("files_write", {"path": "workspace:/new.md", "text": "a"}, False),
        ("files_write", {"path": "workspace:old.md", "text": "a"}, True),
        ("files_write", {"path": "drive:/kb/new.md", "text": "a"}, True),
        ("mail_save", {"mail": 1, "path": "workspace:/offer.pdf"}, False),
        ("files_edit", {"path": "workspace:/old.md", "edits": []}, False),
        ("files_edit", {"path": "drive:/kb/a.md", "edits": []}, True),
        ("files_move", {"source": "drive:/kb/a.md", "target": "workspace:/a.md"}, True),
        ("files_delete", {"path": "workspace:/old.md"}, True),
        ("sheets_write", {"path": "workspace:/t.xlsx", "start": "A1", "rows": []}, False),
        ("sheets_append", {"path": "drive:/t.xlsx", "rows": []}, True),
        ("sheets_change", {"path": "workspace:/t.xlsx", "action": "add", "sheet": "B"}, False),
        ("sheets_change", {"path": "workspace:/t.xlsx", "action": "delete", "sheet": "B"}, True),
        ("monitor_start_maintenance", {"server": "web-01"}, True),
        ("monitor_start_maintenance", {"server": "web-01", "code": "ABCD-1234"}, False),
        ("calendar_cancel", {"meeting": 1}, True),
        ("desk_finish_day", {}, True),
        ("desk_submit", {"task": "T1"}, False),
    ],
)
def test_only_what_cannot_be_undone_is_asked_back_about(
    tool: str, given: dict[str, JsonValue], asked: bool
) -> None:
    call = ToolCall(tool, given)
    assert cannot_be_undone(call, KNOWN) is asked


async def snapshot(*arguments: Path, exits: int = 0) -> Result:
    """The command, in a thread that has no event loop yet."""
    return await to_thread(partial(call, "snapshot", *arguments, exits=exits))


async def test_a_world_that_a_client_works_in_is_copied_as_it_is_at_that_moment(
    tmp_path: Path,
) -> None:
    path, out = tmp_path / "day.world", tmp_path / "copy.world"
    await (await create_world(path, find_scenario())).close()
    async with stdio("desk", "--world", path) as client:
        await client.call_tool("desk_wait", {"until": "09:00", "wake": False})
        alone = tmp_path / "alone.world"  # what a plain copy of the open file would be
        alone.write_bytes(path.read_bytes())
        done = await snapshot(path, out)
        await client.call_tool("desk_now")
    assert done.output == f"{out}: the world on Wednesday at 09:00, after 1 action\n"
    assert {file.name for file in tmp_path.glob("copy*")} == {"copy.world"}
    async with await World.open(out) as copy, await World.open(path) as world:
        assert [entry.tool for entry in await copy.log()] == ["desk_wait"]
        assert [entry.tool for entry in await world.log()] == ["desk_wait", "desk_now"]
    async with await World.open(alone) as torn:
        assert await torn.log() == []


async def test_an_impossible_copy_is_refused_and_nothing_is_overwritten(tmp_path: Path) -> None:
    path, junk = tmp_path / "day.world", tmp_path / "junk"
    await (await create_world(path, find_scenario())).close()
    junk.write_text("no world")
    for source, target, why in (
        (tmp_path / "none.world", tmp_path / "a", "There is no world file none.world"),
        (junk, tmp_path / "a", "junk is not a world file"),
        (path, junk, "junk already exists"),
        (path, tmp_path / "no" / "a", "There is no folder"),
    ):
        assert why in (await snapshot(source, target, exits=2)).stderr
    assert junk.read_text() == "no world" and not (tmp_path / "a").exists()
