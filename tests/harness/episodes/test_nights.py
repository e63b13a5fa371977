"""What an agent remembers in the morning: kept, never learnt, wiped, or falsified in the night."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import date, datetime
from pathlib import Path
from typing import ClassVar

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcp import Client
from rich.console import Console

from tests.harness.days import day_spec
from tests.harness.own_agents import COUNTING, Counting
from tests.harness.runs import LINKS, call, config, day, invoke, read, run_day
from trainee_bench.harness.batch.pipeline import create_run, execute
from trainee_bench.harness.episodes.left_texts import LeftTexts
from trainee_bench.harness.episodes.night import Falsification
from trainee_bench.harness.episodes.transports import InMemoryServers
from trainee_bench.harness.episodes.verification import verify_result
from trainee_bench.harness.records.plan import AgentConfig, EpisodeSpec, MemoryMode, RunPlan
from trainee_bench.harness.records.results import EpisodeResult
from trainee_bench.harness.session.agent_session import AgentSession
from trainee_bench.harness.session.limits import EpisodeLimits
from trainee_bench.harness.session.turns import Thought
from trainee_bench.mcp_servers.office import AppUnavailable
from trainee_bench.meta_tasks.scenario import Scenario
from trainee_bench.world.company.people import create_company
from trainee_bench.world.random_streams import random_stream

NOTE, ELSEWHERE = "workspace:/notes/limit.md", "workspace:/limit.md"
SAID = "The limit is EUR 45 until Thursday 15:00."
THREE_DAYS = Scenario(name="one", days=(day_spec(LINKS), day_spec(), day_spec()), week=True)
EIGHT_DAYS = Scenario(
    name="one", days=(day_spec(LINKS), *(day_spec() for _ in range(7))), week=True
)
DIARIST = f"{__name__}:Diarist"


class Diarist:
    """Writes down on the first day what is said, in its notes, elsewhere, and in its memory."""

    mornings: ClassVar[list[tuple[str, str, str]]] = []
    memory = ""

    async def work(self, session: AgentSession) -> None:
        found = [await session.call("files_read", path=path) for path in (NOTE, ELSEWHERE)]
        noted, elsewhere = ("" if one.failed else str((one.data or {})["text"]) for one in found)
        self.mornings.append((self.memory, noted, elsewhere))
        if session.place == 0:
            for path in (NOTE, ELSEWHERE):
                await session.call("files_write", path=path, text=SAID)

    async def reflect(self, feedback: str) -> Sequence[Thought]:
        self.memory = self.memory or SAID
        return ()


class Forgetful:
    """Has no memory of its own, only notes."""

    async def work(self, session: AgentSession) -> None:
        await session.call("files_write", path=NOTE, text=SAID)


def worked(
    mode: MemoryMode, out: Path, agent: str = DIARIST, scenario: Scenario = THREE_DAYS
) -> tuple[EpisodeSpec, EpisodeResult]:
    """The plan and the result of these days with a memory treated so."""
    Diarist.mornings.clear()
    config = AgentConfig(name=f"one-{mode}", agent=agent, memory=mode)
    plan = RunPlan(benchmark="test", scenarios=(scenario,), agents=(config,))
    (result,) = execute(create_run(plan, out), Console(quiet=True)).results
    assert result.error is None and result.agent_error is None
    return next(plan.episode_specs()), result


def test_with_memory_on_everything_is_there_in_the_morning(tmp_path: Path) -> None:
    worked(MemoryMode.ON, tmp_path / "run")
    assert Diarist.mornings == [("", "", ""), (SAID, SAID, SAID), (SAID, SAID, SAID)]


def test_with_memory_off_it_never_reflects_and_its_notes_are_kept(tmp_path: Path) -> None:
    _, result = worked(MemoryMode.OFF, tmp_path / "run")
    assert Diarist.mornings == [("", "", ""), ("", SAID, SAID), ("", SAID, SAID)]
    assert result.memory_digest is None


def test_with_memory_wiped_memory_and_notes_are_empty_and_nothing_else(tmp_path: Path) -> None:
    worked(MemoryMode.WIPED, tmp_path / "run")
    assert Diarist.mornings == [("", "", ""), ("", "", SAID), ("", "", SAID)]
    assert (tmp_path / "run" / "memories" / "one.week.one-wiped.1.md").read_text() == ""


def test_with_memory_poisoned_both_say_something_else_each_morning(tmp_path: Path) -> None:
    worked(MemoryMode.POISONED, tmp_path / "run")
    _, *later = Diarist.mornings
    assert all(memory == noted for memory, noted, _ in later)
    said = [memory for memory, _, _ in later]
    assert len({SAID, *said}) == 3
    for text in said:
        assert text.startswith("The limit is EUR ") and " until " in text
        assert not {"45", "15:00", "Thursday"} & set(text.rstrip(".").split())
    assert [elsewhere for _, _, elsewhere in later] == [SAID, SAID]
    first = list(Diarist.mornings)
    worked(MemoryMode.POISONED, tmp_path / "again")
    assert Diarist.mornings == first


def test_in_a_long_world_what_a_night_has_falsified_stays_as_it_is(tmp_path: Path) -> None:
    out = tmp_path / "run"
    worked(MemoryMode.POISONED, out, scenario=EIGHT_DAYS)
    _, *later = Diarist.mornings
    assert len(later) == 7 and len(set(later)) == 1
    ((memory, noted, elsewhere),) = set(later)
    assert memory == noted != SAID == elsewhere
    assert not {"45", "15:00", "Thursday"} & set(memory.rstrip(".").split())
    call("replay", out)
    call("verify", out)


@pytest.mark.parametrize("mode", [MemoryMode.WIPED, MemoryMode.POISONED])
def test_such_a_night_replays_and_is_verified_and_counts_for_agents_without_a_memory(
    mode: MemoryMode, tmp_path: Path
) -> None:
    out = tmp_path / "run"
    spec, result = worked(mode, out, f"{__name__}:Forgetful")
    call("replay", out)
    call("verify", out)
    others = {
        MemoryMode.ON: "alters notes at night, but the memory",
        MemoryMode.WIPED: "differently from a wiped memory",
        MemoryMode.POISONED: "differently from a poisoned memory",
    }
    for other in set(others) - {mode}:
        config = spec.agent_config.model_copy(update={"memory": other})
        planned = spec.model_copy(update={"agent_config": config})
        problems = anyio.run(verify_result, planned, result, out).problems
        assert any(others[other] in one for one in problems)


def test_a_night_in_which_the_notes_were_spared_is_found(tmp_path: Path) -> None:
    out = tmp_path / "run"
    spec, result = worked(MemoryMode.ON, out, f"{__name__}:Forgetful")
    config = spec.agent_config.model_copy(update={"memory": MemoryMode.WIPED})
    planned = spec.model_copy(update={"agent_config": config})
    problems = anyio.run(verify_result, planned, result, out).problems
    assert sum("the notes were not wiped in the night" in one for one in problems) == 2


def test_a_plan_says_nothing_of_a_memory_that_is_simply_kept() -> None:
    assert "memory" not in AgentConfig(name="a", agent="nothing").model_dump_json()
    poisoned = AgentConfig(name="a", agent="nothing", memory=MemoryMode.POISONED)
    assert AgentConfig.model_validate_json(poisoned.model_dump_json()) == poisoned


COMPANY = create_company("falsified")
MARA, NILS = COMPANY.people[3], COMPANY.people[7]
SEEDS = st.integers(0, 10_000)


def other(text: str, seed: int = 0) -> str:
    return Falsification.drawn(COMPANY, random_stream("falsified", seed)).text(text)


@given(st.integers(0, 10**9), SEEDS)
def test_a_number_becomes_another_one_of_as_many_digits(number: int, seed: int) -> None:
    found = other(f"At most EUR {number}.", seed).removeprefix("At most EUR ").rstrip(".")
    assert int(found) != number
    assert len(found) == len(str(number)) == len(str(int(found)))


@given(st.decimals(0, 99999, places=2), SEEDS)
def test_a_number_is_written_as_before(number: object, seed: int) -> None:
    written = f"{number:,}"
    found = other(written, seed)
    assert re.sub(r"\d", "0", found) == re.sub(r"\d", "0", written)
    assert found != written


@pytest.mark.parametrize("seed", range(20))
def test_times_days_and_people_become_others_and_stay_consistent(seed: int) -> None:
    text = f"On Monday by 09:30, {MARA.name}; monday again, {MARA.email}, and on 2025-10-08."
    found = other(text, seed)
    said = re.fullmatch(
        r"On (\w+) by (\d\d):30, (.+); (\w+) again, (\S+), and on (2025-10-\d\d)\.", found
    )
    assert said is not None, found
    weekday, hour, name, again, email, day = said.groups()
    assert weekday in ("Tuesday", "Wednesday", "Thursday", "Friday")
    assert again == weekday.lower()
    assert hour != "09" and 8 <= int(hour) <= 18
    person = COMPANY.person(name)
    assert person.name != MARA.name and email == person.email
    assert date.fromisoformat(day).isocalendar()[1] == 41 and day != "2025-10-08"


@pytest.mark.parametrize(
    "text",
    [
        "See to it that every table is sorted; ask early, and check before you hand in.",
        "EXP-481234 and T3 and drive:/expenses/claims_2025.csv and workspace:/notes/T3.md",
        "",
    ],
)
def test_advice_ids_and_paths_stay_as_they_are(text: str) -> None:
    assert other(text) == text


@given(
    st.dictionaries(
        st.sampled_from(["Monday", "Tuesday", "Friday", "limit", "who"]),
        st.one_of(
            st.integers(0, 10_000), st.floats(0, 1000).map(lambda x: round(x, 2)),
            st.sampled_from([MARA.name, NILS.name, "09:00, 14:30"]), st.booleans(),
        ),
        min_size=1,
    ),
    SEEDS,
)  # fmt: skip
def test_json_stays_json_with_as_many_values(noted: dict[str, object], seed: int) -> None:
    found = json.loads(other(json.dumps(noted), seed))
    assert len(found) == len(noted)
    truths = [value for value in noted.values() if not isinstance(value, bool)]
    if truths:
        assert found != noted


@pytest.mark.parametrize("seed", range(20))
def test_night_after_night_nothing_true_comes_back_within_a_week(seed: int) -> None:
    true = ["45", "1", "0", "912", "0.50", "Monday", "14:30", "2025-10-08", MARA.name]
    said = list(true)
    for _ in range(4):
        said = [other(one, seed) for one in said]
        assert all(one != was for one, was in zip(said, true, strict=True))


LONG = replace(
    Falsification.drawn(COMPANY, random_stream("falsified", 3)), first_day=date(2025, 10, 6)
)


def next_night(text: str, left: str) -> str:
    return LeftTexts.of([left], LONG.pattern).new_values_replaced(LONG, text)


def test_what_a_night_has_left_stays_and_what_is_new_is_falsified() -> None:
    left = LONG.text("The limit is EUR 45 on Monday.\n- open: 3, done: 4")
    moved = left.splitlines()[1] + "\nA new line: EUR 912.\n" + left.splitlines()[0]
    first, new, last = next_night(moved, left).splitlines()
    assert [last, first] == left.splitlines()
    assert new == LONG.text("A new line: EUR 912.")


def test_a_new_value_in_a_line_that_was_left_is_falsified_alone() -> None:
    left = LONG.text("- open: 38, done: 47")
    (opened, done) = re.findall(r"\d\d", left)
    assert next_night(f"- open: {opened}, done: 48", left) == (
        f"- open: {opened}, done: {LONG.text('48')}"
    )
    assert done in left


def test_a_value_among_like_lines_is_new_unless_its_line_was_left() -> None:
    left = LONG.text("- claims: 38\n- claims: 47")
    kept = left.splitlines()[0]
    assert next_night(f"{kept}\n- claims: 51", left) == f"{kept}\n- claims: {LONG.text('51')}"


@pytest.mark.parametrize("written", ["15 October", "Wednesday, 15 October", "21 October"])
def test_a_date_in_words_moves_with_its_weekday(written: str) -> None:
    found = LONG.text(written)
    assert found != written and "October" in found
    number = int(found.split(", ")[-1].split()[0])
    moved = date(2025, 10, number)
    assert moved.weekday() < 5
    assert ", " not in found or found.startswith(f"{moved:%A}")


@pytest.mark.parametrize("written", ["31 December", "5 January", "29 February"])
def test_a_date_in_words_is_the_nearest_to_the_first_day_also_of_another_year(written: str) -> None:
    winter = replace(LONG, first_day=date(2027, 12, 27))
    found = winter.text(written)
    assert found != written
    year = 2027 if "December" in found else 2028
    assert datetime.strptime(f"{found} {year}", "%d %B %Y").weekday() < 5


@pytest.mark.parametrize("written", ["18 October", "31 February"])
def test_a_date_that_is_no_working_day_stays(written: str) -> None:
    assert LONG.text(written) == written


def test_the_same_stream_gives_the_same_text_and_another_another() -> None:
    text = f"EUR 45 for {MARA.name} by 10:00 on Monday; EUR 912."
    assert other(text, 1) == other(text, 1)
    assert len({other(text, seed) for seed in range(5)}) > 1


@pytest.fixture
def _nothing_seen() -> None:
    Counting.seen.clear()


@pytest.mark.usefixtures("_nothing_seen")
@pytest.mark.parametrize(
    ("agent", "tries", "broken"), [(COUNTING, 1, True), ("in_order", 2, False)]
)
def test_a_day_that_broke_half_way_is_not_tried_again_by_who_may_remember_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, agent: str, tries: int, broken: bool
) -> None:
    really, opened = InMemoryServers.connect, []

    @asynccontextmanager
    async def fragile(self: InMemoryServers, world: Path, person: str) -> AsyncIterator[Client]:
        async with really(self, world, person) as client:
            yield client
        opened.append(world)
        if len(opened) == 1:
            raise ConnectionError("the line is dead")

    monkeypatch.setattr(InMemoryServers, "connect", fragile)
    out = run_day(tmp_path, "--agent", agent, exits=broken)
    (result,) = read(out)
    assert (result.tries, result.broken) == (tries, broken)
    assert len(Counting.seen) <= 1
    assert not broken or "--resume" in str(result.error)
    assert result.faults == (() if broken else ("ConnectionError: the line is dead",))
    (told,) = (out / "faults").iterdir()
    assert "ConnectionError: the line is dead" in told.read_text(encoding="utf-8")
    assert "the line is dead" in (out / "report.md").read_text(encoding="utf-8")


@pytest.mark.usefixtures("_nothing_seen")
def test_an_app_that_is_gone_at_the_second_try_does_not_hide_what_broke_the_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken: list[Exception] = [ConnectionError("the line is dead"), AppUnavailable("no sheets")]

    @asynccontextmanager
    async def gone(self: InMemoryServers, world: Path, person: str) -> AsyncIterator[Client]:
        raise broken.pop(0)
        yield

    monkeypatch.setattr(InMemoryServers, "connect", gone)
    out = run_day(tmp_path, "--agent", "in_order", exits=1)
    (result,) = read(out)
    assert (result.tries, result.faults) == (2, ("ConnectionError: the line is dead",))
    assert "no sheets" in str(result.error)


class Generous:
    """Grants itself more than the order does, and says that it had nothing."""

    async def work(self, office: AgentSession) -> None:
        office._limits = EpisodeLimits(steps=9_999)
        office._tools = ()


@pytest.mark.usefixtures("_nothing_seen")
def test_limits_and_tools_in_a_result_come_from_the_spec(tmp_path: Path) -> None:
    out, agent = tmp_path / "out", f"{__name__}:Generous"
    invoke("--config", config(tmp_path, one=[day(LINKS)]), "--agent", agent, "--out", out)
    (result,) = read(out)
    assert result.identity is not None
    assert result.identity.limits == EpisodeLimits()
    assert {"chat", "desk", "mail"} <= set(result.identity.tools)
