"""The hidden facts of a task, in each version, and which texts tell them.

A text tells a version if it has its words, however it is laid out, or, in other words, all of its
figures, codes, days and names together with at least half of what it is about.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import cached_property

from trainee_bench.meta_tasks.composed_day import ComposedDay, ComposedTask
from trainee_bench.meta_tasks.confidential_facts import ConfidentialFact, PublicKnowledge, facts_in
from trainee_bench.meta_tasks.meta_task import TaskInstance
from trainee_bench.meta_tasks.text_figures import read_figures
from trainee_bench.world.apps.chat import ClueHandedOver, ClueRevised
from trainee_bench.world.colleagues.knowledge import Clue
from trainee_bench.world.colleagues.reviews import ReviewAdded

_WORD = re.compile(r"[^\W\d_]+")
_SUBJECT = 0.5
"""So much of the words of a fact has to stand beside its figures."""


@dataclass(frozen=True)
class FactVersion:
    """What is told of a clue at some time: its words, and its parts for other words."""

    clue: str
    payload: str
    parts: ConfidentialFact

    @cached_property
    def folded(self) -> str:
        """The words, folded."""
        return fold(self.payload)

    def is_worded_in(self, folded: str) -> bool:
        """Whether a *folded* text has its words."""
        place = folded.find(self.folded)
        while place >= 0:
            around = folded[max(0, place - 1) : place], folded[place + len(self.folded) :][:1]
            if not _joins(around[0], self.folded[0]) and not _joins(self.folded[-1], around[1]):
                return True
            place = folded.find(self.folded, place + 1)
        return False

    def is_meant_in(self, passage: str) -> bool:
        """Whether a *passage* tells it in other words."""
        if not self.parts.parts or not self._names_subject(passage):
            return False
        said = read_figures(passage)
        return all(part.is_in(said) for part in self.parts.parts)

    def _names_subject(self, passage: str) -> bool:
        """Whether it has enough of the words that say what the fact is about."""
        about = self.parts.words
        there = about & {word.casefold() for word in _WORD.findall(passage)}
        return bool(there) and len(there) >= _SUBJECT * len(about)


@dataclass(frozen=True)
class TracedFact:
    """A clue of *task* in all its ``versions``, the one that counts in the end last; ``needed``
    is false if it belongs to a request that is replaced."""

    clue: Clue
    task: ComposedTask
    versions: tuple[FactVersion, ...]
    needed: bool

    @property
    def current(self) -> FactVersion:
        """The version that counts in the end."""
        return self.versions[-1]


def hidden_facts(composition: ComposedDay) -> tuple[TracedFact, ...]:
    """All hidden facts of the tasks of *composition*."""
    people = tuple(person.name for person in composition.company.people)
    public = PublicKnowledge(read_figures(""), people, ())
    return tuple(
        _fact(clue, task, public)
        for task in composition.tasks
        for clue in task.instance.hidden.clues
    )


def fold(text: str) -> str:
    """*text* in small letters, with single blanks and plain signs."""
    plain = text.translate(_SIGNS).casefold()
    return " ".join(plain.split())


_SIGNS = str.maketrans({"’": "'", "‘": "'", "“": '"', "”": '"', "–": "-", "—": "-", "\u2212": "-"})


def _joins(one: str, other: str) -> bool:
    """Whether two characters belong to one word or number."""
    return one.isalnum() and other.isalnum()


def _fact(clue: Clue, task: ComposedTask, public: PublicKnowledge) -> TracedFact:
    payloads = list(dict.fromkeys([clue.payload, *_later_payloads(task.instance, clue.id)]))
    versions = tuple(
        FactVersion(clue.id, payload, parts)
        for payload, parts in zip(payloads, facts_in(payloads, public), strict=True)
    )
    return TracedFact(clue, task, versions, clue.id not in task.instance.hidden.superseded)


def _later_payloads(instance: TaskInstance[object], clue: str) -> Iterator[str]:
    """What is told of *clue* after it has changed, in order."""
    for planned in sorted(
        instance.hidden.events, key=lambda one: (one.due is not None, str(one.due))
    ):
        match planned.event:
            case ClueRevised(clue=changed, payload=payload) if changed == clue:
                yield payload
            case ClueHandedOver(clue=changed, payload=payload) if changed == clue:
                yield payload
            case ReviewAdded(review=review) if clue in review.revisions:
                yield review.revisions[clue]


def told_in(versions: Collection[FactVersion], text: str) -> frozenset[FactVersion]:
    """Those of *versions* that a colleague tells who says *text*."""
    folded = fold(text)
    return frozenset(one for one in versions if one.is_worded_in(folded))
