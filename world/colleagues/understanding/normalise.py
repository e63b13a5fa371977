"""Normalisation of raw text to clauses of tokens: folding, splitting, shorthand, stems."""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from trainee_bench.world.colleagues.understanding.asking import has_question_mark
from trainee_bench.world.colleagues.understanding.ids import IdKind, id_kind
from trainee_bench.world.folding import MARKS, is_accent, without_strokes

MAX_CHARACTERS = 3_000
"""The most characters of a message that are read, which bounds the time for a question."""

QUOTES = str.maketrans({"‘": "'", "’": "'", "ʼ": "'", "`": " ", "“": " ", "”": " ", '"': " "})
DASHES = str.maketrans(dict.fromkeys("‐‑‒–—−", "-"))


def _clock(found: re.Match[str]) -> str:
    return f"{found[1]}:{found[2] or '00'}"


_TIMES = (
    (re.compile(r"(?<![\w:.])(\d{1,2})h(\d\d)?\b", re.I), _clock),
    (re.compile(r"(?<![\w:.-])(\d{1,2})[:.](\d\d)\s*([ap])\.?m\b\.?", re.I), r"\1:\2\3m"),
    (re.compile(r"(?<![\w:.-])(\d{1,2})\s+([ap])\.?m\b\.?", re.I), r"\1\2m"),
    (re.compile(r"(?<![\w:.-])(\d{1,2}) (?:to|until|till) (\d{1,2}) (?:h|o'clock)\b", re.I),
     r"\1:00 to \2:00"),
    (re.compile(r"(?<![\w:.-])(\d{1,2}) o'clock\b", re.I), r"\1:00"),
)  # fmt: skip
"""Patterns of times of day, and their normal forms: 2:30 pm, 14h30, 15 to 16 h, 3 o'clock."""

_PER_CENT = re.compile(r"(?<![\d\s])\s*%|(?<=\d)(\s)\s+%")
"""The sign without a number: *like what % do we let slide?*"""

_OPENING = re.compile(
    r"^\W*(?:(?:hi|hello|hey|hiya|dear|greetings|good (?:morning|afternoon|evening|day)|morning|"
    r"afternoon|evening)\b(?:\s+(?:there|all|again|mr|ms|mrs|miss|sir|madam|colleague)\b\.?)*)"
    r"\s*[,!.:-]\W*",
    re.IGNORECASE,
)
_CLOSING = re.compile(
    r"(?:(?<=[.,!?])|(?<![\s.,!?])([^\S\n]*\n))\s*"
    r"(?:yours (?:sincerely|faithfully|truly)|sincerely(?: yours)?|"
    r"(?:(?:with )?(?:kind|best|warm|many) )?regards|(?:with )?(?:many )?thanks"
    r"(?: (?:a lot|a million|so much|very much|again))?(?: in advance| for (?:your|the) \w+)?|"
    r"thank you(?: (?:very much|so much|kindly))?(?: in advance| for (?:your|the) \w+)?|"
    r"thx|ty|cheers|best(?: wishes)?)\W*$",
    re.IGNORECASE,
)

_LETTERS = rf"(?:[^\W_]|[{MARKS}])+"
_TOKEN = re.compile(rf"\ue000\d+|{_LETTERS}(?:[-_./:@']{_LETTERS})*")
_SENTENCE_END = re.compile(
    r"(?<=[?!;])\s*|(?<=\.)\s+|(?<!\s)\s*\n\s*|:\s+|(?<!\s)\s+-+\s+(?=\S+ \S+ \S+)"
)
_NEXT_ASK = (
    r"(?=(?:also\s+|then\s+|maybe\s+|perhaps\s+)?(?:(?:on|at|in|from|since|until|by|to|for)\s+"
    r"(?=wh))?(?:who|whom|whose|where|what|which|when|how|why|"
    r"could you|can you|would you|do you|are you|is there|are there|tell me|i also|i need|i want|"
    r"i would|i should|i'd|may i|might i|kindly|"
    r"i'm looking|i am looking|i was wondering|i wonder|please)\b)"
)
_BLANKS = r"(?:(?<!\s)\s+)"
"""A maximal run of blanks, so that a search does not start at each blank again."""
_CLAUSE_END = re.compile(
    rf"(?:{_BLANKS}?,\s*(?:and\s+|but\s+|or\s+|so\s+)?|{_BLANKS}(?:and|but|plus)\s+){_NEXT_ASK}|"
    r"(?:(?<=know)|(?<=tell me)|(?<=tell us)|(?<=wondering)|(?<=wonder)|(?<=told me)|(?<=show me)|"
    r"(?<=explain)|(?<=find out)|(?<=figure out)|(?<=work out)|(?<=sure)|(?<=idea)|(?<=remember))"
    r"\s+(?=(?:who|whom|whose|where|what|which|when|how|why)\b)|"
    rf"{_BLANKS}?,\s*but\s+|{_BLANKS}but\s+|{_BLANKS}?,\s*and\s+also\s+|{_BLANKS}?\(|\)\s*",
    re.IGNORECASE,
)

