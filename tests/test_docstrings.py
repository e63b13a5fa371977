"""The docstring of a module names what exists: files, modules, classes, functions, commands."""

from __future__ import annotations

import ast
import builtins
import io
import re
import tokenize
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from random import Random

import pytest

from tests.test_architecture import PACKAGES, nodes, sources
from trainee_bench.harness.cli import COMMANDS

ROOT = Path(__file__).parent.parent
QUOTED = re.compile(r"``(.+?)``|`([^`]+)`", re.DOTALL)
FILE = re.compile(r"(?<![\w/:.…])(?:\w+/)*\w+\.(?:py|css|html|mjs)\b")
FOLDER = re.compile(rf"(?<![\w/])(?:{'|'.join(PACKAGES)}|docs)(?:/\w+)+/?(?![\w./])")
DOTTED = re.compile(r"(?<![\w/.:=…-])[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+\b(?![/.@])")
CAMEL = re.compile(r"(?<![\w/.<-])[A-Z][a-z0-9]+(?:[A-Z][a-z0-9]+)+(?![\w./])")
SNAKE = re.compile(r"(?<![\w/.:=-])_?[a-zA-Z][a-z0-9]*(?:_[a-z0-9]+)+(?![\w./:])")
CONSTANT = re.compile(r"(?<![\w/.-])[A-Z]+(?:_[A-Z]+)+(?![\w.])")
COMMAND = re.compile(r"trainee-bench ([a-z]+)")
OWN_MEMBER = re.compile(r"[A-Z]\w+\.\w+")
OF_OTHERS = {
    *("GRPOTrainer", "LangChain", "ModelOutput", "OpenEnv", "OpenTelemetry", "ToolCallError"),
    *("ToolAgentLoop", "core_50", "max_output", "set_position", "tool_call"),
    *("asyncio.to_thread", "environment_factory", "generateContent", "random.Random", "react"),
    *(*dir(builtins), *dir(Random)),
}
"""What Python and other projects call so."""
EXAMPLES = {"Line.describe", "ORDERS.parse", "SETTER.event"}
"""What the lines above in the same docstring define."""


@cache
def docstrings() -> dict[str, str]:
    found = {name: ast.get_docstring(tree) for name, tree in sources(*PACKAGES)}
    return {name: text for name, text in found.items() if text}


@cache
def defined() -> frozenset[str]:
    """All that the package has a name for: also arguments, fields, texts such as names of tools."""
    found = set()
    for name, tree in sources(*PACKAGES):
        found |= set(Path(name).with_suffix("").parts)
        for node in nodes(tree):
            match node:
                case ast.ClassDef() | ast.FunctionDef() | ast.AsyncFunctionDef():
                    found.add(node.name)
                case ast.Name(ctx=ast.Store()):
                    found.add(node.id)
                case ast.arg():
                    found.add(node.arg)
                case ast.Attribute(ctx=ast.Store()):
                    found.add(node.attr)
                case ast.Constant(value=str(text)) if re.fullmatch(r"\w+", text):
                    found.add(text)
    return frozenset(found)


@cache
def members() -> dict[str, set[str]]:
    """What is defined in each class and each module, by the last part of its name."""
    found: dict[str, set[str]] = {}
    for name, tree in sources(*PACKAGES):
        path = Path(name).with_suffix("")
        module = path.parent.name if path.name == "__init__" else path.name
        own = found.setdefault(module, set())
        found.setdefault(path.parent.name, set()).add(path.name)
        found.setdefault(path.parent.parent.name, set()).add(path.parent.name)
        own |= {node.id for node in tree.body for node in ast.walk(node) if stored(node)}
        for node in nodes(tree):
            if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                own.add(node.name)
            if isinstance(node, ast.ClassDef):
                found.setdefault(node.name, set()).update(inside(node))
    return found


def stored(node: ast.AST) -> bool:
    return isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)


def inside(kind: ast.ClassDef) -> Iterator[str]:
    for node in ast.walk(kind):
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                yield node.name
            case ast.Name(ctx=ast.Store()):
                yield node.id
            case ast.Attribute(ctx=ast.Store()):
                yield node.attr


