"""Certificates as tables for people, and lines with details."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from trainee_bench.harness.certification.cheats import MIN_GUESS_SEEDS
from trainee_bench.harness.certification.claim import Certificate, mean_of
from trainee_bench.harness.documents.document import (
    Block,
    Bullet,
    Bullets,
    Document,
    Grid,
    Paragraph,
)
from trainee_bench.harness.documents.formatting import NO_VALUE, pluralize

_MEAN, _MAX, _LOSS = " mean", " max", "loss "
_BEST_CHEAT = "best cheat: mean (max)"
_SHOWN_FLAWS = 5
_LISTED_RULES = 5
_MEANINGS = {
    "claims": "Claims: those that apply, of all that were tried.",
    "oracle's calls": "Oracle's calls: the tool calls of honest work.",
    "lost without a clue": "Lost without a clue: the oracle's mean loss of score when one clue is "
    "withheld, from the least to the most important clue.",
    "idle score": "Idle score: the score of doing nothing.",
    "best cheat": "Best cheat: the cheating agent with the highest mean score.",
    "most common answer": "Most common answer: its share over the seeds in the title, with "
    f"{MIN_GUESS_SEEDS} seeds or more.",
    "mutants": "Mutants: kinds of wrong + harmless changes to the oracle's deliverables.",
}
"""The meaning of a column of a table, by the beginning of its title."""


def certificate_document(certificates: Sequence[Certificate]) -> Document:
    """Return all certificates by rule and by family, how to read them, what cheats earned, which
    claims do not apply, and the claims' notes."""
    grids = [certificate_grid(certificates)]
    if len(_by_family(certificates)) > 1:
        grids.append(family_grid(certificates))
    blocks: list[Block] = [*grids]
    names = sorted({name for certificate in certificates for name in _cheats(certificate)})
    if any(certificate.fact(name + _MAX) for certificate in certificates for name in names):
        blocks.append(cheat_grid(certificates))
    elif names:
        blocks.append(Paragraph(f"No cheat earned a point: {', '.join(names)}."))
    blocks += [Paragraph(legend) for legend in [_legend(grids)] if legend]
    for heading, bullets in (
        ("Claims that do not apply:", left_out_claims(certificates)),
        ("Notes:", certificate_details(certificates)),
    ):
        blocks += [Paragraph(heading), Bullets(tuple(bullets))] if bullets else []
    return Document("Certificates", tuple(blocks))


def _legend(grids: Sequence[Grid]) -> str:
    """Return what the columns of the tables mean that need it."""
    titles = [column.title for grid in grids for column in grid.columns]
    return " ".join(
        meaning
        for begins, meaning in _MEANINGS.items()
        if any(title.startswith(begins) for title in titles)
    )


def left_out_claims(certificates: Sequence[Certificate]) -> list[Bullet]:
    """Return the claims that do not apply, with the reason and the rules, each reason once."""
    rules: dict[str, dict[str, list[str]]] = {}
    for certificate in certificates:
        for claim in certificate.claims:
            if claim.inapplicable:
                by_claim = rules.setdefault(claim.inapplicable, {})
                by_claim.setdefault(claim.name, []).append(certificate.rule)
    return [
        Bullet(f"{why} ({_listed(names, len(certificates))})", id=", ".join(claims))
        for why, by_claim in rules.items()
        for names, claims in _by_rules(by_claim).items()
    ]


def _by_rules(by_claim: Mapping[str, Sequence[str]]) -> dict[tuple[str, ...], list[str]]:
    """Return the claims that the same rules leave out, by these rules."""
    together: dict[tuple[str, ...], list[str]] = {}
    for claim, rules in by_claim.items():
        together.setdefault(tuple(rules), []).append(claim)
    return together


def _listed(rules: Sequence[str], of: int) -> str:
    """Return rules by name, or their number if they are all or many."""
    if len(rules) == of:
        return "all rules" if of > 1 else rules[0]
    return ", ".join(rules) if len(rules) <= _LISTED_RULES else pluralize(len(rules), "rule")


def certificate_grid(certificates: Sequence[Certificate]) -> Grid:
    """Return a row for each certificate."""
    titles = [
        "rule", "verdict", "claims", "oracle's calls", "lost without a clue", _BEST_CHEAT,
        _most_common_title(certificates), "mutants",
    ]  # fmt: skip
    rows = [
        [
            certificate.rule,
            "holds" if certificate.holds else "BROKEN",
            f"{len(certificate.applying)} of {len(certificate.claims)}",
            _range(certificate.fact("calls_min"), certificate.fact("calls_max"), "{:.0f}"),
            _range(*_ends(_losses(certificate)), "{:.2f}"),
            _best_cheat(certificate),
            _share(_most_common_share(certificate)),
            _mutants(certificate),
        ]
        for certificate in certificates
    ]
    shown = [place for place in range(len(titles)) if any(row[place] != NO_VALUE for row in rows)]
    return Grid.from_rows(
        [titles[place] for place in shown],
        [[row[place] for place in shown] for row in rows],
        title=f"Certificates over {pluralize(certificates[0].seeds, 'seed')} each",
    )


def family_grid(certificates: Sequence[Certificate]) -> Grid:
    """Return a row for each family: means over its rules, and the highest score of any cheat."""
    titles = [
        "family", "rules", "hold", "oracle's score", "idle score", "best cheat: mean",
        "any cheat: max", "lost without a clue", _most_common_title(certificates),
    ]  # fmt: skip
    rows = []
    for family, members in _by_family(certificates).items():
        shares = [share for member in members if (share := _most_common_share(member)) is not None]
        rows.append(
            [
                family,
                str(len(members)),
                str(sum(member.holds for member in members)),
                _mean([member.fact("oracle") for member in members]),
                _mean([member.fact("nothing") for member in members]),
                *_best_of_family(members),
                _range(*_ends([loss for member in members for loss in _losses(member)]), "{:.2f}"),
                _share(max(shares, default=None)),
            ]
        )
    return Grid.from_rows(titles, rows, title="By family")


