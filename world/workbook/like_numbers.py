"""Tells which texts look like numbers, dates, times or truth values."""

from __future__ import annotations

import re

_NUMERAL = re.compile(r"[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?")
_LIKE_NUMBER = re.compile(r"[-+$€£ (]*\.?[0-9][-0-9.,:/%$€£() +TAPME]*", re.I)
_MONTH_FIRST = re.compile(r" *[A-Z]{3,9}([-/.])[0-9]{1,2}\1[0-9]{1,4} *", re.I)
_TRUTH = re.compile(r"TRUE|FALSE", re.I)


def is_numeral(text: str) -> bool:
    """Whether *text* is digits with a sign, a point or a power of ten, and nothing else."""
    return _NUMERAL.fullmatch(text) is not None


def is_truth(text: str) -> bool:
    """Whether *text* reads TRUE or FALSE, in any case."""
    return _TRUTH.fullmatch(text) is not None


def looks_like_value(text: str) -> bool:
    """Whether *text* may be read as a number, a date, a time or a truth value."""
    patterns = (_LIKE_NUMBER, _NUMERAL, _MONTH_FIRST, _TRUTH)
    return any(pattern.fullmatch(text) for pattern in patterns)


def may_be_date(text: str) -> bool:
    """Whether the engine may take *text* for a date in a criterion: it has three parts."""
    separator = next((sign for sign in "/-." if sign in text), None)
    return separator is not None and text.count(separator) == 2
