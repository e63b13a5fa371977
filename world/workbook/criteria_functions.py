"""Functions that the engine gets as defined names, for criteria that follow only from calculation.

Parsing a formula takes the engine longer than calculating it, so each of these is written once for
a workbook and not in every formula that calls it.
"""

from __future__ import annotations

from collections.abc import Mapping

NO_TEXT = '"<>?*"'
"""A criterion for all cells but texts of at least one character."""
SOME_TEXT = '">\x01"'
"""A criterion for texts of at least one character."""
NUMBERS_ONLY = '">=-9E307"'
_NOTHING = '"<"'
"""A criterion that no cell matches."""

_MEANT = (
    "IFERROR(VALUE(TRIM(tb_w)),"
    "IFERROR(DATEVALUE(TRIM(tb_w)),0)+ROUND(TIMEVALUE(TRIM(tb_w))*86400,0)/86400)"
)
"""The number that the text tb_w means, or an error. A time is a whole number of seconds divided by
those of a day, since cells hold exactly that number."""
_IS_TRUTH = 'OR(tb_w="TRUE",tb_w="FALSE")'
_IS_UNEQUAL = 'LEFT(tb_k,2)="<>"'
_UNEQUAL = "MID(tb_k,3,32767)"
_EQUAL = 'IF(LEFT(tb_k,1)="=",MID(tb_k,2,32767),tb_k)'

CRITERIA_FUNCTIONS: Mapping[str, str] = {
    # The engine confuses "<=pear" and ">=pear", so they are swapped. Numbers in the sense of a
    # spreadsheet (">=50%", "<09:30") are converted.
    "tb_criterion": 'LAMBDA(tb_k,IF(IF(ISTEXT(tb_k),ISNUMBER(FIND(LEFT(tb_k,1),"<>")),FALSE),'
    'LET(tb_o,IF(MID(tb_k,2,1)="=",2,1),tb_w,MID(tb_k,tb_o+1,9999),'
    f'IF(OR(tb_w="",{_IS_UNEQUAL}),tb_k,IFERROR(LEFT(tb_k,tb_o)&{_MEANT},'
    'IF(tb_o=1,tb_k,IF(LEFT(tb_k,1)="<",">=","<=")&tb_w)))),tb_k))',
    # Criteria for the number that a text means, and for all other numbers and no texts.
    "tb_number": f"LAMBDA(tb_w,IFERROR({_MEANT},{_NOTHING}))",
    "tb_other": f'LAMBDA(tb_w,IF({_IS_TRUTH},"<>"&tb_w,IFERROR("<>"&{_MEANT},{NO_TEXT})))',
    # The kind of the criterion tb_k: 1 if the engine reads it, 2 if it is for values and texts that
    # are equal, 3 if for all that are unequal, 4 if for all but one text that is like no value.
    "tb_kind": f"LAMBDA(tb_k,IF(ISTEXT(tb_k),IF({_IS_UNEQUAL},tb_kind_unequal({_UNEQUAL}),"
    f"tb_kind_equal({_EQUAL})),1))",
    "tb_kind_equal": "LAMBDA(tb_w,IF(tb_is_like(tb_w),IF(tb_is_numeral(tb_w),1,2),1))",
    "tb_kind_unequal": 'LAMBDA(tb_w,IF(OR(LEN(tb_w)=0,LEFT(tb_w,1)="#",'
    'ISNUMBER(FIND("*",tb_w)),ISNUMBER(FIND("?",tb_w))),1,IF(tb_is_like(tb_w),3,4)))',
    # The numbers of its alternatives, for cells of any content and for cells without values or
    # without texts that look like values.
    "tb_all": "LAMBDA(tb_c,SEQUENCE(1,IF(tb_c=4,2,tb_c)))",
    "tb_texts": "LAMBDA(tb_c,SEQUENCE(1,IF(tb_c=3,3,IF(tb_c=4,2,1)),IF(tb_c=2,2,1)))",
    "tb_values": "LAMBDA(tb_c,SEQUENCE(1,IF(tb_c=3,3,IF(tb_c=4,2,1))))",
    "tb_is_like": f"LAMBDA(tb_w,IF(ISNUMBER({_MEANT}),TRUE,{_IS_TRUTH}))",
    "tb_is_numeral": 'LAMBDA(tb_w,IF(RIGHT(tb_w,1)="%",FALSE,IF(EXACT(tb_w,TRIM(tb_w)),'
    'ISNUMBER(NUMBERVALUE(tb_w,".","_")),FALSE)))',
    # The two criteria of alternative tb_j of the criterion tb_k of kind tb_c.
    "tb_first": f"LAMBDA(tb_k,tb_c,tb_j,IF(tb_c=1,tb_k,IF({_IS_UNEQUAL},"
    f'IF(tb_j=1,{NO_TEXT},IF(tb_j=2,{SOME_TEXT},">"&tb_behind({_UNEQUAL}))),'
    f'IF(tb_j=1,tb_value({_EQUAL}),">"&tb_before({_EQUAL})))))',
    "tb_second": f"LAMBDA(tb_k,tb_c,tb_j,IF(tb_c=1,tb_k,IF({_IS_UNEQUAL},"
    f"IF(tb_j=1,IF(tb_c=4,{NO_TEXT},tb_other({_UNEQUAL})),IF(tb_c=4,tb_k,"
    f'IF(tb_j=2,"<"&tb_before({_UNEQUAL}),">"&tb_behind({_UNEQUAL})))),'
    f'IF(tb_j=1,tb_alike({_EQUAL}),"<"&tb_behind({_EQUAL})))))',
    # Criteria for the value that a text means, and for values of its type.
    "tb_value": f"LAMBDA(tb_w,IFERROR({_MEANT},UPPER(tb_w)))",
    "tb_alike": f"LAMBDA(tb_w,IF({_IS_TRUTH},tb_w,{NUMBERS_ONLY}))",
    # Texts just before and just behind another in the engine's order of texts.
    "tb_before": "LAMBDA(tb_w,LOWER(LEFT(tb_w,LEN(tb_w)-1))"
    "&UNICHAR(UNICODE(LOWER(RIGHT(tb_w,1)))-1)&UNICHAR(65533))",
    "tb_behind": "LAMBDA(tb_w,tb_w&UNICHAR(1))",
}
"""The functions by their names; they call one another."""
