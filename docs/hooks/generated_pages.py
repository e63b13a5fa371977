"""MkDocs hook: pages that are generated from the code at each build, so that none becomes stale.

reference/commands.md  from the commands' own --help
reference/tools.md     from the toolboxes
decisions/index.md     from the titles in docs/decisions
tutorials/your_office.md  the guide that `office guide` prints
contributing.md, changelog.md  from the files of the repository
examples.md            gets the scripts themselves after its table
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page
from typer.main import get_command

from trainee_bench.harness.cli import COMMANDS, app, load_command
from trainee_bench.mcp_servers import discover_toolboxes
from trainee_bench.mcp_servers.serving.toolbox import Tool

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = "trainee-bench"
SERVE = "serve"
"""The only command whose options the server itself parses."""


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the generated pages."""
    pages = {
        "reference/commands.md": commands_page(),
        "reference/tools.md": tools_page(),
        "decisions/index.md": decisions_page(),
        "tutorials/your_office.md": _text(ROOT / "meta_tasks/offices/guide.md"),
        "contributing.md": _from_root("CONTRIBUTING.md"),
        "changelog.md": _from_root("CHANGELOG.md"),
    }
    for path, text in pages.items():
        files.append(File.generated(config, path, content=text))
    return files


def on_page_markdown(markdown: str, page: Page, **_: object) -> str:
    """Show the code of every example below the table of them."""
    if page.file.src_uri != "examples.md":
        return markdown
    scripts = sorted((ROOT / "examples").rglob("*.py"))
    shown = (
        f"## {path.name} {{ #{path.stem} }}\n\n```python\n{_text(path)}```" for path in scripts
    )
    return "\n\n".join([markdown, *shown])


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def commands_page() -> str:
    """Every command with its arguments and options, from the source of --help."""
    parts = [
        "# Commands",
        f"Generated from the program's `--help`; `{PROGRAM} COMMAND --help` prints the same.",
    ]
    for name, listed in get_command(app).commands.items():
        command = load_command(name) if name in COMMANDS else listed
        parts += [f"## {PROGRAM} {name}", command.help or ""]
        parts += [f"```text\n{_serve_help()}\n```"] if name == SERVE else _usage(name, command)
        for sub_name, sub_command in getattr(command, "commands", {}).items():
            parts += [f"### {PROGRAM} {name} {sub_name}", sub_command.help or ""]
            parts += _usage(f"{name} {sub_name}", sub_command)
    return "\n\n".join(parts) + "\n"


def _usage(name: str, command: Any) -> Iterator[str]:
    """The line of usage, and a table of arguments and options."""
    context = typer.Context(command, info_name=f"{PROGRAM} {name}")
    yield f"```text\n{command.get_usage(context)}\n```"
    rows = ["| argument or option | meaning |", "|---|---|"]
    for parameter in command.get_params(context):
        if parameter.name != "help":
            named, meaning = parameter.get_help_record(context)
            rows.append(f"| `{named}` | {_cell(meaning)} |")
    yield "\n".join(rows)


def _cell(text: str) -> str:
    """*text* as a cell of a table, with Markdown escaped."""
    return text.replace("|", "\\|").replace("*", "\\*")


def _serve_help() -> str:
    """The server's own help, as the program prints it."""
    printed = subprocess.run(
        [sys.executable, "-m", "trainee_bench.harness", "serve", "--help"],
        cwd=ROOT,
        env={**os.environ, "COLUMNS": "100", "PYTHONPATH": str(ROOT)},
        check=True,
        capture_output=True,
        text=True,
    )
    return printed.stdout.strip()


def tools_page() -> str:
    """Every tool of every app: its description for agents, its cost and its arguments."""
    parts = [
        "# Tools",
        (
            "Generated from the toolboxes in `mcp_servers/`. Agents read the same texts. A "
            "scenario may set another cost. A failed call of any tool costs one minute."
        ),
    ]
    for app_name, box in discover_toolboxes().items():
        only = " Offered only where a scenario names it." if box.opt_in else ""
        parts.append(f"## {app_name}\n\n{box.about}{only}")
        for tool in box:
            parts += [f"### {tool.name}\n\n{_indented(tool)}", *_table_of_arguments(tool)]
        for (name, variant), tool in box.variants.items():
            only = f"The variant `{variant}` of {name}, where a scenario or an office names it."
            parts += [f"### {name}: {variant}\n\n{only}\n\n{_indented(tool)}"]
            parts += _table_of_arguments(tool)
    return "\n\n".join(parts) + "\n"


def _table_of_arguments(tool: Tool) -> list[str]:
    rows = list(_arguments(tool))
    return ["\n".join(["| argument | type | meaning |", "|---|---|---|", *rows])] if rows else []


def _indented(tool: Tool) -> str:
    return "\n".join(line.strip() for line in tool.description(tool.minutes).splitlines())


def _arguments(tool: Tool) -> Iterator[str]:
    required = tool.input_schema.get("required", [])
    for name, schema in tool.input_schema.get("properties", {}).items():
        schemas = [schema, *schema.get("anyOf", [])]
        kind = " or ".join(str(part["type"]) for part in schemas if "type" in part) or "any"
        if "enum" in schema:
            kind = ", ".join(str(value) for value in schema["enum"])
        text = _cell(str(schema.get("description", "")))
        default = schema.get("default")
        if name not in required and default not in (None, "", []):
            text = f"{text}{'. ' if text else ''}Default: `{default}`"
        yield f"| `{name}`{'' if name in required else ' (optional)'} | {kind} | {text} |"


def decisions_page() -> str:
    """A list of all decisions, by their titles."""
    lines = [
        "# Decisions",
        "",
        (
            "Choices that are not obvious, and their reasons, one file each. Decisions stay "
            "unchanged, so a record may use names from the time when it was written."
        ),
        "",
    ]
    for path in sorted((ROOT / "docs" / "decisions").glob("0*.md")):
        title = path.read_text(encoding="utf-8").splitlines()[0].removeprefix("# ")
        number, _, text = title.partition(". ")
        lines.append(f"- [{number}: {text}]({path.name})")
    return "\n".join(lines) + "\n"


def _from_root(name: str) -> str:
    """A file of the repository's root, with its links relative to docs/."""
    text = (ROOT / name).read_text(encoding="utf-8")
    return re.sub(r"\]\(docs/", "](", text)
