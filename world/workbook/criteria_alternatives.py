"""Rewrites criteria that no single criterion of the engine expresses, as several that exclude
each other.

For "2025-09-01" and "50%" the engine misses cells that hold the same text, for "TRUE" as well, and
for "<>pear" it misses numbers and empty cells. Each such criterion becomes up to three pairs of
criteria for the same range. No cell matches two of them, so their counts and sums add up. Texts are
compared with a text just before the sought one and a text just behind it, which are no numbers.

A numeral remains as it is: for "7", the engine counts the number 7 and the texts 7 and 007, as
Excel does.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from trainee_bench.world.workbook.formula_tree import (
    CellReference,
    Constant,
    Expression,
    FunctionCall,
)
from trainee_bench.world.workbook.functions import FunctionSignature
from trainee_bench.world.workbook.inputs import CellKind, interpret

WITH_CRITERIA = frozenset(
    "AVERAGEIF AVERAGEIFS COUNTIF COUNTIFS MAXIFS MINIFS SUMIF SUMIFS".split()
)
MEANT = "IFERROR(VALUE(tb_w),IFERROR(DATEVALUE(tb_w),0)+ROUND(TIMEVALUE(tb_w)*86400,0)/86400)"
"""The number that the text tb_w means, or an error. A time is a whole number of seconds divided by
those of a day, since cells hold exactly that number."""

_NUMERAL = re.compile(r"[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?")
_LIKE_NUMBER = re.compile(r"[-+$€£ (]*\.?[0-9][-0-9.,:/%$€£() +TAPME]*", re.I)
_TRUTH_OR_NO_NUMBER = re.compile(r"TRUE|FALSE|[-+]?(?:NAN|INF|INFINITY)", re.I)
_WILDCARD = re.compile(r"[*?]")

_DEFINED = (
    # the text without its sign
    'tb_w,IF(ISTEXT(tb_k),IF(LEFT(tb_k,2)="<>",MID(tb_k,3,32767),'
    'IF(LEFT(tb_k,1)="=",MID(tb_k,2,32767),tb_k)),""),'
    # whether it must be unequal
    'tb_u,IF(ISTEXT(tb_k),IF(LEFT(tb_k,2)="<>",LEN(tb_w)>0,FALSE),FALSE),'
    # whether the engine is right: wildcards, errors, equal numerals
    'tb_x,IF(LEFT(tb_w,1)="#",TRUE,IF(ISNUMBER(FIND("*",tb_w)),TRUE,'
    'IF(ISNUMBER(FIND("?",tb_w)),TRUE,IF(LEN(tb_w)<IF(tb_u,1,2),TRUE,IF(RIGHT(tb_w,1)="%",FALSE,'
    'IF(EXACT(tb_w,TRIM(tb_w)),IF(ISNUMBER(NUMBERVALUE(tb_w,".","_")),'
    "IF(tb_u,FALSE,TRUE),FALSE),FALSE)))))),"
    # its value; "none" if the engine takes a text such as nan for a number
    'tb_s,SUBSTITUTE(SUBSTITUTE(tb_w,"+",""),"-",""),'
    'tb_v,IF(tb_x,"",IF(tb_w="TRUE",TRUE,IF(tb_w="FALSE",FALSE,'
    'IF(OR(tb_s="nan",tb_s="inf",tb_s="infinity"),"none",'
    f'IFERROR({MEANT},""))))),'
    # just before and just behind it in the engine's order of texts
    "tb_p,LOWER(LEFT(tb_w,LEN(tb_w)-1))&UNICHAR(UNICODE(LOWER(RIGHT(tb_w,1)))-1)&UNICHAR(65533),"
    "tb_q,tb_w&UNICHAR(1),"
    # the number of pairs
    'tb_c,IF(tb_x,1,IF(IF(ISTEXT(tb_v),tb_v="",FALSE),IF(tb_u,2,1),IF(tb_u,3,2))),'
)
_FIRST = (
    'IF(tb_c=1,tb_k,IF(tb_u,IF(tb_j=1,"<>?*",IF(tb_j=2,">"&UNICHAR(1),">"&tb_q)),'
    'IF(tb_j=1,IF(ISTEXT(tb_v),"<0",tb_v),">"&tb_p)))'
)
_SECOND = (
    'IF(tb_c=1,tb_k,IF(tb_u,IF(tb_j=1,IF(ISTEXT(tb_v),"<>?*","<>"&tb_v),'
    'IF(tb_c=2,"<>"&tb_w,IF(tb_j=2,"<"&tb_p,">"&tb_q))),'
    'IF(tb_j=1,IF(ISTEXT(tb_v),">0",IF(ISLOGICAL(tb_v),tb_v,">=-9E307")),"<"&tb_q)))'
)
_NUMBERS_ONLY = '">=-9E307"'
_VARIABLE = re.compile(r"\btb_[a-z]\b")


def text_needs_alternatives(text: str) -> bool:
    """Whether a criterion, the text *text*, may need to be rewritten."""
    unequal = text.startswith("<>")
    wanted = text[2:] if unequal else text.removeprefix("=")
    if not wanted or wanted[0] == "#" or _WILDCARD.search(wanted):
        return False
    if _NUMERAL.fullmatch(wanted):
        return unequal
    like = _LIKE_NUMBER.fullmatch(wanted) or _TRUTH_OR_NO_NUMBER.fullmatch(wanted)
    return unequal or like is not None


def cell_needs_alternatives(typed: str) -> bool:
    """Whether a criterion may need to be rewritten that is in a cell in which *typed* was typed."""
    content = interpret(typed) if typed else None
    if typed == "=" or (content is not None and content.kind is CellKind.FORMULA):
        return True
    return (
        content is not None
        and content.kind is CellKind.TEXT
        and text_needs_alternatives(str(content.value))
    )


def with_alternatives(
    call: FunctionCall,
    name: str,
    signature: FunctionSignature,
    formula: str,
    ranges: Mapping[tuple[int, int], str],
) -> tuple[tuple[str, ...], tuple[CellReference, ...]] | None:
    """Return the texts to write around the arguments of *call*, and cells that decide whether they
    are needed; without such cells they are. Return None if they never are.

    *ranges* are texts that replace ranges, keyed by their places in *formula*.
    """
    given = call.arguments
    if name not in WITH_CRITERIA or not all(argument.operands for argument in given):
        return None
    letters = [signature.letter(at) for at in range(len(given))]
    if len(given) < 2 or (letters[-1] == "r" and name.endswith("IFS")):
        return None  # the engine reports it
    if not name.endswith("IFS") and len(given) > 2 + (name != "COUNTIF"):
        return None
    criteria = [at for at in range(1, len(given)) if is_criterion(name, signature, at)]
    uncertain = [at for at in criteria if _may_need(given[at])]
    if not uncertain:
        return None
    cells = [_only_cell(given[at]) for at in uncertain]
    texts = [
        _range_text(argument, formula, ranges) or f"tb_a{at}" for at, argument in enumerate(given)
    ]
    defined = "".join(_numbered(_DEFINED, at) for at in uncertain)
    usual = f"{name}({','.join(_given(at, texts, criteria) for at in range(len(given)))})"
    most = f"MAX({','.join(f'tb_c{at}' for at in uncertain)})"
    body = f"IF({most}=1,{usual},{_calculated(name, texts, criteria, uncertain)})"
    before = [f",{_variable(at, criteria)}," for at in range(len(given))]
    around = (f"LET({before[0][1:]}", *before[1:], f",{defined}{body})")
    return around, () if None in cells else tuple(cell for cell in cells if cell is not None)


def is_criterion(name: str, signature: FunctionSignature, position: int) -> bool:
    """Whether the function *name* takes a criterion at *position*."""
    if name in ("SUMIF", "AVERAGEIF", "COUNTIF"):
        return position == 1
    return name in WITH_CRITERIA and signature.letter(position) != "r"


def _may_need(criterion: Expression) -> bool:
    first = criterion.operands[0]
    if not isinstance(first, Constant):
        return True
    is_text = first.text.startswith('"')
    if criterion.operators:
        return not is_text or re.match('"(?:>|<(?!>))', first.text) is None
    return is_text and text_needs_alternatives(first.text[1:-1].replace('""', '"'))


def _only_cell(criterion: Expression) -> CellReference | None:
    only = criterion.operands[0] if len(criterion.operands) == 1 else None
    return only if isinstance(only, CellReference) and not criterion.operators else None


def _range_text(
    argument: Expression, formula: str, ranges: Mapping[tuple[int, int], str]
) -> str | None:
    """Return the text of cells, which the engine accepts as a range only where they are written."""
    if _only_cell(argument) is None:
        return None
    (start, end), *_ = argument.spans
    return ranges.get((start, end), formula[start:end].strip())


def _numbered(text: str, at: int) -> str:
    return _VARIABLE.sub(lambda found: f"{found[0]}{at}", text)


def _variable(at: int, criteria: list[int]) -> str:
    return f"tb_k{at}" if at in criteria else f"tb_a{at}"


def _given(at: int, texts: list[str], criteria: list[int]) -> str:
    return f"tb_k{at}" if at in criteria else texts[at]


def _calculated(name: str, texts: list[str], criteria: list[int], uncertain: list[int]) -> str:
    """Return the formula over all combinations of pairs; *texts* are the texts of ranges."""
    pairs = []
    for at in criteria:
        compared = texts[0] if not name.endswith("IFS") else texts[at - 1]
        if at in uncertain:
            pairs += [f"{compared},{_numbered(_FIRST, at)}", f"{compared},{_numbered(_SECOND, at)}"]
        else:
            pairs.append(f"{compared},tb_k{at}")
    matched = ",".join(pairs)
    if name.startswith("COUNT"):
        return _over("SUM", f"COUNTIFS({matched})", uncertain)
    chosen = texts[0] if name.endswith("IFS") or len(texts) == 2 else texts[2]
    summed, counted = f"SUMIFS({chosen},{matched})", f"COUNTIFS({matched},{chosen},{_NUMBERS_ONLY})"
    if name.startswith("SUM"):
        return _over("SUM", summed, uncertain)
    if name.startswith("AVERAGE"):
        return f"{_over('SUM', summed, uncertain)}/{_over('SUM', counted, uncertain)}"
    # Where nothing matches, MAXIFS says 0, which must not be taken for a value.
    extreme, nothing = name[:3], "-9E307" if name == "MAXIFS" else "9E307"
    one = f"IF({counted}=0,{nothing},{name}({chosen},{matched}))"
    return f"LET(tb_m,{_over(extreme, one, uncertain)},IF(tb_m={nothing},0,tb_m))"


def _over(name: str, formula: str, uncertain: list[int]) -> str:
    for at in uncertain:
        formula = f"{name}(MAP(SEQUENCE(1,tb_c{at}),LAMBDA(tb_j{at},{formula})))"
    return formula
