"""A colleague hears a message: what they know, what they had expected, and what comes of it.

Until a clue is told, nothing a colleague says may depend on its secret. Therefore a clue
whose `after` is not met, and that says no `not_yet` as yet, is unknown to everybody, its holder
included; and what others are asked about is the same for all who do not know it.
"""

from __future__ import annotations

import json
from dataclasses import replace

from world.brain import Answer, Brain, Hearing, ScriptedBrain, topic_of
from world.directory import Directory
from world.expecting import Guesses, Said, compare
from world.npc import Clue, Expectation, Knowledge
from world.people import Person
from world.played import SCHEMA as PLAYED_SCHEMA
from world.played import Plays
from world.referral import Referrals
from world.turn import Turn

_ASKED_BACK = """
CREATE TABLE asked_back (
    colleague TEXT NOT NULL, person TEXT NOT NULL, place TEXT NOT NULL, clues TEXT NOT NULL,
    PRIMARY KEY (colleague, person, place)
) STRICT, WITHOUT ROWID;
"""
SCHEMA = _ASKED_BACK + PLAYED_SCHEMA


class Colleague:
    """One colleague in talk with one person: in private (*place* ""), or in a group."""

    def __init__(self, turn: Turn, colleague: Person, person: str, place: str = ""):
        self._turn = turn
        self._knowledge = Knowledge(turn)
        self._guesses = Guesses(turn)
        self.colleague = colleague
        self.person = person
        self.place = place

    def hear(self, message: int, text: str, brain: Brain | None = None) -> str:
        """What the colleague answers to message number *message*; what it brings about (an
        expectation met, a clue told, a question back) is written down."""
        met, guess, locked = self._compare(text)
        hearing = replace(self.hearing(message, text), met=met, guess=guess, locked=locked)
        answer = (brain or ScriptedBrain()).answer(hearing)
        self._remember(hearing, answer)
        return answer.text

    def hearing(self, message: int, text: str) -> Hearing:
        """The message with all the colleague has in mind, expectations left aside."""
        person, knowledge = self.person, self._knowledge
        visible = [clue for clue in knowledge.clues() if self._visible(clue)]
        clues = tuple(clue for clue in visible if clue.holder == self.colleague.id)
        own = {topic.asks for topic in map(topic_of, clues)}
        others = {topic.asks: topic for topic in map(topic_of, visible) if topic.asks not in own}
        superior = self.colleague.manager
        return Hearing(
            message=message,
            text=text,
            colleague=self.colleague,
            superior=Directory(self._turn).person(superior) if superior else None,
            clues=clues,
            held_back=frozenset(c.id for c in clues if not knowledge.ready(c.after, person)),
            told=frozenset(c.id for c in clues if knowledge.released(c.id, person)),
            others=tuple(others.values()),
            referrals=Referrals(self._turn).said_by(self.colleague.id),
            asked_back=self._asked_back(),
        )

    def _visible(self, clue: Clue) -> bool:
        """Whether it may show that somebody can be asked for it."""
        if not clue.holder or not clue.asks:
            return False
        ready = self._knowledge.ready
        speaks = bool(clue.not_yet) and ready(clue.not_yet_from, self.person)
        return speaks or ready(clue.after, self.person)

    def _compare(self, text: str) -> tuple[tuple[str, ...], Said, bool]:
        """What they say to the expectations met (recorded as heard), whether it was a wrong
        guess (counted), and whether they accept nothing any more."""
        open_, said = self._waiting(), Said.NOTHING
        met = [waiting.reply for waiting in self._heard() if compare(waiting, text) is Said.IT]
        compared = [(waiting, compare(waiting, text)) for waiting in open_]
        if any(what is not Said.NOTHING for _, what in compared):
            if self._guesses.locked(self.colleague.id, self.person):
                return (), Said.OTHER, True
            said = Said.OTHER
        for waiting, what in compared:
            if what is Said.IT:
                self._knowledge.hear(waiting.id, self.person)
                met.append(waiting.reply)
        if met or said is Said.NOTHING:
            return tuple(met), Said.NOTHING, False
        self._guesses.count(self.colleague.id, self.person)
        return (), Said.OTHER, self._guesses.locked(self.colleague.id, self.person)

    def _heard(self) -> list[Expectation]:
        """What they have heard, and acknowledge again."""
        expected = self._knowledge.expectations_of(self.colleague.id)
        return [one for one in expected if self._knowledge.heard(one.id, self.person)]

    def _waiting(self) -> list[Expectation]:
        """What they still wait to hear."""
        ready = self._knowledge.ready
        expected = self._knowledge.expectations_of(self.colleague.id)
        return [
            one
            for one in expected
            if ready(one.after, self.person) and not self._knowledge.heard(one.id, self.person)
        ]

    def _asked_back(self) -> tuple[str, ...]:
        row = self._turn.row(
            "SELECT clues FROM asked_back WHERE colleague = ? AND person = ? AND place = ?",
            self.colleague.id,
            self.person,
            self.place,
        )
        return tuple(json.loads(row["clues"])) if row is not None else ()

    def _remember(self, hearing: Hearing, answer: Answer) -> None:
        """Write down what the answer brings about."""
        known = {clue.id for clue in hearing.clues}
        tellable = known - hearing.held_back
        if not {answer.clue} <= tellable | {""} or not set(answer.asks_back) <= known:
            raise ValueError(f"{self.colleague.id} cannot answer {answer}")
        if answer.clue:
            self._knowledge.release(answer.clue, self.person, "chat")
        self._turn.run(
            "DELETE FROM asked_back WHERE colleague = ? AND person = ? AND place = ?",
            self.colleague.id,
            self.person,
            self.place,
        )
        if answer.played is not None:
            Plays(self._turn).note(hearing.message, self.colleague.id, answer.played)
        if answer.asks_back:
            self._turn.run(
                "INSERT INTO asked_back VALUES (?, ?, ?, ?)",
                self.colleague.id,
                self.person,
                self.place,
                json.dumps(answer.asks_back),
            )