SHORTHAND: dict[str, tuple[str, ...]] = {
    "u": ("you",), "ur": ("your",), "pls": ("please",), "plz": ("please",), "thx": ("thanks",),
    "ty": ("thanks",), "tmrw": ("tomorrow",), "tmr": ("tomorrow",), "rn": ("now",),
    "mgr": ("manager",), "dept": ("department",), "doc": ("document",), "docs": ("documents",),
    "info": ("information",), "whats": ("what", "is"), "wheres": ("where", "is"),
    "whos": ("who", "is"), "whens": ("when", "is"), "hows": ("how", "is"), "dont": ("do", "not"),
    "cant": ("can", "not"), "cannot": ("can", "not"), "im": ("i", "am"), "ive": ("i", "have"),
    "id's": ("ids",), "gonna": ("going", "to"), "wanna": ("want", "to"), "gotta": ("have", "to"),
    "mon": ("monday",), "tue": ("tuesday",), "tues": ("tuesday",), "wed": ("wednesday",),
    "thu": ("thursday",), "thur": ("thursday",), "thurs": ("thursday",), "fri": ("friday",),
    "jan": ("january",), "feb": ("february",), "apr": ("april",), "aug": ("august",),
    "sep": ("september",), "sept": ("september",), "oct": ("october",), "nov": ("november",),
    "dec": ("december",), "pm": ("afternoon",), "arvo": ("afternoon",), "mtg": ("meeting",),
    "maint": ("maintenance",), "params": ("parameters",), "param": ("parameter",),
    "yr": ("your",), "approx": ("approximately",), "calc": ("calculation",),
    "po": ("purchase", "order"), "pos": ("purchase", "orders"), "cert": ("certificate",),
    "dup": ("duplicate",), "dupes": ("duplicates",), "qs": ("questions",),
    "b4": ("before",), "thru": ("through",), "bc": ("because",), "cuz": ("because",),
    "2day": ("today",), "2moro": ("tomorrow",), "2morrow": ("tomorrow",),
    "hols": ("holidays",), "ppl": ("people",), "acc": ("account",), "mgmt": ("management",),
    "wifi": ("wi-fi",), "admins": ("admin",),
    "email": ("mail",), "emails": ("mail",), "e-mail": ("mail",),
}  # fmt: skip

_CLITICS = {"re": "are", "ve": "have", "ll": "will", "d": "would", "m": "am"}
_IS_BEFORE_S = frozenset("what where who when how it that there here he she".split())


@dataclass(frozen=True, slots=True)
class Token:
    """Word or, with `literal`, an id, file name or number that is compared exactly."""

    text: str
    stem: str
    proper: bool = False
    """Whether it is capitalised and does not begin the clause."""
    literal: bool = False
    part: bool = False
    """Whether it is a word inside a file name."""


@dataclass(frozen=True, slots=True)
class TokenizedClause:
    """Clause: the smallest part of a message that may ask something."""

    tokens: tuple[Token, ...]
    asks: bool
    """Whether its sentence has a question mark."""
    text: str
    """Its words in lower case, with one blank between them."""


_UNHEARD = frozenset({"Cf", "Cs", "Co"})
"""Categories of characters that are left out."""


@lru_cache(maxsize=4_096)
def normalize_text(text: str) -> str:
    """Return a bounded, compatibility-normalised text without accents and odd signs."""
    head = text[:MAX_CHARACTERS]
    if not head.isascii():
        head = unicodedata.normalize("NFKD", without_strokes(head))[:MAX_CHARACTERS]
        kept = (c for c in head if not is_accent(c) and unicodedata.category(c) not in _UNHEARD)
        head = "".join(kept).translate(DASHES)
    folded = head.translate(QUOTES)
    folded = _PER_CENT.sub(r"\1 percent ", folded)
    for pattern, reading in _TIMES:
        folded = pattern.sub(reading, folded)
    return folded


def without_courtesies(folded: str) -> str:
    """Return a folded message without salutation and closing, unless nothing else is left."""
    said = _OPENING.sub("", folded)
    for _ in range(3):  # thanks, kind regards, a name's initials
        said = _CLOSING.sub(r"\1", said)
    return said if any(c.isalnum() for c in said) else folded


