"""What cheats read from an objective, and what learning the feedback by heart gains: nothing."""

from __future__ import annotations

import pytest
from pydantic import Field as Described

from tests import quick_round
from trainee_bench.harness.agents.cheats import rehearsed
from trainee_bench.harness.agents.cheats.memoriser import OBSERVED_AGENTS, Memoriser
from trainee_bench.harness.agents.heuristics import (
    bullet_items,
    described_fields,
    guess_json,
    named_paths,
)
from trainee_bench.harness.agents.runtime.in_process_episode import cached_grade, run_in_process
from trainee_bench.harness.session.agent_session import AgentSession
from trainee_bench.harness.session.limits import EpisodeLimits
from trainee_bench.harness.session.prompt import build_prompt
from trainee_bench.harness.session.tool_transports import InProcessToolTransport
from trainee_bench.harness.testbench.staged_day import stage_day
from trainee_bench.mcp_servers.verifier import grade_world
from trainee_bench.meta_tasks.answers import PersonRef, Text
from trainee_bench.meta_tasks.benchmark import load_shipped_benchmark
from trainee_bench.meta_tasks.composition import ComposedDay, compose_day
from trainee_bench.meta_tasks.deliverable import Deliverable
from trainee_bench.meta_tasks.grade import feedback
from trainee_bench.meta_tasks.scenario import Scenario


class Entry(Deliverable):
    name: PersonRef = Described(description="full name of the person")
    pieces: int = Described(description="how many")


class Order(Deliverable):
    orders: list[Entry] = Described(description="one for each request")
    total: float = Described(description="the sum in EUR")
    cause: Text = Described(description='one of "fire", "full disk", "rust"')
    server: Text = Described(description='which one, such as "web-01"')
    reason: Text = Described(description="why the server became slow")


ASKED = f"""Write workspace:/order.json, from drive:/buying/rules.md (see `drive:/buying`).
It has these fields:
{Order.describe()}
The requests:
- Ada Lovelace asks for 3 x lamp
- Alan Turing asks for 12 x chair
"""


def test_paths_are_files_and_stand_once() -> None:
    assert named_paths(f"{ASKED} Again: workspace:/order.json.") == [
        "workspace:/order.json",
        "drive:/buying/rules.md",
    ]


def test_fields_are_read_as_a_deliverable_describes_them() -> None:
    found = described_fields(ASKED)
    assert [field.name for field in found] == ["orders", "total", "cause", "server", "reason"]
    assert [field.name for field in found[0].inner] == ["name", "pieces"]


def test_a_plausible_file_has_the_fields_that_were_asked_for_filled_from_what_was_said() -> None:
    said = "The total was 40.5 EUR in sum. The server became slow because db-07 has a full disk."
    order = Order.parse(guess_json(described_fields(ASKED), f"{ASKED}\n{said}"))
    assert isinstance(order, Order)
    assert [entry.pieces for entry in order.orders] == [3, 12]
    assert "has a full disk" in order.reason
    assert (order.cause, order.server) == ("full disk", "db-07")
    assert order.total > 0


def test_bullets_are_items_and_not_descriptions_of_fields() -> None:
    assert bullet_items(ASKED) == [
        "Ada Lovelace asks for 3 x lamp",
        "Alan Turing asks for 12 x chair",
    ]


TWO_DAYS = load_shipped_benchmark("continual-50").scenarios[:6]


async def score_with(memory: str, composition: ComposedDay) -> float | None:
    day = await stage_day(composition)
    async with day.world:
        limits = EpisodeLimits(steps=200)
        said = await day.world.read(lambda tx: build_prompt(tx, limits))
        transport = InProcessToolTransport(day.seat)
        session = AgentSession(transport, transport.tools({}), said, composition.day, limits)
        await Memoriser(memory).work(session)
        return (await grade_world(day.world)).score


@pytest.mark.parametrize(
    "scenario", quick_round.quick_first(TWO_DAYS, 3), ids=lambda scenario: scenario.name
)
async def test_memorising_the_first_days_feedback_gains_nothing_on_the_second(
    scenario: Scenario,
) -> None:
    first, second = compose_day(scenario, 0), compose_day(scenario, 1)
    said = [
        feedback(grade, tier=3)
        for agent in OBSERVED_AGENTS
        for grade in (await cached_grade(agent, first)).tasks
    ]
    assert await score_with("\n".join(said), second) == 0


async def test_a_rehearsed_day_submits_the_common_answers_of_each_task(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(rehearsed, "OTHER_SEED_COUNT", 2)
    rules = ("kb_fix.easy", "sales.top_sales_employee")
    spec = {"tasks": [{"rule": rule} for rule in rules]}
    scenario = {"name": "rehearsing", "seed": 3, "days": [spec], "arrival": "streamed"}
    day = compose_day(Scenario.model_validate(scenario))
    log = (await run_in_process("rehearsed", day)).log
    written, submitted = list[object](), list[object]()
    for call in log:
        if call.tool == "files_write":
            written.append(call.arguments["path"])
        if call.tool == "desk_submit":
            task = next(task for task in day.tasks if task.id == call.arguments["task"])
            (path,) = task.instance.told.deliverable_paths
            assert written[-1] == path and written.count(path) == 2  # first the recorded call's
            submitted.append(task.id)
            written.clear()
    assert sorted(map(str, submitted)) == sorted(task.id for task in day.tasks)
