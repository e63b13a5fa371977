"""What chance seldom does: a drawn month is put right until its answers are worth asking for.

The most and the least of something are held by several who are close together, some people are
perfect and more nearly so, a fortnight is tidy. One day more or less then changes the answer.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random

from trainee_bench.meta_tasks.families.attendance.answers import top_count
from trainee_bench.meta_tasks.families.attendance.month import AttendanceMonth, earliest_departure
from trainee_bench.meta_tasks.families.attendance.query import (
    AttendanceQuery,
    AttendanceQueryType,
    DepartmentScope,
    RankingMetric,
)
from trainee_bench.meta_tasks.families.attendance.tally import WorkedDay, tally_day

_BEFORE, _BEHIND = 3, 4
"""Ranks on both sides of the last that is asked for whose holders have equally many days."""
_RIVALS_REMOTE = 3
_FEW = 5
"""People with just one day of what the fewest days are asked of."""
_MANY = 8
"""Days of which who has most of them has at least so many."""
_NEARLY = {True: 14, False: 5}
"""People with one flaw in the month, of the whole company and of a department."""
_TIDY, _TIDY_BUT_ONE = 0.4, 0.6
"""Of has_late_or_early: shares (added up) of fortnights without a flaw, and with one day of
them."""


def adjust_month(
    draws: Random,
    question: AttendanceQuery,
    month: AttendanceMonth,
    places: Sequence[int],
    days: Sequence[int],
) -> None:
    """Put *month* right for *question* about the employees at *places* on *days*."""
    match question.type:
        case AttendanceQueryType.HAS:
            _tidy(draws, month, places, days)
        case AttendanceQueryType.PERFECT:
            _perfect(draws, month, places, _NEARLY[question.scope is DepartmentScope.ALL])
        case AttendanceQueryType.REMOTE:
            _most(draws, month, places, range(_RIVALS_REMOTE), _is_remote, _make_remote)
        case AttendanceQueryType.EXTREME | AttendanceQueryType.TOP:
            is_one = _is_late if question.ranks_by is RankingMetric.LATE else _is_early
            make = _make_late if question.ranks_by is RankingMetric.LATE else _make_early
            if question.mode is None or question.mode.most:
                last = 1 if question.mode else top_count(len(places), question.percent)
                ranks = range(max(0, last - _BEFORE), last + _BEHIND)
                _most(draws, month, places, ranks, is_one, make)
            else:
                _least(draws, month, places, is_one, make)
        case _:
            pass


DayPredicate = Callable[[AttendanceMonth, int, int], bool]
DayChange = Callable[[Random, AttendanceMonth, int, int], None]


# whole months ---------------------------------------------------------------------------


def _most(
    draws: Random,
    month: AttendanceMonth,
    places: Sequence[int],
    ranks: range,
    is_one: DayPredicate,
    make: DayChange,
) -> None:
    """Those on *ranks* (from 0) have equally many such days, as many as the best of them."""
    held = {place: _days(month, place, is_one) for place in places}
    rivals = sorted(places, key=lambda p: -len(held[p]))[ranks.start : ranks.stop]
    most = max(_MANY if ranks.start == 0 else 0, len(held[rivals[0]]))
    for place in rivals:
        present = _days(month, place, _is_present)
        others = [number for number in present if number not in held[place]]
        for number in draws.sample(others, most - len(held[place])):
            make(draws, month, place, number)


def _least(
    draws: Random,
    month: AttendanceMonth,
    places: Sequence[int],
    is_one: DayPredicate,
    make: DayChange,
) -> None:
    """Nobody has no such day, and several have just one."""
    held = {place: _days(month, place, is_one) for place in places}
    for place in sorted(places, key=lambda p: len(held[p]))[:_FEW]:
        draws.shuffle(held[place])
        for number in held[place][1:]:
            _make_plain(draws, month, place, number)
    for place in places:
        if not held[place]:
            make(draws, month, place, draws.randrange(len(month.days)))


def _perfect(draws: Random, month: AttendanceMonth, places: Sequence[int], nearly: int) -> None:
    """A few people without a flaw, and some with one."""
    without = draws.choice((0, 1, 1, 2))
    chosen = draws.sample(list(places), without + nearly)
    for place in chosen:
        for number in range(len(month.days)):
            if not _is_plain(month, place, number):
                _make_plain(draws, month, place, number)
    flaws = draws.sample(range(len(month.days)), nearly)
    for place, number in zip(chosen[without:], flaws, strict=True):
        draws.choice((_make_late, _make_early, _make_absent))(draws, month, place, number)


def _tidy(
    draws: Random, month: AttendanceMonth, places: Sequence[int], days: Sequence[int]
) -> None:
    """No late or early day among *days*; or on one of them only; or as chance has it."""
    lot = draws.random()
    if lot >= _TIDY_BUT_ONE:
        return
    kept = draws.choice(days) if lot >= _TIDY else None
    for place in places:
        for number in days:
            if number != kept and (
                _is_late(month, place, number) or _is_early(month, place, number)
            ):
                _make_plain(draws, month, place, number)
    if kept is not None:
        _make_late(draws, month, draws.choice(places), kept)


# single days ----------------------------------------------------------------------------


def _days(month: AttendanceMonth, place: int, is_one: DayPredicate) -> list[int]:
    return [number for number in range(len(month.days)) if is_one(month, place, number)]


def _is_present(month: AttendanceMonth, place: int, number: int) -> bool:
    return tally_day(month.rules_of(place), month.entries[place][number]).present_days > 0


def _is_late(month: AttendanceMonth, place: int, number: int) -> bool:
    return tally_day(month.rules_of(place), month.entries[place][number]).late_days > 0


def _is_early(month: AttendanceMonth, place: int, number: int) -> bool:
    return tally_day(month.rules_of(place), month.entries[place][number]).early_days > 0


def _is_remote(month: AttendanceMonth, place: int, number: int) -> bool:
    return tally_day(month.rules_of(place), month.entries[place][number]).remote_days > 0


def _is_plain(month: AttendanceMonth, place: int, number: int) -> bool:
    tally = tally_day(month.rules_of(place), month.entries[place][number])
    return not (tally.absent_days or tally.late_days or tally.early_days)


def _make_absent(draws: Random, month: AttendanceMonth, place: int, number: int) -> None:
    month.replace_day(place, number, None)


def _make_plain(draws: Random, month: AttendanceMonth, place: int, number: int) -> None:
    """There from beginning to end."""
    rules = month.rules_of(place)
    _come_and_go(draws, month, place, number, rules.starts + draws.randint(-5, 4), 0)


def _make_late(draws: Random, month: AttendanceMonth, place: int, number: int) -> None:
    """Late, and there until the end."""
    rules = month.rules_of(place)
    _come_and_go(draws, month, place, number, rules.late_after + draws.randint(1, 25), 0)


def _make_early(draws: Random, month: AttendanceMonth, place: int, number: int) -> None:
    """There from the beginning, and not until the end."""
    rules = month.rules_of(place)
    early = draws.randint(1, 25) + (0 if rules.flexible else rules.grace_early)
    _come_and_go(draws, month, place, number, rules.starts + draws.randint(-5, 4), early)


def _make_remote(draws: Random, month: AttendanceMonth, place: int, number: int) -> None:
    day = month.entries[place][number]
    if day is not None:
        month.entries[place][number] = day._replace(remote=True)


def _come_and_go(
    draws: Random, month: AttendanceMonth, place: int, number: int, arrives: int, early: int
) -> None:
    """In at *arrives* and out so much too *early*; overtime that was there stays if it can."""
    before = month.entries[place][number]
    ends = earliest_departure(month.rules_of(place), arrives)
    leaves = ends - early if early else ends + draws.randint(0, 10)
    if not early and before and before.leaves is not None:
        leaves = max(leaves, before.leaves)
    month.replace_day(
        place, number, WorkedDay(arrives, leaves, before is not None and before.remote)
    )
