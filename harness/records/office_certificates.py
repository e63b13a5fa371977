"""Certificates of an own office: the last one of each rule, kept in the office's folder.

The file begins with a dot, so it is no part of the office's digest. It names the contents that were
certified. People can read it, and the studio opens the worlds in which claims broke.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

from pydantic import Field, ValidationError

from trainee_bench.harness.records.frozen_model import FrozenModel
from trainee_bench.harness.records.tried_world import TriedWorld
from trainee_bench.harness.support.text import one_line
from trainee_bench.meta_tasks.offices.office import Office

FILE = ".certificates.json"
MOST_FLAWS = 20
"""The most trials of a claim that are kept."""
_LONGEST = 2_000
_MOST_BYTES = 20_000_000
Said = Annotated[str, Field(max_length=_LONGEST)]


class KeptFlaw(FrozenModel):
    """A trial that broke a claim, in words; ``world`` is the one in which it did, if it was one."""

    text: Said
    world: TriedWorld | None = None


class KeptClaim(FrozenModel):
    """A claim: whether it holds, and how many of its trials broke it, with the first of them."""

    name: Said
    holds: bool
    tried: int
    broken: int
    flaws: tuple[KeptFlaw, ...] = ()
    notes: tuple[Said, ...] = ()


class KeptCertificate(FrozenModel):
    """The last certificate of a rule; ``office`` is the name and digest that was certified."""

    office: str
    seeds: int
    claims: tuple[KeptClaim, ...]

    @property
    def broken(self) -> tuple[KeptClaim, ...]:
        """The claims that broke."""
        return tuple(claim for claim in self.claims if not claim.holds)


class KeptCertificates(FrozenModel):
    """The content of the file: the certificates by rule."""

    certificates: Mapping[str, KeptCertificate]


def kept_text(text: str) -> str:
    """Return a text as it is kept: printable, and not too long."""
    return one_line(text, _LONGEST)


def read_certificates(office: Office) -> Mapping[str, KeptCertificate]:
    """Return the certificates in an office's folder, by rule, also those of earlier contents; none
    without a valid file."""
    file = office.folder / FILE
    try:
        if file.is_symlink() or file.stat().st_size > _MOST_BYTES:
            return {}
        return KeptCertificates.model_validate_json(file.read_bytes()).certificates
    except (OSError, ValidationError):
        return {}


def keep_certificates(office: Office, new: Mapping[str, KeptCertificate]) -> bool:
    """Keep *new* certificates beside those of the office's other rules. Return whether the folder
    can be written."""
    known = {rule: kept for rule, kept in read_certificates(office).items() if rule in office.rules}
    content = KeptCertificates(certificates={**known, **new}).model_dump_json(indent=1)
    file = office.folder / FILE
    try:
        if file.is_symlink():
            return False
        file.write_text(content + "\n", encoding="utf-8")
    except OSError:
        return False
    return True
