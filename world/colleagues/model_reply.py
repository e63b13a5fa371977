"""Apply a reply that a model has drafted for a colleague.

    message ──► interpret_message ──► decision (code) ──► wording
    draft ───────────────────────────────────────────────┘ the model's, if reply_filter.py allows it

Code decides. If the matcher finds that the message clearly asks for a clue, the clue is told,
whatever the model chose. The model only words the reply, and may ask back once to be sure. "Not
yet" texts, referrals and replies to values always use the script's wording.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from trainee_bench.world.colleagues import reply_filter
from trainee_bench.world.colleagues.knowledge import Clue
from trainee_bench.world.colleagues.reply_provenance import (
    ModelDecision,
    ReplyProvenance,
    WordingSource,
)
from trainee_bench.world.colleagues.responder import (
    ColleagueReply,
    ReplyContext,
    ScriptedResponder,
    expectation_replies,
    interpret_message,
    interpreter_for,
    matching_referrals,
)
from trainee_bench.world.colleagues.understanding import Intent, Interpretation, hear
from trainee_bench.world.colleagues.understanding.asking import has_question_mark
from trainee_bench.world.company.people import Person

MAX_DRAFT_LENGTH = 2_000
"""Maximum number of characters in a draft; no reply is that long."""


class ReplyDraft(BaseModel):
    """A model's draft: ``text`` with a placeholder for the payload, and the ids of its clues.

    ``clue`` is the clue that it tells, ``asks_back`` are the clues that it asks back about.
    ``fault`` says why there is no draft."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    text: str = Field(default="", max_length=MAX_DRAFT_LENGTH)
    clue: str = ""
    asks_back: tuple[str, ...] = ()
    fault: Literal["", "malformed", "unavailable"] = ""


@dataclass(frozen=True)
class Audience:
    """The reader of a reply, and everybody at the company.

    A reply may contain any title, but only the names of the colleague and of the reader."""

    spoken_to: Person
    everybody: tuple[Person, ...]


