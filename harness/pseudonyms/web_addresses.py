"""E-mail addresses, web addresses and domains in text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from trainee_bench.harness.pseudonyms.folding import WORD, key_of
from trainee_bench.harness.pseudonyms.word_lists import PUBLIC_DOMAINS, ROLE_ADDRESSES

_EMAIL = re.compile(r"[\w.%+-]{1,60}@(?:[\w-]{1,60}\.){1,6}[^\W\d_]{2,24}")
_HOST = re.compile(r"(?:\b(?:https?|ftp)://|\bwww\.)(?:[\w-]{1,63}\.){0,6}[\w-]{1,63}\b")
_BARE = re.compile(
    r"(?<![\w@./-])(?:[a-zA-Z0-9-]{1,63}\.){1,4}(?:com|org|net|de|at|ch|fr|it|es|nl|eu|io|se|dk|fi"
    r"|no|pl|cz|co\.uk|biz|info|ru|cn|jp|kr)\b(?![\w(-])"
)
_SECOND_LEVEL = frozenset("co com org net ac gov edu or ne".split())
RESERVED = "example"


@dataclass(frozen=True)
class EmailAddress:
    """An address in a text: where it starts and ends, and its parts."""

    start: int
    end: int
    local: str
    domain: str


def email_addresses(line: str) -> Iterator[EmailAddress]:
    """Yield the e-mail addresses in *line*."""
    if "@" in line:
        for found in _EMAIL.finditer(line):
            local, _, domain = found.group().rpartition("@")
            skipped = len(local) - len(local.lstrip(".-"))
            if local.strip(".-"):
                yield EmailAddress(found.start() + skipped, found.end(), local[skipped:], domain)


def domain_spans(line: str) -> Iterator[tuple[int, int]]:
    """Yield the spans of hosts in *line*: of web addresses, and of bare domains."""
    if "." in line:
        for found in _HOST.finditer(line):
            host = found.group()
            start = found.start() + (host.index("://") + 3 if "://" in host else 0)
            if "." in line[start : found.end()]:
                yield start, found.end()
        for found in _BARE.finditer(line):
            yield found.span()


def domains_in(line: str) -> Iterator[str]:
    """Yield the domains in *line*, without those of e-mail addresses."""
    for start, end in domain_spans(line):
        yield line[start:end]


def registered(domain: str) -> tuple[str, str, str]:
    """Split *domain* into subdomains, registered label and suffix.

    "mail.acme.co.uk" gives "mail", "acme" and "co.uk".
    """
    labels = domain.lower().split(".")
    suffix = 2 if len(labels) > 2 and len(labels[-1]) == 2 and labels[-2] in _SECOND_LEVEL else 1
    return ".".join(labels[: -suffix - 1]), labels[-suffix - 1], ".".join(labels[-suffix:])


def is_public(domain: str) -> bool:
    """Whether everybody can have an address at *domain*, or the domain is reserved for examples."""
    lowered = domain.lower()
    _, label, suffix = registered(lowered) if "." in lowered else ("", lowered, "")
    return f"{label}.{suffix}" in PUBLIC_DOMAINS or suffix in {"local", "invalid", "test"}


def words_of_local_part(local: str) -> list[str]:
    """Return the words of *local* that may be names; none for an address of a role."""
    words = WORD.findall(local.split("+")[0])
    if not words or any(key_of(word) in ROLE_ADDRESSES for word in words):
        return []
    return words
