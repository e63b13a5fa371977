"""What a colleague answers: decided from what they may know, in their own manner.

    message ──► Hearing (what this colleague knows at this moment) ──► Brain ──► Answer

A brain sees a Hearing and nothing else, and touches no world: what an answer releases is
written down by who asked the brain (`world/colleague.py`). So a brain may as well be asked
outside any transaction, and its answer handed in as an effect. Not in a Hearing is what a
colleague must not show: a clue that is not to be told yet and has no line of its own for
that is not there at all.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Protocol

from trainee_bench.world.colleagues.expectation_matching import ExpectationMatch
from trainee_bench.world.colleagues.knowledge import Clue
from trainee_bench.world.colleagues.phrasing import RemarkKind, phrase_remark
from trainee_bench.world.colleagues.referrals import PublicTopic
from trainee_bench.world.colleagues.reply_provenance import ReplyProvenance
from trainee_bench.world.colleagues.understanding import (
    Intent,
    Interpretation,
    QuestionInterpreter,
    Topic,
)
from trainee_bench.world.company.people import Person


@dataclass(frozen=True)
class ReplyContext:
    """A message as it reaches a colleague, and what they have in mind then."""

    message: int
    """The message's id."""
    text: str
    colleague: Person
    superior: Person | None
    clues: tuple[Clue, ...]
    """What they know and may be asked about, by id."""
    held_back: frozenset[str] = frozenset()
    """Ids of those clues to which they say `not_yet` as things stand."""
    told: frozenset[str] = frozenset()
    """Ids of those clues which they have told this person before."""
    others: tuple[Topic, ...] = ()
    """What others are asked about, so that it is not mistaken for one's own."""
    referrals: tuple[PublicTopic, ...] = ()
    asked_back: tuple[str, ...] = ()
    """Ids of the clues they have just asked back about."""
    met: tuple[str, ...] = ()
    """What they say to each thing they expected and were just told."""
    guess: ExpectationMatch = ExpectationMatch.NOTHING
    """OTHER if they were told a wrong value instead."""
    locked: bool = False
    """Whether they accept no values any more; then none was met."""


@dataclass(frozen=True)
class ColleagueReply:
    """What is said; the clue it tells, or the clues it asks back about (ids)."""

    text: str
    clue: str = ""
    asks_back: tuple[str, ...] = ()
    provenance: ReplyProvenance | None = None
    """How it came about, where a model had drafted it."""


class Responder(Protocol):
    """Decides answers."""

    def answer(self, context: ReplyContext) -> ColleagueReply:
        """What the colleague says; of the context's clues it tells at most one."""


class ScriptedResponder:
    """Matches the question against what is known. Needs no model and draws no lots."""

    def answer(self, context: ReplyContext) -> ColleagueReply:
        """What the colleague says: first to what they expected, then to the question."""
        said = expectation_replies(context)
        understood = interpret_message(context)
        if said and understood.intent is not Intent.CLEAR:
            return ColleagueReply(" ".join(said))
        answer = _to_question(context, understood)
        return ColleagueReply(" ".join([*said, answer.text]), answer.clue, answer.asks_back)


def expectation_replies(context: ReplyContext) -> list[str]:
    """What they say to a value that they were told, expected or not, whichever brain they have."""
    said = [_say(context, RemarkKind.ACCEPTED, reply) for reply in context.met]
    if context.guess is ExpectationMatch.OTHER:
        said.append(_say(context, RemarkKind.LOCKED if context.locked else RemarkKind.WRONG))
    return said


def interpret_message(context: ReplyContext) -> Interpretation:
    """What the message asks of the colleague: the floor under any brain."""
    return interpreter_for(context).understand(context.text, asked_back=context.asked_back)


def _to_question(context: ReplyContext, understood: Interpretation) -> ColleagueReply:
    match understood.intent:
        case Intent.CLEAR:
            return _tell(context, understood.topics[0])
        case Intent.DOUBTFUL:
            return _ask_back(context, understood.topics)
        case Intent.WORK_REQUEST:
            return ColleagueReply(_say(context, RemarkKind.WORK))
        case Intent.FISHING:
            return ColleagueReply(_say(context, RemarkKind.FISHING))
        case Intent.SMALL_TALK:
            return ColleagueReply(_say(context, _pleasantry(context.text)))
        case Intent.NONE:
            return ColleagueReply(_pass_on(context))


