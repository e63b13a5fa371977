"""Days of a split: the same wherever it is opened, selected, and begun from a copied morning."""

from __future__ import annotations

import importlib.util
import tomllib
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from pathlib import Path

import pytest

from tests.harness.runs import call
from trainee_bench.harness.environment.day import Day, DayNotBegun
from trainee_bench.harness.generation.spec import SEEDS_PER_SPLIT, InvalidGenerationSpec
from trainee_bench.harness.integrations.inspect_ai.chosen_days import DayChoice, choose_days
from trainee_bench.harness.integrations.inspect_ai.explanation import explain_tasks
from trainee_bench.harness.integrations.training.episode import Episode
from trainee_bench.harness.integrations.training.splits import (
    SplitOptions,
    UnknownSplit,
    describe_day,
)
from trainee_bench.harness.parity.script import parity_scripts
from trainee_bench.harness.records.plan import PlanError
from trainee_bench.meta_tasks.benchmark import (
    Benchmark,
    find_scenario,
    load_shipped_benchmark,
    parse_benchmark,
)
from trainee_bench.meta_tasks.scenario import ScenarioDay
from trainee_bench.meta_tasks.task_context import Modality

QUICK = SplitOptions(rules=("kb_fix.easy",), tasks="1")


def generated(split: str, size: int | None = None) -> SplitOptions:
    return QUICK.model_copy(update={"split": split, "size": size})


@pytest.mark.parametrize(("split", "place"), [("train", 0), ("dev", 1), ("test", 2)])
def test_a_generated_split_has_separate_seeds(split: str, place: int) -> None:
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
    call(*command.split(), "--out", file)
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
        ({"split": "week-10"}, UnknownSplit, "A new agent begins"),
        ({"tasks": "six"}, InvalidGenerationSpec, "write a number or a range"),
        ({"tasks": "0"}, InvalidGenerationSpec, "tasks 0, .* greater than or equal to 1"),
        ({"tasks": "9-2"}, InvalidGenerationSpec, "write 2-6"),
        ({"complications": "9"}, InvalidGenerationSpec, "less than or equal to 4"),
        ({"rules": ("no_such.*",)}, InvalidGenerationSpec, "no_such"),
    ],
)
def test_wrong_options_are_refused_with_the_right_ones(
    options: dict[str, str], refused: type[Exception], why: str
) -> None:
    with pytest.raises(refused, match=why):
        SplitOptions.model_validate(options).open()


def test_a_broken_benchmark_file_is_named(tmp_path: Path) -> None:
    file = tmp_path / "broken.json"
    file.write_text("{}", encoding="utf-8")
    with pytest.raises(UnknownSplit, match=r"broken\.json is not a benchmark"):
        SplitOptions(split=str(file)).open()


def test_a_card_says_what_kind_of_day_it_is_and_not_its_seed() -> None:
    day = SplitOptions(split="quickstart").open().day(0)
    card = describe_day("quickstart", 0, day)
    assert card.id == f"{day.scenario.name}.{day.scenario.days[0].name}"
    assert card.rules == tuple(task.rule for task in day.scenario.days[0].tasks)
    assert len(card.rules) == len(card.families) == len(card.labels)
    assert {*card.labels} <= {"easy", "hard"}
    assert "seed" not in card.model_dump_json()


VALID, MALFORMED, _ = parity_scripts()
DAY = ScenarioDay(scenario=VALID.scenario, day=VALID.number)


def test_an_episode_is_the_day_that_reset_begins() -> None:
    day, episode = Day(VALID.scenario, VALID.number), Episode.begin(DAY)
    assert episode.start == day.reset()
    assert (episode.digest(), episode.begins) == (day.digest(), day.now)


def test_rewards_of_all_calls_add_up_to_the_score() -> None:
    episode = Episode.begin(DAY)
    steps = [episode.call(call.name, call.arguments) for call in VALID.calls]
    assert [step.reward for step in steps] == episode.rewards
    assert episode.score == pytest.approx(1)
    assert episode.grade().score == 1
    assert episode.calls() == [*VALID.calls]
    assert not steps[-1].done
    assert episode.call("desk_finish_day", {}).done


def test_malformed_calls_are_answered_and_count() -> None:
    episode = Episode.begin(DAY)
    answers = [episode.call(call.name, call.arguments).answer for call in MALFORMED.calls]
    assert all(answers[place].failed for place in MALFORMED.malformed)
    assert episode.digest() == MALFORMED.at_the_seat().digest


