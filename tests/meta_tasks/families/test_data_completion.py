"""The data completion family: rules, tables, and the right values of blanks."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Mapping
from fractions import Fraction
from itertools import groupby, pairwise
from statistics import fmean

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue

from tests import quick_round
from tests.meta_tasks.days import day_with, texts_of
from tests.meta_tasks.families.completion_days import (
    COLUMNS,
    FAMILY,
    LEVELS,
    LOOKUPS,
    RESIDUALS,
    RULES,
    cells_of,
    scene_of,
    solved,
    table_of,
    told_in,
)
from trainee_bench.meta_tasks.families.data_completion import DataCompletion
from trainee_bench.meta_tasks.families.data_completion.data import DATASET_KINDS, DatasetName
from trainee_bench.meta_tasks.families.data_completion.subject.dataset import GappedTable
from trainee_bench.meta_tasks.meta_task import MAX_PROCESS_SHARE, Difficulty
from trainee_bench.world.apps.files import FileAppears

MANUAL = "drive:/data_completion/data_completion_manual.md"
SIZES = {
    # rows, rows with a blank, length of a gap
    "very_easy": (30, 1, 1),
    "easy": (50, 4, 1),
    "medium": (80, 12, 3),
    "hard": (120, 30, 5),
    "very_hard": (200, 70, 7),
}
QUARTERLY = {"very_easy": 6, "easy": 16, "medium": 48, "hard": 120, "very_hard": 280}

# the rules -------------------------------------------------------------------------------


def test_sixty_rules_twelve_kinds_in_five_difficulties() -> None:
    assert [f"{FAMILY}.{kind}.{level}" for kind in COLUMNS for level in LEVELS] == RULES
    assert [str(data) for data in DatasetName] == list(DATASET_KINDS) == list(COLUMNS)


def test_the_two_largest_sizes_are_hard_and_with_rates_also_the_middle_one() -> None:
    hard = {rule.id for rule in DataCompletion.rules() if rule.difficulty is Difficulty.HARD}
    expected = {f"{FAMILY}.{kind}.{level}" for kind in COLUMNS for level in LEVELS[3:]}
    assert hard == expected | {f"{FAMILY}.{kind}.medium" for kind in LOOKUPS}
    assert len(hard) == 26 and len(RULES) - len(hard) == 34


@pytest.mark.parametrize("kind", COLUMNS)
@pytest.mark.parametrize("level", [*LEVELS, "very easy"])
def test_published_entries_name_kind_and_difficulty(kind: str, level: str) -> None:
    domain, task_type = kind.split(".")
    entry = {"domain": domain, "task_type": task_type, "difficulty": level}
    made = DataCompletion.from_published(entry)
    assert made.rule_id == f"{FAMILY}.{kind}.{level.replace(' ', '_')}"


@pytest.mark.parametrize(
    "entry",
    [
        {},
        {"domain": "web", "task_type": "funnel"},
        {"domain": "web", "task_type": "tax_fee", "difficulty": "easy"},
        {"domain": "web", "task_type": "funnel", "difficulty": "mild"},
        {"domain": "web", "task_type": "funnel", "difficulty": 3},
        {"domain": "web", "task_type": "funnel", "difficulty": "easy", "seed": 1},
    ],
)
def test_other_published_entries_are_refused(entry: Mapping[str, JsonValue]) -> None:
    with pytest.raises(ValueError, match=r"domain|task_type|difficulty|seed|Data"):
        DataCompletion.from_published(entry)


def test_being_told_counts_at_most_a_fifth_and_only_if_rates_are_needed() -> None:
    for rule in DataCompletion.rules():
        marks = rule.meta_task.checkpoints()
        process = [mark for mark in marks if mark.only_with is not None]
        assert bool(process) == any(kind in rule.id for kind in LOOKUPS)
        assert {mark.only_with for mark in process} <= {"complete"}
        assert sum(m.weight for m in process) <= MAX_PROCESS_SHARE * sum(m.weight for m in marks)


# the tables ------------------------------------------------------------------------------


@pytest.mark.parametrize("rule", [rule.removeprefix(f"{FAMILY}.") for rule in RULES])
def test_columns_rows_blanks_and_gaps_are_as_catalogued(rule: str) -> None:
    kind, _, level = rule.rpartition(".")
    rows, blanks, gap = SIZES[level]
    if kind.startswith("sales."):
        rows, blanks = rows * 4, QUARTERLY[level]
    for seed in range(3):
        table = table_of(rule, seed)
        assert ",".join(table.columns) == COLUMNS[kind]
        assert len(table.rows) == rows and len(table.blanks) == blanks
        empty = [row.count("") for row in table.rows]
        assert set(empty) <= {0, 1} and sum(empty) == blanks
        runs = [len([*run]) for is_blank, run in groupby(empty) if is_blank]
        assert set(runs) == {gap}


@pytest.mark.parametrize("kind", COLUMNS)
def test_every_column_that_can_be_found_is_asked_for_somewhere(kind: str) -> None:
    asked = {
        table.columns[blank.column]
        for seed in range(4)
        for table in (table_of(f"{kind}.very_hard", seed),)
        for blank in table.blanks
    }
    labels = {"entity", "quarter", "date", "day", "job", "shipment", "category", "carrier"}
    given_always = {"metric"}
    assert asked == set(COLUMNS[kind].split(",")) - labels - given_always


def assert_each_blank_follows(rule: str, seed: int) -> None:
    """Check every blank against an independent solver that uses only visible cells."""
    instance = scene_of(rule, seed)
    table = instance.graded.truth.table
    told = told_in("".join(clue.payload for clue in instance.hidden.clues))
    found = solved(rule.rpartition(".")[0], table, told)
    wanted = {(b.row, table.columns[b.column]): b for b in table.blanks}
    assert found.keys() == wanted.keys()
    for place, value in found.items():
        assert value == wanted[place].value, place


@pytest.mark.parametrize("rule", [rule.removeprefix(f"{FAMILY}.") for rule in RULES])
def test_each_blank_follows_from_visible_cells_and_told_rates(rule: str) -> None:
    for seed in range(2):
        assert_each_blank_follows(rule, seed)


@given(st.sampled_from(list(COLUMNS)), st.sampled_from(LEVELS), st.integers(0, 2**32))
def test_at_any_seed_each_blank_follows(kind: str, level: str, seed: int) -> None:
    assert_each_blank_follows(f"{kind}.{level}", seed)


@pytest.mark.parametrize("kind", [kind for kind in RESIDUALS if kind not in LOOKUPS])
def test_printed_values_of_complete_rows_satisfy_the_formulas(kind: str) -> None:
    table = table_of(f"{kind}.hard", 5)
    rows = [row for row, cells in enumerate(table.rows) if "" not in cells]
    assert len(rows) > 80
    assert not [row for row in rows if RESIDUALS[kind](cells_of(table, row), ())]


def test_growth_has_six_decimals_and_none_in_the_first_quarter() -> None:
    table = table_of("sales.qoq_rate.hard", 5)
    totals = {(row[0], row[1]): row[2] for row in table.rows}
    checked = 0
    for entity, quarter, total, growth in table.rows:
        if quarter == "2024-Q1":
            assert growth == "n/a"
            continue
        last = totals[entity, f"2024-Q{int(quarter[-1]) - 1}"]
        if growth and total and last:
            assert growth == f"{int(total) / int(last) - 1:.6f}"
            checked += 1
    assert checked > 100


def test_rolling_means_have_four_decimals_and_up_to_seven_days() -> None:
    table = table_of("web.rolling_avg.hard", 5)
    metric = [int(row[1]) for row in table.rows]
    shown = [(number, row[2]) for number, row in enumerate(table.rows) if row[2]]
    for number, mean in shown:
        window = metric[max(0, number - 6) : number + 1]
        assert mean == f"{sum(window) / len(window):.4f}"


def test_days_follow_one_another_and_end_with_the_month() -> None:
    for kind in ("inventory.daily_interpolation", "web.rolling_avg"):
        days = [row[0] for row in table_of(f"{kind}.very_hard", 1).rows]
        assert days[-1] == "2025-09-30" and days[-200] == "2025-03-15"
        assert days == sorted(set(days))


def test_d9_a_gap_is_filled_from_its_visible_neighbours_and_never_at_an_edge() -> None:
    """D9: the original's truth was the deleted value, which contained noise."""
    for level in LEVELS:
        for seed in range(6):
            table = table_of(f"inventory.daily_interpolation.{level}", seed)
            assert table.rows[0][1] and table.rows[-1][1]
            truth = {blank.row: blank.value for blank in table.blanks}
            level_of = [truth.get(n) or Fraction(row[1]) for n, row in enumerate(table.rows)]
            steps = [after - before for before, after in pairwise(level_of)]
            assert all(steps[row] == steps[row - 1] for row in truth)


