"""Whether a text says a phrase, denies it, leaves it open, or only reports it.

A clause decides by its own words. In "Although A is not a client, B is (not C)", only "B is" denies
nothing. Questions, conditions, hedges and alternatives leave a phrase open. Quoted lines and what
"you asked" are reported: they say nothing, and contradict nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import Enum, auto
from functools import lru_cache

from trainee_bench.meta_tasks.answers import folded, text_key


class Stance(Enum):
    """The attitude of a clause to a phrase in it."""

    SAID = auto()
    DENIED = auto()
    OPEN = auto()
    REPORTED = auto()


_HERE = "\ue000"
"""A mark in place of the phrase, whose own words say nothing about the clause around it."""


def affirms(text: str, phrase: str) -> bool:
    """Return whether a text says a phrase in a clause that neither denies it nor leaves it open."""
    return Stance.SAID in _stances(text, phrase)


def contradicts(text: str, phrase: str) -> bool:
    """Return whether a text says a phrase that it must not, or leaves it open.

    A phrase that denies something itself, such as "not covered", counts unless it is reported.
    """
    harmless = {Stance.REPORTED}
    if _NEGATION.search(phrase) is None:
        harmless.add(Stance.DENIED)
    return any(stance not in harmless for stance in _stances(text, phrase))


def _stances(text: str, phrase: str) -> Iterator[Stance]:
    key = text_key(phrase)
    first = key.partition(" ")[0]
    for line in _lines(text):
        if first not in line:
            continue  # far cheaper than a pattern, and most phrases are nowhere
        marked, count = _phrase_pattern(phrase).subn(_HERE, line)
        if count:
            is_day = _DAY.match(key) is not None
            yield from _stances_in(marked, is_day)


@lru_cache(maxsize=4096)
def _phrase_pattern(phrase: str) -> re.Pattern[str]:
    """Return what finds a phrase as separate words (see `spellings.states`)."""
    key = text_key(phrase)
    words = "[ -]+".join(map(re.escape, key.split(" ")))
    begins = r"(?<![\w.,])(?<!\W-)" if key[:1].isdigit() else r"(?<![\w.,])"
    ends = r"(?![\w]|[.,]\d|,? \d{4}\b)" if phrase[-1:].isalnum() else r"(?!\w)"
    return re.compile(f"{begins}{words}{ends}")


# lines and sentences --------------------------------------------------------------------------

_WRAPPED = 50
"""A line of so many characters goes on in the next one unless it ends a sentence."""
_LINE_ENDS = tuple(".!?:;")
_BULLET = re.compile(r"\s*(?:[-*•–—]|\d+[.)])\s+")
_GOES_ON = re.compile(r"(?:\b(?:not|never|no|the|a|an|on|at|by|of|to|is|until|from)|\d)\s*$", re.I)
_DOTS = re.compile(r"\.{2,}")
_SENTENCES = re.compile(r"(?<=[.!?])\s+")


@lru_cache(maxsize=64)
def _lines(text: str) -> tuple[str, ...]:
    """Return the folded lines of a text without those quoted; wrapped ones are joined."""
    lines: list[str] = []
    before = ""
    for line in text.replace(_HERE, " ").replace("—", " - ").splitlines():
        quoted, bullet = line.lstrip().startswith(">"), _BULLET.match(line)
        if before and lines and not quoted and bullet is None and _is_wrapped(before, line):
            lines[-1] += f" {line}"
        elif not quoted:
            lines.append(line[bullet.end() :] if bullet else line)
        before = "" if quoted else line.strip()
    plain = (re.sub("[\u02bc\u2032\u2019`\u00b4]", "'", line) for line in lines)
    return tuple(f" {_DOTS.sub(' ', folded(line)).strip()} " for line in plain)


def _is_wrapped(before: str, line: str) -> bool:
    if not line.strip() or before.endswith(_LINE_ENDS):
        return False
    starts_small = line.lstrip()[:1].islower()
    return starts_small or len(before) >= _WRAPPED or _GOES_ON.search(before) is not None


_YES = re.compile(r"(?:yes|correct|certainly|of course|indeed|right)\b")
_NO = re.compile(r"(?:no|not|none|never|false|wrong|unfortunately not)\b")
_ANSWERED_NO = re.compile(
    rf"{_HERE}[^\w{_HERE}]*(?:(?::|=| - )\s*"
    r"(?:no|not|none|false|unknown|unclear|undecided|to be decided)\W*(?:$|[,;.])"
    r"|\((?:no|not|false)\W*\))"
)
_ASIDE_QUESTION = re.compile(
    r", (?=(?:is|does|will|would) (?:that|this|the)\b|(?:can|could|do|would|will|are) you\b)"
)


def _stances_in(line: str, is_day: bool) -> Iterator[Stance]:
    sentences = [part for part in _SENTENCES.split(line) if part.strip()]
    for number, sentence in enumerate(sentences):
        if _HERE not in sentence:
            continue
        if sentence.rstrip().endswith("?"):
            answer = "".join(sentences[number + 1 : number + 2]).lstrip()
            said, *aside = _ASIDE_QUESTION.split(sentence, maxsplit=1)
            if aside and _HERE in said:
                sentence = said
            elif not _YES.match(answer):
                reported = _REPORTED.search(_after_comma(sentence)) is not None
                denied = Stance.DENIED if _NO.match(answer) else Stance.OPEN
                yield Stance.REPORTED if reported else denied
                continue
        if _ANSWERED_NO.search(sentence):
            yield Stance.DENIED
            continue
        for clause in _clauses(sentence):
            for place in re.finditer(_HERE, clause):
                yield _stance(clause[: place.start()], clause[place.end() :], is_day)


# clauses --------------------------------------------------------------------------------------

_ASIDES = (
    re.compile(r"\(([^()]*)\)"),
    re.compile(r" - ([^-]*) - "),
    re.compile(r", ((?:even )?(?:though|although|while) [^,]*),"),
)
"""Remarks within a sentence; the words around them belong together."""
_CONCEDED = re.compile(r"\s*(?:even though|even if|although|though|while)\b([^,]*),(.*)", re.S)
_BREAK = re.compile(r"[;:]| - |,? (?=but\b|though\b|although\b)|, (?=(?:and )?not\b)")
_NEGATION = re.compile(
    r"\b(?:not|never|nor|neither|cannot|no longer|[a-z]{2,8}n't|in no way|by no means"
    r"|(?:is|are|was|were|do|does|did|has|have|had|would|could|should)nt"
    r"|nicht|nie|niemals|weder|keine?[nmrs]?)\b",
    re.I,
)
"""Words that deny their whole clause."""
_DENIES_NEXT = re.compile(rf"(?:{_NEGATION.pattern})\W*$", re.I)


def _clauses(sentence: str) -> Iterator[str]:
    """Yield the parts of a sentence, each of which says or denies something by itself."""
    sentence = sentence.replace("anything but", "not")
    for aside in _ASIDES:
        for found in aside.finditer(sentence):
            yield found[1]
        sentence = aside.sub(" ", sentence)
    conceded = _CONCEDED.fullmatch(sentence)
    for half in conceded.groups() if conceded else (sentence,):
        denied = ""
        for clause in _BREAK.split(half):
            yield f"{denied}{clause}"
            denied = "not " if _DENIES_NEXT.search(clause) else ""


_HARMLESS = re.compile(
    r"\bno (?:doubt|problem|objections?)\b|\bnot? (?:later|less|more) than\b"
    r"|\bnot (?:only|just|least|to worry)\b|\bwithout (?:a |any )?doubt\b|\bno,|\bnothing but\b"
    r"|\b(?:do not|don't|need not|needn't) (?:worry|hesitate|forget)\b"
)
"""Words that look like a denial and are none."""
_NEW_CLAUSE = re.compile(
    r",|\b(?:and|so|as|because|since|therefore|which|while|until|before|after)\b"
)
_REASON = re.compile(
    r"(?<!not )\b(?:because|since)(?= (?:it|this|that|the|your|our|they|we|you)\b)"
    r"|, (?=(?:it|this|the|your|our)(?: \w+){0,2} (?:is|are|was|will)\b)"
)
"""The beginning of a clause that a denial before it does not reach."""
_REPORTED = re.compile(
    r"\byou(?:r (?:question|mail)| (?:have )?(?:asked|wrote|written|wanted|wondered|inquired|"
    r"requested|mentioned|proposed|suggested|hoped))\b"
)
_IF_NOT = re.compile(r"\bif not\b")
_HALF = re.compile(r"(?:\bnot|n't|\bcannot) ")
_DENIABLE = re.compile(
    r"\b(?:exclude|excluded|impossible|unlikely|rule out|ruled out|out of the question|certain|sure"
    r"|clear|known?)\b"
)
"""Words that leave something open if a denial comes before them: "not certain"."""
_DENIED_BEFORE = re.compile(
    r"\b(?:den(?:y|ies|ied)|refuse[sd]?|reject(?:s|ed)?|dispute[sd]?|doubt(?:s|ed)?|exclude[sd]?"
    r"|rule[sd]? out|wrong|false|untrue|incorrect|impossible|a mistake|an error|a lie)"
    r" (?:that|to (?:say|think|assume|believe|claim))\b"
)
_DENIED_BESIDE = re.compile(
    r"\b(?:instead of|rather than|far from|without|hardly|scarcely|barely|rarely|no"
    r"|almost|nearly|(?:used|ceased|failed) to be)"
    r"(?: (?:on|at|by|being|the|an?))*\s*$"
)
_DENIED_SUBJECT = re.compile(r"\W*(?:no|none|nobody|nothing|no one|hardly any)\b")
_DENIED_AFTER = re.compile(
    r"\s*(?:is|was|would be|are|seems) (?:\w+ly |just )?"
    r"(?:out of the question|impossible|ruled out)\b"
    r"|, (?:and )?(?:it|that|this|which) (?:\w+ )?(?:not|never|\w+n't)"
    r"(?: (?:be|possible|true|so|right|correct|the case))?\W*$"
)
_WRONG_AFTER = re.compile(r"\s*(?:is|was|would be) (?:\w+ly |just )?(?:wrong|false|untrue|a )")
_CONDITION = re.compile(
    r"\b(?:if|whether|unless|in case|assuming|supposing|suppose|provided|as though)\b"
)
_CONDITION_AT_END = re.compile(rf"{_CONDITION.pattern}$")
_HEDGE = re.compile(
    r"\b(?:perhaps|maybe|possibly|might|supposedly|allegedly|hopefully|hopes?|hoped|wish|guess"
    r"|(?:claim(?:s|ed)?|alleged?s?|assume[sd]?) that"
    r"|(?:will|shall|must|going to|need to|have to|let me|'ll) (?:\w+ )?"
    r"(?:check|look into|clarify|find out|examine|investigate|ask))\b"
)
_UNKNOWN = re.compile(r"\b(?:unclear|uncertain|unsure|unknown|no idea|had it been)\b")
_WOULD = re.compile(
    r"\b(?:may|might|could|would)(?: (?:well|also|still|usually|perhaps))?(?: have)? be(?:en)?"
    r"(?: (?:ready|done|finished))?(?: (?:on|at|by|from|the|an?))*\s*$"
)
_HEDGED_AFTER = re.compile(r"\W*(?:perhaps|maybe|possibly|i guess|or not|if at all)\b")
_OTHER_BEFORE = re.compile(r"\bor (?:on |at |by |even |is it )?$")
_OTHER_AFTER = re.compile(r" or (?:even )?(?:(?:on |at |by )?\S*\d|earlier\b|later\b|not\b)")
_DAY = re.compile(
    r"\d{1,2}(?:st|nd|rd|th)? (?:of )?(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)"
)
_OTHER_DAYS = re.compile(r"\d(?:st|nd|rd|th)? ?(?:-|/|,|to|or|and|until|till) ?$")


def _stance(before: str, after: str, is_day: bool) -> Stance:
    """Return the stance of a clause by the words *before* and *after* the phrase."""
    before, after = _HARMLESS.sub(" ", before), _HARMLESS.sub(" ", after)
    near = _NEW_CLAUSE.split(before)[-1]
    if _REPORTED.search(_after_comma(before)) and not re.search(r"\band\b", before):
        return Stance.REPORTED
    if _is_half_denied(before):
        return Stance.OPEN
    if _is_denied(before, near, after):
        return Stance.DENIED
    is_open = (
        _is_conditional(before)
        or _HEDGE.search(near)
        or _UNKNOWN.search(before)
        or _WOULD.search(before)
        or _HEDGED_AFTER.match(after)
        or _OTHER_BEFORE.search(before)
        or _OTHER_AFTER.match(after)
        or (is_day and _OTHER_DAYS.search(before))
    )
    return Stance.OPEN if is_open else Stance.SAID


def _after_comma(text: str) -> str:
    """Return the part of a text after its last comma; all of it without one."""
    return text.rpartition(",")[2]


def _is_conditional(before: str) -> bool:
    """Return whether a condition begins in the last part between commas, or before an aside."""
    parts = before.split(",")
    asides = len(parts) > 2 and _CONDITION_AT_END.search(parts[-3]) is not None
    return asides or _CONDITION.search(parts[-1]) is not None


def _is_half_denied(before: str) -> bool:
    denial = _HALF.search(before)
    open_after = denial is not None and _DENIABLE.search(before, denial.end()) is not None
    return open_after or _IF_NOT.search(before) is not None


def _is_denied(before: str, near: str, after: str) -> bool:
    subject_is_wrong = re.match(r"\W*that\b", before) and _WRONG_AFTER.match(after)
    return bool(
        _NEGATION.search(_REASON.split(before)[-1])
        or _NEGATION.search(_NEW_CLAUSE.split(after)[0])
        or _DENIED_BEFORE.search(_after_comma(before))
        or _DENIED_BESIDE.search(before)
        or _DENIED_SUBJECT.match(near)
        or _DENIED_AFTER.match(after)
        or subject_is_wrong
    )