class DraftResponder:
    """Responder that uses a model's draft if code agrees with it, and the script otherwise."""

    def __init__(self, draft: ReplyDraft, audience: Audience):
        self._draft = draft
        self._audience = audience

    def answer(self, context: ReplyContext) -> ColleagueReply:
        """Return the colleague's reply, with its provenance."""
        script, understood = ScriptedResponder().answer(context), interpret_message(context)
        asked = script.clues
        if self._draft.fault:
            answer, played = (
                script,
                ReplyProvenance(decision=ModelDecision(self._draft.fault), words=_STAND_IN),
            )
        elif expectation_replies(context) and understood.intent is not Intent.CLEAR:
            answer, played = (
                script,
                ReplyProvenance(decision=self._chatting(), words=WordingSource.SCRIPT),
            )
        else:
            answer, played = self._weighed(context, understood, script)
        told = {"asked": " ".join(asked), "told": " ".join(answer.clues)}
        return replace(answer, provenance=played.model_copy(update=told))

    def _weighed(
        self, context: ReplyContext, understood: Interpretation, script: ColleagueReply
    ) -> tuple[ColleagueReply, ReplyProvenance]:
        """Return the reply to a question: the draft, or the script instead."""
        match understood.intent:
            case Intent.CLEAR if script.clues == understood.topics and len(script.clues) == 1:
                return self._told(context, script)
            case Intent.CLEAR:
                same = self._draft.clue in understood.topics
                return script, ReplyProvenance(decision=self._if(same), words=WordingSource.SCRIPT)
            case Intent.DOUBTFUL:
                return self._in_doubt(context, understood.topics, script)
            case Intent.NONE if matching_referrals(context):
                return script, ReplyProvenance(
                    decision=self._chatting(), words=WordingSource.SCRIPT
                )
            case _:
                return self._chatted(context, script)

    def _told(
        self, context: ReplyContext, script: ColleagueReply
    ) -> tuple[ColleagueReply, ReplyProvenance]:
        """Tell the clue, unless the model asks back about it, which it may do once."""
        draft, clue = self._draft, _clue(context, script.clues[0])
        if draft.clue == clue.id:
            flaw = self._objection(context, draft.text, clue)
            if flaw:
                return script, ReplyProvenance(
                    decision=ModelDecision.RIGHT, words=_STAND_IN, flaw=flaw
                )
            text = draft.text.replace(reply_filter.PAYLOAD_PLACEHOLDER, clue.payload)
            text = " ".join([*expectation_replies(context), text])
            return ColleagueReply(text, (clue.id,)), ReplyProvenance(
                decision=ModelDecision.RIGHT, words=WordingSource.MODEL
            )
        decision = ModelDecision.OVERREACHED if draft.clue else ModelDecision.WITHHELD
        again = clue.id in context.asked_back or bool(expectation_replies(context))
        if draft.asks_back == (clue.id,) and not again and not self._asking(context, clue):
            back = ColleagueReply(draft.text, asks_back=(clue.id,))
            return back, ReplyProvenance(decision=decision, words=WordingSource.MODEL)
        return script, ReplyProvenance(decision=decision, words=_STAND_IN)

    def _in_doubt(
        self, context: ReplyContext, ids: tuple[str, ...], script: ColleagueReply
    ) -> tuple[ColleagueReply, ReplyProvenance]:
        """Ask back. The script numbers the choices if there are several."""
        draft = self._draft
        same = not draft.clue and bool(draft.asks_back) and set(draft.asks_back) <= set(ids)
        if not same:
            return script, ReplyProvenance(decision=self._if(False), words=_STAND_IN)
        if len(ids) > 1:
            return script, ReplyProvenance(decision=ModelDecision.RIGHT, words=WordingSource.SCRIPT)
        flaw = self._asking(context, _clue(context, ids[0]))
        if flaw:
            return script, ReplyProvenance(decision=ModelDecision.RIGHT, words=_STAND_IN, flaw=flaw)
        return ColleagueReply(draft.text, asks_back=ids), ReplyProvenance(
            decision=ModelDecision.RIGHT, words=WordingSource.MODEL
        )

    def _chatted(
        self, context: ReplyContext, script: ColleagueReply
    ) -> tuple[ColleagueReply, ReplyProvenance]:
        """Tell nothing. Any wording that passes the filter is used."""
        decision = self._chatting()
        flaw = (
            ""
            if decision is not ModelDecision.RIGHT
            else self._objection(context, self._draft.text)
        )
        if flaw or decision is not ModelDecision.RIGHT:
            return script, ReplyProvenance(decision=decision, words=_STAND_IN, flaw=flaw)
        return ColleagueReply(self._draft.text), ReplyProvenance(
            decision=decision, words=WordingSource.MODEL
        )

    def _if(self, right: bool) -> ModelDecision:
        """Return the model's decision, given whether it was *right*."""
        if right:
            return ModelDecision.RIGHT
        return ModelDecision.OVERREACHED if self._draft.clue else ModelDecision.OTHERWISE

    def _chatting(self) -> ModelDecision:
        """Return the model's decision if there is nothing to tell or to ask back about."""
        return self._if(not self._draft.clue and not self._draft.asks_back)

    def _asking(self, context: ReplyContext, clue: Clue) -> str:
        """Return why the draft is no valid question back about *clue*; "" if it is one."""
        flaw = self._objection(context, self._draft.text, clue, tells=False)
        if flaw:
            return flaw
        meant = {
            id for part in reply_filter.sentences(self._draft.text) for id in _topics(context, part)
        }
        return (
            "" if meant == {clue.id} and has_question_mark(self._draft.text) else "no question back"
        )

    def _objection(
        self, context: ReplyContext, text: str, about: Clue | None = None, tells: bool = True
    ) -> str:
        """Return why *text* cannot be used, which may be *about* a clue and *tells* it; or ""."""
        people = [context.colleague, self._audience.spoken_to]
        own = [person.name for person in people]
        offices = [f"{person.title} {person.department}" for person in self._audience.everybody]
        asks = [*about.asks, *about.keys] if about else []
        flaw = reply_filter.rejection_reason(
            text,
            tells=tells and about is not None,
            allowed=reply_filter.normalized_words([*own, *offices, *asks]),
            names=reply_filter.normalized_words(p.name for p in self._audience.everybody),
        )
        if flaw:
            return flaw
        known = {about.id} if about else set[str]()
        said = {id for part in reply_filter.sentences(text) for id in _topics(context, part)}
        return "what could be asked" if said - known else ""


_STAND_IN = WordingSource.STAND_IN


def _topics(context: ReplyContext, sentence: str) -> tuple[str, ...]:
    """Return the ids of the clues that *sentence* of a reply is about."""
    return interpreter_for(context).understand(hear(sentence)).topics


def _clue(context: ReplyContext, id: str) -> Clue:
    return next(clue for clue in context.clues if clue.id == id)
