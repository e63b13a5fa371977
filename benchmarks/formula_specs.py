"""The parts of random formulas: functions with the types of their arguments, and constants.

One letter is a type (n number, t text, b truth value, d date) or a constant of `LITERALS`; a
capital is a range of `RANGES`; "?" marks an argument that may be left out. Everything else is
copied into the formula as it is.
"""

from __future__ import annotations

NUMBERS = """
    ABS n; SIGN n; INT n; TRUNC n ?i; ROUND n i; ROUNDUP n i; ROUNDDOWN n i; MOD n p; QUOTIENT n p;
    EVEN n; ODD n; MROUND p 5; CEILING p 5; FLOOR p 5; CEILING.MATH n 5; FLOOR.MATH n 5; POWER p i;
    SQRT p; EXP i; LN p; LOG p 10; LOG10 p; FACT k; COMBIN 7 k; PERMUT 7 k; GCD 12 k; LCM 4 k; PI;
    SIN n; COS n; TAN i; ATAN n; ATAN2 p n; SINH i; COSH i; TANH n; ASINH n; DEGREES n; RADIANS n;
    LEN t; FIND x t ?1; SEARCH x t ?1; CODE x; UNICODE x; VALUE v; NUMBERVALUE v point comma; N n;
    N t; ARABIC m; DECIMAL h 16; ERROR.TYPE E; MULTINOMIAL k k; YEAR d; MONTH d; DAY d;
    WEEKDAY d ?w; WEEKNUM d ?w; ISOWEEKNUM d; HOUR c; MINUTE c; SECOND c; DAYS d d; DAYS360 d d;
    DATEDIF e l u; YEARFRAC e l ?f; NETWORKDAYS d d ?D; NETWORKDAYS.INTL d d w; SUM R; SUM R n;
    AVERAGE R; MIN R; MAX R n; COUNT X; COUNTA X; COUNTBLANK X; PRODUCT R; MEDIAN R; MODE R;
    STDEV R; STDEV.P R; STDEVP R; VAR R; VAR.S R; VAR.P R; AVEDEV R; DEVSQ R; SUMSQ R; LARGE R k;
    SMALL R k; RANK own; RANK.EQ own ?1; RANK.AVG own; PERCENTILE R q; PERCENTILE.EXC R q;
    QUARTILE R k; QUARTILE.INC R k; PERCENTRANK R g; TRIMMEAN R q; SKEW R; KURT R; AVERAGEA X;
    MAXA X; MINA X; SUMPRODUCT R R; SUMPRODUCT A; SUM A; SUMX2MY2 P P; SUMXMY2 P P; CORREL R R;
    SLOPE R R; INTERCEPT R R; RSQ R R; STEYX R R; COVARIANCE.P R R; COVARIANCE.S R R; PEARSON R R;
    FORECAST i R R; SUBTOTAL z R; ROWS X; COLUMNS X; COLUMN X1; ROW X1; AVERAGE A; MAX A; MIN A;
    COUNTIF X C; COUNTIFS X C; COUNTIFS X C X C; SUMIF X C R; SUMIF R C; SUMIFS R X C;
    SUMIFS R X C X C; AVERAGEIF X C R; AVERAGEIFS R X C; MAXIFS R X C; MINIFS R X C X C;
    MATCH g R 0; MATCH t T 0; MATCH g S; MATCH g S 1; MATCH t Q 1; MATCH g Z -1; MATCH o D 0;
    MATCH o I; IF b n n; IFERROR n n; IFNA n n; CHOOSE k n n n; SWITCH i 1 n 2 n n; IFS b n TRUE n;
    PMT r p p; FV r p p; PV r p p; NPV r R; IPMT r 1 p p; PPMT r 1 p p; SLN p p p; SYD p p 5 k;
    DB p 1 5 k; DDB p 1 5 k; EFFECT r 4; NOMINAL r 4; NPER r -100 p; RRI 5 p p; NORM.DIST n n p b;
    NORM.S.DIST n b; NORM.INV q n p; NORM.S.INV q; T.DIST n 5 b; EXPON.DIST p p b;
    POISSON.DIST k p b; STANDARDIZE n n p; BINOM.DIST k 7 q b; CONFIDENCE.NORM q p 9; T.INV q 6;
    FISHER 0.3; CHISQ.DIST.RT p 4
"""
TEXTS = """
    LEFT t k; RIGHT t k; MID t k k; UPPER t; LOWER t; PROPER t; TRIM t; CLEAN t; REPT x k;
    SUBSTITUTE t x x; SUBSTITUTE t x x 1; REPLACE t k 1 x; CONCATENATE t n; CONCAT T;
    TEXTJOIN x TRUE T; T t; TEXT n F; TEXT d G; CHAR 65; UNICHAR 228; FIXED n i; DOLLAR p 2;
    ROMAN y; BASE y 16; ADDRESS k k; IF b t t; IFERROR t t; CHOOSE k t t t; SWITCH x x t t;
    IFS b t TRUE t; TEXTJOIN x FALSE T x
"""
TRUTHS = """
    AND b b; OR b b; NOT b; XOR b b; ISNUMBER n; ISTEXT t; ISNONTEXT X1; ISBLANK X1; ISERROR n;
    ISERR n; ISNA n; ISLOGICAL X1; ISEVEN i; ISODD i; EXACT t t; IF b b b; AND L; OR L;
    IFERROR b b; TRUE; FALSE
"""
DATES = """
    DATE Y k y; EDATE d i; EOMONTH d i; WORKDAY d i ?D; WORKDAY.INTL d i w; DATEVALUE s; MAX D;
    MIN D; LARGE D k; SMALL D k; MAX d d; MIN d d; IF b d d; IFERROR d d; INT d; CHOOSE k d d d
"""
WORDS = ("a", "b", "c", "apple", "Apple", "pear", "plum", "fig", "Müller", "x*y", "a b", "zz")
ODD_TEXTS = ("12", "3.5", "", " a ", "50%", "2024-01-31", "b?", "-7")
NUMERALS = (
    "0",
    "1",
    "2",
    "3",
    "5",
    "7",
    "10",
    "12",
    "100",
    "0.5",
    "1.5",
    "2.75",
    ".25",
    "1E2",
    "25%",
)
FORMATS = ("0", "0.00", "#,##0", "#,##0.00", "0%", "0.0%", "000")
DATE_FORMATS = ("yyyy-mm-dd", "yyyy", "mm", "dd/mm/yyyy")
CRITERIA = (
    '">{n}"', '"<{n}"', '">={n}"', '"<={n}"', '"{n}"', "{n}", '"{w}"', '"{a}*"', '"?{a}*"',
    '">{w}"', '"<={w}"', '"="', '">"&{n}', '"*{a}"', '"<>{n}"',
)  # fmt: skip
BREAKS = (",", ";", ")", "(", '"', "}", "{", "%", "&", "*", "=", "<", ">", "!", "#", "'", ":", " 1",
          "..", "1,5", ' "a"', "+", "A", "$", "@", "€", "\\", "))", "1 2", ";1")  # fmt: skip
