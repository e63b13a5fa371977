"""Mails of a clinic and of a law office: a third style, written before its author saw the rules.

Slots: {a} full name, {a.l} last, {a.f} first, {a.i} G. Last, {a.c} Last, First, {a.u} LAST,
{a.g} German genitive, {a.p} English possessive, {X} a company, {X.s} its first word.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from email.message import EmailMessage
from email.policy import SMTP
from itertools import cycle
from unicodedata import normalize

from tests.harness.pseudonyms.third_texts import (
    CLINIC,
    COMPANIES,
    LATER,
    LATER_PEOPLE,
    LAW,
    PEOPLE,
)

SLOT = re.compile(r"\{([a-zA-Z])(?:\.([a-z]))?\}")
WORDS = re.compile(r"[^\W\d_]+")
HOUSES = {"CLINIC": "klinik-obersee.example", "LAW": "hallam-chambers.example"}


@dataclass(frozen=True)
class Mention:
    """One planted name as it stands in a mail."""

    mail: int
    text: str


@dataclass(frozen=True)
class Letter:
    """One mail: its bytes, the names in it, and all other text."""

    content: bytes
    mentions: tuple[Mention, ...]
    ordinary: str


def letters() -> tuple[Letter, ...]:
    """Write every text once, with people and companies that follow each other."""
    people, companies = cycle(PEOPLE), cycle(COMPANIES)
    texts = [("CLINIC", text) for text in CLINIC] + [("LAW", text) for text in LAW]
    return tuple(
        _letter(at, HOUSES[house], text, people, companies)
        for at, (house, text) in enumerate(texts)
    )


def later_letters() -> tuple[Letter, ...]:
    """Write the texts that the rules saw last."""
    people, companies = cycle(LATER_PEOPLE), cycle(COMPANIES)
    return tuple(
        _letter(at, HOUSES["CLINIC"], text, people, companies) for at, text in enumerate(LATER)
    )


def _form(name: str, form: str) -> str:
    first, _, last = name.partition(" ")
    return {
        "": name,
        "l": last,
        "f": first,
        "i": f"{first[:1]}. {last}",
        "c": f"{last}, {first}",
        "u": last.upper(),
        "g": f"{last}s",
        "p": f"{last}'s",
        "s": name.split(" ")[0],
    }[form]


def _letter(
    at: int, house: str, text: str, people: Iterator[str], companies: Iterator[str]
) -> Letter:
    known: dict[str, str] = {}
    for slot in SLOT.finditer(text):
        key = slot.group(1)
        if key not in known:
            known[key] = next(people if key.islower() else companies)
    mentions = tuple(
        Mention(at, _form(known[slot.group(1)], slot.group(2) or ""))
        for slot in SLOT.finditer(text)
    )
    filled = SLOT.sub(lambda slot: _form(known[slot.group(1)], slot.group(2) or ""), text)
    subject, body = filled.split("\n", 1)
    sender = known["a"]
    message = EmailMessage(policy=SMTP)
    message["From"] = f"{sender} <{_address(sender, house)}>"
    message["To"] = f"office@{house}"
    message["Subject"] = subject
    message["Date"] = f"Mon, {2 + at % 20:02d} Mar 2026 {8 + at // 20:02d}:{at:02d}:00 +0100"
    message["Message-ID"] = f"<{at}@{house}>"
    message.set_content(body.strip() + "\n", cte="quoted-printable")
    return Letter(bytes(message), mentions, SLOT.sub(" ", text))


def _address(name: str, house: str) -> str:
    plain = normalize("NFKD", name).encode("ascii", "ignore").decode()
    return re.sub(r"[^a-z]+", ".", plain.casefold()).strip(".") + f"@{house}"
