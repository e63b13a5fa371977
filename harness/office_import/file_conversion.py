"""Converts one file or attachment by its kind; mails and calendars have their own modules."""

from __future__ import annotations

from trainee_bench.harness.office_import.converted import ConvertedFile, with_ending
from trainee_bench.harness.office_import.delimited_tables import table_file
from trainee_bench.harness.office_import.file_kinds import SourceKind
from trainee_bench.harness.office_import.file_names import drive_name
from trainee_bench.harness.office_import.isolated_reading import read_document
from trainee_bench.harness.office_import.limits import check_size
from trainee_bench.harness.office_import.options import ImportOptions
from trainee_bench.harness.office_import.pictures import picture_file
from trainee_bench.harness.office_import.text_decoding import text_file, without_invisible
from trainee_bench.harness.office_import.workbooks import workbook_file

_DOCUMENTS = {
    SourceKind.WORD: (".md", "a Word document"),
    SourceKind.SLIDES: (".md", "a presentation"),
    SourceKind.PDF: (".txt", "a PDF"),
}
_OTHERS_ENDINGS = (".xlsx", ".png", ".jpg", ".jpeg")


def converted_file(
    name: str, data: bytes, kind: SourceKind, options: ImportOptions
) -> ConvertedFile:
    """Return the file *name* of this *kind* as agents can read it, with a name for the drive.

    Raises ItemRefused with the reason and the remedy, CannotImport if the extra is not installed.
    """
    check_size(data)
    plain = drive_name(name)
    if kind in _DOCUMENTS:
        ending, what = _DOCUMENTS[kind]
        read = read_document(kind.value, data)
        target = with_ending(plain, ending)
        notes = (f"The text of {what} became {target}.", *read.notes)
        written = without_invisible(read.text).encode()
        return ConvertedFile(target, written, True, notes, read.refused)
    if kind is SourceKind.WORKBOOK:
        return _renamed(workbook_file(plain, data), name)
    if kind is SourceKind.PICTURE:
        return _renamed(picture_file(plain, data), name)
    if kind is SourceKind.TABLE:
        return _renamed(table_file(plain, data, options.encoding), name)
    if plain.lower().endswith(_OTHERS_ENDINGS):  # a text that is called a picture
        target = with_ending(plain, ".txt")
        text = text_file(target, data, options.encoding)
        notes = (f"It is a text, so it is now called {target}.", *text.notes)
        return ConvertedFile(target, text.data, True, notes)
    return _renamed(text_file(plain, data, options.encoding), name)


def _renamed(file: ConvertedFile, name: str) -> ConvertedFile:
    """Add a note if the drive could not have the file's own name."""
    if file.name == name or drive_name(name) == name:
        return file
    notes = (*file.notes, f"Its name cannot be a name on the drive; it is now called {file.name}.")
    return ConvertedFile(file.name, file.data, True, notes, file.refused_parts)