def test_the_distance_can_be_recovered_from_the_printed_hours() -> None:
    """The original rounded hours so coarsely that no distance could be recovered."""
    table = table_of("logistics.eta_distance_sla.very_hard", 3)
    by_carrier: dict[str, list[tuple[Fraction, Fraction]]] = {}
    for _, km, carrier, hours in table.rows:
        if km and hours:
            by_carrier.setdefault(carrier, []).append((Fraction(km), Fraction(hours)))
    assert len(by_carrier) == 3
    for trips in by_carrier.values():
        (km_1, h_1), (km_2, h_2) = min(trips), max(trips)
        speed = round((km_2 - km_1) / (h_2 - h_1))
        handling = Fraction(round((h_1 - km_1 / speed) * 20), 20)
        assert all(abs((hours - handling) * speed - km) < Fraction(1, 20) for km, hours in trips)


# what guessing finds ---------------------------------------------------------------------


def right_share(table: GappedTable, fills: Mapping[int, str]) -> float:
    """Return the share of blanks for which *fills* (by row) are near the right value."""
    near = [abs(Fraction(fills[b.row]) - b.value) < 10 * b.slack for b in table.blanks]
    return sum(near) / len(near)


@pytest.mark.parametrize("kind", COLUMNS)
@pytest.mark.parametrize("level", ["very_easy", "easy", "very_hard"])
@quick_round.seeds(2, sweep=10)
def test_constants_and_copies_of_neighbours_earn_nothing(
    kind: str, level: str, seeds: range
) -> None:
    """In the original, one constant was within the tolerance of every growth."""
    for seed in seeds:
        table = table_of(f"{kind}.{level}", seed)
        guesses: dict[str, dict[int, str]] = defaultdict(dict)
        for blank in table.blanks:
            cells = [row[blank.column] for row in table.rows]
            above = [c for c in cells[: blank.row] if c not in ("", "n/a")]
            below = [c for c in cells[blank.row :] if c not in ("", "n/a")]
            shown = [*above, *below]
            guesses["above"][blank.row] = [*above[-1:], *below][0]
            guesses["below"][blank.row] = [*below[:1], *above][0]
            guesses["commonest"][blank.row] = Counter(shown).most_common(1)[0][0]
            guesses["mean"][blank.row] = f"{fmean(map(float, shown)):.9f}"
            guesses["0"][blank.row], guesses["0.1"][blank.row] = "0", "0.1"
        for fills in guesses.values():
            assert right_share(table, fills) <= 0.25


