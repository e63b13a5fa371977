"""Counts the people in mails and meetings, and finds those whom the office does not know."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable

from trainee_bench.harness.office_import.file_names import slug
from trainee_bench.harness.office_import.report import UnlistedPerson


class PeopleMet:
    """The addresses met in an import, with the names that occur with them."""

    def __init__(self) -> None:
        self._times: Counter[str] = Counter()
        self._names: defaultdict[str, Counter[str]] = defaultdict(Counter)

    def met(self, people: Iterable[tuple[str, str]]) -> None:
        """Count the people, as name and address, of one mail or meeting."""
        seen: dict[str, str] = {}
        for name, address in people:
            if address:
                folded = address.lower()
                seen[folded] = seen.get(folded) or name
        for address, name in seen.items():
            self._times[address] += 1
            if name:
                self._names[address][name] += 1

    def unknown(self, known: frozenset[str], domain: str) -> tuple[UnlistedPerson, ...]:
        """Return the people who are not in *known* (casefolded names), the most frequent first.

        An address of the office's *domain* is known if its first part is made of a known name.
        """
        handles = {_handle(name) for name in known}
        found = []
        for address, times in self._times.items():
            name = max(self._names[address].items(), key=lambda item: item[1], default=("", 0))[0]
            local, _, host = address.partition("@")
            of_office = not domain or host == domain.lower()
            if name.casefold() in known or (of_office and _handle(local) in handles):
                continue
            found.append(UnlistedPerson(address=address, name=name, times=times))
        return tuple(sorted(found, key=lambda person: (-person.times, person.address)))


def _handle(name: str) -> str:
    """Return a name or the first part of an address in one form: ada-berg."""
    return slug(name)
