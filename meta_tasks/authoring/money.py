"""Amounts of money: whole cents inside, "EUR 74.90" in texts, numbers of euros in deliverables."""

from __future__ import annotations

from trainee_bench.meta_tasks.authoring.converters import Converter

_ROUNDING_ERROR = 1e-4
"""In cents: what adding and multiplying binary numbers may add to an amount."""


def format_euros(cents: int) -> str:
    """An amount as one writes it: "EUR 1000.00"."""
    return f"EUR {cents // 100}.{cents % 100:02d}"


def to_cents(amount: float) -> int | None:
    """An amount in EUR as whole cents; None if it is none, up to the error of calculating."""
    if not abs(amount) < 1e9:
        return None
    nearest = round(amount * 100)
    return nearest if abs(amount * 100 - nearest) < _ROUNDING_ERROR else None


def _parse(text: str) -> int:
    return int("".join(filter(str.isdigit, text)))


EUROS: Converter[int] = Converter(r"EUR \d+\.\d\d", _parse, format_euros)
"""Cents as "EUR 1000.00"."""
EUROS_IN_GROUPS: Converter[int] = Converter(
    r"EUR [\d,]+\.\d\d", _parse, lambda cents: f"EUR {cents // 100:,}.{cents % 100:02d}"
)
"""Cents as "EUR 1,000.00"."""