def test_each_seed_has_its_own_fixed_table() -> None:
    """The original had sixty fixed files, one for each rule."""
    for kind in COLUMNS:
        tables = [table_of(f"{kind}.very_easy", seed) for seed in range(12)]
        assert len({table.csv for table in tables}) == 12
        assert len({tuple(b.value for b in table.blanks) for table in tables}) >= 11
        assert len({table.blanks[0].row for table in tables}) > 4
        assert tables[3] == table_of(f"{kind}.very_easy", 3)


# the scene -------------------------------------------------------------------------------


def test_table_manual_and_copy_are_where_the_task_says() -> None:
    for kind in COLUMNS:
        instance = scene_of(f"{kind}.easy", 1)
        domain, name = kind.split(".")
        source = f"drive:/data_completion/{domain}/{name}.csv"
        files = texts_of(instance)
        assert files.keys() == {source, MANUAL}
        assert files[source] == instance.graded.truth.table.csv
        assert instance.told.deliverable_paths == (f"workspace:/data_completion_{name}.csv",)
        assert all(
            path in instance.told.objective
            for path in (source, MANUAL, instance.told.deliverable_paths[0], kind)
        )


def manual() -> str:
    return texts_of(scene_of("web.funnel.easy", 1))[MANUAL]


def test_the_manual_says_for_every_kind_what_each_column_is_and_its_decimals() -> None:
    sections = dict(re.findall(r"^## ([\w.]+)\n(.*?)(?=^## |\Z)", manual(), re.M | re.S))
    assert list(sections) == list(COLUMNS)
    for kind, text in sections.items():
        lines = re.findall(r"^\| (\w+) \| .+ \| (\d) \|$", text, re.M)
        assert {column: int(decimals) for column, decimals in lines} == DATASET_KINDS[kind].decimals


def test_half_a_unit_of_the_manual_s_decimals_is_the_tolerance() -> None:
    for kind in COLUMNS:
        table = table_of(f"{kind}.very_hard", 2)
        for blank in table.blanks:
            decimals = DATASET_KINDS[kind].decimals[table.columns[blank.column]]
            assert blank.slack == Fraction(1, 2) / 10**decimals


def test_hints_and_feedback_contain_no_number_of_the_table() -> None:
    for kind in COLUMNS:
        instance = scene_of(f"{kind}.easy", 3)
        marks = DataCompletion(data=DatasetName(kind), difficulty="easy").checkpoints()
        said = f"{instance.told.hints} {[(m.sentence, m.where, m.how) for m in marks]}"
        assert not re.search(r"\d", said)


def test_tasks_of_one_day_share_the_manual_but_no_other_files() -> None:
    names = ("web.funnel.easy", "web.funnel.easy", "web.funnel.hard", "sales.qoq_rate.easy")
    day = day_with(*(f"{FAMILY}.{name}" for name in names), seed=4)
    events = [planned.event for task in day.tasks for planned in task.instance.hidden.events]
    paths = [event.path for event in events if isinstance(event, FileAppears)]
    assert len(set(paths)) == 5
    assert {path for path in paths if paths.count(path) > 1} == {MANUAL}  # placed once
    assert sorted(day.deliverable_paths) == [
        "workspace:/data_completion_funnel.csv",
        "workspace:/data_completion_funnel_2.csv",
        "workspace:/data_completion_funnel_3.csv",
        "workspace:/data_completion_qoq_rate.csv",
    ]
    assert len({task.instance.graded.truth.table.csv for task in day.tasks}) == 4
