"""Certificates as tables for people, and lines with details."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

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


def certificate_document(certificates: Sequence[Certificate]) -> Document:
    """Return all certificates by rule and by family, how to read them, and what cheats earned."""
    blocks: list[Block] = [certificate_grid(certificates), family_grid(certificates)]
    if any(map(_cheats, certificates)):
        blocks.append(cheat_grid(certificates))
    blocks.append(
        Paragraph(
            "Best cheat: the cheating agent with the highest mean score. Lost without a clue: the "
            "oracle's mean loss of score when one clue is withheld, from the least to the most "
            "important clue. Idle score: the score of doing nothing. Most common answer: its share "
            f"over the seeds in the title, with {MIN_GUESS_SEEDS} seeds or more. Mutants: kinds of "
            "wrong + harmless changes to the oracle's deliverables."
        )
    )
    details = certificate_details(certificates)
    return Document("Certificates", (*blocks, *([Bullets(tuple(details))] if details else [])))


def certificate_grid(certificates: Sequence[Certificate]) -> Grid:
    """Return a row for each certificate."""
    titles = [
        "rule", "verdict", "oracle's calls", "lost without a clue", _BEST_CHEAT,
        _most_common_title(certificates), "mutants",
    ]  # fmt: skip
    rows = [
        [
            certificate.rule,
            "holds" if certificate.holds else "BROKEN",
            _range(certificate.fact("calls_min"), certificate.fact("calls_max"), "{:.0f}"),
            _range(*_ends(_losses(certificate)), "{:.2f}"),
            _best_cheat(certificate),
            _share(_most_common_share(certificate)),
            f"{certificate.fact('wrong') or 0:.0f} + {certificate.fact('harmless') or 0:.0f}",
        ]
        for certificate in certificates
    ]
    return Grid.from_rows(
        titles, rows, title=f"Certificates over {pluralize(certificates[0].seeds, 'seed')} each"
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
        notes = [note for claim in certificate.claims for note in claim.notes]
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
