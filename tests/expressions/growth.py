"""Whether a regular expression takes time in step with the text, judged by its structure alone.

Python tries an expression from place to place, and each try branch by branch, in their order. Once
a try has come to where the match may end, it cannot fail any more, and what it has read is not read
again. Everything behind that may be read in vain. So the time outgrows the text if some word leads
from a state back to itself, from there on to another one, and from that back to itself in vain:
each repetition of the word adds one more way to read all that follows. `growth` looks for such a
word.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable, Iterable, Iterator
from functools import cache
from itertools import product
from typing import Literal, TypeVar

from tests.expressions.automaton import COMPLETE, START, Automaton

Use = Literal["search", "tokens", "match", "fullmatch"]
"""How an expression is applied: from every place, from where the last match ended, from the
beginning, to a whole text."""

UNROLLED = 60
"""A bound up to here counts as that many copies. The time may grow by such a factor."""
UNROLLED_IN_ROUNDS = 6
"""The same within a repeat, where such factors would be multiplied with each round."""

_State = TypeVar("_State", bound=Hashable)
_Step = Callable[[_State], Iterable[tuple[str, _State]]]
_Three = tuple[int, int, int, str]
_Started = tuple[int | None, int, int, str]
_BEGIN = -3


def growth(expression: str | bytes, flags: int = 0, use: Use = "search") -> str | None:
    """A word whose repetition makes the time outgrow the text, with the reason; None if none does.

    It errs on the side of finding one: looks at more than one character count as passed, and
    possessive repeats as ones that are read again.
    """
    rounds = _Ways(Automaton(expression, flags, UNROLLED_IN_ROUNDS), use)
    whole = _Ways(Automaton(expression, flags, UNROLLED), use)
    return (
        rounds.doubled() or rounds.shared(within=True) or whole.shared() or whole.from_many_places()
    )


class _Ways:
    """The steps that a try may take in an automaton."""

    def __init__(self, automaton: Automaton, use: Use) -> None:
        self._automaton = automaton
        self._use = use
        self._certain = frozenset(
            state
            for state, edges in automaton.edges.items()
            if use != "fullmatch"
            and any(edge.target == COMPLETE and not edge.guards for edge in edges)
        )
        self._steps = cache(self._computed_steps)
        self._tries = cache(self._computed_tries)

    def _computed_steps(self, state: int, before: str, character: str) -> tuple[int, ...]:
        """Where *character* leads, first choice first, up to the first that cannot fail."""
        found: list[int] = []
        for edge in self._automaton.edges[state]:
            passed = edge.passed(before, character) if edge.guards else True
            if passed is False:
                continue
            if edge.target == COMPLETE:
                # where a match was empty, a search looks for a longer one in the same place
                if passed and self._use != "fullmatch" and state != START:
                    break
            elif character in self._automaton.reads[edge.target]:
                found.append(edge.target)
                if passed and edge.target in self._certain:
                    break
        return tuple(found)

    @cache  # noqa: B019 - as long as the judgement of one expression
    def _may_end(self, state: int, before: str, character: str) -> bool:
        """Whether a match may end in *state*, surely, before *character*."""
        return self._use != "fullmatch" and any(
            edge.target == COMPLETE and edge.passed(before, character)
            for edge in self._automaton.edges[state]
        )

    def _vain(self, state: int, before: str, character: str) -> tuple[int, ...]:
        """Where *character* leads from a state in which everything may still fail."""
        if self._may_end(state, before, character):
            return ()
        return self._steps(state, before, character)

    def _computed_tries(self, state: int, before: str, character: str) -> tuple[int, ...]:
        """Where *character* leads the whole search: within a try, or from START to START, if a try
        from there may fail."""
        found = self._steps(state, before, character)
        if state == START:
            may_fail = not found or found[-1] not in self._certain
            return (*found, START) if self._use == "search" and may_fail else found
        return (*found, *self._next_tries(state, before, character))

    def _next_tries(self, state: int, before: str, character: str) -> tuple[int, ...]:
        """The same from where a match ends in *state*, if one does."""
        found = self._steps(state, before, character)
        goes_on = bool(found) and found[-1] in self._certain
        if goes_on or not self._may_end(state, before, character):
            return ()
        return self._tries(START, before, character)

    def _befores(self, position: int) -> Iterable[str]:
        """What may stand before a place behind *position*, as far as a guard could ask."""
        reads = self._automaton.reads[position]
        return reads if self._automaton.guarded else list(reads)[:1]

    @cache  # noqa: B019
    def _ahead(self, *, uncertain: bool) -> dict[int, frozenset[int]]:
        """What each position leads to in one or more steps, through uncertain ones or any."""
        ahead = {
            position: {
                edge.target
                for edge in self._automaton.edges[position]
                if edge.target != COMPLETE and not (uncertain and edge.target in self._certain)
            }
            for position in range(len(self._automaton.reads))
        }
        return {one: _closure(one, ahead) for one in ahead}

    @cache  # noqa: B019
    def _rounds(self, *, uncertain: bool) -> dict[int, frozenset[int]]:
        """The positions that lead back to themselves, each with those on the way."""
        ahead = self._ahead(uncertain=uncertain)
        return {
            one: frozenset(other for other in found if one in ahead[other])
            for one, found in ahead.items()
            if one in found and not (uncertain and one in self._certain)
        }

    def doubled(self) -> str | None:
        """A repeat that can go on in the same place in two ways: each round doubles the time."""
        for state, around in self._rounds(uncertain=True).items():
            for before in self._befores(state):
                for character in self._automaton.alphabet:
                    steps = self._steps(state, before, character)
                    if any(steps.count(one) > 1 and one in around for one in steps):
                        return f"{character!r} goes round a repeat in two ways"
        return None

    def shared(self, *, within: bool = False) -> str | None:
        """A word that goes round one repeat, on to another (*within* the same one), and round
        that."""
        ahead = self._ahead(uncertain=True)
        for first, around in self._rounds(uncertain=False).items():
            for second in self._rounds(uncertain=True):
                if first == second or second not in ahead[first]:
                    continue
                if not within or second in around:
                    word = self._shared_word(first, second)
                    if word is not None:
                        return f"{word!r} is read by two repeats, one behind the other"
        return None

    def _shared_word(self, first: int, second: int) -> str | None:
        ahead = self._ahead(uncertain=True)
        around_first = self._rounds(uncertain=False)[first]
        around_second = self._rounds(uncertain=True)[second]

        def step(state: _Three) -> Iterator[tuple[str, _Three]]:
            one, across, other, before = state
            for character in self._automaton.alphabet:
                ones = [to for to in self._steps(one, before, character) if to in around_first]
                backs = [to for to in self._vain(other, before, character) if to in around_second]
                if not ones or not backs:
                    continue
                kept = character if self._automaton.guarded else before
                steps = self._steps if across == first else self._vain
                for to in steps(across, before, character):
                    if to == second or second in ahead[to]:
                        for here, back in product(ones, backs):
                            yield character, (here, to, back, kept)

        for before in self._befores(second):
            word = _word((first, first, second, before), (first, second, second, before), step)
            if word is not None:
                return word
        return None

    def from_many_places(self) -> str | None:
        """A word that is read in vain by tries from each of its repetitions."""
        if self._use in {"match", "fullmatch"}:
            return None
        judged: set[int] = set()
        for second, around in self._rounds(uncertain=True).items():
            word = self._started_word(second) if second not in judged else None
            judged |= around  # they share their words
            if word is not None:
                return f"{word!r} is read again from each place where it stands"
        return None

    def _started_word(self, second: int) -> str | None:
        """A word that brings a search from the beginning of a try to that of another one, and
        meanwhile a try to *second*, and that back to itself."""
        ends = [
            state
            for state, edges in self._automaton.edges.items()
            if state != START and any(edge.target == COMPLETE for edge in edges)
        ]
        free = self._word_from(None, second)
        found = (self._word_from(one, second) for one in (START, *ends)) if free else ()
        return next(filter(None, found), None)

    def _word_from(self, begin: int | None, second: int) -> str | None:
        """Such a word if each try begins in START, or where a match ended in the state *begin*;
        if *begin* is None, wherever it pleases."""
        ahead = self._ahead(uncertain=False)
        around = self._rounds(uncertain=True)[second]

        def searched(one: int | None, before: str, character: str) -> tuple[int | None, ...]:
            if one is None:
                return (None,)
            if one == _BEGIN and begin != START:
                return self._next_tries(begin or 0, before, character)
            return self._tries(START if one == _BEGIN else one, before, character)

        def step(state: _Started) -> Iterator[tuple[str, _Started]]:
            one, across, other, before = state
            for character in self._automaton.alphabet:
                backs = [to for to in self._vain(other, before, character) if to in around]
                if not backs:
                    continue
                kept = character if self._automaton.guarded else before
                tried = [
                    to
                    for to in self._steps(across, before, character)
                    if to == second or second in ahead[to]
                ]
                for here in searched(one, before, character):
                    waits = [START] if across == START and here in {START, None} else []
                    for to, back in product((*tried, *waits), backs):
                        yield character, (here, to, back, kept)

        for before in self._befores(second):
            start = (None if begin is None else _BEGIN, START, second, before)
            word = _word(start, (begin, second, second, before), step)
            if word is not None:
                return word
        return None


def _closure(start: int, ahead: dict[int, set[int]]) -> frozenset[int]:
    found: set[int] = set()
    waiting = [start]
    while waiting:
        for target in ahead.get(waiting.pop(), ()):
            if target not in found:
                found.add(target)
                waiting.append(target)
    return frozenset(found)


def _word(start: _State, goal: _State, step: _Step[_State]) -> str | None:
    """The shortest word that leads from *start* to *goal*."""
    came: dict[_State, tuple[str, _State]] = {}
    waiting = deque([start])
    while waiting:
        state = waiting.popleft()
        for character, target in step(state):
            if target in came:
                continue
            came[target] = (character, state)
            if target == goal:
                return _spelled(came, start, goal)
            waiting.append(target)
    return None


def _spelled(came: dict[_State, tuple[str, _State]], start: _State, goal: _State) -> str:
    word, state = "", goal
    while True:
        character, state = came[state]
        word = character + word
        if state == start:
            return word
