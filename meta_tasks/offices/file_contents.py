"""Files of an office as an agent can read them: texts, workbooks, pictures."""

from __future__ import annotations

import base64
from functools import lru_cache
from pathlib import Path

from trainee_bench.meta_tasks.offices.source import OfficeError
from trainee_bench.world.apps.files import FileAppears
from trainee_bench.world.apps.sheets import WorkbookAppears
from trainee_bench.world.errors import WorldError
from trainee_bench.world.filesystem.content import FileContent, FileKind, picture_media_type
from trainee_bench.world.transaction import Event
from trainee_bench.world.workbook.xlsx import from_xlsx

MAX_FILE_BYTES = 10_000_000
_IMPORT = "use `trainee-bench office import` to convert it"


def is_text(path: str) -> bool:
    """Return whether the file at *path* is a text, by its ending."""
    return not path.lower().endswith((".xlsx", ".png", ".jpg", ".jpeg"))


def file_content(path: Path, name: str, data: bytes) -> FileContent:
    """Return the content of the file *name* that *path* brings. Raises OfficeError for a file that
    an agent could not read."""
    where = path if path.name == name else Path(f"{path} ({name})")
    if len(data) > MAX_FILE_BYTES:
        raise OfficeError(where, f"it is larger than {MAX_FILE_BYTES:,} bytes")
    ending = name.rpartition(".")[2].lower()
    if ending == "xlsx":
        return FileContent(kind=FileKind.WORKBOOK, data=_workbook(where, data))
    if ending in ("png", "jpg", "jpeg"):
        if not picture_media_type(data):
            raise OfficeError(where, "it is neither a PNG nor a JPEG, whatever its name says")
        return FileContent(kind=FileKind.PICTURE, data=data)
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        raise OfficeError(
            where, f"agents cannot read it: it is not UTF-8 text; {_IMPORT}"
        ) from None
    if "\0" in text:
        raise OfficeError(where, f"agents cannot read it: it is not text; {_IMPORT}")
    return FileContent(kind=FileKind.TEXT, data=data)


@lru_cache(maxsize=256)
def _workbook(where: Path, data: bytes) -> bytes:
    try:
        return from_xlsx(data).dump().encode()
    except WorldError as error:
        raise OfficeError(where, f"{error} Or {_IMPORT}.") from None


def appearance(path: str, data: bytes) -> Event:
    """Return the event by which the file *data* appears at *path* of a world."""
    encoded = base64.b64encode(data).decode()
    if path.lower().endswith(".xlsx"):
        return WorkbookAppears(path=path, xlsx_base64=encoded)
    try:
        return FileAppears(path=path, text=data.decode("utf-8"))
    except UnicodeDecodeError:
        return FileAppears(path=path, data_base64=encoded)
