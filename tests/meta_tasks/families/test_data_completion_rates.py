"""Rates that one colleague knows: secret, never the older ones, told on request."""

from __future__ import annotations

import re
from collections.abc import Mapping
from fractions import Fraction

import pytest

from tests import quick_round
from tests.meta_tasks.days import (
    day_with,
    graded,
    hand_in,
    hear_everything,
    listener_of,
    staged,
    told_by,
    truth_of,
    worked,
)
from tests.meta_tasks.families.completion_days import (
    FAMILY,
    LOOKUPS,
    RESIDUALS,
    cells_of,
    day_of,
    scene_of,
    solved,
    table_of,
    told_in,
)
from trainee_bench.meta_tasks.families.data_completion.subject.dataset import GappedTable
from trainee_bench.meta_tasks.scenario import Arrival
from trainee_bench.world.colleagues.understanding import Intent, hear
from trainee_bench.world.company.people import create_company

Told = Mapping[str, tuple[Fraction, ...]]
ORIGINAL: Mapping[str, tuple[tuple[str, ...], ...]] = {
    "transactions.tax_fee": (("0.05",), ("0.08",), ("0.10",)),
    "logistics.eta_distance_sla": (("60", "1.0"), ("50", "1.5"), ("70", "0.8")),
}


def older(kind: str, table: GappedTable) -> Told:
    """Return the rates of the complete rows, found by trying all possible rates."""
    found = {}
    column = table.columns.index("category" if kind == LOOKUPS[0] else "carrier")
    if kind == LOOKUPS[0]:
        possible = [(Fraction(rate, 1000),) for rate in range(10, 200)]
        slack = Fraction(1, 200)
    else:
        possible = [(Fraction(v), Fraction(h, 20)) for v in range(30, 101) for h in range(5, 61)]
        slack = Fraction(1, 100)
    for who in {row[column] for row in table.rows}:
        rows = [n for n, row in enumerate(table.rows) if row[column] == who and "" not in row]
        seen = [cells_of(table, row) for row in rows[:12]]
        fitting = possible
        for cells in seen:
            fitting = [r for r in fitting if abs(RESIDUALS[kind](cells, r)) <= slack]
        assert len(fitting) == 1, (who, fitting)
        found[who] = fitting[0]
    return found


def wrong_everywhere(kind: str, table: GappedTable, rates: Told) -> bool:
    """Return whether *rates* give a clearly wrong value in every blank."""
    found = solved(kind, table, rates)
    return all(
        abs(found[b.row, table.columns[b.column]] - b.value) >= 10 * b.slack for b in table.blanks
    )


@pytest.mark.parametrize("kind", LOOKUPS)
@pytest.mark.parametrize("level", ["very_easy", "medium", "very_hard"])
@quick_round.seeds(2, sweep=5)
def test_older_rates_and_those_of_the_original_are_wrong_in_every_blank(
    kind: str, level: str, seeds: range
) -> None:
    for seed in seeds:
        table = table_of(f"{kind}.{level}", seed)
        if level == "very_hard":
            assert wrong_everywhere(kind, table, older(kind, table))
        for rates in ORIGINAL[kind]:
            remembered = tuple(map(Fraction, rates))
            assert wrong_everywhere(kind, table, dict.fromkeys("ABCXYZ", remembered))


@pytest.mark.parametrize("kind", LOOKUPS)
def test_every_row_of_the_month_has_a_blank_and_no_other(kind: str) -> None:
    month = "2025-09" if kind == LOOKUPS[0] else "S2509"
    earlier = ("2025-06", "2025-07", "2025-08", "S2506", "S2507", "S2508")
    for seed in range(5):
        for row in table_of(f"{kind}.hard", seed).rows:
            tells = row[1] if kind == LOOKUPS[0] else row[0]
            assert tells.startswith(month) if "" in row else tells.startswith(earlier)


def test_rows_of_a_customer_are_adjacent_and_ordered_by_day() -> None:
    rows = table_of("transactions.tax_fee.very_hard", 2).rows
    keys = [(row[0], row[1]) for row in rows]
    assert keys == sorted(keys)
    assert len({entity for entity, _ in keys}) > 10


# asking ----------------------------------------------------------------------------------

