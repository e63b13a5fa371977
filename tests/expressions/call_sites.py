"""Every place where a package calls `re`, with the expressions that it gives and how it uses them."""

from __future__ import annotations

import ast
import importlib
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import ModuleType

from tests.expressions.growth import Use

ROOT = Path(__file__).parent.parent.parent
PACKAGES = ("mcp_servers", "meta_tasks", "world")
"""What runs while an agent works and while its work is graded."""
_TAKES_AN_EXPRESSION = {
    "compile", "search", "match", "fullmatch", "split", "findall", "finditer", "sub", "subn",
}  # fmt: skip
_FROM_ONE_PLACE = ("match", "fullmatch")
_FLAGS_AT = {"compile": 1, "split": 3, "sub": 4, "subn": 4}


@dataclass(frozen=True)
class CallSite:
    """A call of `re` in a file, by the function that it stands in."""

    file: str
    line: int
    function: str
    expression: str | bytes | None
    """None if it is only known where the function runs."""
    flags: int
    uses: frozenset[Use]

    @property
    def place(self) -> str:
        """The file and the function, which stay as they are where lines are added."""
        return f"{self.file}:{self.function}"


def call_sites() -> list[CallSite]:
    """All of them, in the order of the files."""
    return [site for file, tree in _trees().items() for site in _sites_in(file, tree)]


def other_imports() -> list[str]:
    """Files that import `re` so that its calls cannot be seen, or another engine."""
    found = []
    for file, tree in _trees().items():
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and node.module in {"re", "regex"}:
                found.append(file)
            elif isinstance(node, ast.Import):
                odd = [one for one in node.names if one.name in {"re", "regex"}]
                found += [file for one in odd if one.asname or one.name == "regex"]
    return found


@cache
def _trees() -> Mapping[str, ast.Module]:
    return {
        path.relative_to(ROOT).as_posix(): ast.parse(path.read_text(encoding="utf-8"))
        for package in PACKAGES
        for path in sorted((ROOT / package).rglob("*.py"))
        if "templates" not in path.parts
    }


def _sites_in(file: str, tree: ast.Module) -> Iterator[CallSite]:
    names = {node: name for node, name in _enclosing(tree, "")}
    for node in ast.walk(tree):
        called = _called(node)
        if called is None:
            continue
        assert isinstance(node, ast.Call)
        module = _module(file)
        expression = _value(node.args[0], module)
        flags = _flags(node, called, module)
        known = isinstance(expression, str | bytes) and flags is not None
        uses = _uses(names[node][1]) if called == "compile" else {called}
        yield CallSite(
            file=file,
            line=node.lineno,
            function=names[node][0] or "module",
            expression=expression if known else None,  # type: ignore[arg-type]
            flags=flags or 0,
            uses=frozenset(one if one in _FROM_ONE_PLACE else "search" for one in uses),
        )


def _called(node: ast.AST) -> str | None:
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
        return None
    owner = node.func.value
    of_re = isinstance(owner, ast.Name) and owner.id == "re"
    return node.func.attr if of_re and node.func.attr in _TAKES_AN_EXPRESSION else None


def _enclosing(node: ast.AST, function: str, target: str = "") -> Iterator[tuple[ast.AST, tuple[str, str]]]:
    """Each node within *node*, with its function and the name that its statement assigns to."""
    for child in ast.iter_child_nodes(node):
        inner, assigned = function, target
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            inner = f"{function}.{child.name}".strip(".")
        elif isinstance(child, ast.Assign) and isinstance(child.value, ast.Call):
            assigned = ast.unparse(child.targets[0])
        elif isinstance(child, ast.AnnAssign) and isinstance(child.value, ast.Call):
            assigned = ast.unparse(child.target)
        yield child, (inner, assigned)
        yield from _enclosing(child, inner, assigned)


def _module(file: str) -> ModuleType:
    name = file.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    return importlib.import_module(f"trainee_bench.{name}")


def _value(node: ast.expr, module: ModuleType) -> object:
    """What an expression of Python is at the top of *module*; None if it needs a function's names."""
    code = compile(ast.Expression(node), module.__name__, "eval")
    try:
        return eval(code, dict(vars(module)))
    except NameError:
        return None


def _flags(node: ast.Call, called: str, module: ModuleType) -> int | None:
    at = _FLAGS_AT.get(called, 2)
    given = [one.value for one in node.keywords if one.arg == "flags"] or node.args[at : at + 1]
    if not given:
        return 0
    value = _value(given[0], module)
    return int(value) if isinstance(value, int | re.RegexFlag) else None


def _uses(name: str) -> set[str]:
    """The methods that are called anywhere of what has this name; "search" where that is unsure."""
    methods, mentions = _methods()
    last = name.rpartition(".")[2]
    return methods[last] if last and len(methods[last]) and not mentions[last] else {"search"}


@cache
def _methods() -> tuple[Mapping[str, set[str]], Mapping[str, int]]:
    """For each name: which methods are called of it, and how often it stands without a call."""
    methods: dict[str, set[str]] = defaultdict(set)
    mentions: dict[str, int] = defaultdict(int)
    for tree in _trees().values():
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                name = _last_name(node.func.value)
                if name:
                    # from a place within the text, again and again: as a search does
                    methods[name].add(node.func.attr if len(node.args) == 1 else "search")
                    mentions[name] -= 1
            loaded = isinstance(getattr(node, "ctx", None), ast.Load)
            if isinstance(node, ast.expr) and loaded and _last_name(node):
                mentions[_last_name(node)] += 1
    return methods, mentions


def _last_name(node: ast.expr) -> str:
    if isinstance(node, ast.Name):
        return node.id
    return node.attr if isinstance(node, ast.Attribute) else ""
