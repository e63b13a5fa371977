"""Rates that one colleague knows: secret, never the older ones, told to who asks."""

from __future__ import annotations

import re
from collections.abc import Mapping
from fractions import Fraction

import pytest

from tests import quick_round
from tests.meta_tasks.families.completion_days import (
    FAMILY,
    LEVELS,
    LOOKUPS,
    RESIDUALS,
    cells_of,
    day_of,
    graded,
    scene_of,
    solved,
    table_of,
    told_in,
)
from tests.meta_tasks.families.hearing import hear_everything
from trainee_bench.harness.certification.counterfactuals import certify_counterfactuals
from trainee_bench.harness.testbench.staged_day import StagedDay, stage_day
from trainee_bench.meta_tasks.company_documents import referrals
from trainee_bench.meta_tasks.composition import compose_day
from trainee_bench.meta_tasks.families.data_completion.subject.dataset import GappedTable
from trainee_bench.meta_tasks.scenario import Arrival, DaySpec, Scenario, TaskSpec, Variation
from trainee_bench.meta_tasks.sent_texts import check_clue_collisions
from trainee_bench.world.colleagues.referrals import ReferralPublished
from trainee_bench.world.colleagues.understanding import Intent, QuestionInterpreter, Topic, hear
from trainee_bench.world.company.people import create_company

Told = Mapping[str, tuple[Fraction, ...]]
ORIGINAL: Mapping[str, tuple[tuple[str, ...], ...]] = {
    "transactions.tax_fee": (("0.05",), ("0.08",), ("0.10",)),
    "logistics.eta_distance_sla": (("60", "1.0"), ("50", "1.5"), ("70", "0.8")),
}


def older(kind: str, table: GappedTable) -> Told:
    """The rates that the complete rows follow, found by trying all there could be."""
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
    """Whether *rates* give a value far from the right one in every blank."""
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


def test_customers_rows_stand_together_in_the_order_of_their_days() -> None:
    rows = table_of("transactions.tax_fee.very_hard", 2).rows
    keys = [(row[0], row[1]) for row in rows]
    assert keys == sorted(keys)
    assert len({entity for entity, _ in keys}) > 10


@pytest.mark.parametrize("kind", LOOKUPS)
@pytest.mark.parametrize("level", LEVELS)
def test_only_what_is_told_and_what_belongs_there_depends_on_the_secret(
    kind: str, level: str
) -> None:
    for seed in range(3):
        plain = scene_of(f"{kind}.{level}", seed)
        variant = scene_of(f"{kind}.{level}", seed, offset=1)
        (clue,), (other,) = plain.hidden.clues, variant.hidden.clues
        assert (
            variant.hidden.events == plain.hidden.events
            and variant.told.objective == plain.told.objective
        )
        assert other == clue.model_copy(update={"payload": other.payload})
        assert told_in(other.payload) != told_in(clue.payload)
        assert len(told_in(clue.payload)) == len(set(told_in(clue.payload).values())) == 3
        table, others = plain.graded.truth.table, variant.graded.truth.table
        assert others.csv == table.csv and others.blanks != table.blanks


@pytest.mark.parametrize("kind", quick_round.quick_first(LOOKUPS))
async def test_twins_cannot_be_told_apart_before_the_rates_are_told(kind: str) -> None:
    claim = await certify_counterfactuals(f"{FAMILY}.{kind}.easy", range(1))
    assert claim.holds, claim.broken


@pytest.mark.parametrize("kind", LOOKUPS)
async def test_without_the_rates_nothing_is_handed_in(kind: str) -> None:
    day = await stage_day(day_of(f"{kind}.easy", 1, Variation(withheld=("T1/rates",))))
    async with day.world:
        failures = await day.work()
        assert "nobody has told" in str(failures["T1"])
        assert (await graded(day)).score == 0


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
def test_the_keeper_understands_every_ask_and_others_say_who_keeps_the_rates(kind: str) -> None:
    for seed in range(5):
        instance = scene_of(f"{kind}.easy", seed)
        check_clue_collisions([instance])
        (clue,) = instance.hidden.clues
        known = [p.event for p in instance.hidden.events if isinstance(p.event, ReferralPublished)]
        public = [*known, *referrals(create_company(seed))]
        others = tuple(Topic(f"public {r.topic}", r.asks, r.keys) for r in public)
        own = Topic(clue.id, clue.asks, clue.keys)
        keeper = QuestionInterpreter((own,), [t for t, r in zip(others, public, strict=True)
                                   if r.person != clue.holder])  # fmt: skip
        assert len(clue.asks) >= 8 and len(set(clue.asks)) == len(clue.asks)
        for question in (*clue.asks, *FRESH[kind]):
            understood = keeper.understand(hear(question))
            assert (understood.intent, understood.topics) == (Intent.CLEAR, (clue.id,)), question
        anybody = QuestionInterpreter((), (own, *others))
        for referral, topic in zip(known, others[: len(known)], strict=True):
            assert len(referral.asks) >= 5
            assert {anybody.foreign_topic(hear(ask)) for ask in referral.asks} == {topic.id}


