"""Pseudonyms for the folder of an office: all its files, and their names."""

from __future__ import annotations

import csv
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from trainee_bench.harness.pseudonyms import (
    calendar_files,
    mail_files,
    table_files,
    text_files,
    workbook_files,
)
from trainee_bench.harness.pseudonyms.checking import Checker
from trainee_bench.harness.pseudonyms.picture_metadata import UnreadPicture, without_metadata
from trainee_bench.harness.pseudonyms.report import (
    CannotPseudonymise,
    Notes,
    NotLookedInto,
    PseudonymReport,
    frozen,
)
from trainee_bench.harness.pseudonyms.texts import KnownNames, Pseudonyms
from trainee_bench.harness.pseudonyms.visitor import Place, Visitor
from trainee_bench.world.errors import WorldError

_FIXED = frozenset(
    "office.yaml people.csv rooms.csv calendar.ics known.yaml mail drive tasks".split()
)
"""Names at the top of an office, which its reader knows."""
_PICTURES = frozenset(".png .jpg .jpeg .gif .bmp .webp .tif .tiff .heic".split())
_HISTORIES = frozenset((".git", ".hg", ".svn"))
_METADATA = frozenset((".png", ".jpg", ".jpeg"))
_DOCUMENTS = frozenset(".pdf .docx .doc .pptx .xls .odt .ods .rtf .msg .pst".split())


def pseudonymise(folder: Path, seed: str, known: KnownNames) -> PseudonymReport:
    """Replace all people, companies, addresses and numbers in the office *folder*.

    The folder is replaced as a whole at the end, so a failure leaves it as it was. The same folder,
    *seed* and *known* names give the same bytes; the mapping is only in the report.
    Raises CannotPseudonymise if the folder is none or empty or has a history (.git), the seed is
    empty, or a mail or workbook is damaged.
    """
    if not seed:
        raise CannotPseudonymise(
            "the seed is empty: give --pseudonyms any word that you keep secret"
        )
    if folder.is_symlink() or not folder.is_dir():
        raise CannotPseudonymise(f"{folder} is no folder: name the folder of an office")
    paths = sorted(folder.rglob("*"))
    if not any(path.is_file() for path in paths):
        raise CannotPseudonymise(f"{folder} has no files: import or write an office there first")
    for path in paths:
        if path.name in _HISTORIES:
            raise CannotPseudonymise(
                f"{path.relative_to(folder)} holds earlier versions with real names: work on a "
                "copy of the folder without it"
            )
    return _Office(folder, paths, Pseudonyms(seed, known)).rewritten()


def swapped_in(made: Path, folder: Path, aside: Path) -> None:
    """Put the folder *made* in the place of *folder*, which goes to *aside* if it is there.

    An interruption in between brings *folder* back.
    """
    try:
        if folder.is_dir():
            folder.rename(aside)
        made.rename(folder)
    except BaseException:
        if aside.is_dir() and not folder.exists():
            aside.rename(folder)
        raise


