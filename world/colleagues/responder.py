"""Decide what a colleague answers, from what they may know and in their own manner.

    message ──► ReplyContext (what this colleague knows now) ──► Responder ──► ColleagueReply

A responder sees only a ReplyContext and changes no world: the caller (`conversation.py`) records
what a reply discloses. So a responder may run outside any transaction, and its reply may be passed
in as an effect. A ReplyContext contains nothing that the colleague must not show. It leaves out a
clue that may not be told yet and has no `not_yet` text that may be said.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Protocol

from trainee_bench.world.colleagues.expectation_matching import ExpectationMatch
from trainee_bench.world.colleagues.knowledge import Clue
from trainee_bench.world.colleagues.listed_topics import (
    listed_topics,
    topics_of_codes,
    with_own_part,
)
from trainee_bench.world.colleagues.office_customs import asks_only_for_records, custom_for
from trainee_bench.world.colleagues.phrasing import (
    RemarkKind,
    in_first_person,
    phrase_custom,
    phrase_remark,
    pleasantry,
    said_once,
    sentences,
)
from trainee_bench.world.colleagues.referrals import PublicTopic
from trainee_bench.world.colleagues.reply_provenance import ReplyProvenance
from trainee_bench.world.colleagues.understanding import HeardMessage, Intent, Interpretation, Topic
from trainee_bench.world.colleagues.understanding.asking import Asking, only_informs
from trainee_bench.world.colleagues.understanding.identifiers import KnownIds, likeness
from trainee_bench.world.colleagues.understanding.ids import QUOTABLE, ids_in
from trainee_bench.world.company.name_forms import names_person
from trainee_bench.world.company.people import Person
from trainee_bench.world.kept_results import kept_per_day

if TYPE_CHECKING:
    from trainee_bench.world.colleagues.understanding.interpreter import QuestionInterpreter

MOST_TOLD = 2
"""The most figures that the keeper of a subject gives to somebody who asks for the keeper."""


@dataclass(frozen=True)
class ReplyContext:
    """Message to a colleague, with the colleague's knowledge when it arrives."""

    message: int
    """The message's id."""
    heard: HeardMessage
    colleague: Person
    clues: tuple[Clue, ...]
    """The clues that they can be asked for, sorted by id."""
    held_back: frozenset[str] = frozenset()
    """Ids of the clues for which they currently say `not_yet`."""
    told: frozenset[str] = frozenset()
    """Ids of the clues they have told this person in their present form."""
    outdated: frozenset[str] = frozenset()
    """Ids of the clues they have told this person in an earlier form only."""
    others: tuple[Topic, ...] = ()
    """The topics of others, which must not be mistaken for their own."""
    referrals: tuple[PublicTopic, ...] = ()
    keepers: Mapping[str, tuple[PublicTopic, ...]] = field(default_factory=dict)
    """The public topics that may name who holds a clue, by the clue's id."""
    asked_back: tuple[str, ...] = ()
    """Ids of the clues they have just asked back about."""
    before: tuple[HeardMessage, ...] = ()
    """This person's previous message to them, and their answer."""
    met: tuple[str, ...] = ()
    """Their reply to each expectation that the message meets or is about."""
    guess: ExpectationMatch = ExpectationMatch.NOTHING
    """OTHER if the message gives a wrong value instead."""
    gave_task: bool = False
    """Whether they gave this person a task."""
    locked: bool = False
    """Whether they accept no more values today; then `met` is empty."""


@dataclass(frozen=True)
class ColleagueReply:
    """Text of a reply, with the ids of the clues that it tells or asks back about."""

    text: str
    clues: tuple[str, ...] = ()
    asks_back: tuple[str, ...] = ()
    provenance: ReplyProvenance | None = None
    """The provenance of the reply, if a model drafted it."""


class Responder(Protocol):
    """Decision about a colleague's reply."""

    def answer(self, context: ReplyContext) -> ColleagueReply:
        """Return the colleague's reply.

        It tells at most two clues, or `MOST_LISTED` clues whose ids the message lists."""


