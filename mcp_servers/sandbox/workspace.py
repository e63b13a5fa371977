"""Copies the workspace's files into a sandbox and applies a command's changes to them.

The changes are recorded as an effect of the action, completely enough to apply them again without
running anything.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping
from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict

from trainee_bench.mcp_servers.sandbox.runner import SandboxResult
from trainee_bench.world.apps.files import Files
from trainee_bench.world.apps.sheets import Sheets
from trainee_bench.world.errors import Refused, WorldError
from trainee_bench.world.filesystem.content import FileKind
from trainee_bench.world.filesystem.paths import parse_file_path
from trainee_bench.world.transaction import Transaction

WORKSPACE_ROOT = "workspace:/"


class _Data(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class FileChange(_Data):
    """A file that the command made, changed or deleted. ``before`` is the version before the
    command, None for a new file."""

    path: str
    before: str | None


class WrittenFile(FileChange):
    """A file that the command made or changed."""

    base64: str

    @property
    def data(self) -> bytes:
        """The file's bytes."""
        return base64.b64decode(self.base64, validate=True)


class RecordedRun(_Data):
    """The result of a command: the kind of sandbox, the exit code, the output and the changes.
    ``kept`` are the unchanged files."""

    sandbox: str
    exit_code: int
    output: str
    made: tuple[WrittenFile, ...]
    gone: tuple[FileChange, ...]
    kept: tuple[str, ...]


@dataclass(frozen=True)
class WorkspaceSnapshot:
    """The workspace as copied into a sandbox: bytes and versions, by file name."""

    files: Mapping[str, bytes]
    versions: Mapping[str, str | None]


def snapshot_workspace(tx: Transaction) -> WorkspaceSnapshot:
    """Copy the actor's workspace. Raises Invalid for a workbook that cannot be calculated."""
    files: dict[str, bytes] = {}
    versions: dict[str, str | None] = {}
    for info in Files(tx).files_within(WORKSPACE_ROOT):
        name = info.path.removeprefix(WORKSPACE_ROOT)
        if info.kind is FileKind.WORKBOOK:
            files[name] = Sheets(tx).export_xlsx(info.path)
        else:
            files[name] = Files(tx).data(info.path)
        versions[name] = _version(tx, info.path)
    return WorkspaceSnapshot(files, versions)


def record_run(
    carried: WorkspaceSnapshot, left: SandboxResult, sandbox: str, output: str
) -> RecordedRun:
    """Record a command that got the workspace *carried* and *left* this result."""
    return RecordedRun(
        sandbox=sandbox,
        exit_code=left.exit_code,
        output=output,
        made=tuple(
            WrittenFile(
                path=WORKSPACE_ROOT + name,
                before=carried.versions.get(name),
                base64=base64.b64encode(data).decode(),
            )
            for name, data in sorted(left.changed.items())
        ),
        gone=tuple(
            FileChange(path=WORKSPACE_ROOT + name, before=carried.versions[name])
            for name in sorted(left.deleted)
        ),
        kept=tuple(WORKSPACE_ROOT + name for name in left.kept),
    )


def apply_run(tx: Transaction, ran: RecordedRun) -> None:
    """Apply the command's changes to the workspace.

    Raises Refused or Invalid if a file cannot be stored, or has changed since the command started.
    The caller must then keep none of the changes.
    """
    _check_names(ran)
    touches: tuple[FileChange, ...] = (*ran.gone, *ran.made)
    for touched in touches:
        if _version(tx, touched.path) != touched.before:
            raise Refused(
                f"{touched.path} was changed by someone else while the command ran. Check it "
                "and run the command again."
            )
    files, sheets = Files(tx), Sheets(tx)
    for gone in ran.gone:
        files.delete(gone.path)
    for made in ran.made:
        try:
            if parse_file_path(made.path).extension == "xlsx":
                sheets.import_xlsx(made.path, made.data)
            else:
                files.write_data(made.path, made.data)
        except WorldError as error:
            known = made.path in str(error)
            raise Refused(str(error) if known else f"{made.path}: {error}") from None


def _check_names(ran: RecordedRun) -> None:
    """Raise Invalid for an invalid file name, Refused for two names of the same path."""
    seen: dict[str, str] = {}
    for path in (*ran.kept, *(made.path for made in ran.made)):
        name = str(parse_file_path(path))
        if seen.setdefault(name, path) != path:
            raise Refused(f"Two spellings of {name} mean the same file here; rename one.")


def _version(tx: Transaction, path: str) -> str | None:
    """Return the hash of the file at *path*, None if there is no file."""
    files = Files(tx)
    if not files.exists(path):
        return None
    content = files.content(path)
    return f"{content.kind}:{content.sha256}"
