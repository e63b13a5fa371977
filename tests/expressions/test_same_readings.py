"""Expressions whose time is in step with the text read what the plainer ones did before them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trainee_bench.world.colleagues import reply_filter
from trainee_bench.world.colleagues.understanding import asking, fishing, normalise
from trainee_bench.world.workbook import exact_arithmetic

Reading = Callable[[re.Pattern[str], str], Any]


def split(pattern: re.Pattern[str], text: str) -> list[str | Any]:
    return pattern.split(text)


def found(pattern: re.Pattern[str], text: str) -> list[tuple[Any, ...]]:
    return [(one.span(), *one.groups()) for one in pattern.finditer(text)]


def tokens(pattern: re.Pattern[str], text: str) -> list[tuple[str, Any]]:
    read, at = [], 0
    while token := pattern.match(text, at):
        if token.end() == at:
            break
        read.append((token[0], token.groupdict()))
        at = token.end()
    return read


def whether(pattern: re.Pattern[str], text: str) -> bool:
    return pattern.search(text) is not None


def without(pattern: re.Pattern[str], text: str) -> str:
    return pattern.sub(lambda match: match[1] or "" if match.re.groups else "", text)


WORLD = "trainee_bench.world"
CLAUSE_END = (
    rf"(?:\s*,\s*(?:and\s+|but\s+|or\s+|so\s+)?|\s+(?:and|but|plus)\s+){normalise._NEXT_ASK}|"
    r"(?:(?<=know)|(?<=tell me)|(?<=tell us)|(?<=wondering)|(?<=wonder)|(?<=told me)|"
    r"(?<=show me)|(?<=explain)|(?<=find out)|(?<=figure out)|(?<=work out)|(?<=sure)|(?<=idea)|"
    r"(?<=remember))\s+(?=(?:who|whom|whose|where|what|which|when|how|why)\b)|"
    r"\s*,\s*but\s+|\s+but\s+|\s*,\s*and\s+also\s+|\s*\(|\)\s*"
)
FRAME = (
    r"(?:\b(?:can|could|will|would|might) (?:you|u|someone|somebody) |\bplease |"
    r"\b(?:need|want|like|ask|asking) (?:you|u) to |"
    r"\byou (?:should|must|have to|need to|can|could) |"
    r"\bmind |^(?:and |so |then |hi |hey |just |now )*|\bable to |\bpossible for you to |"
    r"\b(?:why do not you|let you|have you) )"
    r"(?:(?:please|kindly|just|maybe|perhaps|also|quickly|possibly|then|help me to|help me|"
    r"you|be so kind and|be so kind as to|go ahead and|simply) )*(?P<verb>[a-z]+)(?P<rest>.*)$"
)
CASES: tuple[tuple[str, str, str, str, Reading], ...] = (
    # module, expression, what replaced it was read from, the words of the texts, how it is read
    (f"{WORLD}.colleagues.addressing", "_SENTENCE_END", r"(?<=[.!?])\s+|\s*\n\s*", ".|a| |\n",
     split),
    (f"{WORLD}.colleagues.understanding.normalise", "_SENTENCE_END",
     r"(?<=[?!;])\s*|(?<=\.)\s+|\s*\n+\s*|:\s+|\s+-+\s+(?=\S+ \S+ \S+)",
     "?|.|:|-| |\n|a|a b c", split),
    (f"{WORLD}.colleagues.understanding.normalise", "_CLOSING",
     r"(?<=[.,!?\n])\s*(?:cheers|(?:many )?thanks|best(?: wishes)?)\W*$",
     ".|,|\n| |a|cheers|thanks|best|!", without),
    ("trainee_bench.mcp_servers.llm_colleagues.drafting", "_FENCE",
     r"\A```\w*\s*|\s*```\Z", "```|json| |\n|{}|`", without),
    ("trainee_bench.mcp_servers.llm_colleagues.drafting", "_ANY_PLACE",
     r"[{\[<(]+\s*told\s*[}\]>)]+", "{|[|told|TOLD|}|)| |a", without),
    ("trainee_bench.meta_tasks.sent_texts", "_BLOCK_END",
     r"\n\s*\n|\n(?=\s*(?:-|\d+\.)\s)", "\n| |-|1.|a|\t", split),
    ("trainee_bench.meta_tasks.sent_texts", "_PLACEHOLDER", r"\{+\w+\}+", "{|}|a| ", without),
    (f"{WORLD}.colleagues.understanding.asking", "_OPENLY",
     r"[?？]|\b(?:please|kindly)\b|(?:^|[.,;!\n]|\band)\s*(?:who|what)\b",
     ".|\n| |and|who|what|a|kindly", whether),
    (f"{WORLD}.workbook.csv_text", "_QUOTED", r'"(?:[^"]|"")*(?:"|$)', '"|a|,|\n', without),
    (f"{WORLD}.workbook.edits", "_PART",
     r"""(?xa)"(?:[^"]|"")*" | '(?:[^']|'')*'
     | (?<![\w.$])(\$?[A-Za-z]{1,3})(\$?)([1-9][0-9]{0,6})(?![\w.(!])
     | (?<![\w.$:])(\$?)([0-9]{1,7}):(\$?)([0-9]{1,7})(?![\w.(!])""",
     "\"|'|A1|$|1:2|+|!", found),
    (f"{WORLD}.workbook.formulas", "_TOKEN",
     r"""(?xs)(?P<text>"(?:[^"]|"")*") | (?P<quoted>'(?:[^']|'')*') | (?P<name>[^\W\d][\w.]*)
     | (?P<number>\d[\w.]*) | (?P<open>[({]) | (?P<close>[)}]) | (?P<space>\s+) | (?P<other>.)""",
     "\"|'|A1|1.5|(| |+", found),
    (f"{WORLD}.colleagues.understanding.normalise", "_CLAUSE_END",
     CLAUSE_END,
     "know| |\n|,|but|and|also|(|)|a|what|on|I need", split),
    (f"{WORLD}.colleagues.understanding.intent", "_FRAME",
     FRAME,
     "can you |please |just |then |now |9 |9|fix |it|help me |to |mind |able to ", found),
    (f"{WORLD}.workbook.exact_arithmetic", "_TOKEN",
     exact_arithmetic._TOKEN.pattern.replace(r"\d+(?:\.\d*)?", r"\d+\.?\d*"),
     "1|.|5|e3|+| |A1|(|,", tokens),
)  # fmt: skip


EXAMPLES = settings(max_examples=4 * settings().max_examples, deadline=None)


def texts(words: Sequence[str], most: int) -> st.SearchStrategy[str]:
    return st.lists(st.sampled_from(words), max_size=most).map("".join)


@pytest.mark.parametrize(
    ("module", "name", "plain", "words", "reading"), CASES, ids=[f"{c[0]}.{c[1]}" for c in CASES]
)
@EXAMPLES
@given(data=st.data())
def test_it_reads_what_the_plain_expression_reads(
    module: str, name: str, plain: str, words: str, reading: Reading, data: st.DataObject
) -> None:
    now: re.Pattern[str] = getattr(import_module(module), name)
    before = re.compile(plain, now.flags if reading is tokens else now.flags & ~re.VERBOSE)
    text = data.draw(texts(words.split("|"), most=14))
    assert reading(now, text) == reading(before, text)


Told = Callable[[str], object]
REFUSES_OR_INFORMS = re.compile(
    r"\b(?:can ?not|can['’]?t|won['’]?t|will not|(?:must|may|should) not|"
    r"not (?:able|allowed|free|supposed) to)\b.*"
    r"\b(?:share|tell|pass|give|say|disclose|discuss|hand|send|forward)\b|\bconfidential\b|"
    r"\b(?:fyi|just so you know|for your information|(?:to let|letting) you know)\b",
    re.IGNORECASE | re.DOTALL,
)
FISHING = re.compile(rf"\bevery (?:single )?{fishing._SECRETS}\b.*\byou\b")
AGREES = re.compile(reply_filter._AGREES.pattern + r"(?=[^?]*$)", re.IGNORECASE)
DECISIONS: Mapping[str, tuple[Told, Told, tuple[str, ...]]] = {
    # what it tells of a text now, what it told before, the words of the texts
    "the sign without a number": (
        lambda text: normalise._PER_CENT.sub(r"\1 percent ", text),
        lambda text: re.sub(r"(?<![\d\s])\s*%|(?<!\d)\s+%", " percent ", text),
        ("5", "a", "%", " ", "\n"),
    ),
    "what refuses or informs": (
        asking.only_informs,
        lambda text: bool(REFUSES_OR_INFORMS.search(text)) and "?" not in text,
        ("cannot ", "will ", "not ", "able to ", "share ", "Tell", "fyi ", "a ", "\n", "?"),
    ),
    "what may be fishing": (
        fishing.may_be_fishing,
        lambda text: bool(FISHING.search(text) or fishing._UNLESS_CLEAR.search(text)),
        ("every ", "single ", "code ", "codes", "you ", "young ", "a "),
    ),
    "what claims something": (
        reply_filter._claims,
        lambda text: bool(AGREES.search(text) or reply_filter._CLAIMS.search(text)),
        ("sure", ". ", "? ", "?", " ", "happy to", "deal ", "a", "Of course", "yes"),
    ),
}


@pytest.mark.parametrize("matter", DECISIONS)
@EXAMPLES
@given(data=st.data())
def test_it_tells_what_it_told_before(matter: str, data: st.DataObject) -> None:
    now, before, words = DECISIONS[matter]
    text = data.draw(texts(words, most=8))
    assert now(text) == before(text)
