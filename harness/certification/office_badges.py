"""Certificates of own offices' tasks: their badges are printed, and both are kept in the office's
folder."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from trainee_bench.harness.certification.certificates import CLAIMS
from trainee_bench.harness.certification.claim import Certificate, Claim
from trainee_bench.harness.certification.office_claims import task_of
from trainee_bench.harness.records.badges import keep_badges
from trainee_bench.harness.records.office_certificates import (
    MOST_FLAWS,
    KeptCertificate,
    KeptClaim,
    KeptFlaw,
    keep_certificates,
    kept_text,
)
from trainee_bench.meta_tasks.offices.office import Office
from trainee_bench.meta_tasks.offices.opened import open_offices


def badge(certificate: Certificate) -> str:
    """Return the badge of a certificate, such as "computed · 20 seeds · all claims"; "" if its rule
    is not from an own office."""
    family = task_of(certificate.rule)
    if family is None:
        return ""
    complete = {claim.name for claim in certificate.claims} >= set(CLAIMS)
    return certificate.badge(family.source.file.kind, complete=complete)


def keep_office_badges(certificates: Sequence[Certificate]) -> Iterator[str]:
    """Keep certificates and badges in the folders of the open offices; yield a line for each
    office, and one for each badge."""
    for office in open_offices().values():
        own = [certificate for certificate in certificates if certificate.rule in office.rules]
        if not own:
            continue
        badges = {certificate.rule: badge(certificate) for certificate in own}
        kept = keep_badges(office, badges)
        kept &= keep_certificates(office, {c.rule: _kept(office, c) for c in own})
        yield f"Badges of {office.reference}{'' if kept else ' (its folder cannot be written)'}:"
        yield from (f"  {rule}: {text}" for rule, text in badges.items())
        if kept and not all(certificate.holds for certificate in own):
            yield f"trainee-bench studio --office {office.folder} shows where claims broke."


def _kept(office: Office, certificate: Certificate) -> KeptCertificate:
    claims = tuple(_kept_claim(claim) for claim in certificate.claims)
    return KeptCertificate(office=office.reference, seeds=certificate.seeds, claims=claims)


def _kept_claim(claim: Claim) -> KeptClaim:
    """Return a claim as it is kept. Flaws with a world come first, since it can be opened."""
    flaws = [
        KeptFlaw(text=kept_text(text), world=world)
        for text, world in zip(claim.broken, claim.broken_in, strict=True)
    ]
    flaws.sort(key=lambda flaw: flaw.world is None)
    return KeptClaim(
        name=claim.name,
        holds=claim.holds,
        tried=claim.tried,
        broken=len(flaws),
        flaws=tuple(flaws[:MOST_FLAWS]),
        notes=tuple(map(kept_text, claim.notes[:MOST_FLAWS])),
    )
