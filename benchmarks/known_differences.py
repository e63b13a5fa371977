"""Known differences from LibreOffice where our engine follows Excel, and their reasons."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation

from benchmarks.random_formulas import Table
from tests.world.workbook.libreoffice import Value
from trainee_bench.world.errors import Invalid
from trainee_bench.world.workbook.formula_tree import (
    MalformedFormula,
    calls_in,
    parse_formula,
)

_SOUGHT = re.compile(r"LOOKUP\(\$?([A-Z]+)\$?(\d+),|MATCH\(\$?([A-Z]+)\$?(\d+),")
_CELL = re.compile(r"(?<![:A-Z])\$?([A-Z])\$?(\d+)(?![:\d(])")
_RANGE = re.compile(r"\$?([A-Z])\$?(\d+):\$?([A-Z])\$?(\d+)")
_OF_DAYS = re.compile(
    r"(?<![A-Z])(?:YEAR|MONTH|DAY|DAYS360|WEEKDAY|WEEKNUM|ISOWEEKNUM|EDATE|EOMONTH|YEARFRAC|TEXT|DAYS"
    r"|(?:NETWORKDAYS|WORKDAY)(?:\.INTL)?)\("
)
_PAYMENTS = re.compile(r"(?<![A-Z])I?P?(?:PMT|PV|FV)\(")
_LEFT_OUT = re.compile(r"[(,]\s*,|,\s*\)")
_NOT_ALPHABETIC = re.compile(
    r'DOLLAR\([^()]*\)[<>]|(?:LOOKUP|MATCH)\("[^"]*[^\w\s*?"]|UNICHAR\(228\)|"[^"]*[^\x00-\x7f"][^"]*"|"-7"'
)
_LAST_DAYS = re.compile(r"-12-(?:2[5-9]|3[01])")
_ODD_NUMERAL = re.compile(r'NUMBERVALUE\((?!"[^" ]*","\.",","\))|VALUE\("[0-9.]+\+')
_TEXT = re.compile(r'"[^"]*"')
_CHAIN = re.compile(r"[<>]=?[^<>=(),]+=")
_EARLY_YEAR = re.compile(r"DATE\([^,]*?(?<![\w.])\d{0,3}[<>=]?\d{0,3},")


@dataclass(frozen=True)
class Compared:
    """A formula over a table, our value, and LibreOffice's."""

    formula: str
    table: Table
    ours: Value
    theirs: Value


def known_difference(compared: Compared) -> str:
    """Why the two values differ, "" if that is not known."""
    return next((reason for reason, holds in _KNOWN.items() if holds(compared)), "")


def is_error(value: Value) -> bool:
    """Whether *value* is an error of a spreadsheet."""
    return isinstance(value, str) and value.startswith(("#", "Err:"))


def _is_blank(compared: Compared, letter: str, row: str) -> bool:
    return letter + row not in compared.table.cells


def _seeks_blank(compared: Compared) -> bool:
    found = (
        pair for sought in _SOUGHT.findall(compared.formula) for pair in (sought[:2], sought[2:])
    )
    return any(pair[0] and _is_blank(compared, *pair) for pair in found)


def _has_day_zero(compared: Compared) -> bool:
    blank = compared.table.has_blank_in(compared.formula) or re.search("[<>=]", compared.formula)
    looked_up = re.search(r"INDEX\(|LOOKUP\(", compared.formula) is not None
    return bool(blank or looked_up) and _OF_DAYS.search(compared.formula) is not None


def _height(corners: tuple[str, str, str, str]) -> int:
    return abs(int(corners[3]) - int(corners[1]))


def _cells_of(compared: Compared) -> str:
    return " ".join(compared.table.mentioned(compared.formula).values())


def _is_not_sorted(compared: Compared) -> bool:
    columns = re.findall(r"MATCH\([^()]*,([A-J])\d+:[A-J]\d+(?:,1\)|\)|[-+*/])", compared.formula)
    return any(compared.table.columns[column] != "up" for column in columns)


def _takes_blanks_for_zero(compared: Compared) -> bool:
    return "SUMXMY2(" in compared.formula and any(
        f"{first}{row}" not in compared.table.cells
        for first, top, _, bottom in _RANGE.findall(compared.formula)
        for row in range(int(top), int(bottom) + 1)
    )


def _differ_in_last_digit(compared: Compared) -> bool:
    if re.search(r"(?:DOLLAR|FIXED)\(", compared.formula) is None:
        return False
    try:
        ours, theirs = (
            Decimal(str(value).replace("$", "").replace(",", ""))
            for value in (compared.ours, compared.theirs)
        )
    except InvalidOperation:
        return False
    exponent = ours.as_tuple().exponent
    return isinstance(exponent, int) and abs(ours - theirs) <= Decimal(1).scaleb(exponent)


def _has_odd_ifs(formula: str) -> bool:
    try:
        calls = calls_in(parse_formula(formula))
    except (Invalid, MalformedFormula):
        return False
    return any(call.function == "IFS" and len(call.arguments) % 2 for call in calls)


