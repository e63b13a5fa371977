"""Matching of clauses with the topics of an office, which are analysed once."""

import re
from collections.abc import Sequence
from functools import lru_cache

from trainee_bench.world.colleagues.understanding.clause_context import (
    context_of_clause,
    quoted_ids_in,
    unknown_ids_in,
)
from trainee_bench.world.colleagues.understanding.clause_parsing import Clause, parse_clause
from trainee_bench.world.colleagues.understanding.identifiers import KnownIds, likeness
from trainee_bench.world.colleagues.understanding.meanings import ClauseMeaning, OfficeMeanings
from trainee_bench.world.colleagues.understanding.normalise import split_clauses, stem
from trainee_bench.world.colleagues.understanding.scoring import TopicMatch, score_topic
from trainee_bench.world.colleagues.understanding.spelling import COMMON_SPELLER, SpellChecker
from trainee_bench.world.colleagues.understanding.topic import Topic
from trainee_bench.world.colleagues.understanding.topic_profile import (
    TopicProfile,
    build_profile,
    words_in,
)
from trainee_bench.world.task_ids import is_task_id

MAX_CLAUSES = 24
"""The most clauses of a chat message that are read."""

WORTH_WEIGHING = 0.15
"""The least closeness of a topic that may be meant without a quoted key."""


_CACHE_SIZE = 64
"""Size of the cache of clauses, each of which is often matched several times."""


class TopicMatcher:
    """Matcher of the clauses of messages with topics. Its only mutable state is a cache."""

    def __init__(self, topics: Sequence[Topic]) -> None:
        self.profiles: tuple[TopicProfile, ...] = tuple(build_profile(topic) for topic in topics)
        self._keyring = KnownIds(key for p in self.profiles for key in p.keys)
        self._meanings = OfficeMeanings(self.profiles) if self.profiles else None
        self._of_keys = frozenset(
            part for key in self._keyring.keys for part in re.findall(r"[^\W\d_]+", key)
        )
        nothing = frozenset[str]()
        names = nothing.union(*(p.proper for p in self.profiles))
        self._known = nothing.union(*(p.known for p in self.profiles))
        self._speller = SpellChecker(nothing.union(*(p.spelled for p in self.profiles)) - names)

        self._matched = lru_cache(_CACHE_SIZE)(self._match)

    def read(self, said: str) -> tuple[Clause, ...]:
        """Return the clauses of a normalized message, with known ids marked and typos repaired."""
        marked = self._keyring.mark(said)
        return tuple(
            parse_clause(unit, self._known, self._repair)
            for unit in split_clauses(marked)[:MAX_CLAUSES]
        )

    def said(self, clauses: Sequence[Clause]) -> str:
        """Return the words of clauses, with their ids."""
        words = words_in(clauses).split()
        return " ".join(self._keyring.marked(word) or word for word in words)

    def quoted(self, clauses: Sequence[Clause]) -> tuple[str, ...]:
        """Return the known ids in clauses, in their order."""
        return quoted_ids_in(clauses, self._keyring)

    def about_other_tasks(self, clauses: Sequence[Clause], earlier: Sequence[Clause]) -> bool:
        """Return whether *clauses* and *earlier* ones name tasks, known or not, and none of them
        together."""
        now, then = self._tasks(clauses), self._tasks(earlier)
        return bool(now and then) and now.isdisjoint(then)

    def _tasks(self, clauses: Sequence[Clause]) -> frozenset[str]:
        named = (*self.quoted(clauses), *unknown_ids_in(clauses))
        return frozenset(filter(is_task_id, named))

    def quotes_unknown(self, clause: Clause) -> bool:
        """Return whether a clause quotes an unknown id that resembles a known one."""
        return any(
            likeness(literal, key) in ("other", "slip")
            for literal in clause.literals
            for key in self._keyring.keys
        )

    def is_bare(self, clauses: Sequence[Clause]) -> bool:
        """Return whether a message consists only of ids, file names and their words."""
        words = [word for clause in clauses for word in clause.words if word.weight]
        named = words or any(clause.marks or clause.literals for clause in clauses)
        return bool(named) and all(
            not clause.kinds and all(word.part or word.text in self._of_keys for word in words)
            for clause in clauses
        )

    def meaning(self, clause: Clause, rest: Sequence[Clause]) -> ClauseMeaning | None:
        """Return how close the clause comes to each topic; None without topics."""
        return None if self._meanings is None else self._meanings.of(clause, rest)

    def matches(
        self, clause: Clause, rest: Sequence[Clause], among: Sequence[int] | None = None
    ) -> list[TopicMatch]:
        """Return the matches of all topics (or of those at the places *among*), best first."""
        places = None if among is None else tuple(among)
        return list(self._matched(clause, tuple(rest), places))

    def _match(
        self, clause: Clause, rest: tuple[Clause, ...], among: tuple[int, ...] | None
    ) -> tuple[TopicMatch, ...]:
        meaning = self.meaning(clause, rest)
        if meaning is None:
            return ()
        heard = context_of_clause(clause, rest, self._keyring)
        quoted = set(heard.quoted)
        found = []
        for at in range(len(self.profiles)) if among is None else among:
            profile = self.profiles[at]
            if meaning.asked[at] < WORTH_WEIGHING and quoted.isdisjoint(profile.keys):
                continue
            match = score_topic(at, profile, clause, heard, meaning)
            if match is not None:
                found.append(match)
        return tuple(sorted(found, key=lambda match: (-match.near, match.at)))

    def first_quoted(
        self, clauses: Sequence[Clause], rivals: Sequence[TopicMatch]
    ) -> TopicMatch | None:
        """Return the match whose id comes first, among *rivals* that are quoted by different ids.

        *clauses* begin with the judged clause. Return None if a rival is in doubt or not quoted.
        """
        quoted = self.quoted(clauses)
        places: list[tuple[int, TopicMatch]] = []
        for match in rivals:
            own = [quoted.index(key) for key in self.profiles[match.at].keys if key in quoted]
            if match.doubt or not own:
                return None
            places.append((min(own), match))
        places.sort(key=lambda place: place[0])
        return places[0][1] if places[0][0] < places[1][0] else None

    def _repair(self, word: str) -> str | None:
        """Return the word behind a typo, preferably one of this office, or None."""
        for speller in (self._speller, COMMON_SPELLER):
            near = speller.nearest_word(word)
            if near:
                return near[0] if len({stem(other) for other in near}) == 1 else None
        return None
