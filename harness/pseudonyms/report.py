"""The report on a pseudonymised office: counts, doubtful places, files that were not read."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType

from trainee_bench.harness.pseudonyms.visitor import Place


class CannotPseudonymise(Exception):
    """The folder or a file in it cannot be worked on; the text names it and the remedy."""


@dataclass(frozen=True)
class Uncertain:
    """Words of which it is not sure that they are a name, in one part of one file.

    *lines* are all lines, counted from 1 in the file or, if *part* is not "", in that part: a
    header, the text of a mail, a sheet.
    """

    file: str
    part: str
    lines: tuple[int, ...]
    words: str
    why: str
    replaced: bool


@dataclass(frozen=True)
class NotLookedInto:
    """A file whose content stays as it is, and the reason."""

    file: str
    why: str


@dataclass(frozen=True)
class PseudonymReport:
    """What `pseudonymise` did. It names real words, so it does not belong into the office."""

    replaced: Mapping[str, int]
    """Replaced mentions by kind: name, e-mail, domain, phone …"""
    uncertain: tuple[Uncertain, ...]
    not_looked_into: tuple[NotLookedInto, ...]
    left_over: tuple[Uncertain, ...]
    """Sure names that a second look found in the written files; empty unless a rule failed."""
    renamed: int
    """The number of files and folders with another name."""
    paths: Mapping[str, str] = field(repr=False)
    """New paths of files and folders by the old ones, if they differ."""
    mapping: Mapping[str, str] = field(repr=False)
    """Pseudonyms by real names and numbers."""


@dataclass
class Notes:
    """Collects what the report needs, while files are replaced."""

    counts: Counter[str] = field(default_factory=Counter)
    lines: dict[tuple[str, str, str, str, bool], list[int]] = field(default_factory=dict)
    mapping: dict[str, str] = field(default_factory=dict)

    def count(self, kind: str, real: str, made: str) -> None:
        """Count a replaced mention."""
        self.counts[kind] += 1
        self.mapping.setdefault(real, made)

    def doubt(self, place: Place, words: str, why: str, *, replaced: bool) -> None:
        """Note a doubtful place."""
        key = (place.file, place.part, words, why, replaced)
        self.lines.setdefault(key, []).append(place.line)

    def uncertain(self) -> tuple[Uncertain, ...]:
        """Return all doubtful places, in the order of files and lines."""
        found = [
            Uncertain(file, part, tuple(sorted(set(lines))), words, why, replaced)
            for (file, part, words, why, replaced), lines in self.lines.items()
        ]
        return tuple(sorted(found, key=lambda u: (u.file, u.part, u.lines, u.words, u.why)))


def frozen(mapping: Mapping[str, str]) -> Mapping[str, str]:
    """Return a sorted copy of *mapping* that cannot be changed."""
    return MappingProxyType(dict(sorted(mapping.items())))


def check_outside(path: Path, office: Path) -> None:
    """Raise CannotPseudonymise if the file *path*, which holds real names, lies in *office*."""
    if path.resolve().is_relative_to(office.resolve()):
        raise CannotPseudonymise(
            f"{path} lies in the office {office}, which must not hold real names: name another file"
        )


def check_mapping(path: Path, office: Path) -> None:
    """Raise CannotPseudonymise if `write_mapping` would refuse *path*."""
    check_outside(path, office)
    if path.exists() or path.is_symlink():
        raise CannotPseudonymise(f"{path} exists: name a new file for the mapping")
    if not path.absolute().parent.is_dir():
        raise CannotPseudonymise(f"there is no folder {path.parent}: create it or name another")


def write_mapping(path: Path, report: PseudonymReport, office: Path) -> None:
    """Write the mapping of *report* as JSON to a new file that only its owner can read.

    Raises CannotPseudonymise if *path* lies in *office*, exists, or cannot be written.
    """
    check_mapping(path, office)
    try:
        opened = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        raise CannotPseudonymise(f"{path} exists: name a new file for the mapping") from None
    except OSError as error:
        raise CannotPseudonymise(
            f"{path} cannot be written ({error.strerror}): name another file for the mapping"
        ) from error
    with os.fdopen(opened, "w", encoding="utf-8") as file:
        json.dump(dict(report.mapping), file, ensure_ascii=False, indent=1)
        file.write("\n")