def is_there(dotted: str) -> bool:
    """Whether *dotted* is defined; a field of an object is called by the name of the object."""
    *_, of, name = dotted.split(".")
    if of == "trainee_bench":
        return name in PACKAGES
    if of in PACKAGES or (of[0].isupper() and of in members()):
        return name in members()[of]
    return {of, name} <= defined()


@cache
def written() -> str:
    """All texts in the code but docstrings, which name the files that are read and written."""
    texts = set()
    for _, tree in sources(*PACKAGES):
        for node in nodes(tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                texts.add(node.value if "\n" not in node.value else "")
    return "\n".join(texts)


def names_nothing(module: str, text: str) -> Iterator[str]:
    """The names in *text*, the docstring of *module*, that nothing has."""
    folder = (ROOT / module).parent
    roots = (ROOT, folder, *folder.parents[: len(Path(module).parts)])
    for file in {*FILE.findall(text), *FOLDER.findall(text)}:
        stem = Path(file).stem
        made = stem.isupper() or f"\n{file}\n" in written()
        made = made or (not file.endswith((".py", "/")) and file in written())
        made = made or any(folder.glob(f"*/{file}"))
        if not made and not any((root / file).exists() for root in roots):
            yield file
    text = FOLDER.sub(" ", FILE.sub(" ", text))
    for command in COMMAND.findall(text):
        if command not in {*COMMANDS, "serve"}:
            yield f"trainee-bench {command}"
    text = re.sub(
        r"[\w/.]+\.(?:jsonl?|mcpb|md|svg|toml|world|csv|xlsx|yaml|ics|eml|address)\b|\w+=\S+",
        " ",
        text,
    )
    for name in set(DOTTED.findall(text)) - OF_OTHERS - EXAMPLES:
        if not is_there(name):
            yield name
    for name in {*CAMEL.findall(text), *SNAKE.findall(text), *CONSTANT.findall(text)} - OF_OTHERS:
        if name not in defined():
            yield name
    for quoted in QUOTED.findall(text):
        name = "".join(quoted)
        if re.fullmatch(r"[a-z]\w{2,}", name) and name not in defined() | OF_OTHERS:
            yield name


@pytest.mark.parametrize("package", PACKAGES)
def test_a_docstring_names_what_exists(package: str) -> None:
    gone = {
        module: sorted(names)
        for module, text in docstrings().items()
        if module.startswith(f"{package}/") and (names := set(names_nothing(module, text)))
    }
    assert gone == {}


def remarks(tree: ast.Module, source: str) -> Iterator[str]:
    """All docstrings below that of the module, of fields too, and all comments."""
    for node in nodes(tree):
        match node:
            case ast.Expr(value=ast.Constant(value=str(text))) if node is not tree.body[0]:
                yield text
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            yield token.string


@pytest.mark.parametrize("package", PACKAGES)
def test_what_is_quoted_in_other_docstrings_and_in_comments_exists(package: str) -> None:
    gone = dict[str, set[str]]()
    for module, tree in sources(package):
        for text in remarks(tree, (ROOT / module).read_text(encoding="utf-8")):
            for quoted in map("".join, QUOTED.findall(text)):
                if OWN_MEMBER.fullmatch(quoted) and quoted.split(".")[0] in members():
                    there = is_there(quoted)
                else:
                    name = SNAKE.fullmatch(quoted) or CAMEL.fullmatch(quoted)
                    there = not name or quoted in defined() | OF_OTHERS
                if not there:
                    gone.setdefault(module, set()).add(quoted)
    assert gone == {}


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("`meta_tasks/gone.py` composes", "meta_tasks/gone.py"),
        ("see ``world/gone/``", "world/gone/"),
        ("script ──► GoneReader ──► World", "GoneReader"),
        ("calls `World.gone`", "World.gone"),
        ("is passed to `gone_function`", "gone_function"),
        ("`gonesome`: a part", "gonesome"),
        ("`trainee-bench gone`", "trainee-bench gone"),
    ],
)
def test_a_name_of_what_is_gone_is_found(text: str, name: str) -> None:
    assert name in set(names_nothing("world/world.py", text))


def test_names_of_what_exists_are_known() -> None:
    text = (
        "`world.py` ──► `World.read`, `meta_tasks/scenario.py`, ToolDispatcher, `trainee-bench run`"
    )
    assert not set(names_nothing("world/world.py", text))
