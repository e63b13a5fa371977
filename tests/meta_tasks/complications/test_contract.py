"""The contract of every complication: it is found by itself, fits, and is a function of the
seed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import pairwise, permutations
from types import ModuleType, SimpleNamespace

import pytest

from tests.meta_tasks.days import day_with
from tests.quick_round import quick_only
from trainee_bench.meta_tasks.catalog import UnknownRuleError, all_rules, find_rule, make_meta_task
from trainee_bench.meta_tasks.complication import ComplicationKind
from trainee_bench.meta_tasks.complications import complications_of, discover_complications
from trainee_bench.meta_tasks.composition import ComposedDay, compose_day
from trainee_bench.meta_tasks.families import discover_families
from trainee_bench.meta_tasks.scenario import DaySpec, Milestone, PublishAfter, Scenario, TaskSpec
from trainee_bench.meta_tasks.secret_draws import MOST_DRAWS, SecretDraws
from trainee_bench.meta_tasks.task_context import CompositionError

pytestmark = pytest.mark.every_family
NAMES = sorted(discover_complications())
A_RULE = "sales.top_sales_employee"
RULES: Mapping[str, str] = {
    name: next(
        id for id, rule in all_rules().items() if complication.fits(rule.meta_task.family_class)
    )
    for name, complication in discover_complications().items()
} | dict.fromkeys(complications_of(discover_families()["sales"]), A_RULE)
"""A rule for each complication."""


def day(*rules: str, seed: int = 5) -> ComposedDay:
    named = [name for rule in rules for name in rule.split("+")[1:]]
    if not any(discover_complications()[name].several_days for name in named):
        return day_with(*rules, seed=seed, name="a day")
    empty, today = DaySpec(tasks=()), DaySpec(tasks=tuple(TaskSpec(rule=rule) for rule in rules))
    return day_with(seed=seed, name="a day", days=(empty, empty, today), week=True)


def test_each_kind_has_one() -> None:
    assert {complication.kind for complication in discover_complications().values()} == set(
        ComplicationKind
    )


def test_no_two_complications_draw_the_same_secrets() -> None:
    starts = sorted(SecretDraws)
    assert all(other - one >= MOST_DRAWS for one, other in pairwise(starts))


@pytest.mark.parametrize("name", NAMES)
def test_each_fits_three_families_or_more(name: str) -> None:
    one = discover_complications()[name]
    assert len([family for family in discover_families().values() if one.fits(family)]) >= 3


@pytest.mark.parametrize("name", NAMES)
def test_each_says_in_one_sentence_what_it_does(name: str) -> None:
    about = discover_complications()[name].about
    assert about.endswith(".") and ". " not in about


@pytest.mark.parametrize(
    "name", quick_only({"retraction", "changed_request", "outside_mail"}, NAMES)
)
def test_the_same_seed_makes_the_same_day_and_another_seed_another(name: str) -> None:
    rule = f"{RULES[name]}+{name}"
    assert day(rule).tasks[0].instance == day(rule).tasks[0].instance
    assert day(rule).tasks[0].instance != day(rule, seed=6).tasks[0].instance


def test_in_any_order_of_names_it_is_the_same_rule_and_the_same_day() -> None:
    names = ("sign_off", "busy_holder", "outside_mail")
    ids = ["+".join([A_RULE, *order]) for order in permutations(names)]
    assert {find_rule(id).id for id in ids} == {"+".join([A_RULE, *sorted(names)])}
    assert {make_meta_task(id, {}).rule_id for id in ids} == {find_rule(ids[0]).id}
    first = day(ids[0])
    assert all(day(id) == first for id in ids[1:])


def test_a_task_that_depends_on_a_complicated_one_names_it_in_any_order() -> None:
    cause = TaskSpec(rule=f"{A_RULE}+busy_holder+outside_mail")
    follows = PublishAfter(task=f"{A_RULE}+outside_mail+busy_holder", when=Milestone.SUBMISSION)
    after = TaskSpec(rule="kb_fix.easy", follows=follows)
    composed = day_with(cause, after, name="chain")
    assert [task.cause for task in composed.tasks] == ["", "T1"]


def test_a_complication_that_does_not_exist_is_refused_and_those_that_fit_are_named() -> None:
    with pytest.raises(UnknownRuleError, match="no complication 'nonsense'; it can have: ") as said:
        find_rule(f"{A_RULE}+nonsense")
    assert all(name in str(said.value) for name in complications_of(discover_families()["sales"]))


def test_a_complication_that_does_not_fit_is_refused_and_those_that_do_are_named() -> None:
    with pytest.raises(UnknownRuleError, match="it can have: clashing_invitation"):
        find_rule("website_analysis.slow_page+many_records")


def test_a_complication_named_twice_is_refused() -> None:
    with pytest.raises(UnknownRuleError, match="names 'sign_off' twice; name it once"):
        find_rule(f"{A_RULE}+sign_off+busy_holder+sign_off")


@pytest.mark.parametrize(
    ("rule", "why"),
    [
        (f"{A_RULE}+many_records+corrected_file", "works on the records of T1 already"),
        ("attendance.has_late_or_early.L1+retraction+sign_off", "but 0 are left"),
    ],
)
def test_complications_that_do_not_go_together_are_refused_when_a_day_is_composed(
    rule: str, why: str
) -> None:
    with pytest.raises(CompositionError, match=why) as said:
        day(rule)
    assert "cannot be added" in str(said.value)


def test_a_deadline_that_leaves_no_time_for_a_complication_is_refused() -> None:
    early = {"rule": f"{A_RULE}+busy_holder", "deadline": "10:00"}
    scenario = {"name": "early", "days": [{"tasks": [early]}]}
    with pytest.raises(CompositionError, match="give it a later deadline or leave one out"):
        compose_day(Scenario.model_validate(scenario))


def test_rules_without_complications_are_what_they_were() -> None:
    assert not [id for id in all_rules() if "+" in id]
    plain, beside = day(A_RULE, "kb_fix.easy"), day(f"{A_RULE}+sign_off", "kb_fix.easy")
    (task,) = (task for task in plain.tasks if task.rule == "kb_fix.easy")
    (other,) = (task for task in beside.tasks if task.rule == "kb_fix.easy")
    assert task.instance.graded.truth == other.instance.graded.truth


def test_the_checkpoints_of_a_task_keep_their_weights_and_no_two_share_a_name() -> None:
    plain = find_rule(A_RULE).meta_task.checkpoints()
    names = "clashing_invitation+curious_colleague+hidden_instructions+outside_mail+policy_change"
    made = find_rule(f"{A_RULE}+{names}").meta_task.checkpoints()
    assert [(mark.name, mark.weight) for mark in plain] == [
        (mark.name, mark.weight) for mark in made[: len(plain)]
    ]
    assert len({mark.name for mark in made}) == len(made)


@pytest.fixture
def anew() -> Iterator[None]:
    discover_complications.cache_clear()
    yield
    discover_complications.cache_clear()


@pytest.mark.usefixtures("anew")
def test_a_module_without_a_complication_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    empty = ModuleType("trainee_bench.meta_tasks.complications.empty")
    infos = [SimpleNamespace(name="empty")]
    monkeypatch.setattr("pkgutil.iter_modules", lambda path: infos)
    monkeypatch.setattr("importlib.import_module", lambda name: empty)
    with pytest.raises(TypeError, match="empty must define one Complication called 'empty'"):
        discover_complications()
