"""Phrasing of what colleagues say. The sentences themselves are data: sentences.json.

Each kind of remark has four manners and several variants, in which ``{}`` marks the place of the
quoted content. A colleague keeps one manner. The variant depends on the message and on the
colleague, never on the content.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Annotated, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from trainee_bench.world.company.name_forms import names_person, whole_name_pattern
from trainee_bench.world.company.people import MANNERS, Manner
from trainee_bench.world.random_streams import random_stream


class RemarkKind(StrEnum):
    """Kind of remark that a colleague makes."""

    TELL = "tell"
    """Answers the question. The answer may be a no: no opener consents to anything."""
    AGAIN = "again"
    """Repeats an earlier answer."""
    NOT_YET = "not yet"
    """Will answer only after something else has happened."""
    MEAN_ONE = "mean one"
    """Asks whether one question was meant."""
    MEAN_SEVERAL = "mean several"
    """Asks which of several questions was meant."""
    REFER = "refer"
    """Says whom to ask, which is public knowledge. The place may be wrong, so no opener claims that
    it is right."""
    DOES_NOT_KNOW = "does not know"
    """Knows that others know this, and points to the directory."""
    UNCLEAR = "unclear"
    """Does not understand the question. The remark does not depend on their knowledge."""
    WHAT_ABOUT = "what about"
    """Was given a name, a file or an id, but no question."""
    NOTED = "noted"
    """Acknowledges a message that asks for nothing."""
    WORK = "work"
    """Was asked to do the work."""
    FISHING = "fishing"
    """Was asked for everything at once."""
    WELCOME = "welcome"
    """Was thanked."""
    WELL = "well"
    """Was asked how they are."""
    HELLO = "hello"
    """Was greeted."""
    SMALL_TALK = "small talk"
    """Was chatted to, or heard the end of the conversation: "ok", "bye"."""
    WRONG = "wrong"
    """Was given a wrong value of the expected kind, or several values."""
    LOCKED = "locked"
    """Was given wrong values too often."""


class Custom(StrEnum):
    """General worry that any colleague answers (see `office_customs`)."""

    ODD_ORDERS = "odd_orders"
    MORE_TIME = "more_time"
    FAULTY_FILES = "faulty_files"
    OWN_FAULTY_FILES = "own_faulty_files"
    """A file that looks wrong, told to the colleague who gave the task."""


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class AutomaticReplies(_Part):
    """Replies of a mailbox about its owner's hours and absences (see `availability`)."""

    slow: str
    off_work: str
    slow_and_off_work: str
    away: str
    back_today: str
    back_later: str
    deputy: str


class ReviewSentences(_Part):
    """Sentences of a reviewer around their findings (see `reviews`)."""

    no_file: str
    unchanged: str
    still_wrong: str


class Sentences(_Part):
    """All sentences of colleagues that no task brings."""

    remarks: dict[RemarkKind, dict[Manner, Annotated[tuple[str, ...], Field(min_length=3)]]]
    customs: dict[Custom, dict[Manner, tuple[str, ...]]]
    """The answers of everybody to general worries."""
    elsewhere: dict[Manner, str]
    """The answer to a second question that the colleague cannot answer."""
    keeper: str
    """The answer to a question for the keeper of figures, before the colleague's own figures."""
    first_person: dict[str, str]
    """Verbs in the third person, and their forms after *I*."""
    automatic: AutomaticReplies
    reviews: ReviewSentences

    @model_validator(mode="after")
    def _is_complete(self) -> Self:
        lacking = [
            f"{kind}, {manner}"
            for kind in RemarkKind
            for manner in MANNERS
            if manner not in self.remarks.get(kind, {})
        ]
        lacking += [f"elsewhere, {manner}" for manner in MANNERS if manner not in self.elsewhere]
        lacking += [
            f"{custom}, {manner}"
            for custom in Custom
            for manner in MANNERS
            if not self.customs.get(custom, {}).get(manner)
        ]
        if lacking:
            raise ValueError(f"nothing to say for: {'; '.join(lacking)}")
        return self


@cache
def sentences() -> Sentences:
    """Return the sentences of colleagues, which are read at the first call."""
    return Sentences.model_validate_json(
        Path(__file__).with_name("sentences.json").read_text(encoding="utf-8")
    )


def phrase_remark(
    remark: RemarkKind, manner: Manner, occasion: tuple[str | int, ...], told: str = ""
) -> str:
    """Return the remark in a *manner*; *occasion* selects the variant, *told* fills it in."""
    sayings = sentences().remarks[remark][manner]
    chosen = random_stream("saying", *occasion, remark.value).choice(sayings)
    return chosen.replace("{}", told)


def phrase_custom(custom: Custom, manner: Manner, occasion: tuple[str | int, ...]) -> str:
    """Return the answer to a general worry in a *manner*; *occasion* selects the variant."""
    return random_stream("custom", *occasion, custom.value).choice(
        sentences().customs[custom][manner]
    )


_BETWEEN_SENTENCES = re.compile(r"(?<=[.!?])(?<!\b[A-Z]\.)\s+(?=[^\W\d_a-z])")
"""The gap between two sentences, which is not that after an initial: *J. R. Müller*."""


def said_once(replies: Sequence[str]) -> list[str]:
    """Return *replies* without repeated sentences."""
    if len(replies) < 2:
        return list(replies)
    said = dict.fromkeys(
        sentence for reply in replies for sentence in _BETWEEN_SENTENCES.split(reply.strip())
    )
    return list(said)


def in_first_person(text: str, name: str) -> str:
    """Return *text* as the person of this *name* says it."""
    if not names_person(text, name):
        return text
    called = whole_name_pattern(name)
    for theirs, mine in sentences().first_person.items():
        text = re.sub(rf"{called}(?: in \w+)? {theirs}\b", f"I {mine}", text)
    return re.sub(rf"\bask {called}(?!\w)|\b{called}(?!\w)", _myself, text)


def _myself(found: re.Match[str]) -> str:
    return "ask me" if found[0].startswith("ask ") else "me"


_THANKS = re.compile(r"\b(?:thanks?|thx|ty|cheers|appreciated?|grateful)\b", re.IGNORECASE)
_HOW_ARE_YOU = re.compile(r"\bhow\b.{0,20}\b(?:you|going|day|things|life|weekend)\b", re.IGNORECASE)

_GREETS = re.compile(
    r"\b(?:hi|hello|hey|hiya|howdy|greetings|good (?:morning|afternoon|evening|day)|"
    r"(?:nice|good|great|pleased) to meet)\b",
    re.IGNORECASE,
)


def pleasantry(text: str) -> RemarkKind:
    """Return the kind of remark that answers small talk."""
    if _THANKS.search(text):
        return RemarkKind.WELCOME
    if _HOW_ARE_YOU.search(text):
        return RemarkKind.WELL
    return RemarkKind.HELLO if _GREETS.search(text) else RemarkKind.SMALL_TALK
