"""Parsing of clauses: from tokens to weighted words, without typos and negated parts."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from trainee_bench.world.colleagues.understanding.answer_kinds import (
    CONTENT_WEIGHT,
    exclusive_terms,
    is_about_you,
    wanted_answer_kinds,
)
from trainee_bench.world.colleagues.understanding.asking import has_asking_word
from trainee_bench.world.colleagues.understanding.chatter import is_anecdote
from trainee_bench.world.colleagues.understanding.common_words import is_everyday_word
from trainee_bench.world.colleagues.understanding.identifiers import ID_MARK
from trainee_bench.world.colleagues.understanding.normalise import Token, TokenizedClause, stem
from trainee_bench.world.colleagues.understanding.vocabulary import (
    DEPARTMENTS,
    QUESTION_WORDS,
    STOP_WORDS,
)
from trainee_bench.world.colleagues.understanding.word_vectors import word_vectors

_NEGATIONS = re.compile(
    r"\b(?:not (?:about|asking|talking|mean|the|for the|that|so much)|"
    r"(?:am|are) not interested|"
    r"(?:do|does) not (?:mean|need|want|care)|other than|apart from|except|aside from|"
    r"leaving aside|besides|(?:i|we) already (?:have|know|got|found|read|asked|"
    r"saw|seen)|"
    r"have already|no need|thanks for|thank you for)\b"
)
_BACKWARD = frozenset("it its that this them they these those there one ones thing he she".split())
_SENT_ME = re.compile(r"^(?:who|whom|which)\b.* (?:sent|referred|directed|pointed|told|asked) me\b")
"""A relative clause about whoever sent the writer: *Ada, who looks after it, sent me to you*."""
_SOME_ID = "0"
_SAID = frozenset("read approach address chase bug correct".split())
"""Verbs of asking that have other meanings, too."""
_SUBJECTS = frozenset("i we".split())
_FULL_LENGTH = 240
"""The least length of a vector whose word has full weight."""


@dataclass(frozen=True, slots=True)
class Word:
    """Word of a clause."""

    text: str
    stem: str
    weight: float
    """Its weight, from 0 (grammar, courtesy) to 1."""
    proper: bool = False
    """Whether it is capitalised inside its clause."""
    unknown: bool = False
    """Whether it is in no vocabulary, and no typo of a word that is."""
    name: bool = False
    """Whether it may be somebody's name: capitalised and no everyday word."""
    place: int = 0
    """Its place in the clause, ids counted."""
    narrows: int | None = None
    """The number of the word that it narrows, after *of* or *in*: *deputy* in *deputy of Novak*."""
    part: bool = False
    """Whether it is part of a file name."""


@dataclass(frozen=True, slots=True)
class Clause:
    """Parsed clause."""

    words: tuple[Word, ...]
    literals: tuple[str, ...]
    """Ids, numbers, file names, in lower case and without the known ids."""
    marks: tuple[str, ...]
    """Marks of known ids, in their order."""
    kinds: frozenset[str]
    """The wanted kinds of answer (see `answer_kinds.wanted_answer_kinds`)."""
    hollow: bool
    """Whether it has no content words: *whom do I ask?*, *what are they?*."""
    exclusive: tuple[tuple[str, frozenset[str]], ...]
    """Days, months and the like that it names, by sort."""
    asks: bool
    states: bool
    """Whether it says something about the writer and asks nothing."""
    you: bool
    """Whether it is about the colleague, beyond courtesy: *your dates*, *suit you*."""
    refers: bool
    """Whether it points to another clause: by *it*, *that*, *them*, or for lack of content."""
    text: str


def each_in_context(clauses: Sequence[Clause]) -> Iterator[tuple[Clause, list[Clause]]]:
    """Yield each clause with the other clauses of its message."""
    for number, clause in enumerate(clauses):
        yield clause, [other for at, other in enumerate(clauses) if at != number]


def speaks(clause: Clause) -> bool:
    """Return whether the clause has content words or ids, or wants some kind of answer."""
    return bool(clause.marks or clause.kinds or any(word.weight for word in clause.words))


def wants(clause: Clause) -> bool:
    """Return whether a clause asks something, if only by naming an id."""
    return bool(clause.asks or clause.kinds or clause.marks)


Repair = Callable[[str], str | None]


def parse_clause(unit: TokenizedClause, known: frozenset[str], repair: Repair) -> Clause:
    """Parse a unit.

    *known* are stems that need no repair; *repair* returns the word behind a typo, or None.
    """
    tokens = _affirmed(unit)
    words: list[Word] = []
    literals: list[str] = []
    marks: list[str] = []
    for token in tokens:
        if token.text.startswith(ID_MARK):
            marks.append(token.text)
        elif token.literal:
            literals.append(token.text)
        else:
            words.append(
                _word(token, len(marks) + len(literals) + len(words), known, repair, words)
            )
    plain = [word.text for word in words]
    at = {word.place: word.text for word in words}
    whole = [at.get(place, _SOME_ID) for place in range(len(tokens))]
    asking = unit.asks or (has_asking_word(plain) and not _SENT_ME.search(unit.text))
    states = not asking and any(text in _SUBJECTS for text in plain)
    return Clause(
        words=tuple(words),
        literals=tuple(literals),
        marks=tuple(marks),
        kinds=wanted_answer_kinds(whole, {word.text: word.weight for word in words}, unit.text),
        hollow=not marks and all(_is_hollow(word) for word in words),
        exclusive=exclusive_terms(
            plain, literals, states, anecdote=not asking and not marks and is_anecdote(unit.text)
        ),
        asks=asking,
        you=is_about_you(unit.text),
        states=states,
        refers=any(text in _BACKWARD for text in plain)
        or not (marks or any(word.weight >= CONTENT_WEIGHT for word in words)),
        text=unit.text,
    )


def _affirmed(unit: TokenizedClause) -> tuple[Token, ...]:
    """Return the tokens before a negation."""
    cut = _NEGATIONS.search(unit.text)
    return unit.tokens if cut is None else unit.tokens[: len(unit.text[: cut.start()].split())]


def _word(
    token: Token, place: int, known: frozenset[str], repair: Repair, before: Sequence[Word]
) -> Word:
    text, stemmed, unknown = token.text, token.stem, False
    if not (stemmed in known or is_everyday_word(text, stemmed)):
        meant = None
        if not word_vectors().knows(text):
            meant, unknown = None if token.proper else repair(text), True
        if meant is not None:
            text, stemmed, unknown = meant, stem(meant), False
    name = token.proper and not is_everyday_word(token.text, token.stem)
    size = word_weight(text)
    solid = size >= CONTENT_WEIGHT and text not in DEPARTMENTS
    narrows = _narrowed([word.text for word in before]) if solid else None
    return Word(text, stemmed, size, token.proper, unknown, name, place, narrows, token.part)


def _is_hollow(word: Word) -> bool:
    return word.weight == 0 or word.text in _SAID


def word_weight(text: str) -> float:
    """Return the weight of a word, from 0 (grammar, courtesy) to 1."""
    if len(text) == 1 or text in STOP_WORDS or text in QUESTION_WORDS:
        return 0.0
    return min(1.0, word_vectors().weight(text) / _FULL_LENGTH)


def _narrowed(before: Sequence[str]) -> int | None:
    at = len(before) - 1
    while at >= 0 and before[at] in ("our", "the", "a", "an", "my", "your", "their", "this", "mr",
                                     "ms", "mrs", "all"):  # fmt: skip
        at -= 1
    return at - 1 if at > 0 and before[at] in ("of", "in") else None
