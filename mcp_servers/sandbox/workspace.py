"""The workspace's files on their way into a sandbox, and what became of them on their way back.

What comes back is recorded as the effect of an action: it says all that is needed to apply it
again without running anything.
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
    """A file that the command made, changed or deleted; ``before`` is the version that it found,
    None if it found none there."""

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
    """What came of a command: in which kind of sandbox, how it ended, what it printed, and what
    is new; ``truncate_notes`` are the files that are as they were."""

    sandbox: str
    exit_code: int
    output: str
    made: tuple[WrittenFile, ...]
    gone: tuple[FileChange, ...]
    kept: tuple[str, ...]


@dataclass(frozen=True)
class WorkspaceSnapshot:
    """The workspace as carried into a sandbox: bytes and versions, by the files' names there."""

    files: Mapping[str, bytes]
    versions: Mapping[str, str | None]


def snapshot_workspace(tx: Transaction) -> WorkspaceSnapshot:
    """The workspace of whoever acts. Raises Invalid for a workbook that cannot be calculated."""
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
    """What to record of what a command *left* of the workspace *carried* in."""
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
    """Let the workspace be as the command left it.

    Raises Refused or Invalid if a file cannot be kept there, or is no longer as the command
    found it: then nothing must be.
    """
    _check_names(ran)
    touches: tuple[FileChange, ...] = (*ran.gone, *ran.made)
    for touched in touches:
        if _version(tx, touched.path) != touched.before:
            raise Refused(
                f"{touched.path} was changed by somebody else while the command ran; look at it "
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
    """Raise Invalid for a name that no file can have, Refused for two that are one here."""
    seen: dict[str, str] = {}
    for path in (*ran.kept, *(made.path for made in ran.made)):
        name = str(parse_file_path(path))
        if seen.setdefault(name, path) != path:
            raise Refused(f"Two files are called {name}, written in two ways; rename one.")


def _version(tx: Transaction, path: str) -> str | None:
    """The content of the file at *path* as a hash, None if there is no file."""
    files = Files(tx)
    if not files.exists(path):
        return None
    content = files.content(path)
    return f"{content.kind}:{content.sha256}"
