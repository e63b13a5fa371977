"""Resolves recipients: colleagues by id, name or address, others by their full address."""

from __future__ import annotations

import re
from collections.abc import Iterable
from email.utils import parseaddr

from trainee_bench.world.company.directory import Directory
from trainee_bench.world.company.people import DOMAIN, Person
from trainee_bench.world.email.message import MailAddress, mail_address
from trainee_bench.world.errors import Invalid

MAX_RECIPIENTS = 100
_OUTSIDE = re.compile(
    r"(?=[^@]{1,64}@)[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*"
    r"@(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)+[A-Za-z]{2,24}"
)


def address_of(person: Person) -> MailAddress:
    """A colleague's address."""
    return mail_address(person.name, person.email)


def resolve_address(directory: Directory, who: str) -> MailAddress:
    """The address that an id, a colleague's name or address, or an outside address means.

    Raises NotFound for an unknown colleague, Invalid for a malformed address.
    """
    name, address = parseaddr(who) if "<" in who else ("", who.strip())
    inside = address.lower().endswith(f"@{DOMAIN}")
    if "@" not in address or inside:
        return address_of(directory.find(address if inside else who))
    if not _OUTSIDE.fullmatch(address):
        raise Invalid(f"{who[:80]!r} is not a mail address; write name@company.com.")
    return MailAddress(name=" ".join(name.split()), address=address)


def resolve_addresses(directory: Directory, people: Iterable[str]) -> tuple[MailAddress, ...]:
    """The addresses that *people* mean, each once, in order. Raises the errors of resolve_address,
    and Invalid for too many."""
    if isinstance(people, str):  # else each of its letters would be looked up
        raise TypeError("recipients are several texts, not one")
    found = {
        address.address.lower(): address
        for address in (resolve_address(directory, w) for w in people)
    }
    if len(found) > MAX_RECIPIENTS:
        raise Invalid(f"A mail goes to {MAX_RECIPIENTS} people at most, not {len(found)}.")
    return tuple(found.values())
