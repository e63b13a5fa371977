"""The spreadsheet functions that are calculated, and which arguments may be arrays.

Each function here was compared with another spreadsheet program (see
tests/world/workbook/test_recorded_formulas.py). The engine knows more functions, and accepts arrays
in more places, but with wrong values. Both are refused (`array_arguments`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

_SINGLE_VALUES = """
    ACOSH ADDRESS ARABIC ASINH ATAN2 ATANH BASE BINOM.DIST CEILING CEILING.MATH CHAR CHISQ.DIST.RT
    CODE COMBIN CONCATENATE CONFIDENCE.NORM CONFIDENCE.T CUMIPMT CUMPRINC DATEDIF DATEVALUE DAYS
    DAYS360 DB DDB DECIMAL DOLLAR EDATE EFFECT EOMONTH ERROR.TYPE EXPON.DIST FALSE FISHER FIXED
    FLOOR FLOOR.MATH FV HOUR IFS IPMT ISBLANK ISERR ISERROR ISEVEN ISLOGICAL ISNA ISNONTEXT
    ISNUMBER ISODD ISTEXT LOG MINUTE MOD MROUND N NA NOMINAL NORM.DIST NORM.INV NORM.S.DIST
    NORM.S.INV NOT NPER NUMBERVALUE PDURATION PERMUT PI PMT POISSON.DIST PPMT PV QUOTIENT RATE
    ROMAN ROUND ROUNDDOWN ROUNDUP RRI SECOND SLN STANDARDIZE SWITCH SYD T T.DIST T.INV T.INV.2T
    TEXTAFTER TEXTBEFORE TIME TIMEVALUE TRUE TRUNC UNICHAR UNICODE VALUE VDB WEEKNUM XOR YEARFRAC
"""
_ELEMENT_BY_ELEMENT = """
    ABS ACOS ASIN ATAN CLEAN COLUMN COS COSH DATE DAY DEGREES EVEN EXACT EXP FACT FIND IF IFERROR
    IFNA INT ISOWEEKNUM LEFT LEN LN LOG10 LOWER MID MONTH ODD POWER PROPER RADIANS REPLACE REPT
    RIGHT ROW SEARCH SIGN SIN SINH SQRT SUBSTITUTE TAN TANH TRIM UPPER YEAR
"""
_WHOLE_ARRAYS = """
    AND AVEDEV CORREL COUNTA COVARIANCE.P COVARIANCE.S DEVSQ INTERCEPT MAX MAXA MDETERM MIN MODE
    MODE.SNGL OR PEARSON ROWS COLUMNS RSQ SLOPE STDEV STDEV.P STDEV.S STDEVP STEYX SUM SUMPRODUCT
    SUMSQ SUMX2MY2 SUMX2PY2 SUMXMY2 VAR VAR.P VAR.S VARP
"""
_ARRAYS_AND_SINGLE_VALUES = """
    LARGE PERCENTILE PERCENTILE.EXC PERCENTILE.INC PERCENTRANK PERCENTRANK.EXC PERCENTRANK.INC
    QUARTILE QUARTILE.EXC QUARTILE.INC SMALL TRIMMEAN
"""
_SIGNATURES = {
    "s*": _SINGLE_VALUES,
    "e*": _ELEMENT_BY_ELEMENT,
    "a*": _WHOLE_ARRAYS,
    "as*": _ARRAYS_AND_SINGLE_VALUES,
    "n*": "AVERAGE GCD GEOMEAN HARMEAN KURT LCM MEDIAN MINA MULTINOMIAL SKEW",
    "r*": "AVERAGEA CONCAT COUNT COUNTBLANK PRODUCT",
    "se*": "CHOOSE",
    "es*": "TEXT WEEKDAY",
    "sr*": "NPV RANK RANK.AVG RANK.EQ SUBTOTAL",
    "ssr*": "TEXTJOIN",
    "saa*": "FORECAST FORECAST.LINEAR LOOKUP",
    "sas*": "FVSCHEDULE HLOOKUP MATCH VLOOKUP XMATCH",
    "srrs*": "XLOOKUP",
    "srr": "XNPV",
    "rrs*": "XIRR",
    "rs*": "IRR MIRR",
    "rsr": "AVERAGEIF DAVERAGE DCOUNT DCOUNTA DGET DMAX DMIN DSUM",
    "rer": "SUMIF",
    "rs": "COUNTIF",
    "(rs)*": "COUNTIFS",
    "r(rs)*": "AVERAGEIFS MAXIFS MINIFS SUMIFS",
    "ssn": "NETWORKDAYS WORKDAY",
    "sssn": "NETWORKDAYS.INTL WORKDAY.INTL",
    "ass": "INDEX",
    "rssss": "OFFSET",
    "ss": "INDIRECT",
    "a*>": "FILTER FREQUENCY GROWTH HSTACK LINEST MINVERSE MMULT SORTBY TRANSPOSE TREND VSTACK",
    "as*>": "CHOOSECOLS CHOOSEROWS DROP EXPAND SORT TAKE TOCOL TOROW UNIQUE WRAPCOLS WRAPROWS",
    "s*>": "MUNIT SEQUENCE TEXTSPLIT",
    # array_arguments itself classifies the arguments of these.
    "": "BYCOL BYROW LAMBDA LET MAKEARRAY MAP REDUCE SCAN",
}


@dataclass(frozen=True)
class FunctionSignature:
    """The arguments of a function that may be arrays, one letter per argument.

    ``s``: a single value. ``e``: an array gives an array, element by element. ``a``: an array as a
    whole. ``n``: a range, or an array of numbers only. ``r``: a range of cells. ``repeated`` are
    the letters of all further arguments.
    """

    first: str
    repeated: str
    gives_array: bool

    def letter(self, position: int) -> str:
        """Return the letter of the argument at *position*, counted from 0."""
        if position < len(self.first):
            return self.first[position]
        if not self.repeated:  # too many arguments; the engine reports it
            return "s"
        return self.repeated[(position - len(self.first)) % len(self.repeated)]


def _signature(written: str) -> FunctionSignature:
    letters, gives_array = written.removesuffix(">"), written.endswith(">")
    if letters.endswith(")*"):
        first, _, repeated = letters[:-2].partition("(")
    elif letters.endswith("*"):
        first, repeated = letters[:-2], letters[-2]
    else:
        first, repeated = letters, ""
    return FunctionSignature(first, repeated, gives_array)


FUNCTIONS: Mapping[str, FunctionSignature] = {
    name: _signature(written) for written, names in _SIGNATURES.items() for name in names.split()
}
"""Every function that is calculated, by its name in capitals."""
