"""A plan settles a run: its orders, their ids, and nothing about the day it is run on."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from tests.harness.builders import plan
from trainee_bench.harness.records.plan import AgentConfig, RunPlan, UnsupportedTask
from trainee_bench.mcp_servers.serving.result_text import ResultView

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