FRESH = {
    "transactions.tax_fee": (
        "Hi, I'm completing tax_fee.csv and need the September fee rates for A, B and C.",
        "What's the fee % per category this month?",
        "Do you know the transaction fee rates valid in September 2025?",
        "Could you send me the current fee rates, please?",
    ),
    "logistics.eta_distance_sla": (
        "Hi! For eta_distance_sla.csv I need speed and handling hours for carriers X, Y and Z.",
        "Please share the carrier SLA parameters.",
        "What's carrier X's speed?",
        "Do you know how fast the carriers are and what the handling time is?",
    ),
}


@pytest.mark.parametrize("kind", LOOKUPS)
def test_the_keeper_of_three_rates_understands_fresh_words(kind: str) -> None:
    for seed in range(5):
        instance = scene_of(f"{kind}.easy", seed)
        (clue,) = instance.hidden.clues
        told = told_in(clue.payload)
        assert len(told) == len(set(told.values())) == 3 and len(set(clue.asks)) >= 8
        keeper = listener_of(instance, create_company(seed), clue.holder)
        for question in FRESH[kind]:
            understood = keeper.understand(hear(question))
            assert (understood.intent, understood.topics) == (Intent.CLEAR, (clue.id,)), question


@pytest.mark.parametrize("kind", LOOKUPS)
async def test_rates_in_the_agent_s_own_message_do_not_count_as_told(kind: str) -> None:
    """The original also accepted the agent's own messages."""
    async with staged(day_of(f"{kind}.very_easy", 3)) as day:
        (clue,) = day.composition.tasks[0].instance.hidden.clues
        other = next(p.id for p in day.composition.company.people if p.id != clue.holder)
        noted = ", ".join(re.findall(r"\d+\.\d+", clue.payload))
        for person, text in ((other, clue.payload), (clue.holder, f"Thanks! I noted {noted}.")):
            await day.call("chat_send_message", {"to": person, "text": text})
        await day.call("desk_wait", {"until": "12:00", "wake": False})
        table, truth = truth_of(day).table, {}
        for blank in table.blanks:
            truth[blank.row] = [
                f"{float(blank.value):.9f}" if at == blank.column else cell
                for at, cell in enumerate(table.rows[blank.row])
            ]
        rows = [truth.get(number, [*row]) for number, row in enumerate(table.rows)]
        text = "".join(f"{','.join(row)}\n" for row in (table.columns, *rows))
        assert not any((await hand_in(day, text)).values())
        await hear_everything(day)
        assert (await graded(day)).success


@pytest.mark.parametrize("kind", LOOKUPS)
async def test_other_colleagues_name_the_keeper_and_nothing_else(kind: str) -> None:
    async with staged(day_of(f"{kind}.easy", 4)) as day:
        (clue,) = day.composition.tasks[0].instance.hidden.clues
        file = clue.keys[0]
        keeper = day.composition.company.person(clue.holder)
        other = next(
            p.id for p in day.composition.company.people
            if p.department == keeper.department and p.id != keeper.id
        )  # fmt: skip
        assert not told_in(await told_by(day, other, clue.asks[0]))
        who = "fee rates" if kind == LOOKUPS[0] else "carriers' speeds and handling times"
        said = await told_by(day, other, f"Who keeps the {who} for {file}?")
        assert keeper.name in said and not told_in(said)
        assert clue.payload in await told_by(day, clue.holder, clue.asks[0])


@pytest.mark.parametrize("size", [10, 25, 200])
async def test_companies_of_every_size_have_keepers_and_honest_work_finds_them(size: int) -> None:
    rules = [f"{FAMILY}.{kind}.easy" for kind in LOOKUPS]
    assert await worked(day_with(*rules, seed=size, company_size=size)) == [1, 1]


async def test_two_tables_of_a_kind_on_one_day_have_different_keepers() -> None:
    for seed in range(2):
        day = day_with(*(f"{FAMILY}.{kind}.easy" for kind in LOOKUPS * 2), seed=seed)
        scenes = [task.instance for task in day.tasks]
        keepers = [clue.holder for instance in scenes for clue in instance.hidden.clues]
        assert len(set(keepers)) == 4
        payloads = [clue.payload for instance in scenes for clue in instance.hidden.clues]
        assert len({re.split(r"[:,]", text)[0] for text in payloads}) == 4
        assert await worked(day) == [1, 1, 1, 1]


async def test_tasks_that_stream_in_over_the_day() -> None:
    rules = [f"{FAMILY}.{kind}.medium" for kind in (*LOOKUPS, "web.funnel")]
    assert await worked(day_with(*rules, seed=3, arrival=Arrival.STREAMED)) == [1, 1, 1]
