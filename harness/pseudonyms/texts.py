"""Pseudonyms for single texts."""

from __future__ import annotations

from dataclasses import dataclass

from trainee_bench.harness.pseudonyms.collecting import Collector
from trainee_bench.harness.pseudonyms.drawing import Draws
from trainee_bench.harness.pseudonyms.evidence import Evidence
from trainee_bench.harness.pseudonyms.folding import WORD
from trainee_bench.harness.pseudonyms.meanings import Meaning
from trainee_bench.harness.pseudonyms.naming import Domains, Names, kept_keys
from trainee_bench.harness.pseudonyms.replacing import Replacer
from trainee_bench.harness.pseudonyms.report import Notes, Uncertain
from trainee_bench.harness.pseudonyms.visitor import Place


@dataclass(frozen=True)
class KnownNames:
    """Names that the user states, as they are written: "Jörg Müller", "Nordlicht GmbH".

    *people*, *companies* and *also* are replaced; *also* holds names of either. All words of *keep*
    stay, wherever they occur; it wins over the others.
    """

    people: tuple[str, ...] = ()
    companies: tuple[str, ...] = ()
    also: tuple[str, ...] = ()
    keep: tuple[str, ...] = ()


class Pseudonyms:
    """Pseudonyms that depend on a seed, the same for all texts given to one object.

    Call `learn` for all texts first: then a name that only one text introduces is found in all of
    them, and no pseudonym is a word of theirs.
    """

    def __init__(self, seed: str, known: KnownNames | None = None) -> None:
        known = known or KnownNames()
        self.evidence = Evidence()
        self.notes = Notes()
        self.names = Names(Draws(seed), kept_keys(known.keep))
        self._domains = Domains(self.names)
        self._collector = Collector(self.evidence)
        place = Place("")
        for person in known.people:
            self.evidence.add_person(WORD.findall(person))
        for company in known.companies:
            self.evidence.add_company(WORD.findall(company))
        for name in known.also:
            self._collector.field(name, Meaning.PARTY, place)
            if not any(word in self.evidence.words for word in WORD.findall(name)):
                continue
            if not any(entry.real in name for entry in self.evidence.names.values()):
                self.evidence.add_company(WORD.findall(name))

    def learn(self, text: str) -> None:
        """Take names, addresses and numbers from *text*."""
        self._collector.text(text, Place(""))

    def text(self, text: str, file: str = "") -> str:
        """Return *text* with pseudonyms; doubtful places are noted under *file*."""
        self.learn(text)
        return self.replacer().text(text, Place(file))

    def uncertain(self) -> tuple[Uncertain, ...]:
        """Return the doubtful places of all texts so far."""
        return self.notes.uncertain()

    def collector(self) -> Collector:
        """Return the visitor of the first pass."""
        return self._collector

    def replacer(self) -> Replacer:
        """Return the visitor of the second pass, for all names that were collected so far."""
        self.names.grow(self.evidence)
        return Replacer(self.names, self._domains, self.evidence, self.notes)
