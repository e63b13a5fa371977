"""A split is the same days in the same order wherever it is opened, and gives no answer away."""

from __future__ import annotations

from itertools import islice
from pathlib import Path

import pytest
from typer.testing import CliRunner

from trainee_bench.harness.cli import app
from trainee_bench.harness.generation.spec import SEEDS_PER_SPLIT, InvalidGenerationSpec
from trainee_bench.harness.integrations.training.splits import (
    SplitOptions,
    UnknownSplit,
    describe_day,
)
from trainee_bench.meta_tasks.benchmark import Benchmark, load_shipped_benchmark, parse_benchmark

QUICK = SplitOptions(rules=("kb_fix.easy",), tasks="1")


def generated(split: str, size: int | None = None) -> SplitOptions:
    return QUICK.model_copy(update={"split": split, "size": size})


@pytest.mark.parametrize(("split", "place"), [("train", 0), ("dev", 1), ("test", 2)])
def test_a_generated_split_has_seeds_of_its_own(split: str, place: int) -> None:
    seeds = [day.scenario.seed for day in islice(generated(split).open(), 3)]
    assert len({*seeds}) == 3
    assert {seed // SEEDS_PER_SPLIT for seed in seeds} == {place}


def test_a_split_without_a_size_goes_on_and_any_of_its_days_can_be_asked_for() -> None:
    endless = generated("train").open()
    assert endless.size is None
    first = list(islice(endless, 3))
    assert [endless.day(index) for index in range(3)] == first
    assert list(generated("train", size=2).open()) == first[:2]


async def test_days_are_generated_where_an_event_loop_runs_too() -> None:
    assert generated("dev").model_copy(update={"seed": 5}).open().day(0).scenario.days


@pytest.mark.sweep
def test_the_days_are_those_that_the_command_generates(tmp_path: Path) -> None:
    file = tmp_path / "mine.json"
    command = "generate --scenarios 2 --tasks 1 --rules kb_fix.easy --split dev --name training"
    done = CliRunner().invoke(app, [*command.split(), "--out", str(file)])
    assert done.exit_code == 0, done.output
    written = parse_benchmark(file.read_text(encoding="utf-8")).scenarios
    assert [day.scenario for day in generated("dev", size=2).open()] == [*written]


def test_a_benchmark_is_a_split_of_all_its_days(tmp_path: Path) -> None:
    shipped = SplitOptions(split="quickstart").open()
    scenarios = load_shipped_benchmark("quickstart").scenarios
    assert shipped.size == len(scenarios)
    assert [day.scenario for day in shipped] == [*scenarios]
    days = scenarios[0].days
    two = scenarios[0].model_copy(
        update={"days": (*days, days[0].model_copy(update={"name": "day_2"}))}
    )
    file = tmp_path / "mine.json"
    file.write_text(Benchmark(name="mine", scenarios=(two,)).model_dump_json(), encoding="utf-8")
    assert [day.day for day in SplitOptions(split=str(file)).open()] == [0, 1]
    assert SplitOptions(split=str(file), size=1).open().size == 1


@pytest.mark.parametrize("index", [-1, 3])
def test_a_day_that_is_not_in_the_split_is_refused(index: int) -> None:
    with pytest.raises(IndexError, match="it has 3 days"):
        SplitOptions(split="quickstart").open().day(index)


@pytest.mark.parametrize(
    ("options", "refused", "why"),
    [
        ({"split": "trian"}, UnknownSplit, "train, dev, test, a shipped benchmark"),
        ({"split": "week-10"}, UnknownSplit, "a new agent begins"),
        ({"tasks": "six"}, InvalidGenerationSpec, "write a number or a range"),
        ({"tasks": "0"}, InvalidGenerationSpec, "tasks 0, .* greater than or equal to 1"),
        ({"tasks": "9-2"}, InvalidGenerationSpec, "write 2-6"),
        ({"complications": "9"}, InvalidGenerationSpec, "less than or equal to 4"),
        ({"rules": ("no_such.*",)}, InvalidGenerationSpec, "no_such"),
    ],
)
def test_wrong_options_are_refused_with_what_would_be_right(
    options: dict[str, str], refused: type[Exception], why: str
) -> None:
    with pytest.raises(refused, match=why):
        SplitOptions.model_validate(options).open()


def test_a_broken_benchmark_file_is_named(tmp_path: Path) -> None:
    file = tmp_path / "broken.json"
    file.write_text("{}", encoding="utf-8")
    with pytest.raises(UnknownSplit, match=r"broken\.json is no benchmark"):
        SplitOptions(split=str(file)).open()


def test_a_card_says_what_kind_of_day_it_is_and_not_its_seed() -> None:
    day = SplitOptions(split="quickstart").open().day(0)
    card = describe_day("quickstart", 0, day)
    assert card.id == f"{day.scenario.name}.{day.scenario.days[0].name}"
    assert card.rules == tuple(task.rule for task in day.scenario.days[0].tasks)
    assert len(card.rules) == len(card.families) == len(card.labels)
    assert {*card.labels} <= {"easy", "hard"}
    assert "seed" not in card.model_dump_json()