class ScriptedResponder:
    """Responder that matches questions with the colleague's topics, deterministically."""

    def answer(self, context: ReplyContext) -> ColleagueReply:
        """Reply first to values that the colleague expected, then to the question."""
        said = expectation_replies(context)
        understood = interpret_message(context)
        if not said:
            return _to_question(context, understood)
        if understood.intent is not Intent.CLEAR or context.heard.asking < Asking.OPENLY:
            return ColleagueReply(" ".join(said))  # a report may mention topics of others
        answer = _tell(context, understood, opens=False)
        said = [_INVITES.sub("", reply) for reply in said]
        return ColleagueReply(" ".join([*said, answer.text]), answer.clues)


def expectation_replies(context: ReplyContext) -> list[str]:
    """Return the replies to values in the message, right or wrong, without repeated sentences.

    Every responder gives the same replies."""
    said = said_once(context.met)
    if context.guess is ExpectationMatch.OTHER:
        said.append(_say(context, RemarkKind.LOCKED if context.locked else RemarkKind.WRONG))
    return said


def interpret_message(context: ReplyContext) -> Interpretation:
    """Return what the message asks of the colleague. Every responder builds on this."""
    understood = interpreter_for(context).understand(
        context.heard, asked_back=context.asked_back, before=context.before
    )
    if understood.intent is Intent.CLEAR and context.held_back.issuperset(understood.topics):
        topics = with_own_part(context.heard, context.clues, understood.topics, context.held_back)
        if topics != understood.topics:
            return replace(understood, topics=topics)
    if understood.topics and understood.intent in (Intent.CLEAR, Intent.DOUBTFUL):
        listed = listed_topics(context.heard, context.clues, context.others, understood.topics)
        if listed:
            return replace(understood, intent=Intent.CLEAR, topics=listed)
    if understood.intent is not Intent.CLEAR and context.heard.wants_again:
        told = _told_before(context)
        if told is not None:
            return Interpretation(Intent.CLEAR, (told,))
    if understood.intent is Intent.NONE:
        return _kept_figures(context) or _of_own(context) or understood
    return understood


def _of_own(context: ReplyContext) -> Interpretation | None:
    """Return a doubt about the clues whose codes a question quotes, or about a person, or None.

    A holder asks back instead of sending the asker to somebody else."""
    if context.heard.asking < Asking.OPENLY or custom_for(context.heard) is not None:
        return None
    interpreter = interpreter_for(context)
    foreign = interpreter.foreign_topic(context.heard)
    if any(topic.id == foreign for topic in context.others):
        return None
    meant = topics_of_codes(context.heard, context.clues)
    if not meant and not any(topic.person for topic in matching_referrals(context)):
        person = interpreter.person_asked_for(context.heard)
        meant = () if person is None else (person,)
    return Interpretation(Intent.DOUBTFUL, meant) if meant else None


def _kept_figures(context: ReplyContext) -> Interpretation | None:
    """Return the colleague's own figures if the message asks who keeps them, or else None.

    Somebody who asks the keeper who keeps a figure wants the figure."""
    for topic in matching_referrals(context):
        kept = [
            clue
            for clue in context.clues
            if topic.keys and topic in context.keepers.get(clue.id, ())
        ]
        quoted = KnownIds(key for clue in kept for key in clue.keys).quoted(context.heard.text)
        named = [clue for clue in kept if any(key.casefold() in quoted for key in clue.keys)]
        if kept:
            ids = tuple(clue.id for clue in named or kept)
            return Interpretation(Intent.CLEAR, ids[:MOST_TOLD], _referral_id(topic))
    return None


def _told_before(context: ReplyContext) -> str | None:
    """Return the clue to confirm: the one told just now, or the only one told."""
    told = [clue for clue in context.clues if clue.id in context.told | context.outdated]
    latest = [
        clue for clue in told if any(clue.payload in earlier.text for earlier in context.before)
    ]
    likely = latest or told
    if len(likely) != 1 or _quotes_another(context.heard, likely[0]):
        return None
    return None if _names_another(context, likely[0]) else likely[0].id


def _names_another(context: ReplyContext, clue: Clue) -> bool:
    """Return whether the message quotes a key of another topic that *clue* does not have."""
    own = {key.casefold() for key in clue.keys}
    keys = [topic.keys for topic in context.others] + [known.keys for known in context.clues]
    return (
        not own >= KnownIds(key for some in keys for key in some).quoted(context.heard.text).keys()
    )


