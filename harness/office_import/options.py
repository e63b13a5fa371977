"""The options of an import."""

from __future__ import annotations

import codecs
from dataclasses import dataclass
from datetime import date, timedelta
from zoneinfo import ZoneInfo

from trainee_bench.harness.office_import.refusals import CannotImport, ItemRefused

DEFAULT_WEEKS = 4
MAX_WEEKS = 60


@dataclass(frozen=True)
class ImportOptions:
    """How files are read.

    ``zone`` is the office's time zone ("" if unknown), ``encoding`` that of texts that are not
    Unicode ("" to detect it). ``first_day`` (None: the ``day`` in office.yaml) and ``weeks`` are
    the window of meetings. ``owner`` is the address of the person whose calendar or mailbox it is.
    """

    zone: str = ""
    encoding: str = ""
    first_day: date | None = None
    weeks: int = DEFAULT_WEEKS
    owner: str = ""

    def check(self) -> None:
        """Raise CannotImport for an unknown zone or encoding, or a window out of bounds."""
        if self.zone:
            known_zone(self.zone)
        if self.encoding:
            try:
                is_text = codecs.lookup(self.encoding)._is_text_encoding
            except (LookupError, ValueError):
                is_text = False
            if not is_text:
                raise CannotImport(
                    f"There is no encoding {self.encoding!r}; use a name such as cp1252 or utf-16."
                )
        if not 1 <= self.weeks <= MAX_WEEKS:
            raise CannotImport(f"--weeks can be 1 to {MAX_WEEKS}, not {self.weeks}.")
        if self.owner and "@" not in self.owner:
            raise CannotImport(f"--owner {self.owner!r} is not a mail address.")

    def office_zone(self) -> ZoneInfo:
        """Return the office's time zone. Raises ItemRefused if it is not given."""
        if not self.zone:
            raise ItemRefused(
                "Its times have a time zone, and the office's is unknown. Import it with the "
                "office's, such as --zone Europe/Berlin."
            )
        return known_zone(self.zone)


@dataclass(frozen=True)
class Window:
    """The days from ``first`` on, without ``end``, whose meetings are imported."""

    first: date
    end: date

    @classmethod
    def of(cls, first: date, weeks: int) -> Window:
        """Return the window of so many weeks. Raises CannotImport past the year 9999."""
        try:
            return cls(first, first + timedelta(weeks=weeks))
        except OverflowError:
            raise CannotImport(f"{first} is too late a first day; use an earlier one.") from None

    def __str__(self) -> str:
        return f"{self.first} to {self.end - timedelta(days=1)}"


def known_zone(name: str) -> ZoneInfo:
    """Return the zone called *name*. Raises CannotImport."""
    try:
        return ZoneInfo(name)
    except (OSError, ValueError, KeyError):  # an unknown zone is a KeyError
        raise CannotImport(
            f"There is no time zone {name!r}; use a name such as Europe/Berlin."
        ) from None
