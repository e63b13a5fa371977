"""Badges of certified tasks of own offices, printed and kept in the office's folder."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from trainee_bench.harness.certification.certificates import CLAIMS
from trainee_bench.harness.certification.claim import Certificate
from trainee_bench.harness.certification.office_claims import task_of
from trainee_bench.harness.records.badges import keep_badges
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
    """Keep the badges in the folders of the open offices; yield a line for each office."""
    for office in open_offices().values():
        badges = {
            certificate.rule: badge(certificate)
            for certificate in certificates
            if certificate.rule in office.rules
        }
        if not badges:
            continue
        kept = keep_badges(office, badges)
        yield f"Badges of {office.reference}{'' if kept else ' (its folder cannot be written)'}:"
        yield from (f"  {rule}: {text}" for rule, text in badges.items())
