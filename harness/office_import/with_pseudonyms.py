"""The door for an import with pseudonyms: real names lie in the office at no moment."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from trainee_bench.harness.office_import.import_files import import_files
from trainee_bench.harness.office_import.office_folder import PSEUDONYMS_MARK, OfficeFolder
from trainee_bench.harness.office_import.options import ImportOptions
from trainee_bench.harness.office_import.report import ImportReport, UnlistedPerson
from trainee_bench.harness.pseudonyms.folder import pseudonymise, swapped_in
from trainee_bench.harness.pseudonyms.folding import WORD, key_of
from trainee_bench.harness.pseudonyms.report import CannotPseudonymise, PseudonymReport
from trainee_bench.harness.pseudonyms.texts import KnownNames
from trainee_bench.harness.support.interrupts import ended_like_interrupts

_MARK = (
    "The names in this office are pseudonyms. `trainee-bench office import` adds nothing to it, "
    "since it would bring real names, or give other pseudonyms to the same people.\n"
)


def import_with_pseudonyms(
    sources: Sequence[Path], office: Path, options: ImportOptions, seed: str, known: KnownNames
) -> tuple[ImportReport, PseudonymReport | None]:
    """Import *sources* into *office* and replace all names in it, as one step.

    The work is done in a copy beside the office, which takes its place at the end; a failure leaves
    the office as it was. The paths and people in the report are those after renaming. The second
    report is None if nothing was imported into a new office. Raises as `import_files` and
    `pseudonymise` do, and CannotPseudonymise if an earlier run was ended by force and left real
    names beside the office.
    """
    if not seed:
        raise CannotPseudonymise("the seed is empty: give --pseudonyms a word that you keep secret")
    if office.is_symlink():
        raise CannotPseudonymise(f"{office} is a link: name the folder itself")
    OfficeFolder(office).check()
    prefix = f".{office.absolute().name}-with-real-names-"
    for left in office.absolute().parent.glob(f"{prefix}*"):
        raise CannotPseudonymise(
            f"an earlier run was ended by force and left real names in {left}: remove that folder "
            f"(if {office} is missing, it is in there, as before that run)"
        )
    with (
        ended_like_interrupts(),
        tempfile.TemporaryDirectory(prefix=prefix, dir=office.absolute().parent) as beside,
    ):
        made = Path(beside) / "office"
        if office.is_dir():
            shutil.copytree(office, made, symlinks=True)
        report = import_files(sources, office, options, into=made)
        if not made.is_dir() or not any(path.is_file() for path in made.rglob("*")):
            return report, None
        replaced = pseudonymise(made, seed, known)
        (made / PSEUDONYMS_MARK).write_text(_MARK, encoding="utf-8")
        swapped_in(made, office, Path(beside) / "before")
    rows = tuple(
        row.model_copy(
            update={"became": tuple(replaced.paths.get(path, path) for path in row.became)}
        )
        for row in report.rows
    )
    mapping = {key_of(real): made for real, made in replaced.mapping.items()}
    people = tuple(_renamed(person, mapping) for person in report.unknown_people)
    return report.model_copy(update={"rows": rows, "unknown_people": people}), replaced


def _renamed(person: UnlistedPerson, mapping: Mapping[str, str]) -> UnlistedPerson:
    """Return *person* as the office has it now, for its people.csv; *mapping* has keys of words."""
    name = WORD.sub(lambda word: mapping.get(key_of(word.group()), word.group()), person.name)
    address = mapping.get(key_of(person.address), person.address)
    return person.model_copy(update={"name": name, "address": address})
