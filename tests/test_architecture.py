"""The rules of the code: who imports whom, where SQL stands, what the simulation may not use."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from trainee_bench.harness.cli import COMMANDS
from trainee_bench.world.apps import discover_apps
from trainee_bench.world.transaction import Event

pytestmark = [pytest.mark.every_family, pytest.mark.every_app]
ROOT = Path(__file__).parent.parent
PACKAGES = ("configs", "harness", "mcp_servers", "meta_tasks", "world")
INSTALLED = "trainee_bench."
"""The one package that a wheel installs; in the repository it links to the folders."""
SIMULATION = ("mcp_servers", "meta_tasks", "world")

MAY_IMPORT = {
    "configs": set(),
    "world": {"world"},
    "meta_tasks": {"meta_tasks", "world", "configs"},
    "mcp_servers": {"mcp_servers", "world"},
    "harness": set(PACKAGES),
}
KNOW_META_TASKS = {"mcp_servers/verifier.py", "mcp_servers/__main__.py"}
"""Grading and staging: the only servers' files that may know the work."""

BANNED_CALLS = {
    "datetime.now": "the wall clock",
    "datetime.today": "the wall clock",
    "datetime.utcnow": "the wall clock",
    "date.today": "the wall clock",
    "time.time": "the wall clock",
    "time.time_ns": "the wall clock",
    "time.monotonic": "the wall clock",
    "time.perf_counter": "the wall clock",
    "time.sleep": "the wall clock",
    "uuid.uuid1": "chance",
    "uuid.uuid4": "chance",
    "os.urandom": "chance",
    "hash": "PYTHONHASHSEED",
}
MAY_TOUCH_CLOCK_AND_CHANCE = {
    "world/random_streams.py",
    "meta_tasks/offices/answer_worker.py",  # it takes them away from the code of an office
}
BANNED_MODULES = {"secrets": "chance", "time": "the wall clock", "uuid": "chance"}
DRAWS_TOKENS = {"mcp_servers/serving/http.py"}
"""A served address is guarded by a token that must not be guessed and never enters a world."""
RANDOM_MAY_GIVE = {"Random"}
"""`random.Random` as a type; world/random_streams.py alone makes such generators."""

MAY_NOT_HIDE = {"date", "datetime", "os", "random"}
"""What is called under a name of its own could call what is banned unseen."""

JSON_EDGES = re.compile(r"dict\[str, Any\]|Dict\[str, Any\]|Mapping\[str, Any\]")
HOLDS_JSON = {
    "harness/certification/tool_sweep.py": "walks over JSON schemas",
    "harness/integrations/verifiers/harness.py": "reads and writes messages of a chat service",
    "mcp_servers/serving/schema.py": "writes JSON schemas",
    "mcp_servers/serving/server.py": "writes MCP results",
    "mcp_servers/serving/toolbox.py": "writes JSON schemas",
    "meta_tasks/tool_client.py": "hands tool results to whoever works",
}
"""Files at an edge where JSON of any shape goes in or out, and why."""
FAMILIES = "meta_tasks/families/"
FAMILY_FILES = ("__init__", "brief", "data", "deliverables", "subject", "work")
"""What the files of a family are called: see meta_tasks/families/__init__.py. If its subject takes
more than one file, they are a package."""

PROGRAM = ("api", "cli", "run")
"""What lies flat in harness: the ways to call it, from Python and from a shell."""
HARNESS_ROOMS = (
    "support", "pseudonyms", "clients", "documents", "office_import", "session", "environment",
    "records", "models", "testbench", "agents", "bounding", "generation", "office_check",
    "certification", "scheduling", "provenance", "episodes",
    "worth", "batch", "attack", "analysis", "ladder", "exports", "submissions", "scaffolding",
    "integrations", "parity", "studio", "terminal_seat", "commands",
)  # fmt: skip
"""The rooms of harness, lowest first: each imports only itself and lower ones. `PROGRAM` may
import all rooms."""
AGENT_ROOMS = (
    "agent", "confidence", "heuristics", "repeatable_days", "person", "scripted", "llm", "external",
    "builtin", "runtime", "cheats",
)  # fmt: skip
"""The same for what lies in harness/agents."""

