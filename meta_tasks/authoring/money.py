"""Amounts of money: whole cents in code, "EUR 74.90" in texts, numbers of euros in deliverables."""

from __future__ import annotations

from decimal import Decimal

from trainee_bench.meta_tasks.authoring.converters import Converter

_ROUNDING_ERROR = 1e-4
"""In cents: by how much adding and multiplying binary numbers may change an amount."""


def format_euros(cents: int) -> str:
    """An amount as one writes it: "EUR 1000.00"."""
    return f"EUR {cents // 100}.{cents % 100:02d}"


def to_cents(amount: float) -> int | None:
    """An amount in EUR as whole cents; None if it is none, up to the error of calculating."""
    if not abs(amount) < 1e9:
        return None
    nearest = round(amount * 100)
    return nearest if abs(amount * 100 - nearest) < _ROUNDING_ERROR else None


def parse_cents(amount: str) -> int:
    """The cents of an amount in euros: "EUR 1,000.50", "1000.50", "1,000"."""
    return int(Decimal(amount.strip().removeprefix("EUR ").replace(",", "")) * 100)


EUROS: Converter[int] = Converter(r"EUR \d+\.\d\d", parse_cents, format_euros)
"""Cents as "EUR 1000.00"."""
EUROS_IN_GROUPS: Converter[int] = Converter(
    r"EUR [\d,]+\.\d\d", parse_cents, lambda cents: f"EUR {cents // 100:,}.{cents % 100:02d}"
)
"""Cents as "EUR 1,000.00"."""
CENTS: Converter[int] = Converter(
    r"\d+\.\d\d", parse_cents, lambda cents: f"{cents // 100}.{cents % 100:02d}"
)
"""Cents as "1000.00"."""
WHOLE_EUROS: Converter[int] = Converter(
    r"\d{1,3}(?:,\d{3})*", parse_cents, lambda cents: f"{cents // 100:,}"
)
"""Cents of a whole number of euros as "1,000"."""
