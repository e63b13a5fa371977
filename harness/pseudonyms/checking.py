"""A second look at the written files: sure names that were not replaced."""

from __future__ import annotations

from collections.abc import Mapping

from trainee_bench.harness.pseudonyms.folding import UNSPACED, WORD
from trainee_bench.harness.pseudonyms.meanings import Meaning
from trainee_bench.harness.pseudonyms.naming import Names
from trainee_bench.harness.pseudonyms.people_text import name_base
from trainee_bench.harness.pseudonyms.report import Notes
from trainee_bench.harness.pseudonyms.visitor import Place

_SHORT = 3
_WHY = "a sure name that was not replaced"


class Checker:
    """A visitor that changes nothing and notes each sure name that it still reads.

    It knows no rules of sentences: it compares each word with the names. Names that are ordinary
    words, and short ones in small letters, are left to the report of the second pass.
    """

    def __init__(self, names: Names, notes: Notes, mapping: Mapping[str, str]) -> None:
        self._names = names
        self._mapping = mapping
        self._notes = notes
        self._found: dict[str, bool] = {}

    def text(self, text: str, place: Place) -> str:
        """Note the names in *text*."""
        for number, line in enumerate(text.splitlines()):
            for word in WORD.findall(line):
                if word not in self._found:
                    self._found[word] = self._is_name(word)
                if self._found[word]:
                    at = Place(place.file, place.part, place.line + number)
                    self._notes.doubt(at, word, _WHY, replaced=False)
        return text

    def field(self, value: str, meaning: Meaning, place: Place) -> str:
        """Note the names in *value*."""
        return self.text(value, place)

    def file_name(self, name: str, place: Place) -> str:
        """Note the names in the name of a file."""
        return self.text(name, place)

    def _is_name(self, word: str) -> bool:
        if not word.isascii() and UNSPACED.search(word):
            if word in self._mapping.values():  # a pseudonym may have a real name inside
                return False
            return any(real in word for real in self._names.unspaced)
        base = name_base(word)
        entry = self._names.find(base)
        if entry is None or entry.ordinary or entry.is_acronym:
            return False
        return not (base.islower() and len(base) <= _SHORT)
