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
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
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
        self._read = cache(self._computed_read)
        self._tries = cache(self._computed_tries)

    def _computed_read(
        self, state: int, before: str, character: str
    ) -> tuple[tuple[int, ...], bool]:
        """Where *character* leads, first choice first, up to the first that cannot fail; and
        whether there is one, so that what was read so far is part of a match."""
        found: list[int] = []
        for edge in self._automaton.edges[state]:
            passed = edge.passed(before, character) if edge.guards else True
            if passed is False:
                continue
            if edge.target == COMPLETE:
                # where a match was empty, a search looks for a longer one in the same place
                if passed and self._use != "fullmatch" and state != START:
                    return tuple(found), True
            elif character in self._automaton.reads[edge.target]:
                found.append(edge.target)
                if passed and edge.target in self._certain:
                    return tuple(found), True
        return tuple(found), False

    def _steps(self, state: int, before: str, character: str) -> tuple[int, ...]:
        return self._read(state, before, character)[0]

    def _vain(self, state: int, before: str, character: str) -> tuple[int, ...]:
        """Where *character* leads from a state in which everything may still fail."""
        found, sure = self._read(state, before, character)
        return () if sure else found

    def _computed_tries(self, state: int, before: str, character: str) -> tuple[int, ...]:
        """Where *character* leads the whole search: within a try, or from START to START, if a try
        from there may fail."""
        found, sure = self._read(state, before, character)
        if state == START:
            return (*found, START) if self._use == "search" and not sure else found
        return (*found, *self._next_tries(state, before, character))

    def _next_tries(self, state: int, before: str, character: str) -> tuple[int, ...]:
        """The same from where a match ends in *state*, if one does."""
        found, sure = self._read(state, before, character)
        goes_on = bool(found) and found[-1] in self._certain
        return self._tries(START, before, character) if sure and not goes_on else ()

    def _befores(self, position: int) -> Iterable[str]:
        """What may stand before a place behind *position*, as far as a guard could ask."""
        return sorted({self._automaton.seen_as[one] for one in self._automaton.reads[position]})

    @cache  # noqa: B019 - as long as the judgement of one expression
    def _next(self, *, vain: bool) -> dict[int, frozenset[int]]:
        """The positions that each one leads to in one step, in vain or in any way."""
        steps = self._vain if vain else self._steps
        return {
            position: frozenset(
                to
                for before in self._befores(position)
                for character in self._automaton.alphabet
                for to in steps(position, before, character)
            )
            for position in range(len(self._automaton.reads))
        }

    @cache  # noqa: B019
    def _leading_to(self, position: int, *, vain: bool) -> frozenset[int]:
        """All positions that lead to this one, itself only if it does, too."""
        came: dict[int, list[int]] = {}
        for one, tos in self._next(vain=vain).items():
            for to in tos:
                came.setdefault(to, []).append(one)
        return _closure(position, came)

    @cache  # noqa: B019
    def _rounds(self, *, vain: bool) -> dict[int, frozenset[int]]:
        """The positions that lead back to themselves, each with those on the way."""
        after = self._next(vain=vain)
        return {
            position: around
            for around in _components(after)
            for position in sorted(around)
            if len(around) > 1 or position in after[position]
        }

    def doubled(self) -> str | None:
        """A repeat that can go on in the same place in two ways: each round doubles the time."""
        for state, around in self._rounds(vain=True).items():
            for before in self._befores(state):
                for character in self._automaton.alphabet:
                    steps = self._steps(state, before, character)
                    if any(steps.count(one) > 1 and one in around for one in steps):
                        return f"{character!r} goes round a repeat in two ways"
        return None

    def shared(self, *, within: bool = False) -> str | None:
        """A word that goes round one repeat, on to another (*within* the same one), and round
        that."""
        for first, around in self._rounds(vain=False).items():
            for second, other in self._rounds(vain=True).items():
                if first == second or first not in self._leading_to(second, vain=False):
                    continue
                together = (first, second) in self._together(around, other)
                if together and (not within or second in around):
                    word = self._shared_word(first, second)
                    if word is not None:
                        return f"{word!r} is read by two repeats, one behind the other"
        return None

    @cache  # noqa: B019
    def _together(self, one: frozenset[int], other: frozenset[int]) -> frozenset[tuple[int, int]]:
        """The positions of two repeats in which both can go on and on, reading the same."""
        pairs = set(product(one, other))
        after = {
            pair: {
                to
                for before in self._befores(pair[0])
                for character in self._automaton.alphabet
                for to in product(
                    self._steps(pair[0], before, character), self._vain(pair[1], before, character)
                )
                if to in pairs
            }
            for pair in pairs
            if self._automaton.reads[pair[0]] & self._automaton.reads[pair[1]]
        }
        while True:
            entered = frozenset[tuple[int, int]]().union(*after.values())
            kept = {pair: tos & after.keys() for pair, tos in after.items() if pair in entered}
            kept = {pair: tos for pair, tos in kept.items() if tos}
            if kept == after:
                return frozenset(after)
            after = kept

    def _shared_word(self, first: int, second: int) -> str | None:
        leading = self._leading_to(second, vain=True)
        around_first = self._rounds(vain=False)[first]
        around_second = self._rounds(vain=True)[second]

        def step(state: _Three) -> Iterator[tuple[str, _Three]]:
            one, across, other, before = state
            for character in self._automaton.alphabet:
                ones = [to for to in self._steps(one, before, character) if to in around_first]
                backs = [to for to in self._vain(other, before, character) if to in around_second]
                if not ones or not backs:
                    continue
                kept = self._automaton.seen_as[character]
                steps = self._steps if across == first else self._vain
                for to in steps(across, before, character):
                    if to == second or to in leading:
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
        for second, around in self._rounds(vain=True).items():
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
        leading = self._leading_to(second, vain=False)
        around = self._rounds(vain=True)[second]

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
                kept = self._automaton.seen_as[character]
                tried = [
                    to
                    for to in self._steps(across, before, character)
                    if to == second or to in leading
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


def _components(after: Mapping[int, Iterable[int]]) -> Iterator[frozenset[int]]:
    """The groups of positions that all lead to one another (Tarjan's algorithm)."""
    number: dict[int, int] = {}
    lowest: dict[int, int] = {}
    open_ones: list[int] = []
    for start in after:
        way = [(start, iter(after[start]))] if start not in number else []
        while way:
            position, rest = way[-1]
            if position not in number:
                number[position] = lowest[position] = len(number)
                open_ones.append(position)
            ahead = next((to for to in rest if to not in number or to in lowest), None)
            if ahead is None:
                way.pop()
                if way:
                    before = way[-1][0]
                    lowest[before] = min(lowest[before], lowest[position])
                if lowest[position] == number[position]:
                    at = open_ones.index(position)
                    yield frozenset(open_ones[at:])
                    for one in open_ones[at:]:
                        del lowest[one]
                    del open_ones[at:]
            elif ahead in number:
                lowest[position] = min(lowest[position], number[ahead])
            else:
                way.append((ahead, iter(after[ahead])))


def _closure(start: int, ahead: Mapping[int, Iterable[int]]) -> frozenset[int]:
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
