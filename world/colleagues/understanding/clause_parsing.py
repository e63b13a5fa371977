"""From tokens to words with senses and weight: typos repaired, what is negated left out."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from trainee_bench.world.colleagues.understanding.answer_kinds import (
    CONTENT_WEIGHT,
    exclusive_terms,
    is_about_you,
    wanted_answer_kinds,
)
from trainee_bench.world.colleagues.understanding.common_words import COMMON_STEMS, COMMON_WORDS
from trainee_bench.world.colleagues.understanding.identifiers import ID_MARK
from trainee_bench.world.colleagues.understanding.lexicon import (
    ANSWER_KIND_BY_WORD,
    DEPARTMENTS,
    EXCLUSIVE_SORT_BY_WORD,
    LOW_WEIGHT_WORDS,
    PHRASES_BY_FIRST,
    STOP_WORDS,
    concepts_of,
    word_weight,
)
from trainee_bench.world.colleagues.understanding.normalise import Token, TokenizedClause, stem

_NEGATIONS = re.compile(
    r"\b(?:not (?:about|asking|talking|interested|mean|the|for the|that|so much)|"
    r"(?:do|does) not (?:mean|need|want|care)|other than|apart from|except|aside from|"
    r"leaving aside|besides|already (?:have|know|got|found|read|asked|saw|seen)|"
    r"have already|no need|thanks for|thank you for)\b"
)
_BACKWARD = frozenset("it its that this them they these those there one ones thing he she".split())
_ASKING = frozenset(
    "who whom whose where what which when how why need needs want looking tell know please wonder "
    "wondering wondered could can would send give share point find may should searching seeking "
    "idea clue show remind require sure missing".split()
)
_SUBJECTS = frozenset("i we".split())
_SUBJECT = 0.8
"""From this weight on a word can be the subject; *rules* and *handbook* alone are of something."""
_LITERAL_WEIGHT = 0.3
_FILE_WEIGHT = 0.8


@dataclass(frozen=True, slots=True)
class Word:
    """What a token says. Senses are "=stem", "#literal" or the name of a concept."""

    text: str
    senses: tuple[str, ...]
    weight: float
    credit: float = 1.0
    """Less than 1 when a typo was repaired."""
    proper: bool = False
    """Capitalised inside its clause."""
    unknown: bool = False
    """In no vocabulary, and no typo of a word that is."""
    name: bool = False
    """Capitalised, or unknown, and no word of everyday: it may be somebody's name."""
    place: int = 0
    """Its place in the clause, empty words counted."""
    narrows: bool = False
    """Follows *of* or *in*: it says of which one the question is."""


@dataclass(frozen=True, slots=True)
class Clause:
    """A unit, read."""

    words: tuple[Word, ...]
    literals: tuple[str, ...]
    """Ids, numbers, file names, in lower case and without the known ids."""
    marks: tuple[str, ...]
    """Marks of known ids, in their order."""
    kinds: frozenset[str]
    """The kinds of answer wanted: who, where, when, why, how, amount, opinion, polar (yes or no),
    and you, when it is about what the colleague does or is."""
    exclusive: tuple[tuple[str, frozenset[str]], ...]
    """Days, months and the like that it names, by sort."""
    asks: bool
    states: bool
    """Says something about the writer and asks nothing."""
    you: bool
    """Is about the colleague, beyond courtesy: *your dates*, *suit you*."""
    refers: bool
    """Leans on another clause: it, that, them, or nothing of its own."""
    text: str


Repair = Callable[[str], str | None]


def parse_clause(unit: TokenizedClause, known: frozenset[str], repair: Repair) -> Clause:
    """The unit's clause.

    *known* are stems that need no repair; *repair* gives the word behind a typo, or None.
    """
    tokens, texts = _affirmed(unit)
    words: list[Word] = []
    literals: list[str] = []
    marks: list[str] = []
    plain: list[str] = []
    for token in tokens:
        if token.text.startswith(ID_MARK):
            marks.append(token.text)
        elif token.literal:
            literals.append(token.text)
            is_file = "." in token.text and token.text[-1].isalpha()
            size = _FILE_WEIGHT if is_file else _LITERAL_WEIGHT
            words.append(Word(token.text, ("#" + token.text,), size))
        else:
            word = _word(token, known, repair, plain)
            plain.append(word.text)
            words.append(word)
    asking = unit.asks or not _ASKING.isdisjoint(texts) or not _ASKING.isdisjoint(plain)
    wanted = wanted_answer_kinds(plain, {word.text: word.weight for word in words}, unit.text)
    return Clause(
        words=tuple(
            word for word in words if word.weight > 0 and (word.text != "when" or "when" in wanted)
        ),
        literals=tuple(literals),
        marks=tuple(marks),
        kinds=wanted,
        exclusive=exclusive_terms(plain, literals),
        asks=asking,
        you=is_about_you(unit.text),
        states=not asking and any(text in _SUBJECTS for text in texts),
        refers=any(text in _BACKWARD for text in texts)
        or not (marks or any(word.weight >= _SUBJECT for word in words)),
        text=unit.text,
    )


def _affirmed(unit: TokenizedClause) -> tuple[list[Token], list[str]]:
    """The tokens before a negation, phrases replaced, and their texts before that."""
    cut = _NEGATIONS.search(unit.text)
    kept = unit.tokens
    if cut is not None:
        kept = kept[: len(unit.text[: cut.start()].split())]
    texts = [token.text for token in kept]
    tokens: list[Token] = []
    at = 0
    while at < len(kept):
        for phrase, instead in PHRASES_BY_FIRST.get(texts[at], ()):
            if tuple(texts[at : at + len(phrase)]) == phrase:
                tokens += [Token(word, stem(word)) for word in instead]
                at += len(phrase)
                break
        else:
            tokens.append(kept[at])
            at += 1
    return tokens, texts


def _word(token: Token, known: frozenset[str], repair: Repair, before: Sequence[str]) -> Word:
    text, stemmed, credit, unknown = token.text, token.stem, 1.0, False
    if not (stemmed in known or is_everyday_word(text, stemmed)):
        meant = None if token.proper else repair(text)
        if meant is None:
            unknown = True
        else:
            text, stemmed, credit = meant, stem(meant), 0.9
    name = unknown or (token.proper and not is_everyday_word(token.text, token.stem))
    concepts = concepts_of(text, stemmed)
    senses = ("=" + stemmed, *concepts)
    size = word_weight(text, stemmed, concepts)
    narrows = size >= CONTENT_WEIGHT and text not in DEPARTMENTS and _narrowed(before)
    return Word(text, senses, size, credit, token.proper, unknown, name, len(before), narrows)


def _narrowed(before: Sequence[str]) -> bool:
    at = len(before) - 1
    while at >= 0 and before[at] in ("our", "the", "a", "an", "my", "your", "their", "this", "mr",
                                     "ms", "mrs", "all"):  # fmt: skip
        at -= 1
    return at >= 0 and before[at] in ("of", "in")


def is_everyday_word(text: str, stemmed: str) -> bool:
    """Whether a word in lower case, with its stem, is one of everyday or of the trade."""
    return (
        bool(concepts_of(text, stemmed))
        or text in STOP_WORDS
        or text in LOW_WEIGHT_WORDS
        or text in ANSWER_KIND_BY_WORD
        or text in EXCLUSIVE_SORT_BY_WORD
        or text in COMMON_WORDS
        or stemmed in COMMON_STEMS
    )
