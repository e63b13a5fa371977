"""The door: imports real exports into the folder of an office."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from trainee_bench.harness.office_import.import_session import ImportSession
from trainee_bench.harness.office_import.limits import MAX_FILES
from trainee_bench.harness.office_import.office_folder import OfficeFolder, shown_path
from trainee_bench.harness.office_import.options import ImportOptions
from trainee_bench.harness.office_import.refusals import CannotImport
from trainee_bench.harness.office_import.report import ImportReport


def import_files(
    sources: Sequence[Path], office: Path, options: ImportOptions, into: Path | None = None
) -> ImportReport:
    """Import *sources* (files, and folders with all files in them) into the folder *office*.

    Mails go to mail/, meetings to calendar.ics, all else to drive/. The report has at least one row
    for each file. A refused item leaves nothing behind, existing files are never overwritten, and
    each item is written completely or not at all. *into* is a copy of the office in which to write
    instead. Raises CannotImport before anything is written
    if a source or option is wrong, and at the first file that needs the extra ``office`` if that is
    not installed. Raises OSError if the disk is full.
    """
    options.check()
    folder = OfficeFolder(office)
    folder.check()
    folder.check_real_names()
    if into is not None:
        folder = OfficeFolder(into)
    missing = [source for source in sources if not source.exists()]
    if missing:
        raise CannotImport(f"There is no file or folder {shown_path(missing[0])}.")
    if not sources:
        raise CannotImport("There is nothing to import; name files or folders.")
    session = ImportSession(folder, options)
    own = frozenset(place.resolve() for place in (office, *([into.parent] if into else [])))
    files = [found for source in sources for found in _files(source, office.resolve(), own)]
    if len(files) > MAX_FILES:
        raise CannotImport(
            f"These are more than {MAX_FILES:,} files; import fewer of them at a time."
        )
    try:
        for path, inner in files:
            shown = shown_path(path)
            if path.is_symlink() and inner is not None:
                session.refuse(shown, "It is a link to another file. Import that file itself.")
            elif not path.is_file():
                session.refuse(shown, "It is neither a file nor a folder. Leave it out.")
            else:
                session.add(path, shown, inner or ())
    finally:
        session.save_calendar()
    return session.report()


def _files(
    source: Path, office: Path, own: frozenset[Path]
) -> Iterator[tuple[Path, tuple[str, ...] | None]]:
    """Yield each file with its folders in *source*; None for a source that is a file itself.

    The folders *own* are left out: the office, and the copy of it.
    """
    if not source.is_dir():
        yield source, None
        return
    if office == source.resolve() or office in source.resolve().parents:
        raise CannotImport(f"{shown_path(source)} is in the office already.")
    count = 0
    for place, folders, names in os.walk(source):
        folders[:] = sorted(name for name in folders if (Path(place) / name).resolve() not in own)
        links = [name for name in folders if (Path(place) / name).is_symlink()]
        inner = (source.resolve().name, *Path(place).relative_to(source).parts)
        for name in sorted([*names, *links]):
            yield Path(place) / name, inner
            count += 1
            if count > MAX_FILES:
                return
