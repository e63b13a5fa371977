"""Badges and certificates of own offices' tasks: made, kept in the office's folder, repeated."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from trainee_bench.harness.certification.badges import (
    NOT_CERTIFIED,
    Badge,
    belongs_to,
    claims_version,
    full_reference,
    keep_badges,
    kept_badges,
)
from trainee_bench.harness.certification.certificates import CLAIMS, certify_rules
from trainee_bench.harness.certification.claim import Certificate, Claim
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


def badge(certificate: Certificate, office: Office, start: int) -> Badge:
    """Return the badge of a certificate of one of the *office*'s rules, whose first seed is
    *start*."""
    tried = tuple(claim.name for claim in certificate.claims)
    task = certificate.rule.partition("+")[0].partition(".")[2]
    return Badge(
        rule=certificate.rule,
        office=full_reference(office),
        made_by=claims_version(),
        kind=office.tasks[task].file.kind,
        start=start,
        seeds=certificate.seeds,
        claims=tried,
        applying=len(certificate.applying),
        complete=set(tried) >= set(CLAIMS),
        waived=certificate.waived,
        broken=tuple(claim.name for claim in certificate.claims if not claim.holds),
    )


def keep_office_badges(certificates: Sequence[Certificate], start: int) -> Iterator[str]:
    """Keep badges and certificates in the folders of the open offices; yield lines for each office,
    which end with the next command."""
    for office in open_offices().values():
        own = [made for made in certificates if belongs_to(made.rule, office)]
        if not own:
            continue
        badges = [badge(certificate, office, start) for certificate in own]
        kept = keep_badges(office, badges)
        kept &= keep_certificates(office, {made.rule: _kept(office, made) for made in own})
        where = "kept in its folder" if kept else "not kept, since its folder cannot be written"
        yield f"Badges of {office.reference}, {where}:"
        yield from (f"  {made.rule}: {made.text}" for made in badges)
        folder = shlex.quote(str(office.folder))
        if any(made.broken for made in badges):
            yield "Next: mend what is broken; the remedies are in `trainee-bench office guide`."
            if kept:
                yield f"trainee-bench studio --office {folder} shows where claims broke."
        else:
            yield f"Next: trainee-bench run --office {folder} --agent oracle"


@dataclass(frozen=True)
class RepeatedBadge:
    """A rule of an open office with its badge in words: whether it ``fits`` the office, or what is
    wrong with it."""

    rule: str
    said: str
    flaw: str

    def __str__(self) -> str:
        if self.flaw:
            return f"DOES NOT FIT {self.rule}: {self.said}: {self.flaw}"
        return f"fits {self.rule}: {self.said}"


def repeat_badges(rules: Sequence[str], jobs: int) -> Iterator[RepeatedBadge]:
    """Certify again what the badges of open offices say, and yield what came of each.

    Only badges of *rules* are repeated; those of tasks that are not there are yielded, too.
    """
    for office in open_offices().values():
        fitting: dict[tuple[int, int, tuple[str, ...]], list[Badge]] = {}
        for rule, kept in kept_badges(office).items():
            said = kept.badge
            if kept.flaw and (rule in rules or not belongs_to(rule, office)):
                yield RepeatedBadge(rule, said.text, f"{kept.flaw}; certify again")
            elif rule in rules:
                fitting.setdefault((said.start, said.seeds, said.claims), []).append(said)
        for (start, seeds, claims), badges in fitting.items():
            stated = {said.rule: said for said in badges}
            over = range(start, start + seeds)
            for certificate in certify_rules(list(stated), over, jobs, claims):
                said, made = stated[certificate.rule], badge(certificate, office, start)
                differs = "" if made == said else f"repeated, it is {made.text}"
                yield RepeatedBadge(said.rule, said.text, differs)


def uncertified(rules: Sequence[str]) -> Iterator[str]:
    """Yield a line for each of *rules* of open offices for which no badge is kept."""
    for office in open_offices().values():
        kept = kept_badges(office)
        for rule in rules:
            if belongs_to(rule, office) and rule not in kept:
                yield f"{NOT_CERTIFIED} {rule}"


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
