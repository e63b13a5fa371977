"""Certificates as a table for people, and the lines that say more."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.table import Table

from trainee_bench.harness.certification.claim import Certificate

_MEAN, _MAX, _LOSS = " mean", " max", "loss "
_SHOWN_FLAWS = 5


def certificate_table(certificates: Sequence[Certificate]) -> Table:
    """A row for each certificate."""
    made = Table(title=f"Certificates over {certificates[0].seeds} seeds each", title_style="bold")
    made.add_column("rule", no_wrap=True)
    for name in ("", "oracle's calls", "lost without a clue", "best cheat", "commonest answer"):
        made.add_column(name, justify="right")
    made.add_column("mutants", justify="right")
    for certificate in certificates:
        made.add_row(
            certificate.rule,
            "holds" if certificate.holds else "BROKEN",
            _range(certificate.fact("calls_min"), certificate.fact("calls_max"), "{:.0f}"),
            _losses(certificate),
            _best_cheat(certificate),
            _share(certificate.fact("commonest")),
            f"{certificate.fact('wrong') or 0:.0f} + {certificate.fact('harmless') or 0:.0f}",
        )
    return made


def family_certificate_table(certificates: Sequence[Certificate]) -> Table:
    """A row for each family: means over its rules, and the largest of anything."""
    made = Table(title="By family", title_style="bold")
    made.add_column("family", no_wrap=True)
    for name in ("rules", "hold", "oracle", "nothing", "best cheat", "max", "lost", "commonest"):
        made.add_column(name, justify="right")
    families: dict[str, list[Certificate]] = {}
    for one in certificates:
        families.setdefault(one.rule.partition(".")[0], []).append(one)
    for family, ones in families.items():
        made.add_row(
            family,
            str(len(ones)),
            str(sum(one.holds for one in ones)),
            _mean([one.fact("oracle") for one in ones]),
            _mean([one.fact("nothing") for one in ones]),
            *_best_of(ones),
            _range(*_ends([loss for one in ones for loss in _lost(one)]), "{:.2f}"),
            _share(max((one.fact("commonest") or 0 for one in ones), default=None)),
        )
    return made


def _mean(values: Sequence[float | None]) -> str:
    known = [value for value in values if value is not None]
    return f"{sum(known) / len(known):.2f}" if known else "–"


def _best_of(ones: Sequence[Certificate]) -> tuple[str, str]:
    """The cheat with the highest mean over the rules of a family, and the highest single score
    that any cheat had."""
    names = sorted({name for one in ones for name in _cheats(one)})
    if not names:
        return "–", "–"
    means = {name: sum(_cheats(one).get(name, 0) for one in ones) / len(ones) for name in names}
    best = max(names, key=lambda name: means[name])
    highest = max(one.fact(name + _MAX) or 0 for one in ones for name in names)
    return (f"{best} {means[best]:.3f}" if means[best] else "0"), f"{highest:.2f}"


def certificate_details(certificates: Sequence[Certificate]) -> Iterator[str]:
    """How to read the table, and what every cheat earned that earned anything."""
    yield "best cheat: mean (max) of the cheat that earned most; mutants: wrong + harmless kinds."
    for certificate in certificates:
        earned = [
            f"{name} {mean:.3f} ({certificate.fact(name + _MAX) or 0:.2f})"
            for name, mean in _cheats(certificate).items()
            if certificate.fact(name + _MAX)
        ]
        notes = [note for claim in certificate.claims for note in claim.notes]
        if earned or notes:
            yield f"{certificate.rule}: {'; '.join([*earned, *notes])}"


def _cheats(certificate: Certificate) -> dict[str, float]:
    """The mean score of each cheat."""
    return {
        name.removesuffix(_MEAN): value
        for claim in certificate.claims
        for name, value in claim.facts.items()
        if name.endswith(_MEAN)
    }


def _best_cheat(certificate: Certificate) -> str:
    cheats = _cheats(certificate)
    if not any(certificate.fact(name + _MAX) for name in cheats):
        return "0" if cheats else "–"
    name = max(cheats, key=lambda cheat: cheats[cheat])
    return f"{name} {cheats[name]:.3f} ({certificate.fact(name + _MAX) or 0:.2f})"


def _losses(certificate: Certificate) -> str:
    return _range(*_ends(_lost(certificate)), "{:.2f}")


def _lost(certificate: Certificate) -> list[float]:
    """The mean loss without each clue."""
    return [
        value
        for claim in certificate.claims
        for name, value in claim.facts.items()
        if name.startswith(_LOSS)
    ]


def _ends(values: Sequence[float]) -> tuple[float | None, float | None]:
    return min(values, default=None), max(values, default=None)


def _range(low: float | None, high: float | None, form: str) -> str:
    if low is None or high is None:
        return "–"
    ends = [form.format(low), form.format(high)]
    return "–".join(dict.fromkeys(ends))


def _share(value: float | None) -> str:
    return "–" if value is None else f"{value:.1%}"


def broken_claims(certificates: Sequence[Certificate]) -> Iterator[str]:
    """A line for each broken claim, and under it the first `_SHOWN_FLAWS` instances."""
    for certificate in certificates:
        for claim in certificate.claims:
            if not claim.holds:
                yield f"{certificate.rule}: {claim.name} is broken ({len(claim.broken)} times)"
                yield from (f"  {flaw}" for flaw in claim.broken[:_SHOWN_FLAWS])