def cheat_grid(certificates: Sequence[Certificate]) -> Grid:
    """Return a row for each family and cheat: the mean over rules and seeds, and the highest
    score."""
    rows = [
        [
            family,
            name,
            f"{mean_of([scores[name] for scores in map(_cheats, members) if name in scores]):.3f}",
            f"{max(member.fact(name + _MAX) or 0 for member in members):.2f}",
        ]
        for family, members in _by_family(certificates).items()
        for name in sorted({name for member in members for name in _cheats(member)})
    ]
    return Grid.from_rows(
        ["family", "agent", "mean score", "highest score"], rows, title="What cheats earn"
    )


def _by_family(certificates: Sequence[Certificate]) -> dict[str, list[Certificate]]:
    families: dict[str, list[Certificate]] = {}
    for certificate in certificates:
        families.setdefault(certificate.rule.partition(".")[0], []).append(certificate)
    return families


def certificate_details(certificates: Sequence[Certificate]) -> list[Bullet]:
    """Return for each rule the cheats that earned something, and the claims' notes."""
    details = []
    for certificate in certificates:
        earned = [
            f"{name} {mean:.3f} ({certificate.fact(name + _MAX) or 0:.2f})"
            for name, mean in _cheats(certificate).items()
            if certificate.fact(name + _MAX)
        ]
        notes = [f"{claim.name}: {note}" for claim in certificate.claims for note in claim.notes]
        refused = sorted({seed for claim in certificate.claims for seed in claim.refused})
        if refused:
            seeds = ", ".join(map(str, refused))
            notes.append(f"its complications do not fit together at seed {seeds}")
        if earned or notes:
            details.append(Bullet("; ".join([*earned, *notes]), id=certificate.rule))
    return details


def _most_common_title(certificates: Sequence[Certificate]) -> str:
    """Return the column's title with the number of seeds over which answers were counted."""
    seeds = sorted(
        {round(certificate.fact("guess_seeds") or 0) for certificate in certificates} - {0}
    )
    over = " or ".join(map(str, seeds))
    return (
        f"most common answer ({over} {'seed' if over == '1' else 'seeds'})"
        if seeds
        else "most common answer"
    )


def _most_common_share(certificate: Certificate) -> float | None:
    """Return the share of the most common answer; None with too few seeds for a meaningful
    share."""
    if (certificate.fact("guess_seeds") or 0) < MIN_GUESS_SEEDS:
        return None
    return certificate.fact("commonest")


def _best_of_family(members: Sequence[Certificate]) -> tuple[str, str]:
    """Return the cheat with the highest mean over a family's rules, and the highest score of
    any."""
    names = sorted({name for member in members for name in _cheats(member)})
    if not names:
        return NO_VALUE, NO_VALUE
    means = {
        name: sum(_cheats(member).get(name, 0) for member in members) / len(members)
        for name in names
    }
    best = max(names, key=lambda name: means[name])
    highest = max(member.fact(name + _MAX) or 0 for member in members for name in names)
    return (f"{best} {means[best]:.3f}" if means[best] else "0"), f"{highest:.2f}"


def _best_cheat(certificate: Certificate) -> str:
    cheats = _cheats(certificate)
    if not any(certificate.fact(name + _MAX) for name in cheats):
        return "0" if cheats else NO_VALUE
    name = max(cheats, key=lambda cheat: cheats[cheat])
    return f"{name} {cheats[name]:.3f} ({certificate.fact(name + _MAX) or 0:.2f})"


def _mutants(certificate: Certificate) -> str:
    wrong, harmless = certificate.fact("wrong"), certificate.fact("harmless")
    return NO_VALUE if wrong is None or harmless is None else f"{wrong:.0f} + {harmless:.0f}"


def _cheats(certificate: Certificate) -> dict[str, float]:
    """Return the mean score of each cheat."""
    return {
        name.removesuffix(_MEAN): value
        for claim in certificate.claims
        for name, value in claim.facts.items()
        if name.endswith(_MEAN)
    }


def _losses(certificate: Certificate) -> list[float]:
    """Return the mean loss without each clue."""
    return [
        value
        for claim in certificate.claims
        for name, value in claim.facts.items()
        if name.startswith(_LOSS)
    ]


def _mean(values: Sequence[float | None]) -> str:
    known = [value for value in values if value is not None]
    return f"{sum(known) / len(known):.2f}" if known else NO_VALUE


def _ends(values: Sequence[float]) -> tuple[float | None, float | None]:
    return min(values, default=None), max(values, default=None)


def _range(low: float | None, high: float | None, form: str) -> str:
    if low is None or high is None:
        return NO_VALUE
    ends = [form.format(low), form.format(high)]
    return "–".join(dict.fromkeys(ends))


def _share(value: float | None) -> str:
    return NO_VALUE if value is None else f"{value:.1%}"


def broken_claims(certificates: Sequence[Certificate]) -> Iterator[str]:
    """Yield a line for each broken claim, and under it the first `_SHOWN_FLAWS` instances."""
    for certificate in certificates:
        for claim in certificate.claims:
            if not claim.holds:
                times = pluralize(len(claim.broken), "time")
                yield f"{certificate.rule}: {claim.name} is broken ({times})"
                yield from (f"  {flaw}" for flaw in claim.broken[:_SHOWN_FLAWS])