@pytest.mark.parametrize("kind", LOOKUPS)
async def test_saying_the_rates_oneself_is_not_to_have_been_told(kind: str) -> None:
    """The original read the agent's own messages, too."""
    day = await stage_day(day_of(f"{kind}.very_easy", 3))
    async with day.world:
        (clue,) = day.composition.tasks[0].instance.hidden.clues
        other = next(p.id for p in day.composition.company.people if p.id != clue.holder)
        noted = ", ".join(re.findall(r"\d+\.\d+", clue.payload))
        for person, text in ((other, clue.payload), (clue.holder, f"Thanks! I noted {noted}.")):
            await day.call("chat_send_message", {"to": person, "text": text})
        await day.call("desk_wait", {"until": "12:00", "wake": False})
        table, truth = day.composition.tasks[0].instance.graded.truth.table, {}
        for blank in table.blanks:
            truth[blank.row] = [
                f"{float(blank.value):.9f}" if at == blank.column else cell
                for at, cell in enumerate(table.rows[blank.row])
            ]
        rows = [truth.get(number, [*row]) for number, row in enumerate(table.rows)]
        text = "".join(f"{','.join(row)}\n" for row in (table.columns, *rows))
        (path,) = day.composition.deliverable_paths
        await day.call("files_write", {"path": path, "text": text})
        grade = await graded(day)
        passed = {check.name for check in grade.checkpoints if check.passed}
        assert passed == set() and grade.score == 0
        await hear_everything(day)
        assert (await graded(day)).success


@pytest.mark.parametrize("kind", LOOKUPS)
async def test_colleagues_who_do_not_keep_them_tell_who_does_and_nothing_else(kind: str) -> None:
    day = await stage_day(day_of(f"{kind}.easy", 4))
    async with day.world:
        (clue,) = day.composition.tasks[0].instance.hidden.clues
        file = clue.keys[0]
        keeper = day.composition.company.person(clue.holder)
        other = next(
            p.id for p in day.composition.company.people
            if p.department == keeper.department and p.id != keeper.id
        )  # fmt: skip
        assert not told_in(await asked(day, other, clue.asks[0]))
        who = "fee rates" if kind == LOOKUPS[0] else "carriers' speeds and handling times"
        said = await asked(day, other, f"Who keeps the {who} for {file}?")
        assert keeper.name in said and not told_in(said)
        assert clue.payload in await asked(day, clue.holder, clue.asks[0])


async def asked(day: StagedDay, person: str, text: str) -> str:
    """What *person* answers."""
    sent = await day.call("chat_send_message", {"to": person, "text": text})
    number = sent.data["message"]["id"]
    while True:
        await day.call("desk_wait", {"minutes": 10})
        history = await day.call("chat_read_history", {"peer": person, "after": number})
        answers = [m["text"] for m in history.data["messages"] if m["answers"] == number]
        if answers:
            return str(answers[-1])


@pytest.mark.parametrize("size", [10, 25, 200])
async def test_companies_of_every_size_have_keepers_and_honest_work_finds_them(size: int) -> None:
    tasks = tuple(TaskSpec(rule=f"{FAMILY}.{kind}.easy") for kind in LOOKUPS)
    day = Scenario(name="s", seed=size, company_size=size, days=(DaySpec(tasks=tasks),))
    assert await worked(day) == [1, 1]


async def test_two_tables_of_a_kind_on_one_day_have_keepers_of_their_own() -> None:
    for seed in range(2):
        tasks = tuple(TaskSpec(rule=f"{FAMILY}.{kind}.easy") for kind in LOOKUPS * 2)
        day = Scenario(name="s", seed=seed, days=(DaySpec(tasks=tasks),))
        scenes = [task.instance for task in compose_day(day).tasks]
        keepers = [clue.holder for instance in scenes for clue in instance.hidden.clues]
        assert len(set(keepers)) == 4
        payloads = [clue.payload for instance in scenes for clue in instance.hidden.clues]
        assert len({re.split(r"[:,]", text)[0] for text in payloads}) == 4
        assert await worked(day) == [1, 1, 1, 1]


async def test_tasks_that_stream_in_over_the_day() -> None:
    tasks = tuple(TaskSpec(rule=f"{FAMILY}.{kind}.medium") for kind in (*LOOKUPS, "web.funnel"))
    day = Scenario(name="s", seed=3, days=(DaySpec(tasks=tasks),), arrival=Arrival.STREAMED)
    assert await worked(day) == [1, 1, 1]


async def worked(scenario: Scenario) -> list[float | None]:
    """The scores of a day's tasks after honest work."""
    staged = await stage_day(compose_day(scenario))
    async with staged.world:
        assert not await staged.work()
        grades = await staged.grades()
        assert not any(grade.harm for grade in grades)
        return [grade.score for grade in grades]
