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
    "which of two errors is told": lambda one: is_error(one.ours) and is_error(one.theirs),
    "a blank that is sought is 0 to Excel": _seeks_blank,
    "day 0 is 1899-12-30 to LibreOffice": _has_day_zero,
    "SUMXMY2 of LibreOffice takes blanks for 0": _takes_blanks_for_zero,
    "PERCENTRANK is cut off after three digits by Excel": (
        lambda one: "PERCENTRANK(" in one.formula and not is_error(one.ours)
    ),
    "RANK of a number that is not there is #N/A to Excel": (
        lambda one: re.search(r"RANK(?:\.EQ|\.AVG)?\(", one.formula) is not None
    ),
    "several criteria of LibreOffice leave blanks out for = and <>": (
        lambda one: re.search(r'IFS\(.*"(?:<>|=")', one.formula) is not None
    ),
    "the formula names columns beyond the table": (
        lambda one: (
            re.search(r"(?<![A-Z])\$?(?:[K-Z]|[A-Z]{2})\$?\d+(?!\()", one.formula) is not None
        )
    ),
    "truth values are numbers to LibreOffice": (
        lambda one: (
            (isinstance(one.ours, str) and re.search("TRUE|FALSE", one.ours) is not None)
            or _CHAIN.search(_TEXT.sub("", one.formula)) is not None
        )
    ),
    "two ways to read a year of more or less than four digits": (
        lambda one: re.search(r"DATEVALUE\(\"(?!\d{4}-\d\d-\d\d\")", one.formula) is not None
    ),
    "WEEKNUM of LibreOffice calls the last days of a year week 1": (
        lambda one: "WEEKNUM(" in one.formula and _LAST_DAYS.search(_cells_of(one)) is not None
    ),
    "in a range that is not sorted, the nearest value is found here": _is_not_sorted,
    "texts among holidays are errors to Excel": (
        lambda one: (
            one.ours == "#VALUE!" and re.search(r"(?:NETWORK|WORK)DAYS?", one.formula) is not None
        )
    ),
    "texts are ordered by code point here, not by the alphabet": (
        lambda one: _NOT_ALPHABETIC.search(one.formula) is not None
    ),
    "tiny numbers in texts are written out here": (
        lambda one: isinstance(one.theirs, str) and re.search(r"\dE[+-]\d", one.theirs) is not None
    ),
    "LibreOffice writes fewer decimals": (
        lambda one: re.search(r"FIXED\([^,]*,\d\d", one.formula) is not None
    ),
    "a wrong number of arguments is an error": (
        lambda one: one.ours == "#ERROR!" or "CHAR()" in one.formula or _has_odd_ifs(one.formula)
    ),
    "the range reaches the formulas of LibreOffice's sheet": (
        lambda one: one.theirs in ("Err:504", "Err:522", "Err:523")
    ),
    "SUMXMY2 of LibreOffice takes no texts": (
        lambda one: "SUMXMY2(" in one.formula and one.theirs == "#VALUE!"
    ),
    "the code of an empty text is an error to Excel": (
        lambda one: 'CODE("")' in one.formula and one.ours == "#VALUE!"
    ),
    "control characters are not written by LibreOffice": (
        lambda one: isinstance(one.ours, str) and any(letter < " " for letter in one.ours)
    ),
    "a blank that a lookup told is no number in MIN and MAX here": (
        lambda one: re.search(r"(?:MIN|MAX)\(.*LOOKUP\(", one.formula) is not None
    ),
    "arrays of different sizes give #N/A": (
        lambda one: len(set(map(_height, _RANGE.findall(one.formula)))) > 1
    ),
    "a single cell as a whole range is an error here, which says so": (
        lambda one: (
            is_error(one.ours)
            and re.search(
                r"(?:SMALL|LARGE|INDEX)\(\$?[A-Z]\$?\d+,|LOOKUP\([^()]*,\$?[A-J]\$?\d+\)",
                one.formula,
            )
            is not None
        )
    ),
    "the product of nothing is 1 here": lambda one: "SUBTOTAL(6," in one.formula,
    "an empty format is an error here": lambda one: ',"")' in one.formula and is_error(one.ours),
    "halves of binary numbers are rounded as they are written": _differ_in_last_digit,
    "probabilities below 1E-16 are compared as 0 here": (
        lambda one: (
            re.search(r"[<>=].*DIST\(|DIST\(.*[<>=]", one.formula) is not None
            and {one.ours, one.theirs} <= {True, False}
        )
    ),
    "days before day 0 are errors to Excel": (
        lambda one: one.ours == "#NUM!" and _OF_DAYS.search(one.formula) is not None
    ),
    "a rate of 0 has no effect to Excel": (
        lambda one: one.ours == "#NUM!" and re.search(r"EFFECT\(0?\.?0*,", one.formula) is not None
    ),
    "an empty text is no numeral here": (
        lambda one: 'DECIMAL("",' in one.formula and is_error(one.ours)
    ),
    "a truth value that is sought is no number to Excel": (
        lambda one: re.search(r"(?:LOOKUP|MATCH)\([^,]*[<>=]", one.formula) is not None
    ),
    "any text is no number to Excel": lambda one: '"*"' in one.formula,
    "numerals and separators are read more strictly or less": (
        lambda one: _ODD_NUMERAL.search(one.formula) is not None
    ),
    "formats with letters between a date's are undefined": (
        lambda one: re.search(r'TEXT\([^"]*"[^"]*[$"][^"]*y', one.formula) is not None
    ),
    "MODE is the first of several values to Excel": lambda one: "MODE(" in one.formula,
    "payments over so many years are too large for Excel": (
        lambda one: one.ours == "#NUM!" and _PAYMENTS.search(one.formula) is not None
    ),
    "LibreOffice has no @": lambda one: "@" in one.formula,
    "LibreOffice refuses arguments that are left out": (
        lambda one: _LEFT_OUT.search(one.formula) is not None
    ),
    "years before 100 are of the 20th century to Excel": (
        lambda one: _EARLY_YEAR.search(one.formula) is not None
    ),
    "the place of a formula differs": lambda one: (
        re.search(r"(?:ROW|COLUMN)\(\)", one.formula) is not None
    ),
}
