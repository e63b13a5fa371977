"""Decides what a colleague answers, from what they may know and in their own manner.

    message ──► ReplyContext (what this colleague knows now) ──► Responder ──► ColleagueReply

A responder sees a ReplyContext and nothing else, and changes no world: the caller
(`conversation.py`) records what a reply discloses. So a responder may run outside any
transaction, and its reply be passed in as an effect. A ReplyContext contains nothing that the
colleague must not show: a clue that may not be told yet, and has no `not_yet` text that may be
said, is left out.
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
    """A message to a colleague, and what the colleague knows when it arrives."""

    message: int
    """The message's id."""
    text: str
    colleague: Person
    superior: Person | None
    clues: tuple[Clue, ...]
    """What they know and can be asked about, sorted by id."""
    held_back: frozenset[str] = frozenset()
    """Ids of the clues for which they currently say `not_yet`."""
    told: frozenset[str] = frozenset()
    """Ids of the clues they have told this person before."""
    others: tuple[Topic, ...] = ()
    """What others can be asked about, so that it is not mistaken for their own topics."""
    referrals: tuple[PublicTopic, ...] = ()
    asked_back: tuple[str, ...] = ()
    """Ids of the clues they have just asked back about."""
    met: tuple[str, ...] = ()
    """Their reply to each expectation that the message meets."""
    guess: ExpectationMatch = ExpectationMatch.NOTHING
    """OTHER if the message gives a wrong value instead."""
    locked: bool = False
    """Whether they accept no more values today; then `met` is empty."""


@dataclass(frozen=True)
class ColleagueReply:
    """The text of a reply, and the id of the clue it tells or of the clues it asks back about."""

    text: str
    clue: str = ""
    asks_back: tuple[str, ...] = ()
    provenance: ReplyProvenance | None = None
    """How the reply came about, if a model drafted it."""


class Responder(Protocol):
    """Decides what a colleague replies."""

    def answer(self, context: ReplyContext) -> ColleagueReply:
        """The colleague's reply, which tells at most one of the context's clues."""


class ScriptedResponder:
    """Matches the question against the colleague's topics. Deterministic; needs no model."""

    def answer(self, context: ReplyContext) -> ColleagueReply:
        """Replies first to values the colleague expected, then to the question."""
        said = expectation_replies(context)
        understood = interpret_message(context)
        if said and understood.intent is not Intent.CLEAR:
            return ColleagueReply(" ".join(said))
        answer = _to_question(context, understood)
        return ColleagueReply(" ".join([*said, answer.text]), answer.clue, answer.asks_back)


def expectation_replies(context: ReplyContext) -> list[str]:
    """The replies to values in the message, right or wrong; the same for every responder."""
    said = [_say(context, RemarkKind.ACCEPTED, reply) for reply in context.met]
    if context.guess is ExpectationMatch.OTHER:
        said.append(_say(context, RemarkKind.LOCKED if context.locked else RemarkKind.WRONG))
    return said


def interpret_message(context: ReplyContext) -> Interpretation:
    """What the message asks of the colleague; every responder builds on it."""
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
    """The reply to a message about which the colleague knows nothing."""
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
    """The public topic that the message is clearly about, if any."""
    topic = interpreter_for(context).foreign_topic(context.text)
    return next((one for one in context.referrals if _referral_id(one) == topic), None)


_WANTS = re.compile(
    r"[?？]|\b(?:who|whom|whose|where|what|which|when|why|how|need|want|looking|wonder\w*|know|"
    r"tell|give|send|share|explain|please|pls|help|can|could|would|may|do|does|is|are|question)\b",
    re.IGNORECASE,
)
"""Words of a message that asks for something; other messages only inform."""
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
    """An id that differs from every clue's id, which has the form task/name."""
    return f"referral:{referral.topic}"


def interpreter_for(context: ReplyContext) -> QuestionInterpreter:
    """The interpreter for the colleague's own topics, others' topics and referrals."""
    own = tuple(topic_from_clue(clue) for clue in context.clues)
    public = tuple(Topic(_referral_id(r), r.asks, r.keys) for r in context.referrals)
    return _built(own, context.others + public)


def topic_from_clue(clue: Clue) -> Topic:
    """The topic of a clue, without its payload."""
    return Topic(clue.id, clue.asks, clue.keys)


@lru_cache(maxsize=512)
def _built(own: tuple[Topic, ...], foreign: tuple[Topic, ...]) -> QuestionInterpreter:
    """Cached by topics, since an interpreter has no mutable state."""
    return QuestionInterpreter(own, foreign)
