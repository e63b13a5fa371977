"""The records of a run: a plan that determines it, sequences of days, and results that are never
lost."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from tests.harness.builders import episode, plan, task
from tests.harness.days import day_spec
from trainee_bench.harness.records.plan import (
    AgentConfig,
    DaySequenceMode,
    EpisodeSpec,
    RunPlan,
    UnsupportedTask,
)
from trainee_bench.harness.records.results import (
    EpisodeResult,
    ResultFile,
    ResultFileError,
    ResultIdentity,
)
from trainee_bench.harness.records.scenario_matching import NoMatchingScenario, match_scenarios
from trainee_bench.harness.session.limits import EpisodeLimits
from trainee_bench.mcp_servers.serving.result_text import ResultView
from trainee_bench.meta_tasks.benchmark import load_shipped_benchmark
from trainee_bench.meta_tasks.scenario import Scenario

NAMES = st.lists(
    st.text("abcXYZ019_-", min_size=1, max_size=12), min_size=1, max_size=5, unique=True
)


@given(NAMES, NAMES, st.integers(1, 3))
def test_every_agent_tries_every_day_as_often_as_asked_under_ids_that_differ(
    scenarios: list[str], agents: list[str], epochs: int
) -> None:
    made = plan(*scenarios, agents=tuple(agents), epochs=epochs)
    orders = list(made.episode_specs())
    assert len(orders) == len(scenarios) * len(agents) * epochs
    assert len({order.id for order in orders}) == len(orders)
    assert {(o.scenario.name, o.agent, o.attempt) for o in orders} == {
        (s, a, e) for s in scenarios for a in agents for e in range(1, epochs + 1)
    }


@given(st.text(min_size=1), st.text(min_size=1))
def test_an_id_is_good_as_a_file_name(scenario: str, agent: str) -> None:
    (order,) = plan(scenario, agents=(agent,)).episode_specs()
    assert set(order.id) <= set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.")
    assert not order.id.startswith(".")


def test_a_plan_survives_its_file() -> None:
    made = plan("one", "two", agents=("oracle", "my.module:Agent"), epochs=2)
    assert RunPlan.model_validate_json(made.model_dump_json()) == made


def test_a_plan_from_before_views_keeps_its_digest_and_gives_programs_what_they_got() -> None:
    program = AgentConfig(name="command", agent="command", command="x {mcp_config}")
    made = plan("one", agents=("oracle",)).model_copy(update={"agents": (program,)})
    assert '"results"' not in made.model_dump_json()
    assert program.result_view is ResultView.STRUCTURED
    text = program.model_copy(update={"results": ResultView.TEXT})
    other = made.model_copy(update={"agents": (text,)})
    assert other.digest() != made.digest()
    assert RunPlan.model_validate_json(other.model_dump_json()) == other


def test_ids_that_would_collide_are_refused() -> None:
    with pytest.raises(ValidationError, match="share the id"):
        plan("a b", "a-b")


def test_unbuilt_tasks_belong_to_their_day() -> None:
    made = plan("one", "two").model_copy(
        update={"unsupported": (UnsupportedTask(scenario="two", day=0, name="Sales Analysis"),)}
    )
    assert {o.scenario.name: o.unsupported for o in made.episode_specs()} == {
        "one": (),
        "two": ("Sales Analysis",),
    }


TWO_DAYS = load_shipped_benchmark("continual-50").scenarios


def scenario(name: str, *days: tuple[str, ...]) -> Scenario:
    specs = tuple(
        day_spec(*rules, name=f"day_{number}") for number, rules in enumerate(days, start=1)
    )
    return Scenario(name=name, days=specs)


def plan_of(
    *sequences: DaySequenceMode, scenarios: tuple[Scenario, ...] = TWO_DAYS, epochs: int = 1
) -> RunPlan:
    agents = tuple(
        AgentConfig(name=day_sequence.value, agent="nothing", day_sequence=day_sequence)
        for day_sequence in sequences
    )
    return RunPlan(benchmark="test", scenarios=scenarios, agents=agents, epochs=epochs)


def told(orders: tuple[EpisodeSpec, ...]) -> list[tuple[str, str | None, bool]]:
    return [(order.day_name, order.remembers, order.followed) for order in orders]


def test_days_are_worked_as_written_each_remembering_the_one_before() -> None:
    first, second = next(plan_of(DaySequenceMode.AS_WRITTEN).day_sequences())
    assert told((first, second)) == [("day_1", None, True), ("day_2", first.id, False)]


def test_reversed_the_last_day_comes_first() -> None:
    first, second = next(plan_of(DaySequenceMode.REVERSED).day_sequences())
    assert told((first, second)) == [("day_2", None, True), ("day_1", first.id, False)]


def test_a_forgetful_agent_works_every_day_alone() -> None:
    sequences = list(plan_of(DaySequenceMode.FORGETFUL, scenarios=TWO_DAYS[:1]).day_sequences())
    assert [told(day_sequence) for day_sequence in sequences] == [
        [("day_1", None, False)],
        [("day_2", None, False)],
    ]


def test_after_others_comes_the_last_day_with_no_rule_in_common() -> None:
    sequences = list(plan_of(DaySequenceMode.AFTER_OTHERS).day_sequences())
    for borrowed, own in sequences:
        assert borrowed.scenario.name != own.scenario.name
        assert (borrowed.day_name, own.day_name) == ("day_1", "day_2")
        assert (borrowed.followed, own.remembers) == (True, borrowed.id)
        had, met = (
            {task.rule for task in order.scenario.days[order.day].tasks}
            for order in (borrowed, own)
        )
        assert not had & met
    assert [own.scenario.name for _, own in sequences] == [scenario.name for scenario in TWO_DAYS]


def test_four_fifths_of_them_have_not_even_a_family_in_common() -> None:
    pairs = list(zip(TWO_DAYS, match_scenarios(TWO_DAYS), strict=True))
    strangers = sum(
        not {t.rule.partition(".")[0] for t in own.days[-1].tasks}
        & {t.rule.partition(".")[0] for t in other.days[0].tasks}
        for own, other in pairs
    )
    assert strangers >= 0.8 * len(pairs)


def test_episodes_of_all_day_sequences_have_distinct_ids_in_every_epoch() -> None:
    made = plan_of(*DaySequenceMode, epochs=2)
    ids = [order.id for order in made.episode_specs()]
    assert len(set(ids)) == len(ids) == len(DaySequenceMode) * len(TWO_DAYS) * 2 * 2
    for day_sequence in made.day_sequences():
        assert {order.attempt for order in day_sequence} == {day_sequence[0].attempt}


def test_a_plan_with_every_day_sequence_survives_its_file() -> None:
    made = plan_of(*DaySequenceMode, scenarios=TWO_DAYS[:6], epochs=2)
    read = RunPlan.model_validate_json(made.model_dump_json())
    assert list(read.day_sequences()) == list(made.day_sequences())


@pytest.mark.parametrize(
    ("scenarios", "says"),
    [
        ((scenario("a", ("kb_fix.easy",), ("kb_fix.easy",)),), "no other scenario is left for a"),
        (
            (
                scenario("a", ("kb_fix.easy",), ("kb_fix.easy",)),
                scenario("b", ("kb_fix.easy",), ("kb_fix.easy",)),
            ),
            "no rule in common",
        ),
        ((scenario("a", ("kb_fix.easy",)), scenario("b", ("kb_fix.hard",))), "a has one"),
    ],
    ids=["alone", "alike", "one day"],
)
def test_a_missing_partner_day_is_explained(scenarios: tuple[Scenario, ...], says: str) -> None:
    with pytest.raises(ValidationError, match=says):
        plan_of(DaySequenceMode.AFTER_OTHERS, scenarios=scenarios)
    plan_of(
        DaySequenceMode.AS_WRITTEN,
        DaySequenceMode.REVERSED,
        DaySequenceMode.FORGETFUL,
        scenarios=scenarios,
    )


RULES = st.frozensets(st.sampled_from("abcdef"), min_size=1, max_size=3)


@given(st.lists(st.tuples(RULES, RULES), min_size=1, max_size=7))
def test_every_scenario_gets_a_partner_whenever_possible(
    days: list[tuple[frozenset[str], frozenset[str]]],
) -> None:
    scenarios = [
        scenario(str(number), tuple(sorted(first)), tuple(sorted(last)))
        for number, (first, last) in enumerate(days)
    ]
    possible = _assignable([last for _, last in days], [first for first, _ in days])
    try:
        given_to = match_scenarios(scenarios)
    except NoMatchingScenario:
        assert not possible
        return
    assert possible
    assert len({other.name for other in given_to}) == len(scenarios)
    for own, other in zip(scenarios, given_to, strict=True):
        assert own.name != other.name
        assert not {t.rule for t in own.days[-1].tasks} & {t.rule for t in other.days[0].tasks}


def _assignable(
    lasts: list[frozenset[str]], firsts: list[frozenset[str]], taken: frozenset[int] = frozenset()
) -> bool:
    """Decide by trying everything."""
    place = len(taken)
    return place == len(lasts) or any(
        _assignable(lasts, firsts, taken | {other})
        for other in range(len(firsts))
        if other not in taken and other != place and not firsts[other] & lasts[place]
    )


RESULTS = [episode("oracle", f"s{number}", task(1.0)) for number in range(3)]


def test_appended_results_are_read_back_in_order(tmp_path: Path) -> None:
    ledger = ResultFile(tmp_path / "results.jsonl")
    assert ledger.read() == []
    for result in RESULTS:
        ledger.append(result)
    assert ledger.read() == RESULTS


@given(cut=st.integers(min_value=0))
def test_a_torn_last_line_is_cut_off_and_every_whole_line_stays(
    tmp_path_factory: pytest.TempPathFactory, cut: int
) -> None:
    ledger = ResultFile(tmp_path_factory.mktemp("run") / "results.jsonl")
    for result in RESULTS:
        ledger.append(result)
    whole = ledger.path.read_bytes()
    torn = whole[: cut % (len(whole) + 1)]
    ledger.path.write_bytes(torn)
    ledger.repair()
    kept = ledger.read()
    assert kept == RESULTS[: torn.count(b"\n")]
    ledger.append(RESULTS[0])
    assert ledger.lines() == [*kept, RESULTS[0]]


def test_a_damaged_line_is_named_and_not_passed_over(tmp_path: Path) -> None:
    ledger = ResultFile(tmp_path / "results.jsonl")
    ledger.append(RESULTS[0])
    with ledger.path.open("ab") as file:
        file.write(b'{"episode": 3}\n')
    with pytest.raises(ResultFileError, match="line 2"):
        ledger.read()


def test_keeping_some_results_leaves_exactly_them(tmp_path: Path) -> None:
    ledger = ResultFile(tmp_path / "results.jsonl")
    for result in RESULTS:
        ledger.append(result)
    ledger.rewrite(RESULTS[1:])
    assert ledger.read() == RESULTS[1:]
    assert [file.name for file in tmp_path.iterdir()] == ["results.jsonl"]


@pytest.mark.parametrize(
    ("agent", "isolation", "tokens", "view"),
    [
        ("oracle", "insider", None, ResultView.TEXT),
        ("my_agents:mine", "none", None, ResultView.TEXT),
        ("command-r", "none", 1_200, ResultView.TEXT),
        ("command-2", "none", None, ResultView.STRUCTURED),
        ("mine", "sandbox", None, ResultView.STRUCTURED),
    ],
)
def test_a_line_from_before_views_were_recorded_is_read_as_what_it_was(
    agent: str, isolation: str, tokens: int | None, view: ResultView
) -> None:
    identity = ResultIdentity(
        score_version=1, generator=1, tools=("desk",), npc_brain="scripted", modality="pictures",
        limits=EpisodeLimits(), isolation=isolation,
    )  # fmt: skip
    line = episode(agent, "s0", task(1.0), identity=identity, prompt_tokens=tokens).model_dump(
        mode="json"
    )
    del line["identity"]["results"]
    read = EpisodeResult.model_validate(line)
    assert read.identity is not None and read.identity.results is view
