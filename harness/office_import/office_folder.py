"""The folder of an own office: its existing files, and writing new ones atomically."""

from __future__ import annotations

import csv
import os
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, time
from email.parser import BytesHeaderParser
from pathlib import Path

from trainee_bench.harness.office_import.limits import MAX_FILE_BYTES
from trainee_bench.harness.office_import.mail_headers import message_ids, raw_header
from trainee_bench.harness.office_import.refusals import CannotImport, ItemRefused, extra_module
from trainee_bench.harness.support.text import encodable

PSEUDONYMS_MARK = ".pseudonyms"
"""The file that says that the names in an office are pseudonyms. Offices leave out hidden files."""
_HOURS = ("09:00", "17:00")


@dataclass(frozen=True)
class OfficeSettings:
    """The values of office.yaml that an import needs; None or "" if they are not there."""

    first_day: date | None = None
    domain: str = ""
    hours: tuple[str, str] = _HOURS


class OfficeFolder:
    """A folder of an office. It is created with the first file; nothing in it is overwritten."""

    def __init__(self, root: Path):
        self.root = root
        self._mails: dict[str, str] | None = None
        self._numbers = 0
        self._names: dict[Path, dict[str, str]] = {}

    def check(self) -> None:
        """Raise CannotImport if the folder is a file, or could not be created."""
        if self.root.exists() and not self.root.is_dir():
            raise CannotImport(f"--office {self.root}: this is a file; name a folder.")
        if not self.root.exists() and not self.root.absolute().parent.is_dir():
            raise CannotImport(
                f"--office {self.root}: there is no folder {self.root.absolute().parent}; create "
                "it or name another."
            )

    def check_real_names(self) -> None:
        """Raise CannotImport if the names in the office are pseudonyms."""
        if (self.root / PSEUDONYMS_MARK).exists():
            raise CannotImport(
                f"The names in {self.root} are pseudonyms, and an import would add real names, or "
                "other pseudonyms for the same people. Import all exports at once into a new "
                f"folder, or remove {self.root / PSEUDONYMS_MARK} if that does not matter."
            )

    def settings(self) -> OfficeSettings:
        """Return the settings in office.yaml, the defaults without that file.

        Raises CannotImport if it cannot be read, or has a value that is no day or no hours.
        """
        path = self.root / "office.yaml"
        if not path.is_file():
            return OfficeSettings()
        yaml = extra_module("ruamel.yaml")
        try:
            found = yaml.YAML(typ="safe", pure=True).load(path.read_text(encoding="utf-8"))
        except (yaml.error.YAMLError, UnicodeDecodeError, ValueError) as error:
            said = " ".join(str(error).split())[:200]
            raise CannotImport(f"{path} is not YAML ({said}). Correct it.") from None
        values = found if isinstance(found, dict) else {}
        day = values.get("day")
        if isinstance(day, str):
            try:
                day = date.fromisoformat(day)
            except ValueError:
                raise CannotImport(f"{path}: day is {day!r}; write it like 2026-11-30.") from None
        hours = str(values.get("hours") or "-".join(_HOURS)).replace("–", "-").replace(" ", "")
        starts, _, ends = hours.partition("-")
        if not all(_is_clock(text) for text in (starts, ends)):
            raise CannotImport(f"{path}: hours are {hours!r}; write them like 09:00-17:00.")
        return OfficeSettings(
            day if isinstance(day, date) else None, str(values.get("domain") or ""), (starts, ends)
        )

    def people(self) -> frozenset[str]:
        """Return the names in people.csv, casefolded. Raises CannotImport if it has no names."""
        return self._column("people.csv", "name")

    def rooms(self) -> frozenset[str]:
        """Return the rooms in rooms.csv. Raises CannotImport if it has no rooms."""
        return self._column("rooms.csv", "room", fold=False)

    def read(self, relative: str) -> bytes | None:
        """Return the file at *relative*, or None if there is none."""
        path = self.root / relative
        return path.read_bytes() if path.is_file() else None

    def add(self, relative: str, data: bytes) -> bool:
        """Write a new file, completely or not at all, and return whether it was written.

        False means that the same file is there already. Raises ItemRefused if another file has its
        path, or its name in other letters.
        """
        path = self.root / relative
        present = self._present(path)
        if present is not None:
            if present.is_file() and present.read_bytes() == data:
                return False
            shown = present.relative_to(self.root).as_posix()
            raise ItemRefused(
                f"The office already has another {shown}. Rename the file to import, or remove "
                "that one."
            )
        self._written(path, data, replaces=False)
        if path.parent in self._names:
            self._names[path.parent][path.name.casefold()] = path.name
        return True

    def replace(self, relative: str, data: bytes) -> None:
        """Write the file at *relative*, completely or not at all; only calendar.ics grows so."""
        self._written(self.root / relative, data, replaces=True)

    def add_mail(self, message_id: str, slug: str, data: bytes) -> tuple[str, bool]:
        """Write a mail as mail/NNN-slug.eml; return its path, and whether it was written.

        Raises ItemRefused if the office has another mail with this message id.
        """
        known = self._known_mails()
        if message_id in known:
            path = known[message_id]
            if self.read(path) == data:
                return path, False
            raise ItemRefused(
                f"The office already has a mail with its Message-ID, {path}, with other content. "
                "Remove that one first, if this one should replace it."
            )
        self._numbers += 1
        path = f"mail/{self._numbers:03}-{slug}.eml"
        self._written(self.root / path, data, replaces=False)
        known[message_id] = path
        return path, True

    def _known_mails(self) -> dict[str, str]:
        if self._mails is None:
            self._mails = {}
            for path in sorted((self.root / "mail").glob("*.eml")):
                digits = path.name.partition("-")[0]
                if digits.isascii() and digits.isdigit():
                    self._numbers = max(self._numbers, int(digits))
                with path.open("rb") as file:
                    header = BytesHeaderParser().parsebytes(file.read(MAX_FILE_BYTES))
                for id in message_ids(raw_header(header, "Message-ID"))[:1]:
                    self._mails.setdefault(id, f"mail/{path.name}")
        return self._mails

    def _present(self, path: Path) -> Path | None:
        """Return the file in the way of *path*: also one whose name differs only in case."""
        if path.exists() or path.is_symlink():
            return path
        if not path.parent.is_dir():
            return None
        if path.parent not in self._names:
            self._names[path.parent] = {
                other.name.casefold(): other.name for other in path.parent.iterdir()
            }
        other = self._names[path.parent].get(path.name.casefold())
        return None if other is None else path.parent / other

    def _written(self, path: Path, data: bytes, *, replaces: bool) -> None:
        """Write *path* by way of another file. Raises ItemRefused if a file is in its way."""
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except (FileExistsError, NotADirectoryError):
            raise ItemRefused(
                f"The office has a file where its folder {path.parent.name} would be. Rename one "
                "of them."
            ) from None
        handle, name = tempfile.mkstemp(prefix=".import-", dir=path.parent)
        temporary = Path(name)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(data)
            temporary.chmod(0o644)
            if replaces:
                temporary.replace(path)
                return
            try:
                path.hardlink_to(temporary)  # unlike a rename, this never replaces a file
            except FileExistsError:
                raise ItemRefused(f"The office already has a file {path.name}.") from None
            except OSError:  # a file system without links
                temporary.replace(path)
        finally:
            with suppress(FileNotFoundError):
                temporary.unlink()

    def _column(self, name: str, column: str, *, fold: bool = True) -> frozenset[str]:
        path = self.root / name
        if not path.is_file():
            return frozenset()
        try:
            with path.open(encoding="utf-8-sig", newline="") as file:
                rows = list(csv.DictReader(file))
        except (UnicodeDecodeError, csv.Error) as error:
            raise CannotImport(f"{path} is not CSV in UTF-8 ({error}). Save it again.") from None
        if rows and column not in rows[0]:
            raise CannotImport(f"{path} has no column {column}. Add it to its first line.")
        found = (" ".join((row[column] or "").split()) for row in rows)
        return frozenset(text.casefold() if fold else text for text in found if text)


def shown_path(path: Path) -> str:
    """Return *path* for a report: printable, with slashes."""
    return encodable(path.as_posix())


def _is_clock(text: str) -> bool:
    try:
        return len(text) == 5 and bool(time.fromisoformat(text).isoformat())
    except ValueError:
        return False
