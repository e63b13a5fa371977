"""An answer that a model has drafted, applied when its colleague answers.

    message ──► understand (the floor) ──► what is decided ──► whose words
    draft ─────────────────────────────────┘                    model's, if they pass (reply_filter.py)

Code decides. A clue is told where the matcher is clear of exactly this one, whatever the model
chose; the model puts it into words, and may ask back once where it would rather be sure. What
code says of its own accord (a line of "not yet", a referral, what becomes of a code that was
named) is said in the script's words.
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
    matching_referral,
)
from trainee_bench.world.colleagues.understanding import Intent, Interpretation
from trainee_bench.world.company.people import Person

MAX_DRAFT_LENGTH = 2_000
"""Characters of a draft that are kept; no reply is that long."""


class ReplyDraft(BaseModel):
    """What a model would answer: ``text`` with the place of the payload, the clue it would tell,
    or the clues it would ask back about (ids). ``fault`` says why there is none."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    text: str = Field(default="", max_length=MAX_DRAFT_LENGTH)
    clue: str = ""
    asks_back: tuple[str, ...] = ()
    fault: Literal["", "malformed", "unavailable"] = ""


@dataclass(frozen=True)
class Audience:
    """Who hears an answer, and who is at the company: of names, only one's own, one's superior's
    and that of who is spoken to may be said, and everybody's title."""

    spoken_to: Person
    everybody: tuple[Person, ...]