def _tell(context: ReplyContext, id: str) -> ColleagueReply:
    clue = next(clue for clue in context.clues if clue.id == id)
    if id in context.held_back:
        return ColleagueReply(_say(context, RemarkKind.NOT_YET, clue.not_yet))
    remark = RemarkKind.AGAIN if id in context.told else RemarkKind.TELL
    return ColleagueReply(_say(context, remark, clue.payload), clue=id)


def _ask_back(context: ReplyContext, ids: tuple[str, ...]) -> ColleagueReply:
    asks = {clue.id: clue.asks[0] for clue in context.clues}
    if len(ids) == 1:
        return ColleagueReply(
            _say(context, RemarkKind.MEAN_ONE, f"“{asks[ids[0]]}”"), asks_back=ids
        )
    choices = " ".join(f"({number}) {asks[id]}" for number, id in enumerate(ids, 1))
    return ColleagueReply(_say(context, RemarkKind.MEAN_SEVERAL, choices), asks_back=ids)


def _pass_on(context: ReplyContext) -> str:
    """What is said to what the colleague knows nothing of."""
    referral = matching_referral(context)
    if referral is not None:
        return _say(context, RemarkKind.REFER, referral.text)
    if not _WANTS.search(context.text):
        return _say(context, RemarkKind.NOTED)
    if context.superior is None:
        return _say(context, RemarkKind.ASK_DIRECTORY)
    whom = f"{context.superior.name} ({context.superior.title})"
    return _say(context, RemarkKind.ASK_SUPERIOR, whom)


def matching_referral(context: ReplyContext) -> PublicTopic | None:
    """The public topic that the message is clearly about, if it is about one."""
    topic = interpreter_for(context).foreign_topic(context.text)
    return next((one for one in context.referrals if _referral_id(one) == topic), None)


_WANTS = re.compile(
    r"[?？]|\b(?:who|whom|whose|where|what|which|when|why|how|need|want|looking|wonder\w*|know|"
    r"tell|give|send|share|explain|please|pls|help|can|could|would|may|do|does|is|are|question)\b",
    re.IGNORECASE,
)
"""Signs of a message that wants something; others only let somebody know."""
_THANKS = re.compile(r"\b(?:thanks?|thx|ty|cheers|appreciated?|grateful)\b", re.IGNORECASE)
_HOW_ARE_YOU = re.compile(r"\bhow\b.{0,20}\b(?:you|going|day|things|life|weekend)\b", re.IGNORECASE)


def _pleasantry(text: str) -> RemarkKind:
    if _THANKS.search(text):
        return RemarkKind.WELCOME
    return RemarkKind.WELL if _HOW_ARE_YOU.search(text) else RemarkKind.HELLO


def _say(context: ReplyContext, remark: RemarkKind, told: str = "") -> str:
    occasion = (context.colleague.id, context.message)
    return phrase_remark(remark, context.colleague.manner, occasion, told)


def _referral_id(referral: PublicTopic) -> str:
    """Unlike any clue's id, which has the form task/name."""
    return f"referral:{referral.topic}"


def interpreter_for(context: ReplyContext) -> QuestionInterpreter:
    """Who understands questions as the colleague does, with what they have in mind."""
    own = tuple(topic_from_clue(clue) for clue in context.clues)
    public = tuple(Topic(_referral_id(r), r.asks, r.keys) for r in context.referrals)
    return _built(own, context.others + public)


def topic_from_clue(clue: Clue) -> Topic:
    """What a listener hears of a clue: never its payload."""
    return Topic(clue.id, clue.asks, clue.keys)


@lru_cache(maxsize=512)
def _built(own: tuple[Topic, ...], foreign: tuple[Topic, ...]) -> QuestionInterpreter:
    """Built once for the same topics: a listener has no state that changes."""
    return QuestionInterpreter(own, foreign)
