"""An answer that a model has drafted, applied when its colleague answers.

    message ──► understand (the floor) ──► what is decided ──► whose words
    draft ─────────────────────────────────┘                    model's, if they pass (tact.py)

Code decides. A clue is told where the matcher is clear of exactly this one, whatever the model
chose; the model puts it into words, and may ask back once where it would rather be sure. What
code says of its own accord (a line of "not yet", a referral, what becomes of a code that was
named) is said in the script's words.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from world import tact
from world.brain import Answer, Hearing, ScriptedBrain, listener, referred, remarks, understand
from world.npc import Clue
from world.people import Person
from world.played import Decision, Played, Words
from world.understanding import Sense, Understanding

LONGEST_DRAFT = 2_000
"""Characters of a draft that are kept; no reply is that long."""


class Draft(BaseModel):
    """What a model would answer: ``text`` with the place of the payload, the clue it would tell,
    or the clues it would ask back about (ids). ``fault`` says why there is none."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    text: str = Field(default="", max_length=LONGEST_DRAFT)
    clue: str = ""
    asks_back: tuple[str, ...] = ()
    fault: Literal["", "malformed", "unavailable"] = ""


@dataclass(frozen=True)
class Audience:
    """Who hears an answer, and who is at the company: of names, only one's own, one's superior's
    and that of who is spoken to may be said, and everybody's title."""

    spoken_to: Person
    everybody: tuple[Person, ...]


class DraftedBrain:
    """Answers by a model's draft as far as code agrees with it, else as the script does."""

    def __init__(self, draft: Draft, audience: Audience):
        self._draft = draft
        self._audience = audience

    def answer(self, hearing: Hearing) -> Answer:
        """What the colleague says, and how that came about."""
        script, understood = ScriptedBrain().answer(hearing), understand(hearing)
        asked = script.clue
        if self._draft.fault:
            answer, played = script, Played(decision=Decision(self._draft.fault), words=_STAND_IN)
        elif remarks(hearing) and understood.sense is not Sense.CLEAR:
            answer, played = script, Played(decision=self._chatting(), words=Words.SCRIPT)
        else:
            answer, played = self._weighed(hearing, understood, script)
        told = {"asked": asked, "told": answer.clue}
        return replace(answer, played=played.model_copy(update=told))

    def _weighed(
        self, hearing: Hearing, understood: Understanding, script: Answer
    ) -> tuple[Answer, Played]:
        """The answer to a question: the draft's, or the script's in its place."""
        match understood.sense:
            case Sense.CLEAR if script.clue:
                return self._told(hearing, script)
            case Sense.CLEAR:
                same = self._draft.clue == understood.topics[0]
                return script, Played(decision=self._if(same), words=Words.SCRIPT)
            case Sense.DOUBTFUL:
                return self._in_doubt(hearing, understood.topics, script)
            case Sense.NONE if referred(hearing) is not None:
                return script, Played(decision=self._chatting(), words=Words.SCRIPT)
            case _:
                return self._chatted(hearing, script)

    def _told(self, hearing: Hearing, script: Answer) -> tuple[Answer, Played]:
        """The clue is told, unless the model asks back about it, which it may do once."""
        draft, clue = self._draft, _clue(hearing, script.clue)
        if draft.clue == clue.id:
            flaw = self._objection(hearing, draft.text, clue)
            if flaw:
                return script, Played(decision=Decision.RIGHT, words=_STAND_IN, flaw=flaw)
            text = draft.text.replace(tact.PLACE, clue.payload)
            text = " ".join([*remarks(hearing), text])
            return Answer(text, clue.id), Played(decision=Decision.RIGHT, words=Words.MODEL)
        decision = Decision.OVERREACHED if draft.clue else Decision.WITHHELD
        again = clue.id in hearing.asked_back or bool(remarks(hearing))
        if draft.asks_back == (clue.id,) and not again and not self._asking(hearing, clue):
            back = Answer(draft.text, asks_back=(clue.id,))
            return back, Played(decision=decision, words=Words.MODEL)
        return script, Played(decision=decision, words=_STAND_IN)

    def _in_doubt(
        self, hearing: Hearing, ids: tuple[str, ...], script: Answer
    ) -> tuple[Answer, Played]:
        """They ask back. Where there are several choices the script numbers them."""
        draft = self._draft
        same = not draft.clue and bool(draft.asks_back) and set(draft.asks_back) <= set(ids)
        if not same:
            return script, Played(decision=self._if(False), words=_STAND_IN)
        if len(ids) > 1:
            return script, Played(decision=Decision.RIGHT, words=Words.SCRIPT)
        flaw = self._asking(hearing, _clue(hearing, ids[0]))
        if flaw:
            return script, Played(decision=Decision.RIGHT, words=_STAND_IN, flaw=flaw)
        return Answer(draft.text, asks_back=ids), Played(decision=Decision.RIGHT, words=Words.MODEL)

    def _chatted(self, hearing: Hearing, script: Answer) -> tuple[Answer, Played]:
        """Nothing is told; any harmless words will do."""
        decision = self._chatting()
        flaw = "" if decision is not Decision.RIGHT else self._objection(hearing, self._draft.text)
        if flaw or decision is not Decision.RIGHT:
            return script, Played(decision=decision, words=_STAND_IN, flaw=flaw)
        return Answer(self._draft.text), Played(decision=decision, words=Words.MODEL)

    def _if(self, right: bool) -> Decision:
        """What the model decided where it was *right*, or was not."""
        if right:
            return Decision.RIGHT
        return Decision.OVERREACHED if self._draft.clue else Decision.OTHERWISE

    def _chatting(self) -> Decision:
        """What the model decided where nothing is told and nothing in doubt."""
        return self._if(not self._draft.clue and not self._draft.asks_back)

    def _asking(self, hearing: Hearing, clue: Clue) -> str:
        """Why the draft cannot be said as a question back about *clue*; "" if it can."""
        flaw = self._objection(hearing, self._draft.text, clue, tells=False)
        if flaw:
            return flaw
        meant = {id for part in tact.sentences(self._draft.text) for id in _topics(hearing, part)}
        return "" if meant == {clue.id} and "?" in self._draft.text else "no question back"

    def _objection(
        self, hearing: Hearing, text: str, about: Clue | None = None, tells: bool = True
    ) -> str:
        """Why *text* cannot be said (about *about*, which it *tells*); "" if it can."""
        people = [hearing.colleague, self._audience.spoken_to]
        people += [hearing.superior] if hearing.superior else []
        own = [person.name for person in people]
        offices = [f"{one.title} {one.department}" for one in self._audience.everybody]
        asks = [*about.asks, *about.keys] if about else []
        flaw = tact.objection(
            text,
            tells=tells and about is not None,
            allowed=tact.words_of([*own, *offices, *asks]),
            names=tact.words_of(one.name for one in self._audience.everybody),
        )
        if flaw:
            return flaw
        known = {about.id} if about else set[str]()
        said = {id for part in tact.sentences(text) for id in _topics(hearing, part)}
        return "what could be asked" if said - known else ""


_STAND_IN = Words.STAND_IN


def _topics(hearing: Hearing, sentence: str) -> tuple[str, ...]:
    """The ids of the clues that *sentence* of a reply is about."""
    return listener(hearing).understand(sentence).topics


def _clue(hearing: Hearing, id: str) -> Clue:
    return next(clue for clue in hearing.clues if clue.id == id)