def split_clauses(folded: str) -> tuple[TokenizedClause, ...]:
    """Return the clauses of a folded text that have a word, in their order."""
    found = []
    for sentence in _SENTENCE_END.split(folded):
        asking = has_question_mark(sentence)
        for clause in _CLAUSE_END.split(sentence):
            tokens = tuple(_tokens(clause))
            if tokens:
                found.append(TokenizedClause(tokens, asking, " ".join(t.text for t in tokens)))
    return tuple(found)


def _tokens(clause: str) -> Iterator[Token]:
    for position, raw in enumerate(_TOKEN.findall(clause)):
        capital = position > 0 and raw[0].isupper() and not raw.isupper()
        yield from _read(raw, capital or _has_no_case(raw[0]))


def _has_no_case(letter: str) -> bool:
    """Return whether a letter is of a script without capitals, as names may be."""
    return not letter.isascii() and letter.isalpha() and letter.upper() == letter.lower()


@lru_cache(maxsize=20_000)
def _read(raw: str, proper: bool) -> tuple[Token, ...]:
    found = []
    for word in _words(raw):
        if id_kind(word) is not IdKind.NONE:
            found.append(Token(word.casefold(), word.casefold(), literal=True))
            if "." in word:  # a file name is also known by its words
                for part in re.findall(r"[^\W\d_]{3,}", word):
                    found.append(Token(part.casefold(), stem(part.casefold()), part=True))
        else:
            found.append(Token(word.casefold(), stem(word.casefold()), proper))
    return tuple(found)


def _words(raw: str) -> Iterator[str]:
    known = SHORTHAND.get(raw.casefold())
    if known is not None:
        yield from known
    elif "'" in raw:
        base, _, clitic = raw.partition("'")
        low = clitic.casefold()
        if low == "t" and base.casefold().endswith("n"):
            yield from (base[:-1] or base, "not")
        else:
            yield from _words(base)
            if low in _CLITICS:
                yield _CLITICS[low]
            elif low == "s" and base.casefold() in _IS_BEFORE_S:
                yield "is"
    elif id_kind(raw) is not IdKind.NONE:
        yield raw
    elif raw[0] > "\x7f" and raw.endswith("s") and not any(map(str.isascii, raw[:-1])):
        yield from _words(raw[:-1])  # "李雷s fee"
    else:
        yield from re.split(r"[-_./:@]", raw)


_SUFFIXES = (
    ("ibilities", ""), ("abilities", ""), ("ibility", ""), ("ability", ""), ("ization", "is"),
    ("isation", "is"), ("izing", "is"), ("ising", "is"), ("ized", "is"), ("ised", "is"),
    ("izes", "is"), ("ises", "is"), ("ize", "is"), ("ise", "is"), ("ments", ""), ("ment", ""),
    ("sses", "ss"), ("ees", "ee"), ("ations", "at"), ("ation", "at"), ("tions", "t"), ("tion", "t"),
    ("sions", "s"), ("sion", "s"), ("ables", ""), ("ibles", ""), ("able", ""), ("ible", ""),
    ("ings", ""), ("ing", ""), ("ies", "y"), ("ied", "y"), ("ally", ""), ("als", ""), ("al", ""),
    ("edly", ""), ("ed", ""), ("es", ""), ("ly", ""), ("s", ""),
)  # fmt: skip


_APART = {"mapping": "mapping", "mappings": "mapping", "mapped": "mapping",
          "outing": "outing", "outings": "outing"}  # fmt: skip
"""Words that do not get the stem of another word: a mapping is no map, an outing is not out."""


@lru_cache(maxsize=20_000)
def stem(word: str) -> str:
    """Return a short form that the inflections of a word share; it need not be a word."""
    if len(word) > 30 or not word.isalpha():
        return word
    if word in _APART:
        return _APART[word]
    short = word
    for suffix, instead in _SUFFIXES:
        least = 3 if suffix in ("ing", "ed", "s", "es", "ies", "ied") else 4
        if word.endswith(suffix) and len(word) - len(suffix) >= least:
            if suffix == "s" and word.endswith(("ss", "us", "is")):
                break
            short = word[: len(word) - len(suffix)] + instead
            break
    if len(short) > 3 and short[-1] == short[-2] and short[-1] not in "lsze" and short != word:
        short = short[:-1]
    if len(short) > 6 and short.endswith("at") and short != word:
        short = short[:-2]
    if len(short) > 3 and short.endswith("e"):
        short = short[:-1]
    return short[:-1] + "i" if len(short) > 3 and short.endswith("y") else short