_KNOWN: dict[str, Callable[[Compared], bool]] = {
    "two errors, of which each engine reports another": lambda case: (
        is_error(case.ours) and is_error(case.theirs)
    ),
    "Excel looks a blank up as 0": _seeks_blank,
    "LibreOffice takes 1899-12-30 as day 0": _has_day_zero,
    "LibreOffice takes blanks as 0 in SUMXMY2": _takes_blanks_for_zero,
    "Excel cuts PERCENTRANK off after three digits": (
        lambda case: "PERCENTRANK(" in case.formula and not is_error(case.ours)
    ),
    "Excel returns #N/A for RANK of a missing number": (
        lambda case: re.search(r"RANK(?:\.EQ|\.AVG)?\(", case.formula) is not None
    ),
    "LibreOffice leaves blanks out of several criteria with = and <>": (
        lambda case: re.search(r'IFS\(.*"(?:<>|=")', case.formula) is not None
    ),
    "the formula names columns beyond the table": (
        lambda case: (
            re.search(r"(?<![A-Z])\$?(?:[K-Z]|[A-Z]{2})\$?\d+(?!\()", case.formula) is not None
        )
    ),
    "LibreOffice takes truth values as numbers": (
        lambda case: (
            (isinstance(case.ours, str) and re.search("TRUE|FALSE", case.ours) is not None)
            or _CHAIN.search(_TEXT.sub("", case.formula)) is not None
        )
    ),
    "two ways to read a year of more or less than four digits": (
        lambda case: re.search(r"DATEVALUE\(\"(?!\d{4}-\d\d-\d\d\")", case.formula) is not None
    ),
    "LibreOffice returns WEEKNUM 1 for the last days of a year": (
        lambda case: "WEEKNUM(" in case.formula and _LAST_DAYS.search(_cells_of(case)) is not None
    ),
    "in a range that is not sorted, the nearest value is found here": _is_not_sorted,
    "Excel returns an error for texts among holidays": (
        lambda case: (
            case.ours == "#VALUE!" and re.search(r"(?:NETWORK|WORK)DAYS?", case.formula) is not None
        )
    ),
    "texts are ordered by code point here, not by the alphabet": (
        lambda case: _NOT_ALPHABETIC.search(case.formula) is not None
    ),
    "our engine writes tiny numbers out in texts": (
        lambda case: (
            isinstance(case.theirs, str) and re.search(r"\dE[+-]\d", case.theirs) is not None
        )
    ),
    "LibreOffice writes fewer decimals": (
        lambda case: re.search(r"FIXED\([^,]*,\d\d", case.formula) is not None
    ),
    "a wrong number of arguments is an error": (
        lambda case: (
            case.ours == "#ERROR!" or "CHAR()" in case.formula or _has_odd_ifs(case.formula)
        )
    ),
    "the range reaches the formulas of LibreOffice's sheet": (
        lambda case: case.theirs in ("Err:504", "Err:522", "Err:523")
    ),
    "LibreOffice takes no texts in SUMXMY2": (
        lambda case: "SUMXMY2(" in case.formula and case.theirs == "#VALUE!"
    ),
    "Excel returns an error for the code of an empty text": (
        lambda case: 'CODE("")' in case.formula and case.ours == "#VALUE!"
    ),
    "LibreOffice does not write control characters": (
        lambda case: isinstance(case.ours, str) and any(letter < " " for letter in case.ours)
    ),
    "our MIN and MAX ignore a blank from a lookup": (
        lambda case: re.search(r"(?:MIN|MAX)\(.*LOOKUP\(", case.formula) is not None
    ),
    "arrays of different sizes give #N/A": (
        lambda case: len(set(map(_height, _RANGE.findall(case.formula)))) > 1
    ),
    "our engine refuses a single cell as a whole range": (
        lambda case: (
            is_error(case.ours)
            and re.search(
                r"(?:SMALL|LARGE|INDEX)\(\$?[A-Z]\$?\d+,|LOOKUP\([^()]*,\$?[A-J]\$?\d+\)",
                case.formula,
            )
            is not None
        )
    ),
    "our product of nothing is 1": lambda case: "SUBTOTAL(6," in case.formula,
    "our engine refuses an empty format": lambda case: (
        ',"")' in case.formula and is_error(case.ours)
    ),
    "our engine rounds halves by their decimal digits": _differ_in_last_digit,
    "our engine compares probabilities below 1E-16 as 0": (
        lambda case: (
            re.search(r"[<>=].*DIST\(|DIST\(.*[<>=]", case.formula) is not None
            and {case.ours, case.theirs} <= {True, False}
        )
    ),
    "Excel returns an error for days before day 0": (
        lambda case: case.ours == "#NUM!" and _OF_DAYS.search(case.formula) is not None
    ),
    "Excel returns an error for EFFECT with a rate of 0": (
        lambda case: (
            case.ours == "#NUM!" and re.search(r"EFFECT\(0?\.?0*,", case.formula) is not None
        )
    ),
    "our engine does not read an empty text as a numeral": (
        lambda case: 'DECIMAL("",' in case.formula and is_error(case.ours)
    ),
    "Excel does not look a truth value up as a number": (
        lambda case: re.search(r"(?:LOOKUP|MATCH)\([^,]*[<>=]", case.formula) is not None
    ),
    "the criterion for any text matches no number in Excel": lambda case: '"*"' in case.formula,
    "numerals and separators are read more strictly or less": (
        lambda case: _ODD_NUMERAL.search(case.formula) is not None
    ),
    "formats with letters between a date's are undefined": (
        lambda case: re.search(r'TEXT\([^"]*"[^"]*[$"][^"]*y', case.formula) is not None
    ),
    "Excel returns the first of several values for MODE": lambda case: "MODE(" in case.formula,
    "Excel cannot calculate payments over this many years": (
        lambda case: case.ours == "#NUM!" and _PAYMENTS.search(case.formula) is not None
    ),
    "LibreOffice has no @": lambda case: "@" in case.formula,
    "LibreOffice refuses omitted arguments": (
        lambda case: _LEFT_OUT.search(case.formula) is not None
    ),
    "Excel puts years before 100 into the 20th century": (
        lambda case: _EARLY_YEAR.search(case.formula) is not None
    ),
    "the place of a formula differs": lambda case: (
        re.search(r"(?:ROW|COLUMN)\(\)", case.formula) is not None
    ),
}
