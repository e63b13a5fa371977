"""``trainee-bench bundle FOLDER``: a release's files for desktop clients and the MCP registry.

    trainee-bench bundle dist --registry-name io.github.USER/trainee-bench

It writes trainee-bench.mcpb and, with --registry-name, server.json. Both name the published
package of this version. The registry also looks for the line ``mcp-name: NAME`` in the README of
that package. Exit code 0 if they were written, 2 for a usage error.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from trainee_bench.harness.clients.bundle import (
    PACKAGE,
    CannotBundle,
    bundle_bytes,
    json_text,
    registry_entry,
)
from trainee_bench.harness.support.commands import exit_on_error
from trainee_bench.mcp_servers.serving.server import package_version


def command(
    folder: Annotated[Path, typer.Argument(help="Folder to write to.", metavar="FOLDER")],
    registry_name: Annotated[
        str | None,
        typer.Option(
            help="Name in the MCP registry, such as io.github.USER/trainee-bench. Without it, the "
            "command writes no server.json."
        ),
    ] = None,
    version: Annotated[
        str | None, typer.Option(help="Published version to install (default: this one).")
    ] = None,
    author: Annotated[
        str, typer.Option(help="Author name that clients show.")
    ] = "The authors of Trainee-Bench",
) -> None:
    """Write the .mcpb bundle for desktop clients and the registry's server.json."""
    with exit_on_error("bundle", CannotBundle):
        published = version or package_version()
        files = {f"{PACKAGE}.mcpb": bundle_bytes(published, author)}
        if registry_name is not None:
            entry = registry_entry(registry_name, published)
            files["server.json"] = json_text(entry).encode()
        folder.mkdir(parents=True, exist_ok=True)
        for name, content in files.items():
            (folder / name).write_bytes(content)
            typer.echo(folder / name)