class DraftResponder:
    """Answers by a model's draft as far as code agrees with it, else as the script does."""

    def __init__(self, draft: ReplyDraft, audience: Audience):
        self._draft = draft
        self._audience = audience

    def answer(self, hearing: ReplyContext) -> ColleagueReply:
        """What the colleague says, and how that came about."""
        script, understood = ScriptedResponder().answer(hearing), interpret_message(hearing)
        asked = script.clue
        if self._draft.fault:
            answer, played = (
                script,
                ReplyProvenance(decision=ModelDecision(self._draft.fault), words=_STAND_IN),
            )
        elif expectation_replies(hearing) and understood.intent is not Intent.CLEAR:
            answer, played = (
                script,
                ReplyProvenance(decision=self._chatting(), words=WordingSource.SCRIPT),
            )
        else:
            answer, played = self._weighed(hearing, understood, script)
        told = {"asked": asked, "told": answer.clue}
        return replace(answer, provenance=played.model_copy(update=told))

    def _weighed(
        self, hearing: ReplyContext, understood: Interpretation, script: ColleagueReply
    ) -> tuple[ColleagueReply, ReplyProvenance]:
        """The answer to a question: the draft's, or the script's in its place."""
        match understood.intent:
            case Intent.CLEAR if script.clue:
                return self._told(hearing, script)
            case Intent.CLEAR:
                same = self._draft.clue == understood.topics[0]
                return script, ReplyProvenance(decision=self._if(same), words=WordingSource.SCRIPT)
            case Intent.DOUBTFUL:
                return self._in_doubt(hearing, understood.topics, script)
            case Intent.NONE if matching_referral(hearing) is not None:
                return script, ReplyProvenance(
                    decision=self._chatting(), words=WordingSource.SCRIPT
                )
            case _:
                return self._chatted(hearing, script)

    def _told(
        self, hearing: ReplyContext, script: ColleagueReply
    ) -> tuple[ColleagueReply, ReplyProvenance]:
        """The clue is told, unless the model asks back about it, which it may do once."""
        draft, clue = self._draft, _clue(hearing, script.clue)
        if draft.clue == clue.id:
            flaw = self._objection(hearing, draft.text, clue)
            if flaw:
                return script, ReplyProvenance(
                    decision=ModelDecision.RIGHT, words=_STAND_IN, flaw=flaw
                )
            text = draft.text.replace(reply_filter.PAYLOAD_PLACEHOLDER, clue.payload)
            text = " ".join([*expectation_replies(hearing), text])
            return ColleagueReply(text, clue.id), ReplyProvenance(
                decision=ModelDecision.RIGHT, words=WordingSource.MODEL
            )
        decision = ModelDecision.OVERREACHED if draft.clue else ModelDecision.WITHHELD
        again = clue.id in hearing.asked_back or bool(expectation_replies(hearing))
        if draft.asks_back == (clue.id,) and not again and not self._asking(hearing, clue):
            back = ColleagueReply(draft.text, asks_back=(clue.id,))
            return back, ReplyProvenance(decision=decision, words=WordingSource.MODEL)
        return script, ReplyProvenance(decision=decision, words=_STAND_IN)

    def _in_doubt(
        self, hearing: ReplyContext, ids: tuple[str, ...], script: ColleagueReply
    ) -> tuple[ColleagueReply, ReplyProvenance]:
        """They ask back. Where there are several choices the script numbers them."""
        draft = self._draft
        same = not draft.clue and bool(draft.asks_back) and set(draft.asks_back) <= set(ids)
        if not same:
            return script, ReplyProvenance(decision=self._if(False), words=_STAND_IN)
        if len(ids) > 1:
            return script, ReplyProvenance(decision=ModelDecision.RIGHT, words=WordingSource.SCRIPT)
        flaw = self._asking(hearing, _clue(hearing, ids[0]))
        if flaw:
            return script, ReplyProvenance(decision=ModelDecision.RIGHT, words=_STAND_IN, flaw=flaw)
        return ColleagueReply(draft.text, asks_back=ids), ReplyProvenance(
            decision=ModelDecision.RIGHT, words=WordingSource.MODEL
        )

    def _chatted(
        self, hearing: ReplyContext, script: ColleagueReply
    ) -> tuple[ColleagueReply, ReplyProvenance]:
        """Nothing is told; any harmless words will do."""
        decision = self._chatting()
        flaw = (
            ""
            if decision is not ModelDecision.RIGHT
            else self._objection(hearing, self._draft.text)
        )
        if flaw or decision is not ModelDecision.RIGHT:
            return script, ReplyProvenance(decision=decision, words=_STAND_IN, flaw=flaw)
        return ColleagueReply(self._draft.text), ReplyProvenance(
            decision=decision, words=WordingSource.MODEL
        )

    def _if(self, right: bool) -> ModelDecision:
        """What the model decided where it was *right*, or was not."""
        if right:
            return ModelDecision.RIGHT
        return ModelDecision.OVERREACHED if self._draft.clue else ModelDecision.OTHERWISE

    def _chatting(self) -> ModelDecision:
        """What the model decided where nothing is told and nothing in doubt."""
        return self._if(not self._draft.clue and not self._draft.asks_back)

    def _asking(self, hearing: ReplyContext, clue: Clue) -> str:
        """Why the draft cannot be said as a question back about *clue*; "" if it can."""
        flaw = self._objection(hearing, self._draft.text, clue, tells=False)
        if flaw:
            return flaw
        meant = {
            id for part in reply_filter.sentences(self._draft.text) for id in _topics(hearing, part)
        }
        return "" if meant == {clue.id} and "?" in self._draft.text else "no question back"

    def _objection(
        self, hearing: ReplyContext, text: str, about: Clue | None = None, tells: bool = True
    ) -> str:
        """Why *text* cannot be said (about *about*, which it *tells*); "" if it can."""
        people = [hearing.colleague, self._audience.spoken_to]
        people += [hearing.superior] if hearing.superior else []
        own = [person.name for person in people]
        offices = [f"{one.title} {one.department}" for one in self._audience.everybody]
        asks = [*about.asks, *about.keys] if about else []
        flaw = reply_filter.rejection_reason(
            text,
            tells=tells and about is not None,
            allowed=reply_filter.normalized_words([*own, *offices, *asks]),
            names=reply_filter.normalized_words(one.name for one in self._audience.everybody),
        )
        if flaw:
            return flaw
        known = {about.id} if about else set[str]()
        said = {id for part in reply_filter.sentences(text) for id in _topics(hearing, part)}
        return "what could be asked" if said - known else ""


_STAND_IN = WordingSource.STAND_IN


def _topics(hearing: ReplyContext, sentence: str) -> tuple[str, ...]:
    """The ids of the clues that *sentence* of a reply is about."""
    return interpreter_for(hearing).understand(sentence).topics


def _clue(hearing: ReplyContext, id: str) -> Clue:
    return next(clue for clue in hearing.clues if clue.id == id)
