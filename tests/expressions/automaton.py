"""A regular expression as an automaton of its character positions, with the order of its ways."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache
from re import _compiler, _constants, _parser  # type: ignore[attr-defined]
from typing import Any

MOST_POSITIONS = 20_000
MOST_EMPTY = 6
"""How often something may be repeated that may be empty: each time is a choice of its own."""
START = -1
COMPLETE = -2

Guard = Callable[[str, str], bool | None]
"""Whether a place is passed, by the characters before and behind it. None: not known."""
_SINGLE = {_constants.LITERAL, _constants.NOT_LITERAL, _constants.ANY, _constants.IN}
_REPEATS = {_constants.MAX_REPEAT, _constants.MIN_REPEAT, _constants.POSSESSIVE_REPEAT}


class NotJudged(Exception):
    """The expression has something whose time this analysis does not know."""


@dataclass(frozen=True)
class Edge:
    """A way to the next position (or COMPLETE), past some guards."""

    target: int
    guards: tuple[Guard, ...] = ()

    def passed(self, before: str, behind: str) -> bool | None:
        """Whether all guards let it pass; None if one does not say."""
        answers = [guard(before, behind) for guard in self.guards]
        if False in answers:
            return False
        return None if None in answers else True


@dataclass(eq=False)
class _State:
    """A place between characters: where it leads, first choice first."""

    ways: list[_State] = field(default_factory=list)
    position: int | None = None
    guard: Guard | None = None
    entered: _State | None = None
    """The turn of a loop: the place where it was entered."""
    body: _State | None = None
    complete: bool = False


class Automaton:
    """The positions of an expression, what each reads, and the ordered edges between them.

    A repeat of at most *unrolled* times becomes as many copies, any other one a loop.
    """

    def __init__(self, expression: str | bytes, flags: int, unrolled: int) -> None:
        self._unrolled = unrolled
        self._of_bytes = isinstance(expression, bytes)
        parsed = _parser.parse(expression, flags)
        self._parsed_state = parsed.state
        self.flags: int = parsed.state.flags
        self._sets: list[re.Pattern[Any]] = []
        self._by_source: dict[tuple[str, int], re.Pattern[Any]] = {}
        self._after: list[_State] = []
        end = _State(complete=True)
        begin = self._sequence(parsed, self.flags, end)
        literal = expression.decode("latin-1") if isinstance(expression, bytes) else expression
        self.alphabet = self._alphabet(literal)
        self.reads = [frozenset(c for c in self.alphabet if self._read(s, c)) for s in self._sets]
        self.edges = {n: list(_edges(after, (), ())) for n, after in enumerate(self._after)}
        self.edges[START] = list(_edges(begin, (), ()))
        self.seen_as = self._seen_as()

    def _seen_as(self) -> dict[str, str]:
        """For each character another one that all guards behind it take for the same."""
        guards = {one for edges in self.edges.values() for edge in edges for one in edge.guards}
        first: dict[tuple[bool | None, ...], str] = {}
        return {
            before: first.setdefault(
                tuple(guard(before, behind) for guard in guards for behind in self.alphabet), before
            )
            for before in self.alphabet
        }

    def _sequence(self, items: Any, flags: int, after: _State) -> _State:
        for op, value in reversed(list(items)):
            after = self._part(op, value, flags, after)
        return after

    def _part(self, op: Any, value: Any, flags: int, after: _State) -> _State:
        c = _constants
        if op in _SINGLE:
            self._sets.append(self._set(op, value, flags))
            self._after.append(after)
            if len(self._sets) > MOST_POSITIONS:
                raise NotJudged("it has too many positions: lower the bounds of its repeats")
            return _State(position=len(self._sets) - 1)
        if op is c.BRANCH:
            return _State([self._sequence(one, flags, after) for one in value[1]])
        if op is c.SUBPATTERN:
            _, added, removed, inner = value
            return self._sequence(inner, (flags | added) & ~removed, after)
        if op is c.ATOMIC_GROUP:  # judged as if it could be read in more than one way
            return self._sequence(value, flags, after)
        if op in _REPEATS:
            least, most, inner = value
            return self._repeat(least, most, inner, flags, op is c.MIN_REPEAT, after)
        if op is c.AT:
            return _State([after], guard=_place(value, flags))
        if op in {c.ASSERT, c.ASSERT_NOT}:
            return self._look(op is c.ASSERT, *value, flags, after)
        raise NotJudged(f"it uses {op}")

    def _repeat(
        self, least: int, most: Any, inner: Any, flags: int, lazy: bool, after: _State
    ) -> _State:
        bounded = most is not _constants.MAXREPEAT and most <= self._unrolled
        if most is not _constants.MAXREPEAT and most > MOST_EMPTY and not inner.getwidth()[0]:
            raise NotJudged(f"it repeats up to {most} times what may be empty")
        if bounded:
            rest = after
            for _ in range(most - least):
                ways = [self._sequence(inner, flags, rest), after]
                rest = _State(ways[::-1] if lazy else ways)
        else:
            rest = _State()
            around = _State(entered=rest)
            around.body = self._sequence(inner, flags, around)
            ways = [around.body, after]
            rest.ways = around.ways = ways[::-1] if lazy else ways
        for _ in range(min(least, self._unrolled)):
            rest = self._sequence(inner, flags, rest)
        return rest

    def _look(self, wanted: bool, direction: int, inner: Any, flags: int, after: _State) -> _State:
        """A look at one character is a guard. A longer one ahead is a way of its own."""
        items = list(inner)
        if len(items) == 1 and items[0][0] in _SINGLE:
            one = self._set(*items[0], flags)

            def sees(before: str, behind: str) -> bool:
                return self._read(one, before if direction < 0 else behind) is wanted

            return _State([after], guard=sees)
        if direction < 0:  # as long as it says: so many steps from each place
            return _State([after], guard=self._last_behind(items[-1], wanted, flags))
        behind_it = _State([after], guard=lambda before, behind: None)
        return _State([self._sequence(inner, flags, _State()), behind_it])

    def _last_behind(self, item: Any, wanted: bool, flags: int) -> Guard:
        """A look at several characters behind, of which the last one alone is known."""
        if not wanted or item[0] not in _SINGLE:
            return lambda before, behind: None
        last = self._set(*item, flags)
        return lambda before, behind: None if self._read(last, before) else False

    def _set(self, op: Any, value: Any, flags: int) -> re.Pattern[Any]:
        key = (repr((op, value)), flags)
        if key not in self._by_source:
            one = _parser.SubPattern(self._parsed_state, [(op, value)])
            self._by_source[key] = _compiler.compile(one, flags & ~_constants.SRE_FLAG_DEBUG)
        return self._by_source[key]

    def _read(self, one: re.Pattern[Any], character: str) -> bool:
        text: Any = character.encode("latin-1") if self._of_bytes else character
        return one.fullmatch(text) is not None

    def _alphabet(self, expression: str) -> list[str]:
        """One character of each kind that some position, guard or `\\b` tells apart."""
        asked = {*"aAzZ059_ \n\r\t.,-:éЖ\u00a0²", *expression}
        asked |= {chr(code) for source, _ in self._by_source for code in _codes(source)}
        asked |= {other for c in asked for other in (c.lower(), c.upper()) if len(other) == 1}
        if self._of_bytes:
            asked = {c for c in asked if ord(c) < 256}
        else:
            asked |= set("中٣\u2028ſ\u212a")
        kinds: dict[tuple[bool, ...], str] = {}
        for character in sorted(asked):
            kind = [self._read(one, character) for one in self._by_source.values()]
            kinds.setdefault((*kind, _in_word(character, self.flags), character == "\n"), character)
        return list(kinds.values())


def _codes(source: str) -> Iterator[int]:
    """The codes of all characters that a part names, and of those beside them."""
    for number in re.findall(r"\d+", source):
        for code in (int(number) - 1, int(number), int(number) + 1):
            if 0 <= code < 0x110000:
                yield code


@cache
def _in_word(character: str, flags: int) -> bool:
    return re.fullmatch(r"\w", character, flags & re.ASCII) is not None


def _place(where: Any, flags: int) -> Guard:
    """A guard for `\\b`, `^` and the like, between two characters within a text."""
    c = _constants
    many = bool(flags & re.MULTILINE)
    if where in {c.AT_BOUNDARY, c.AT_NON_BOUNDARY}:
        differ = where is c.AT_BOUNDARY
        return lambda before, behind: (_in_word(before, flags) != _in_word(behind, flags)) is differ
    if where is c.AT_BEGINNING:
        return lambda before, behind: many and before == "\n"
    if where is c.AT_END:  # before a line end that is the last, too: once in a text
        return lambda before, behind: many and behind == "\n"
    if where in {c.AT_BEGINNING_STRING, c.AT_END_STRING}:
        return lambda before, behind: False
    raise NotJudged(f"it uses {where}")


def _edges(state: _State, passed: tuple[_State, ...], guards: tuple[Guard, ...]) -> Iterator[Edge]:
    """All ways from *state* to what is read next, first choice first."""
    if state.complete:
        yield Edge(COMPLETE, guards)
    elif state.position is not None:
        yield Edge(state.position, guards)
    else:
        if state.guard is not None:
            guards = (*guards, state.guard)
        # Python does not go round again after it has read nothing
        stays = state in passed or state.entered in passed
        for way in state.ways:
            if way is not state.body or not stays:
                yield from _edges(way, (*passed, state), guards)
