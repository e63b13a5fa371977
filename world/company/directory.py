"""The people directory: the table of people and its look-up."""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterable
from functools import lru_cache

from trainee_bench.world.company.name_forms import called, exact_key
from trainee_bench.world.company.people import COMPANY_NAME, DOMAIN, Person
from trainee_bench.world.errors import NotFound
from trainee_bench.world.transaction import Transaction

SCHEMA = """
CREATE TABLE person (
    id TEXT PRIMARY KEY, name TEXT NOT NULL UNIQUE, email TEXT NOT NULL UNIQUE,
    department TEXT NOT NULL, body TEXT NOT NULL
) STRICT, WITHOUT ROWID;
"""

_person = lru_cache(maxsize=4096)(Person.model_validate_json)
"""Parses a stored person. Cached, because nearly every call looks up some of the same people."""


class Directory:
    """The people directory of one transaction."""

    def __init__(self, tx: Transaction):
        self._tx = tx

    @property
    def company_name(self) -> str:
        """The name of the company."""
        return self._stated("company_name", COMPANY_NAME)

    @property
    def domain(self) -> str:
        """The domain of the company's mail addresses."""
        return self._stated("domain", DOMAIN)

    def department_called(self, name: str) -> str:
        """Return the name of the department that has the role *name*, or else *name* itself."""
        name = " ".join(name.split())
        roles: dict[str, str] = json.loads(self._stated("roles", "{}"))
        return roles.get(name.casefold(), name)

    def _stated(self, fact: str, otherwise: str) -> str:
        """Return a fact that only worlds with another company than the built-in one have."""
        try:
            return self._tx.fact(fact)
        except KeyError:
            return otherwise

    def add(self, people: Iterable[Person]) -> None:
        """Write *people* into the directory (staging)."""
        self._tx.run_many(
            "INSERT INTO person VALUES (?, ?, ?, ?, ?)",
            [(p.id, p.name, p.email, p.department, p.model_dump_json()) for p in people],
        )

    def person(self, id: str) -> Person:
        """Return the person with this exact id. Raises NotFound."""
        row = self._tx.row("SELECT body FROM person WHERE id = ?", id)
        if row is None:
            raise NotFound(f"Nobody has the id {id!r}.")
        return _person(row["body"])

    def owner(self, address: str) -> str:
        """Return the id of the person with this exact mail address; "" for an outside address."""
        row = self._tx.row("SELECT id FROM person WHERE email = ?", address)
        return str(row["id"]) if row is not None else ""

    def everybody(self) -> list[Person]:
        """Return all people, by name."""
        rows = self._tx.rows("SELECT body FROM person ORDER BY name")
        return [_person(row["body"]) for row in rows]

    def find(self, who: str) -> Person:
        """Return the person meant by an id, an e-mail address, a full name, or ``Name <address>``.

        A name may be written without its accents if that is clear. Raises NotFound with the nearest
        names and the tool that lists everyone.
        """
        wanted = exact_key(_without_name(who))
        row = self._tx.row("SELECT body FROM person WHERE id = ?", wanted) or self._tx.row(
            "SELECT body FROM person WHERE ? IN (lower(email), lower(name))", wanted
        )
        if row is not None:
            return _person(row["body"])
        rows = self._tx.rows("SELECT name, body FROM person ORDER BY name")
        names = [row["name"] for row in rows]
        meant = called(wanted, names)
        if len(meant) == 1:
            return next(_person(row["body"]) for row in rows if row["name"] == meant[0])
        near = list(meant[:3]) or difflib.get_close_matches(who, names, n=3, cutoff=0.6)
        hint = f" Did you mean {' or '.join(near)}?" if near else ""
        raise NotFound(
            f"Nobody here is called {who[:80]!r}.{hint} chat_list_people lists everyone."
        )


def _without_name(who: str) -> str:
    """Return the address in ``Name <address>``; any other text unchanged."""
    _, opening, address = who.strip().rpartition("<")
    return address[:-1] if opening and address.endswith(">") else who