def test_episodes_of_the_same_day_know_nothing_of_each_other() -> None:
    first, second = Episode.begin(DAY), Episode.begin(DAY)
    morning = second.digest()
    first.call("desk_wait", {"minutes": 60})
    assert second.digest() == morning == Episode.begin(DAY).digest()
    first.close()
    with pytest.raises(DayNotBegun):
        first.call("desk_tasks", {})
    assert not second.call("desk_tasks", {}).answer.failed


def test_one_thread_after_the_other_may_go_on_with_an_episode() -> None:
    with ThreadPoolExecutor(1) as first, ThreadPoolExecutor(1) as second:
        episode = first.submit(Episode.begin, DAY).result()
        for place, call in enumerate(VALID.calls):
            thread = (first, second)[place % 2]
            thread.submit(episode.call, call.name, call.arguments).result()
    assert episode.digest() == VALID.at_the_seat().digest
    episode.close()


PROJECT = Path(__file__).parents[3] / "pyproject.toml"
QUICKSTART = load_shipped_benchmark().scenarios


def ids(choice: DayChoice, name: str = "quickstart") -> list[str]:
    return [day.id for day in choose_days(load_shipped_benchmark(name).scenarios, choice)]


def test_without_a_choice_every_day_is_worked_and_a_week_is_one() -> None:
    assert ids(DayChoice()) == [
        "first_day.day_1", "minutes_and_links.day_1", "a_slow_morning.day_1",
    ]  # fmt: skip
    assert len(ids(DayChoice(), "continual-50")) == 100
    assert ids(DayChoice(), "week-10")[0] == "week-10-01.week"


def test_rules_leave_days_out_that_have_no_such_task() -> None:
    assert ids(DayChoice(rules=("kb_fix.*",))) == ["first_day.day_1", "minutes_and_links.day_1"]
    plain = choose_days(load_shipped_benchmark("expert-50").scenarios, DayChoice(("sales.*",)))
    harder = choose_days(
        load_shipped_benchmark("expert-50").scenarios, DayChoice(("sales.*+sign_off",))
    )
    assert 0 < len(harder) < len(plain)
    for day in harder:
        assert any(rule.startswith("sales.") and "+sign_off" in rule for rule in day.rules)


def test_each_day_is_worked_with_each_seed_under_a_separate_name() -> None:
    days = choose_days(QUICKSTART[:1], DayChoice(seeds=(7, 8)))
    assert [day.id for day in days] == ["first_day.day_1.seed_7", "first_day.day_1.seed_8"]
    assert [day.scenario.seed for day in days] == [7, 8]


def test_guidance_and_modality_are_those_of_every_day() -> None:
    days = choose_days(QUICKSTART, DayChoice(guidance=2, modality=Modality.TABLES))
    assert {(day.scenario.guidance, day.scenario.modality) for day in days} == {(2, "tables")}


@pytest.mark.parametrize(
    ("choice", "said"),
    [
        (DayChoice(rules=("nothing.*",)), "no rule matches 'nothing.*'"),
        (DayChoice(rules=("sales.*",)), "no day of this benchmark has a task"),
        (DayChoice(guidance=4), "guidance must be 0, 1, 2 or 3, not 4"),
    ],
)
def test_a_choice_that_leaves_nothing_is_refused_in_words(choice: DayChoice, said: str) -> None:
    with pytest.raises(PlanError, match=said.replace("*", r"\*")):
        choose_days(QUICKSTART[:1], choice)


def test_an_explanation_names_every_checkpoint_with_its_finding() -> None:
    day = Day(find_scenario())
    day.reset()
    grade = day.grade()
    day.close()
    text = explain_tasks(grade.tasks)
    for task in grade.tasks:
        assert f"**{task.task}** `{task.rule}`: 0.00" in text
        for check in task.checkpoints:
            assert f"**missed** (weight {check.weight:g}): {check.sentence.rstrip('.')}." in text
            assert check.seen in text


def test_the_entry_point_names_an_existing_module() -> None:
    project = tomllib.loads(PROJECT.read_text(encoding="utf-8"))["project"]
    (entry,) = project["entry-points"]["inspect_ai"].items()
    assert entry[0] == "trainee_bench", "the part before the slash in trainee_bench/core_50"
    assert importlib.util.find_spec(entry[1]) is not None