def _quotes_another(message: HeardMessage, clue: Clue) -> bool:
    """Return whether *message* quotes a code or file that is foreign to *clue* and its asks.

    "Is K7614 right?" does not ask to confirm an approval limit. But if the clue tells codes, the
    message may quote one of them with a slip."""
    known = " ".join([clue.payload, *clue.keys, *clue.asks]).casefold()
    quoted = {id.text.casefold() for id in message.ids if id.kind in QUOTABLE}
    told = [id.text.casefold() for id in ids_in(clue.payload) if id.kind in QUOTABLE]
    misread = any(likeness(id, own) == "slip" for id in quoted for own in told)
    return not misread and any(id not in known for id in quoted)


def _to_question(context: ReplyContext, understood: Interpretation) -> ColleagueReply:
    custom, person = custom_for(context.heard, context.gave_task), context.colleague
    doubtful = understood.intent is Intent.DOUBTFUL and asks_only_for_records(context.heard)
    if custom and (doubtful or understood.intent in (Intent.NONE, Intent.WORK_REQUEST)):
        return ColleagueReply(phrase_custom(custom, person.manner, (person.id,)))
    match understood.intent:
        case Intent.CLEAR:
            return _tell(context, understood)
        case Intent.DOUBTFUL:
            return _ask_back(context, understood.topics)
        case Intent.WORK_REQUEST:
            found = matching_referrals(context)
            said = _refer(context, found) if found else _say(context, RemarkKind.WORK)
            return ColleagueReply(said)
        case Intent.FISHING:
            return ColleagueReply(_say(context, RemarkKind.FISHING))
        case Intent.BARE:
            return ColleagueReply(_say(context, RemarkKind.WHAT_ABOUT))
        case Intent.SMALL_TALK:
            return ColleagueReply(_say(context, pleasantry(context.heard.text)))
        case Intent.NONE:
            return ColleagueReply(_pass_on(context))


def _tell(context: ReplyContext, understood: Interpretation, opens: bool = True) -> ColleagueReply:
    """Tell the clues in their order, and whom to ask for the topics of others.

    Only the first answer has an opener. Two equal payloads are told once, because a payload is
    told word for word or not at all."""
    ids = understood.topics
    known = {clue.id: clue for clue in context.clues}
    told = tuple(id for id in ids if id not in context.held_back)
    texts = [known[id].not_yet if id in context.held_back else known[id].payload for id in ids]
    if understood.elsewhere:
        said = _elsewhere(context, understood.elsewhere)
        first = _is_about_oneself(context, understood.elsewhere)
        if not _keeps(context, understood.elsewhere):
            texts.insert(0 if first else len(texts), said)
        elif ids[0] not in context.told:
            texts.insert(0, sentences().keeper)
    text = " ".join(dict.fromkeys(texts))
    if not opens:
        return ColleagueReply(text, told)
    remark = RemarkKind.AGAIN if ids[0] in context.told else RemarkKind.TELL
    if ids[0] in context.held_back:
        remark = RemarkKind.NOT_YET
    return ColleagueReply(_say(context, remark, text), told)


def _elsewhere(context: ReplyContext, topic: str) -> str:
    """Return the answer to a second question that is not for the colleague."""
    referral = _referral(context, topic) or _keeper_of(context, topic)
    if referral is None:
        return sentences().elsewhere[context.colleague.manner]
    return in_first_person(referral.text, context.colleague.name)


def _referral(context: ReplyContext, id: str) -> PublicTopic | None:
    return next((topic for topic in context.referrals if _referral_id(topic) == id), None)


def _keeper_of(context: ReplyContext, clue: str) -> PublicTopic | None:
    """Return the public topic that tells who holds a clue of others, by the clue's id."""
    asked = next((topic for topic in context.others if topic.id == clue), None)
    if asked is None:
        return None
    # imported late: the module loads the embeddings
    from trainee_bench.world.colleagues.understanding.topic_collision import share_subject

    for topic in context.keepers.get(clue, ()):
        if topic.keys or share_subject(asked, _public(topic)):
            return topic
    return None


