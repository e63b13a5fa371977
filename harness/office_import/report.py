"""The report of an import: what became of each file and of each item in it."""

from __future__ import annotations

from enum import StrEnum

from pydantic import BaseModel


class ImportOutcome(StrEnum):
    """The outcome for a file or an item of it."""

    IMPORTED = "imported"
    """It was taken over with its content as it was."""
    CONVERTED = "converted"
    """It was taken over in another form; the notes name every change and loss."""
    REFUSED = "refused"
    """Nothing of it is in the office; the notes give the reason and the remedy."""
    UNCHANGED = "unchanged"
    """The office already has it with the same content; nothing was written."""


class ImportRow(BaseModel, frozen=True):
    """The outcome for one item, such as a file, a mail of a mailbox, or an attachment."""

    source: str
    """The path of the file, as it was given."""
    item: str = ""
    """The item within the file, such as "mail 3"; "" for the file itself."""
    outcome: ImportOutcome
    became: tuple[str, ...] = ()
    """Paths in the office's folder, with slashes."""
    notes: tuple[str, ...] = ()
    """Sentences: changes and losses, or the reason for a refusal and its remedy."""

    @property
    def named(self) -> str:
        """The source with its item, as one text."""
        return f"{self.source}: {self.item}" if self.item else self.source


class UnlistedPerson(BaseModel, frozen=True):
    """A person in mails or meetings who is not in people.csv."""

    address: str
    name: str
    """The name that occurs most often with the address; "" if there is none."""
    times: int
    """The number of mails and meetings that mention the address."""


class ImportReport(BaseModel, frozen=True):
    """The rows of an import in order, and the people whom the office does not know."""

    rows: tuple[ImportRow, ...]
    unknown_people: tuple[UnlistedPerson, ...] = ()

    def count(self, outcome: ImportOutcome) -> int:
        """Return the number of rows with this outcome."""
        return sum(row.outcome is outcome for row in self.rows)
