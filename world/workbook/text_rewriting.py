"""Rewrites conversions of numbers to texts, so that the engine rounds them as spreadsheets do.

The engine puts all digits of a binary number into a text (0.1+0.2 becomes 0.30000000000000004) and
writes -0 for zero. TEXT rounds halves to the even neighbour and loses the sign of -1 in "0". FIXED
and DOLLAR round binary numbers.
"""

from __future__ import annotations

import re

from trainee_bench.world.workbook.formula_tree import (
    CellReference,
    Constant,
    Expression,
    FunctionCall,
)

_SHOWN = "IF(ISNUMBER(tb_n),IF(tb_n=INT(tb_n),tb_n+0,ROUND(tb_n,14-INT(LOG10(ABS(tb_n))))),tb_n)"
AS_SHOWN = ("LET(tb_n,", f",{_SHOWN})")
"""Text around a single value: a number gets the 15 digits that a spreadsheet shows."""

_OF_TEXTS = {
    **dict.fromkeys("CLEAN LEFT LEN LOWER MID PROPER REPT RIGHT TEXTAFTER TRIM UPPER".split(), 1),
    **dict.fromkeys("EXACT FIND SEARCH TEXTBEFORE".split(), 2),
    **dict.fromkeys("SUBSTITUTE".split(), 3),
    "REPLACE": 1,
    **dict.fromkeys("CONCAT CONCATENATE TEXTJOIN".split(), 254),
}
"""The number of leading arguments that a function takes as texts."""
TAKING_TEXTS = tuple(_OF_TEXTS)
_GIVES_TEXT = frozenset(
    "ADDRESS BASE CHAR CLEAN CONCAT CONCATENATE DOLLAR FIXED LEFT LOWER MID PROPER REPLACE REPT "
    "RIGHT ROMAN SUBSTITUTE T TEXT TEXTAFTER TEXTBEFORE TEXTJOIN TRIM UNICHAR UPPER".split()
)
_GIVES_WHOLE = frozenset(
    "CODE COLUMN COLUMNS COUNT COUNTA COUNTBLANK COUNTIF COUNTIFS DATE DAY DAYS FIND HOUR LEN "
    "MATCH MINUTE MONTH NETWORKDAYS RANK ROW ROWS SEARCH SECOND WEEKDAY WEEKNUM XMATCH YEAR".split()
)
_LONGEST_NUMBER = 15
_ENDS_PIECE = frozenset({"&", "=", "<", ">", "<=", ">=", "<>"})
_LITERAL = re.compile(r'"[^"]*"?|\\.|_.|\*.|\[[^\]]*\]?')
_OF_DATES = re.compile(r"[ydmhs@]|general", re.I)
_UNKNOWN_FORMAT = re.compile(r"[eE][+-]|\?|/|(?:^|;)[^0#;]*\.[0#]")


def pieces(tree: Expression) -> list[tuple[int, int]]:
    """Return the first and last operand of each piece of *tree* that "&" joins to another."""
    ends = [at for at, sign in enumerate(tree.between) if sign in _ENDS_PIECE]
    found = []
    for first, last in zip([0, *(at + 1 for at in ends)], [*ends, len(tree.between)], strict=True):
        if "&" in (*tree.between[first - 1 : first], *tree.between[last : last + 1]):
            found.append((first, last))
    return found


def may_show_digits(value: Expression) -> bool:
    """Whether *value* may be a number with more than 15 digits, or minus zero."""
    if "&" in value.operators or not value.operands:
        return False
    (first, *others) = value.operands
    match first:
        case Constant(text=text) if not others and "-" not in value.operators:
            return text[0] not in '"#' and len(text) > _LONGEST_NUMBER
        case FunctionCall(function=str() as name) if not others:
            return name not in _GIVES_TEXT and name not in _GIVES_WHOLE
        case Expression() if not others and "-" not in value.operators:
            return may_show_digits(first)
        case _:
            return True


def only_cell(tree: Expression) -> CellReference | None:
    """Return the single cell of *tree*, if it has no operator."""
    operand = tree.operands[0] if len(tree.operands) == 1 and not tree.operators else None
    return operand if isinstance(operand, CellReference) else None


def is_formula(typed: str) -> bool:
    """Whether *typed* is a formula."""
    return typed.startswith("=")


def arguments_as_texts(name: str) -> int:
    """Return the number of leading arguments that the function *name* takes as texts."""
    return _OF_TEXTS.get(name, 0)


def rounded_text(call: FunctionCall, name: str, is_array: bool) -> tuple[str, ...] | None:
    """Return the texts to write around the arguments of TEXT, FIXED or DOLLAR.

    Return None if the engine gets the call right. *is_array* says that the first argument is not a
    single value.
    """
    if not all(argument.operands for argument in call.arguments):
        return None
    if name in ("FIXED", "DOLLAR"):
        given = "xde"[: len(call.arguments)]
        others = "".join(f",tb_{letter}" for letter in given[2:])
        decimals = "tb_d" if len(given) > 1 else "2"
        text = f"{name}(ROUND(tb_x,{decimals})+0,{decimals}{others})"
        text = f"IF(ABS(tb_x)<1E+18,{text},#NUM!)"  # the engine has no larger numbers
        return ("LET(tb_x,", *(f",tb_{letter}," for letter in given[1:]), f",{text})")
    code = _format(call, name)
    decimals_shown = _decimals(code)
    if decimals_shown is None:
        return None
    number = f"IF(ISLOGICAL(tb_x),tb_x,IFERROR(ROUND(tb_x,{decimals_shown})+0,tb_x))"
    text = "TEXT(tb_r,tb_f)"
    if ";" not in _LITERAL.sub("", code):  # else the second section contains the sign
        text = f'IF(IF(ISNUMBER(tb_r),tb_r<0,FALSE),"-"&TEXT(-tb_r,tb_f),{text})'
    found = f",LET(tb_r,{number},{text})"
    if is_array:
        return ("MAP(", ",LAMBDA(tb_x,LET(tb_f,", f"{found})))")
    return ("LET(tb_x,", ",tb_f,", f"{found})")


def format_objection(call: FunctionCall, name: str) -> str:
    """Say why the format of TEXT is refused, "" if it is not."""
    code = _format(call, name)
    plain = _LITERAL.sub("", code)
    if not _UNKNOWN_FORMAT.search(plain) or _OF_DATES.search(plain):
        return ""
    return (
        f"TEXT cannot write fractions, powers of ten or a point without a digit before it here, as "
        f"{code} would. Use formats of 0, #, commas, a point and %, such as 0.00 or #,##0.0%"
    )


def _format(call: FunctionCall, name: str) -> str:
    """Return the format in a call of TEXT, if it is a constant; else ""."""
    operands = call.arguments[1].operands if name == "TEXT" and len(call.arguments) == 2 else ()
    if len(operands) == 1 and isinstance(operands[0], Constant) and operands[0].text[0] == '"':
        return operands[0].text[1:-1].replace('""', '"')
    return ""


def _decimals(code: str) -> int | None:
    """Return how many decimals of a number the format *code* shows; None if it shows no plain
    number."""
    plain = _LITERAL.sub("", code)
    found = {
        _decimals_of_section(section) for section in plain.split(";") if re.search("[0#]", section)
    }
    return found.pop() if len(found) == 1 and not _OF_DATES.search(plain) else None


def _decimals_of_section(section: str) -> int:
    _, _, behind = section.partition(".")
    thousands = re.search(r"[0#](,+)[^0#,]*$", section)
    return (
        len(re.findall("[0#]", behind))
        + 2 * section.count("%")
        - 3 * (len(thousands[1]) if thousands else 0)
    )