def _keeps(context: ReplyContext, topic: str) -> bool:
    """Return whether the public topic of this id says that the colleague, alone, is the keeper.

    The figures that follow name the matter, so the answer need not name it twice."""
    referral = _referral(context, topic)
    return referral is not None and referral.person == context.colleague.id and bool(referral.keys)


def _is_about_oneself(context: ReplyContext, topic: str) -> bool:
    """Return whether the public topic of this id names the colleague."""
    referral = _referral(context, topic)
    return referral is not None and names_person(referral.text, context.colleague.name)


def _ask_back(context: ReplyContext, ids: tuple[str, ...]) -> ColleagueReply:
    asks = {clue.id: clue.asks[0] for clue in context.clues}
    if len(ids) == 1:
        return ColleagueReply(
            _say(context, RemarkKind.MEAN_ONE, f"“{asks[ids[0]]}”"), asks_back=ids
        )
    choices = " ".join(f"({number}) {asks[id]}" for number, id in enumerate(ids, 1))
    return ColleagueReply(_say(context, RemarkKind.MEAN_SEVERAL, choices), asks_back=ids)


def _pass_on(context: ReplyContext) -> str:
    """Return the reply to a message about which the colleague knows nothing.

    The reply is the same whether or not they hold a clue. So nobody can find out what they hold by
    writing something that nobody understands.
    """
    if only_informs(context.heard.text):
        return _say(context, RemarkKind.NOTED)
    found = matching_referrals(context)
    if found:
        return _refer(context, found)
    if context.heard.asking is Asking.NOT:
        return _say(context, RemarkKind.NOTED)
    others = interpreter_for(context).foreign_topic(context.heard)
    if others is None:
        return _say(context, RemarkKind.UNCLEAR)
    keeper = _referral(context, others) or _keeper_of(context, others)
    if keeper is None:
        return _say(context, RemarkKind.DOES_NOT_KNOW)
    return _refer(context, (keeper,))


def _refer(context: ReplyContext, found: tuple[PublicTopic, ...]) -> str:
    """Return public knowledge, with an opener unless it is about the colleague."""
    said = " ".join(in_first_person(topic.text, context.colleague.name) for topic in found)
    if any(names_person(referral.text, context.colleague.name) for referral in found):
        return said
    return _say(context, RemarkKind.REFER, said)


def matching_referrals(context: ReplyContext) -> tuple[PublicTopic, ...]:
    """Return the most likely public topic of the message; two if either is possible."""
    topics = interpreter_for(context).public_topics(context.heard)
    by_id = {_referral_id(referral): referral for referral in context.referrals}
    return tuple(by_id[topic] for topic in topics)


_INVITES = re.compile(r"[;:,] (?:so )?ask me\b[^.!?]*")
"""An invitation that is left out if its question was just asked, as in "I cannot approve that; ask
me who can."."""


def _say(context: ReplyContext, remark: RemarkKind, told: str = "") -> str:
    occasion = (context.colleague.id, context.message)
    return phrase_remark(remark, context.colleague.manner, occasion, told)


def _referral_id(referral: PublicTopic) -> str:
    """Return an id that differs from every clue's id, which has the form task/name."""
    return f"referral:{referral.topic}"


def interpreter_for(context: ReplyContext) -> QuestionInterpreter:
    """Return the interpreter for the colleague's topics, others' topics and referrals."""
    own = tuple(topic_from_clue(clue) for clue in context.clues)
    public = tuple(map(_public, context.referrals))
    return _built(own, context.others, public)


def _public(referral: PublicTopic) -> Topic:
    """Return the topic of a referral, without its text."""
    return Topic(_referral_id(referral), referral.asks, referral.keys, referral.about)


def topic_from_clue(clue: Clue) -> Topic:
    """Return the topic of a clue, without its payload."""
    return Topic(clue.id, clue.asks, clue.keys)


@kept_per_day(16)
def _built(
    own: tuple[Topic, ...], others: tuple[Topic, ...], public: tuple[Topic, ...]
) -> QuestionInterpreter:
    """Return the interpreter of these topics, cached because it has no mutable state."""
    # imported late: the module loads the embeddings
    from trainee_bench.world.colleagues.understanding.interpreter import QuestionInterpreter

    return QuestionInterpreter(own, others, public)