class _Office:
    def __init__(self, folder: Path, paths: list[Path], pseudonyms: Pseudonyms) -> None:
        self._folder = folder
        self._paths = paths
        self._pseudonyms = pseudonyms
        self._skipped: dict[str, str] = {}
        self._renamed: dict[Path, Path] = {Path(): Path()}
        self._taken = {Path()}

    def rewritten(self) -> PseudonymReport:
        collector = self._pseudonyms.collector()
        for path, inside in self._files():
            self._visit(path.read_bytes(), path.name, collector, Place(inside.as_posix()))
        for path in self._paths:
            collector.file_name(path.stem, Place(path.name))
        self._skipped.clear()
        with tempfile.TemporaryDirectory(
            prefix=f".{self._folder.name}-", dir=self._folder.parent
        ) as beside:
            made = Path(beside) / "office"
            made.mkdir()
            report = self._write(made)
            made.chmod(self._folder.stat().st_mode & 0o777)
            swapped_in(made, self._folder, Path(beside) / "real")
        return report

    def _files(self) -> Iterator[tuple[Path, Path]]:
        for path in self._paths:
            if path.is_file() and not path.is_symlink():
                yield path, path.relative_to(self._folder)

    def _write(self, made: Path) -> PseudonymReport:
        replacer = self._pseudonyms.replacer()
        left = Notes()
        notes = self._pseudonyms.notes
        checker = Checker(self._pseudonyms.names, left, notes.mapping)
        for path in self._paths:
            inside = path.relative_to(self._folder)
            new = self._new_path(inside, replacer, is_file=not path.is_dir())
            target = made / new
            if path.is_symlink():
                self._skipped[new.as_posix()] = "a link is copied as it is"
                target.symlink_to(path.readlink())
            elif path.is_dir():
                target.mkdir()
            else:
                place = Place(new.as_posix())
                content = self._visit(path.read_bytes(), path.name, replacer, place)
                target.write_bytes(content)
                shutil.copymode(path, target)
                skipped = dict(self._skipped)
                self._visit(content, new.name, checker, place)
                self._skipped = skipped
            checker.file_name(new.name, Place(new.as_posix(), "name"))
        return PseudonymReport(
            replaced=dict(sorted(notes.counts.items())),
            uncertain=notes.uncertain(),
            not_looked_into=tuple(
                NotLookedInto(file, why) for file, why in sorted(self._skipped.items())
            ),
            left_over=left.uncertain(),
            renamed=sum(old.name != new.name for old, new in self._renamed.items()),
            paths={
                old.as_posix(): new.as_posix() for old, new in self._renamed.items() if old != new
            },
            mapping=frozen(notes.mapping),
        )

    def _new_path(self, inside: Path, visitor: Visitor, *, is_file: bool) -> Path:
        """Return the new path of a file or folder; its parents were named before."""
        parent = self._renamed[inside.parent]
        stem, suffix = (inside.stem, inside.suffix) if is_file else (inside.name, "")
        if len(inside.parts) == 1 and inside.name in _FIXED:
            made = inside.name
        else:
            made = visitor.file_name(stem, Place((parent / inside.name).as_posix(), "name"))
            made += suffix
        candidate, number = parent / made, 2
        while candidate in self._taken:
            candidate = parent / f"{Path(made).stem}-{number}{suffix}"
            number += 1
        self._renamed[inside] = candidate
        self._taken.add(candidate)
        return candidate

    def _visit(self, content: bytes, name: str, visitor: Visitor, place: Place) -> bytes:
        """Return *content*, of a file with this *name*, as *visitor* changes it."""
        suffix = Path(name).suffix.lower()
        if suffix == ".eml":
            return mail_files.rewrite(
                content,
                visitor,
                lambda inner, title, inside: self._visit(inner, title, visitor, inside),
                place,
            )
        if suffix == ".xlsx":
            try:
                return workbook_files.rewrite_xlsx(content, visitor, place)
            except WorldError as error:
                raise CannotPseudonymise(
                    f"{place.file} is no readable workbook: {error} Save it again, or remove it."
                ) from error
        if suffix in _METADATA:
            with suppress(UnreadPicture):
                content = without_metadata(content)
        skipped = _why_not_read(suffix, content)
        if skipped:
            file = f"{place.file} ({place.part})" if place.part else place.file
            self._skipped[file] = skipped
            return content
        return self._text(content.decode("utf-8"), suffix, visitor, place).encode("utf-8")

    def _text(self, text: str, suffix: str, visitor: Visitor, place: Place) -> str:
        if suffix in {".ics", ".vcf"}:
            return calendar_files.rewrite(text, visitor, place)
        if suffix in {".csv", ".tsv"}:
            try:
                return table_files.rewrite_csv(text, visitor, place)
            except csv.Error:
                return text_files.rewrite(text, suffix, visitor, place)
        return text_files.rewrite(text, suffix, visitor, place)


def _why_not_read(suffix: str, content: bytes) -> str:
    """Return why the content of a file is left as it is, or ""."""
    if suffix in _PICTURES:
        return "a picture: look at it, and remove it if it shows names"
    if suffix in _DOCUMENTS:
        return "a document: import it, so that its text becomes a file, or remove it"
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError:
        return "no text in UTF-8: save it in UTF-8, or remove it"
    return "a binary file: remove it if it holds names" if "\0" in text else ""