KINDS = (
    "up",
    "down",
    "number",
    "number",
    "mixed",
    "word",
    "sorted words",
    "date",
    "dates up",
    "truth",
)
RANGES = {
    "R": ("number", "number", "up", "down", "mixed"),
    "X": tuple(kind for kind in KINDS if kind != "truth"),
    "P": ("number", "up", "down"),
    "T": ("word", "sorted words"),
    "D": ("date", "dates up"),
    "S": ("up",),
    "Z": ("down",),
    "Q": ("sorted words",),
    "I": ("dates up",),
}
LITERALS = {
    "i": ("-2", "-1", "0", "1", "2", "3"),
    "k": ("1", "2", "3", "4"),
    "q": ("0.1", "0.25", "0.5", "0.9"),
    "r": ("0.05", "0.1", "0.015", "3%"),
    "w": ("1", "2", "11"),
    "f": ("0", "1", "2", "3", "4"),
    "u": ('"d"', '"m"', '"y"', '"ym"', '"yd"', '"md"'),
    "v": ('"12"', '"3.5"', '"-7"', '"50%"', '"1,234"', '"x"'),
    "m": ('"XIV"', '"MCM"'),
    "h": ('"FF"', '"1a"'),
    "y": ("1", "12", "27", "31"),
    "Y": ("2020", "2023", "2024"),
    "point": ('"."',),
    "comma": ('","',),
    "z": ("1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11"),
    "F": tuple(f'"{number_format}"' for number_format in FORMATS),
    "G": tuple(f'"{date_format}"' for date_format in DATE_FORMATS),
}
