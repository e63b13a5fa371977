"""How colleagues phrase what they say. The sentences themselves are data: sentences.json.

Each kind of remark has four manners and several variants, in which ``{}`` stands for the quoted
content. The variant depends on the message and on who answers it, never on the content.
"""

from __future__ import annotations

from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Annotated, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from trainee_bench.world.company.people import MANNERS, Manner
from trainee_bench.world.random_streams import random_stream


class RemarkKind(StrEnum):
    """The kind of remark a colleague makes."""

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
    """Says whom to ask, which is public knowledge. It may be the wrong place: no opener claims
    that it is the right one."""
    DOES_NOT_KNOW = "does not know"
    """Knows that it is about something that others know; names the directory."""
    UNCLEAR = "unclear"
    """Does not understand what is wanted; says the same whatever they know."""
    WHAT_ABOUT = "what about"
    """Was told a name, a file or an id, and not what is wanted of it."""
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
    """Was chatted to, or told that all is said: "ok", "bye"."""
    WRONG = "wrong"
    """Was told something of the kind they expect, but not it, or more than one."""
    LOCKED = "locked"
    """Has been told wrong values too often."""


class Custom(StrEnum):
    """A worry that belongs to no one's work (see `office_customs`)."""

    ODD_ORDERS = "odd_orders"
    MORE_TIME = "more_time"
    FAULTY_FILES = "faulty_files"


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class AutomaticReplies(_Part):
    """What a mailbox says of its owner's hours and absences (see `availability`)."""

    slow: str
    off_work: str
    slow_and_off_work: str
    away: str
    back_today: str
    back_later: str
    deputy: str


class ReviewSentences(_Part):
    """What a reviewer says besides what they find (see `reviews`)."""

    no_file: str
    unchanged: str
    still_wrong: str


class Sentences(_Part):
    """All that colleagues say and no task writes."""

    remarks: dict[RemarkKind, dict[Manner, Annotated[tuple[str, ...], Field(min_length=3)]]]
    customs: dict[Custom, str]
    """What everybody answers to worries that belong to no one's work."""
    elsewhere: dict[Manner, str]
    """The answer to a second question that the colleague cannot answer."""
    first_person: dict[str, str]
    """Verbs after one's own name, and what they are after *I*."""
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
        lacking += [custom for custom in Custom if custom not in self.customs]
        if lacking:
            raise ValueError(f"nothing to say for: {'; '.join(lacking)}")
        return self


@cache
def sentences() -> Sentences:
    """What colleagues say; read when it is first needed."""
    return Sentences.model_validate_json(
        Path(__file__).with_name("sentences.json").read_text(encoding="utf-8")
    )


def phrase_remark(
    remark: RemarkKind, manner: Manner, occasion: tuple[str | int, ...], told: str = ""
) -> str:
    """The remark in somebody's manner; *occasion* selects the variant, *told* fills it in."""
    sayings = sentences().remarks[remark][manner]
    chosen = random_stream("saying", *occasion, remark.value).choice(sayings)
    return chosen.replace("{}", told)
