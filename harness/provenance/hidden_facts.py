"""The hidden facts of a task in all their versions, and which texts tell them.

A text tells a version if it contains its words, in any layout. It also tells a version in other
words if it has all its figures, codes, days and names, and at least half of the words for its
subject.
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
"""Share of the words for a fact's subject that must accompany its figures."""


@dataclass(frozen=True)
class FactVersion:
    """The text of a clue at some time, and the parts that identify it in other words."""

    clue: str
    payload: str
    parts: ConfidentialFact

    @cached_property
    def folded(self) -> str:
        """The payload, folded."""
        return fold(self.payload)

    def is_worded_in(self, folded: str) -> bool:
        """Return whether a *folded* text contains the payload."""
        place = folded.find(self.folded)
        while place >= 0:
            around = folded[max(0, place - 1) : place], folded[place + len(self.folded) :][:1]
            if not _joins(around[0], self.folded[0]) and not _joins(self.folded[-1], around[1]):
                return True
            place = folded.find(self.folded, place + 1)
        return False

    def is_meant_in(self, passage: str) -> bool:
        """Return whether a *passage* tells the fact in other words."""
        if not self.parts.parts or not self._names_subject(passage):
            return False
        said = read_figures(passage)
        return all(part.is_in(said) for part in self.parts.parts)

    def _names_subject(self, passage: str) -> bool:
        """Return whether *passage* has enough of the words for the fact's subject."""
        about = self.parts.words
        found = about & {word.casefold() for word in _WORD.findall(passage)}
        return bool(found) and len(found) >= _SUBJECT * len(about)


@dataclass(frozen=True)
class TracedFact:
    """A clue of *task* in all its ``versions``, the final one last.

    ``needed`` is false if the clue belongs to a request that is replaced.
    """

    clue: Clue
    task: ComposedTask
    versions: tuple[FactVersion, ...]
    needed: bool

    @property
    def current(self) -> FactVersion:
        """The final version."""
        return self.versions[-1]


def hidden_facts(composition: ComposedDay) -> tuple[TracedFact, ...]:
    """Return all hidden facts of the tasks of *composition*."""
    people = tuple(person.name for person in composition.company.people)
    public = PublicKnowledge(read_figures(""), people, ())
    return tuple(
        _fact(clue, task, public)
        for task in composition.tasks
        for clue in task.instance.hidden.clues
    )


def fold(text: str) -> str:
    """Return *text* in lower case, with single spaces and plain punctuation."""
    plain = text.translate(_SIGNS).casefold()
    return " ".join(plain.split())


_SIGNS = str.maketrans({"’": "'", "‘": "'", "“": '"', "”": '"', "–": "-", "—": "-", "\u2212": "-"})


def _joins(left: str, right: str) -> bool:
    """Return whether two characters belong to the same word or number."""
    return left.isalnum() and right.isalnum()


def _fact(clue: Clue, task: ComposedTask, public: PublicKnowledge) -> TracedFact:
    payloads = list(dict.fromkeys([clue.payload, *_later_payloads(task.instance, clue.id)]))
    versions = tuple(
        FactVersion(clue.id, payload, parts)
        for payload, parts in zip(payloads, facts_in(payloads, public), strict=True)
    )
    return TracedFact(clue, task, versions, clue.id not in task.instance.hidden.superseded)


def _later_payloads(instance: TaskInstance[object], clue: str) -> Iterator[str]:
    """Yield the later texts of *clue*, in order."""
    for planned in sorted(
        instance.hidden.events, key=lambda planned: (planned.due is not None, str(planned.due))
    ):
        match planned.event:
            case ClueRevised(clue=changed, payload=payload) if changed == clue:
                yield payload
            case ClueHandedOver(clue=changed, payload=payload) if changed == clue:
                yield payload
            case ReviewAdded(review=review) if clue in review.revisions:
                yield review.revisions[clue]


def told_in(versions: Collection[FactVersion], text: str) -> frozenset[FactVersion]:
    """Return the *versions* that *text* of a colleague tells."""
    folded = fold(text)
    return frozenset(version for version in versions if version.is_worded_in(folded))
