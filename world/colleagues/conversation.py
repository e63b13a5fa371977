"""A colleague's conversation with one person: builds the context, replies, records the effects.

Until a clue is told, nothing a colleague says may depend on its secret. So if the `after` of a clue
is not met and its `not_yet` may not be said yet, nobody knows the clue, not even its holder. All
colleagues who do not know a topic are given it in the same form.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from functools import cached_property

from trainee_bench.world.colleagues.expectation_matching import (
    ExpectationMatch,
    GuessCounter,
    match_expectation,
    names_other_task,
    values_tried,
)
from trainee_bench.world.colleagues.knowledge import (
    Clue,
    Expectation,
    Knowledge,
    is_told_apart,
    task_of,
)
from trainee_bench.world.colleagues.referrals import PublicTopic, Referrals, may_name_keeper
from trainee_bench.world.colleagues.reply_provenance import SCHEMA as PLAYED_SCHEMA
from trainee_bench.world.colleagues.reply_provenance import ProvenanceLog
from trainee_bench.world.colleagues.responder import (
    ColleagueReply,
    ReplyContext,
    Responder,
    ScriptedResponder,
    topic_from_clue,
)
from trainee_bench.world.colleagues.understanding import HeardMessage
from trainee_bench.world.colleagues.understanding.ids import IdKind, id_kind
from trainee_bench.world.company.directory import Directory
from trainee_bench.world.company.people import Person
from trainee_bench.world.transaction import Transaction

_ASKED_BACK = """
CREATE TABLE asked_back (
    colleague TEXT NOT NULL, person TEXT NOT NULL, place TEXT NOT NULL, clues TEXT NOT NULL,
    PRIMARY KEY (colleague, person, place)
) STRICT, WITHOUT ROWID;
"""
SCHEMA = _ASKED_BACK + PLAYED_SCHEMA


class ColleagueConversation:
    """Conversation of one colleague with one person, in private (*place* "") or in a group."""

    def __init__(self, tx: Transaction, colleague: Person, person: str, place: str = ""):
        self._tx = tx
        self._knowledge = Knowledge(tx)
        self._guesses = GuessCounter(tx)
        self.colleague = colleague
        self.person = person
        self.place = place

    def reply_to(
        self,
        message: int,
        heard: HeardMessage,
        responder: Responder | None = None,
        before: Sequence[HeardMessage] = (),
        sent: datetime | None = None,
    ) -> str:
        """Return the colleague's reply to message number *message*, which they *heard*.

        The message was *sent* at this time, or just now. *before* holds this person's previous
        message and its answer. Record the effects of the reply: expectations met, clues told, a
        question back."""
        met, guess, locked = self._compare(heard, sent or self._tx.now)
        context = self.reply_context(message, heard, before)
        context = replace(context, met=met, guess=guess, locked=locked)
        answer = (responder or ScriptedResponder()).answer(context)
        self._remember(context, answer)
        return answer.text

    def awaits(self, heard: HeardMessage) -> bool:
        """Return whether the message tells something that the colleague waits to hear."""
        met, waiting = self._heard(), self._waiting(self._tx.now)
        return any(what is ExpectationMatch.IT for _, what in self._matches(waiting, met, heard))

    def reply_context(
        self, message: int, heard: HeardMessage, before: Sequence[HeardMessage] = ()
    ) -> ReplyContext:
        """Return the message with all that the colleague knows, except expectations."""
        person, knowledge = self.person, self._knowledge
        visible = [clue for clue in knowledge.clues() if self._visible(clue)]
        clues = tuple(clue for clue in visible if clue.holder == self.colleague.id)
        own = {topic.asks for topic in map(topic_from_clue, clues)}
        others = {
            topic.asks: topic for topic in map(topic_from_clue, visible) if topic.asks not in own
        }
        known_ids = {*(clue.id for clue in clues), *(topic.id for topic in others.values())}
        referrals = Referrals(self._tx).all()
        told = frozenset(c.id for c in clues if knowledge.told_at(c.id, person))
        current = frozenset(id for id in told if knowledge.knows(id, person))
        return ReplyContext(
            message=message,
            heard=heard,
            colleague=self.colleague,
            clues=clues,
            held_back=frozenset(
                c.id for c in clues if not knowledge.preconditions_met(c.after, person)
            ),
            told=current,
            outdated=told - current,
            others=tuple(others.values()),
            referrals=referrals,
            keepers=self._keepers([c for c in visible if c.id in known_ids], referrals),
            asked_back=self._asked_back(),
            before=tuple(before),
            gave_task=self._gave_task(),
        )

    def _gave_task(self) -> bool:
        """Return whether the colleague gave this person a task that is on the desk."""
        given = "SELECT 1 FROM task WHERE publisher = ? AND person = ?"
        return self._tx.row(given, self.colleague.id, self.person) is not None

    def _keepers(
        self, clues: Sequence[Clue], referrals: Sequence[PublicTopic]
    ) -> dict[str, tuple[PublicTopic, ...]]:
        """Return the public topics that may name the holder of each clue, by the clue's id."""
        directory = Directory(self._tx)
        names = {holder: directory.person(holder).name for holder in {c.holder for c in clues}}
        # a day of many tasks has too many topics to try each of them for each clue
        places = defaultdict[str, set[int]](set)
        for place, topic in enumerate(referrals):
            for shared in (*topic.keys, topic.person):
                places[shared].add(place)
        found = {
            clue.id: tuple(
                referrals[place]
                for place in sorted({at for key in (*clue.keys, clue.holder) for at in places[key]})
                if may_name_keeper(referrals[place], clue, names[clue.holder])
            )
            for clue in clues
        }
        return {id: topics for id, topics in found.items() if topics}

    def _visible(self, clue: Clue) -> bool:
        """Return whether replies may reveal that somebody can be asked for this clue."""
        if not clue.holder or not clue.asks:
            return False
        if clue.since is not None and self._tx.now < clue.since:
            return False
        ready = self._knowledge.preconditions_met
        speaks = bool(clue.not_yet) and ready(clue.not_yet_from, self.person)
        return speaks or ready(clue.after, self.person)

    def _compare(
        self, heard: HeardMessage, sent: datetime
    ) -> tuple[tuple[str, ...], ExpectationMatch, bool]:
        """Compare the message with the colleague's expectations.

        Return the replies to expectations, whether the message was a wrong guess, and whether the
        colleague accepts no more values. Record the expectations met, and count wrong guesses."""
        open_, met_before = self._waiting(sent), self._heard()
        known = [*open_, *met_before]
        said = [
            waiting.reply
            for waiting, what in self._matches(met_before, open_, heard)
            if what is ExpectationMatch.IT
        ]
        compared = self._matches(open_, met_before, heard)
        for waiting, _ in compared:
            tried = values_tried(waiting, heard, known)
            self._guesses.try_values(waiting, self._counted(waiting), self.person, tried)
        about = [(w, what) for w, what in compared if what is not ExpectationMatch.NOTHING]
        if not about:
            return tuple(said), ExpectationMatch.NOTHING, False
        free = [(w, what) for w, what in about if not self._is_locked(w)]
        if not free:
            return (), ExpectationMatch.OTHER, True
        met = [waiting for waiting, what in free if what is ExpectationMatch.IT]
        for waiting in met:
            self._knowledge.record_heard(waiting.id, self.person)
        said += [waiting.reply for waiting in met]
        wrong = [w for w, what in free if what is ExpectationMatch.OTHER] if not said else []
        for counted in dict.fromkeys(map(self._counted, wrong)):
            self._guesses.increment(counted, self.person)
        if wrong and all(map(self._is_locked, wrong)):
            return (), ExpectationMatch.OTHER, True
        back = [
            waiting.asks_back
            for waiting, what in free
            if waiting.asks_back and what in (ExpectationMatch.PARTLY, ExpectationMatch.OTHER)
        ]
        if wrong and not back:
            return (), ExpectationMatch.OTHER, False
        return (*said, *back), ExpectationMatch.NOTHING, False

    def _counted(self, waiting: Expectation) -> str:
        """Return under which name wrong values for an expectation are counted: the colleague's, or
        one for its task where tasks may be alike."""
        holder = self.colleague.id
        return f"{holder} for {task_of(waiting.id)}" if self._apart else holder

    def _is_locked(self, waiting: Expectation) -> bool:
        """Return whether the colleague accepts no more values for an expectation."""
        return self._guesses.locked(self._counted(waiting), self.person)

    @cached_property
    def _apart(self) -> tuple[Clue, ...]:
        """The facts of tasks that may be alike."""
        return tuple(filter(is_told_apart, self._knowledge.clues()))

    def _matches(
        self, wanted: Sequence[Expectation], others: Sequence[Expectation], heard: HeardMessage
    ) -> list[tuple[Expectation, ExpectationMatch]]:
        """Return those *wanted* expectations that the message may be about, each with how it
        relates to it. The message may also give values of *others*."""
        if not wanted:
            return []
        # a file is of one task, but a server or a code may be a wrong value for another
        keys = (key for clue in self._apart for key in clue.keys)
        files, known = [k for k in keys if id_kind(k) is IdKind.FILE], [*wanted, *others]
        return [
            (waiting, match_expectation(waiting, heard, known, files))
            for waiting in wanted
            if not (self._apart and names_other_task(waiting, heard))
        ]

    def _heard(self) -> list[Expectation]:
        """Return the expectations already met, which the colleague acknowledges again."""
        expected = self._knowledge.expectations_of(self.colleague.id)
        return [known for known in expected if self._knowledge.heard_at(known.id, self.person)]

    def _waiting(self, sent: datetime) -> list[Expectation]:
        """Return the open expectations that a message *sent* at this time can meet."""
        ready = self._knowledge.preconditions_met
        expected = self._knowledge.expectations_of(self.colleague.id)
        return [
            waiting
            for waiting in expected
            if (waiting.since is None or waiting.since <= sent)
            and ready(waiting.after, self.person)
            and not self._knowledge.heard_at(waiting.id, self.person)
        ]

    def _asked_back(self) -> tuple[str, ...]:
        row = self._tx.row(
            "SELECT clues FROM asked_back WHERE colleague = ? AND person = ? AND place = ?",
            self.colleague.id,
            self.person,
            self.place,
        )
        return tuple(json.loads(row["clues"])) if row is not None else ()

    def _remember(self, context: ReplyContext, answer: ColleagueReply) -> None:
        """Record the effects of the reply."""
        known = {clue.id for clue in context.clues}
        tellable = known - context.held_back
        if not set(answer.clues) <= tellable or not set(answer.asks_back) <= known:
            raise ValueError(f"{self.colleague.id} cannot answer {answer}")
        for clue in answer.clues:
            self._knowledge.record_disclosure(clue, self.person, "chat")
        self._tx.run(
            "DELETE FROM asked_back WHERE colleague = ? AND person = ? AND place = ?",
            self.colleague.id,
            self.person,
            self.place,
        )
        if answer.provenance is not None:
            ProvenanceLog(self._tx).record(context.message, self.colleague.id, answer.provenance)
        if answer.asks_back:
            self._tx.run(
                "INSERT INTO asked_back VALUES (?, ?, ?, ?)",
                self.colleague.id,
                self.person,
                self.place,
                json.dumps(answer.asks_back),
            )