SQL = re.compile(
    r"\b(SELECT\s.+\sFROM|INSERT\s+(OR\s+\w+\s+)?INTO|DELETE\s+FROM|UPDATE\s+\w+\s+SET"
    r"|CREATE\s+(TABLE|INDEX)|PRAGMA\s+\w+)\b",
    re.DOTALL,
)
BAD_NAMES = {"utils", "util", "common", "base", "manager", "helpers", "helper", "misc"}


@cache
def parsed(package: str) -> dict[str, ast.Module]:
    files = sorted((ROOT / package).rglob("*.py"))
    return {
        path.relative_to(ROOT).as_posix(): ast.parse(path.read_text(encoding="utf-8"))
        for path in files
    }


def sources(*folders: str) -> Iterator[tuple[str, ast.Module]]:
    for folder in folders:
        for name, tree in parsed(folder.split("/")[0]).items():
            if name.startswith(f"{folder}/"):
                yield name, tree


@cache
def nodes(tree: ast.Module) -> tuple[ast.AST, ...]:
    """All nodes of *tree*; walked once, for many tests ask for them."""
    return tuple(ast.walk(tree))


@cache
def imported(name: str, tree: ast.Module) -> frozenset[str]:
    """Everything that *tree* imports, anywhere in it: modules, and what is taken from them."""
    found = set()
    for node in nodes(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{name} imports relatively; name the module"
            assert node.module is not None
            found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    bare = {module for module in found if module.split(".")[0] in PACKAGES}
    assert not bare, f"{name} imports {sorted(bare)} without trainee_bench"
    return frozenset(module.removeprefix(INSTALLED) for module in found)


def dotted(node: ast.expr) -> str:
    """*node* as it is written; names, which most are, without the cost of unparsing."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        return f"{dotted(node.value)}.{node.attr}"
    return ast.unparse(node)


def needed(tree: ast.Module, modules: set[str]) -> set[str]:
    """Which of *modules* are imported anywhere in *tree*, also within its functions."""
    found = set()
    for node in _run_nodes(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name.removeprefix(INSTALLED) for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            module = str(node.module).removeprefix(INSTALLED)
            inner = {f"{module}.{alias.name}" for alias in node.names}
            found |= (inner & modules) or {module}
    return found & modules


def _run_nodes(tree: ast.AST) -> Iterator[ast.AST]:
    """All nodes but those that only a type checker sees."""
    for node in ast.iter_child_nodes(tree):
        if not _is_type_checking(node):
            yield node
            yield from _run_nodes(node)


def _is_type_checking(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"


@pytest.mark.parametrize("package", PACKAGES)
def test_a_package_imports_only_what_it_builds_on(package: str) -> None:
    for name, tree in sources(package):
        allowed = set(MAY_IMPORT[package])
        if name in KNOW_META_TASKS:
            allowed |= {"meta_tasks", "configs"}
        of_ours = {module.split(".")[0] for module in imported(name, tree)} & set(PACKAGES)
        assert of_ours <= allowed, f"{name} imports {sorted(of_ours - allowed)}"


def test_no_module_imports_itself_in_a_circle_not_even_within_a_function() -> None:
    trees = dict(sources(*PACKAGES))
    names = {
        name: name.removesuffix(".py").removesuffix("/__init__").replace("/", ".") for name in trees
    }
    modules = set(names.values())
    graph = {module: needed(trees[file], modules) - {module} for file, module in names.items()}
    seen: dict[str, int] = defaultdict(int)

    def visit(module: str, path: tuple[str, ...]) -> None:
        assert seen[module] != 1, f"a circle: {' -> '.join((*path, module))}"
        if seen[module] == 0:
            seen[module] = 1
            for other in sorted(graph[module]):
                visit(other, (*path, module))
            seen[module] = 2

    for module in sorted(graph):
        visit(module, ())


@pytest.mark.parametrize(
    ("folder", "rooms"), [("harness", HARNESS_ROOMS), ("harness/agents", AGENT_ROOMS)]
)
def test_a_room_imports_only_lower_rooms_not_even_within_a_function(
    folder: str, rooms: tuple[str, ...]
) -> None:
    depth = len(folder.split("/"))
    prefix = f"{folder.replace('/', '.')}."
    there = {path.stem for path in (ROOT / folder).iterdir() if path.name != "__pycache__"}
    flat = {"__init__", "__main__"} | set(PROGRAM if folder == "harness" else ())
    assert there - flat == set(rooms), (
        f"tests/test_architecture.py: name every room of {folder} in HARNESS_ROOMS or AGENT_ROOMS"
    )
    for name, tree in sources(folder):
        room = Path(name).parts[depth].removesuffix(".py")
        lower = rooms[: rooms.index(room) + 1] if room in rooms else rooms
        for module in imported(name, tree):
            if module.startswith(prefix):
                other = module.split(".")[depth]
                assert other in lower or room in flat, f"{name} imports {module}"


def test_nothing_imports_a_command_and_the_program_finds_them_by_name() -> None:
    for name, tree in sources("harness"):
        above = {"commands", *PROGRAM} - ({"cli"} if name == "harness/__main__.py" else set())
        if not name.startswith("harness/commands/"):
            called = {
                module.partition("harness.")[2].split(".")[0] for module in imported(name, tree)
            }
            assert not called & above, f"{name} imports {sorted(called & above)}"


def test_all_commands_lie_in_one_folder() -> None:
    holding = {
        Path(name).stem
        for name, tree in sources("harness/commands")
        if "command" in {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
        or any(
            isinstance(node, ast.Assign) and dotted(node.targets[0]) == "command"
            for node in tree.body
        )
    }
    assert holding == set(COMMANDS)


def test_a_public_class_has_a_name_of_its_own() -> None:
    defined: dict[str, list[str]] = defaultdict(list)
    for name, tree in sources(*PACKAGES):
        for node in tree.body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                defined[node.name].append(name)
    assert {name: files for name, files in defined.items() if len(files) > 1} == {}


def test_sql_stands_in_world_only() -> None:
    for name, tree in sources("configs", "harness", "mcp_servers", "meta_tasks"):
        for node in nodes(tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                assert not SQL.search(node.value), f"{name}:{node.lineno} contains SQL"
        assert not {"sqlite3", "aiosqlite"} & {m.split(".")[0] for m in imported(name, tree)}, name


def test_the_simulation_reads_no_wall_clock_and_draws_from_streams_only() -> None:
    for name, tree in sources(*SIMULATION):
        if name in MAY_TOUCH_CLOCK_AND_CHANCE:
            continue
        modules = imported(name, tree)
        for module, what in BANNED_MODULES.items():
            if module != "secrets" or name not in DRAWS_TOKENS:
                assert module not in modules, f"{name} imports {module}: {what}"
        if name.startswith("world/colleagues/understanding/"):  # vectors of words, in whole numbers
            assert not {"numpy.random"} & modules and ".random" not in ast.unparse(tree), name
        else:
            assert "numpy" not in {module.split(".")[0] for module in modules}, name
        for node in nodes(tree):
            if isinstance(node, ast.Import | ast.ImportFrom):
                hidden = [a.name for a in node.names if a.asname and a.name in MAY_NOT_HIDE]
                assert not hidden, f"{name} imports {hidden} under another name"
            if isinstance(node, ast.ImportFrom) and node.module == "random":
                given = {alias.name for alias in node.names}
                assert given <= RANDOM_MAY_GIVE, f"{name} imports {given} from random"
            if isinstance(node, ast.Call):
                called = dotted(node.func)
                short = ".".join(called.split(".")[-2:])
                assert short not in BANNED_CALLS, f"{name}:{node.lineno} calls {called}"
                assert not called.startswith("random."), f"{name}:{node.lineno} calls {called}"
                assert called != "Random", f"{name}:{node.lineno} makes a generator of its own"


def test_every_kind_of_event_is_defined_in_world() -> None:
    """A server process knows nothing of meta_tasks, and must be able to let any event happen."""
    defined = {
        f"{name}:{node.name}"
        for name, tree in sources("harness", "mcp_servers", "meta_tasks")
        for node in nodes(tree)
        if isinstance(node, ast.ClassDef)
        and {"Event", *Event.kinds} & {ast.unparse(base).split(".")[-1] for base in node.bases}
    }
    assert defined == set()
    discover_apps()
    modules = {kind.__module__ for kind in Event.kinds.values()}
    assert {m for m in modules if not m.startswith("trainee_bench.world.")} <= {
        m for m in modules if m.startswith("tests.")
    }


def test_json_of_any_shape_stays_at_the_edges() -> None:
    for name, tree in sources(*PACKAGES):
        if name in HOLDS_JSON:
            continue
        for node in _outside_scripts(tree) if name.startswith(FAMILIES) else nodes(tree):
            for annotation in _annotations(node):
                written = dotted(annotation)
                assert not JSON_EDGES.search(written), f"{name}:{annotation.lineno}: {written}"


def _outside_scripts(tree: ast.AST) -> Iterator[ast.AST]:
    """Everything in a family but the functions that use tools: they read what these answer."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.AsyncFunctionDef):
            taken = [argument.annotation for argument in node.args.args]
            if any(given and ast.unparse(given) == "ToolClient" for given in taken):
                continue
        yield node
        yield from _outside_scripts(node)


def _annotations(node: ast.AST) -> list[ast.expr]:
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        return [node.returns] if node.returns else []
    if isinstance(node, ast.AnnAssign | ast.arg):
        return [node.annotation] if node.annotation else []
    return []


def test_a_file_is_called_for_what_it_holds() -> None:
    for package in PACKAGES:
        for path in (ROOT / package).rglob("*"):
            assert path.stem not in BAD_NAMES, path


def test_the_files_of_a_family_have_the_same_names_in_each() -> None:
    found = defaultdict(set)
    for name, _ in sources(FAMILIES.rstrip("/")):
        family, *rest = name.removeprefix(FAMILIES).removesuffix(".py").split("/")
        if rest and family != "week":  # its folder has a family for each of seven duties
            found[family].add(rest[0])
    assert found
    for family, names in found.items():
        assert {"__init__", "brief", "deliverables", "work"} <= names <= {*FAMILY_FILES}, family


def test_no_file_is_longer_than_a_reader_can_hold() -> None:
    for package in PACKAGES:
        for path in (ROOT / package).rglob("*.py"):
            lines = len(path.read_text(encoding="utf-8").splitlines())
            assert lines <= 400, (
                f"{path.relative_to(ROOT)} has {lines} lines: make a folder of it with an "
                "__init__.py and a file for each of its parts"
            )


def test_no_function_is_longer_than_a_screen() -> None:
    for name, tree in sources(*PACKAGES):
        for node in nodes(tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                lines = (node.end_lineno or node.lineno) - node.lineno + 1
                assert lines <= 60, (
                    f"{name}: {node.name} has {lines} lines; split it into functions with names"
                )


def test_a_family_in_one_file_may_read_json_in_its_oracle_and_nowhere_else() -> None:
    family = (
        "class Family:\n"
        "    def generate(self) -> dict[str, Any]: ...\n"
        "    async def shortcut(client: ToolClient) -> None:\n"
        "        found: dict[str, Any] = {}\n"
    )
    written = [
        ast.unparse(annotation)
        for node in _outside_scripts(ast.parse(family))
        for annotation in _annotations(node)
    ]
    assert written == ["dict[str, Any]"]
