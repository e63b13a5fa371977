"""Every place where a package calls `re`, with the expression and how it is used."""

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
"""The packages that run while an agent works and while its work is graded."""
_TAKES_AN_EXPRESSION = {
    "compile", "search", "match", "fullmatch", "split", "findall", "finditer", "sub", "subn",
}  # fmt: skip
_FROM_ONE_PLACE = ("match", "fullmatch", "tokens")
_FLAGS_AT = {"compile": 1, "split": 3, "sub": 4, "subn": 4}


@dataclass(frozen=True)
class CallSite:
    """A call of `re` in a file, by the function that contains it."""

    file: str
    line: int
    function: str
    name: str
    """What the statement assigns to; "" if it does not."""
    expression: str | bytes | None
    """None if it is only known where the function runs."""
    flags: int
    uses: frozenset[Use]

    @property
    def place(self) -> str:
        """The file, and there the function or the name, which stay where lines are added."""
        return f"{self.file}:{self.function or self.name or self.line}"


@cache
def call_sites() -> tuple[CallSite, ...]:
    """All of them, in the order of the files."""
    return tuple(site for file, tree in _trees().items() for site in _sites_in(file, tree))


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
    names = dict(_enclosing(tree, ""))
    for node in ast.walk(tree):
        called = _called(node)
        if called is None:
            continue
        assert isinstance(node, ast.Call)
        module = _module(file)
        expression = _value(node.args[0], module)
        flags = _flags(node, called, module)
        known = isinstance(expression, str | bytes) and flags is not None
        function, name, whole = names[node]
        uses = _uses(file, name if whole else "") if called == "compile" else {called}
        yield CallSite(
            file=file,
            line=node.lineno,
            function=function,
            name=name,
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


def _enclosing(
    node: ast.AST, function: str, target: str = ""
) -> Iterator[tuple[ast.AST, tuple[str, str, bool]]]:
    """Each node within *node*, with its function, with what its statement assigns to, and with
    whether it is all that is assigned."""
    for child in ast.iter_child_nodes(node):
        inner, assigned = function, target
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            inner = f"{function}.{child.name}".strip(".")
        elif isinstance(child, ast.Assign):
            assigned = ast.unparse(child.targets[0])
        elif isinstance(child, ast.AnnAssign):
            assigned = ast.unparse(child.target)
        whole = isinstance(node, ast.Assign | ast.AnnAssign) and node.value is child
        yield child, (inner, assigned, whole)
        yield from _enclosing(child, inner, assigned)


def _module(file: str) -> ModuleType:
    name = file.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    return importlib.import_module(f"trainee_bench.{name}")


def _value(node: ast.expr, module: ModuleType) -> object:
    """What *node* is at the top of *module*; None if it needs the names of a function."""
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


def _uses(file: str, name: str) -> set[str]:
    """The methods that are called of what has this name, in its file alone if it is private;
    "search" where that is unsure."""
    last = name.rpartition(".")[2]
    methods, mentions = _methods(file if last.startswith("_") else "")
    return methods[last] if last and len(methods[last]) and not mentions[last] else {"search"}


@cache
def _methods(only: str) -> tuple[Mapping[str, set[str]], Mapping[str, int]]:
    """For each name, in the file *only* or in all: which methods are called of it, and how often it
    stands without a call."""
    methods: dict[str, set[str]] = defaultdict(set)
    mentions: dict[str, int] = defaultdict(int)
    for tree in [_trees()[only]] if only else _trees().values():
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                name = _last_name(node.func.value)
                if name:
                    # from a place within the text, again and again: as a search does
                    many = node.func.attr == "match" and len(node.args) > 1
                    methods[name].add("tokens" if many else node.func.attr)
                    mentions[name] -= 1
            elif isinstance(node, ast.Call):
                for passed in node.args:  # filter(PATTERN.fullmatch, words)
                    if isinstance(passed, ast.Attribute) and passed.attr in _FROM_ONE_PLACE:
                        methods[_last_name(passed.value)].add(passed.attr)
                        mentions[_last_name(passed.value)] -= 1
            loaded = isinstance(getattr(node, "ctx", None), ast.Load)
            if isinstance(node, ast.expr) and loaded and _last_name(node):
                mentions[_last_name(node)] += 1
    return methods, mentions


def _last_name(node: ast.expr) -> str:
    if isinstance(node, ast.Name):
        return node.id
    return node.attr if isinstance(node, ast.Attribute) else ""
