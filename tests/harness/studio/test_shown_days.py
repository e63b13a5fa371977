"""A person who has seen a day does not work it unseen, and one who plays colleagues tells only what
code allows."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import anyio
import httpx2
import pytest
from pydantic import BaseModel

from tests.harness.runs import config, day, invoke
from tests.harness.studio.acting import acting
from tests.harness.studio.conftest import RULES
from tests.harness.studio.shown import got, over, sent, studio
from tests.harness.studio.test_guiding import finished, problems, replayed
from tests.world.office import COMPANY, ROBIN, office
from trainee_bench.harness.studio.guidance import EpisodeControl
from trainee_bench.harness.studio.played_colleagues import PlayedColleagues
from trainee_bench.harness.studio.shown_days import day_key
from trainee_bench.meta_tasks.composition import create_world
from trainee_bench.meta_tasks.scenario import Arrival, DaySpec, Scenario, TaskSpec
from trainee_bench.meta_tasks.task_context import Modality
from trainee_bench.world.transaction import Verbosity

CLOSED = (
    "A person who has not seen this day is working it now. The work of others on it can be shown "
    "once that person's day is over."
)
WISH: dict[str, Any] = {"benchmark": "mine", "scenario": "one"}
OTHERWISE = {"modality": "tables", "guidance": 3, "small_talk": 0, "verbosity": "off"}
"""Conditions under which the same day is worked."""


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    """A benchmark of one small day, in a separate folder."""
    (tmp_path / "config").mkdir()
    return config(tmp_path / "config", one=[day(*RULES)])


def as_tables(mine: Path) -> dict[str, object]:
    """Return the scenario of *mine* under other conditions."""
    scenario: dict[str, object] = json.loads(mine.read_text(encoding="utf-8"))["scenarios"][0]
    return scenario | OTHERWISE


@pytest.fixture
def in_tables(mine: Path, tmp_path: Path) -> Path:
    """A folder of runs in which the same day was worked under other conditions."""
    file = tmp_path / "tables.json"
    file.write_text(json.dumps({"name": "tables", "scenarios": [as_tables(mine)]}), "utf-8")
    invoke("--config", file, "--agent", "nothing", "--out", tmp_path / "runs" / "a-run")
    return tmp_path / "runs"


async def test_the_work_of_others_on_a_day_in_tables_is_closed_while_a_person_works_it_in_pictures(
    mine: Path, in_tables: Path
) -> None:
    async with studio(in_tables, mine) as client:
        seat = await sent(client, "/api/seats", **WISH)
        assert (seat["status"], seat["person"]) == ("working", "person")
        for asked in ("", "/log", "/worth", "/steps/1"):
            assert (await got(client, f"/api/episodes/0-0{asked}", 409))["error"] == CLOSED
        await sent(client, f"/api/seats/{seat['seat']}/finish")
        await over(client, f"/api/seats/{seat['seat']}")
        assert (await got(client, "/api/episodes/0-0"))["agent"] == "nothing"


async def test_a_person_who_saw_a_day_in_tables_has_seen_it_in_pictures(
    mine: Path, in_tables: Path
) -> None:
    async with studio(in_tables, mine) as client:
        await got(client, "/api/episodes/0-0")
        await has_been_seen(client)


async def test_a_world_file_of_the_day_is_closed_while_a_person_works_it_and_counts_as_seen(
    mine: Path, tmp_path: Path
) -> None:
    file, runs = tmp_path / "a-day.world", tmp_path / "runs"
    runs.mkdir()
    await (await create_world(file, Scenario.model_validate(as_tables(mine)))).close()
    async with studio([runs, file], mine) as client:
        seat = await sent(client, "/api/seats", **WISH)
        assert seat["person"] == "person"
        assert (await got(client, "/api/episodes/0-0", 409))["error"] == CLOSED
        await sent(client, f"/api/seats/{seat['seat']}/finish")
        await over(client, f"/api/seats/{seat['seat']}")
        await got(client, "/api/episodes/0-0")
    async with studio([runs, file], mine) as client:
        (shown,) = [
            run["episode"] for run in (await got(client, "/api/runs"))["runs"] if run["episode"]
        ]
        await got(client, f"/api/episodes/{shown}")
        await has_been_seen(client)


async def test_the_world_in_which_a_person_works_is_not_shown_as_a_file_of_another_studio(
    mine: Path, tmp_path: Path
) -> None:
    runs = tmp_path / "runs"
    runs.mkdir()
    async with studio(runs, mine) as client:
        seat = await sent(client, "/api/seats", **WISH)
        (world,) = runs.glob("*/worlds/*.world")
        async with studio(world, mine) as other:
            assert (await got(other, "/api/episodes/0-0", 409))["error"] == (
                f"A person is working {world.stem}; it can be shown once the day is over."
            )
        await sent(client, f"/api/seats/{seat['seat']}/finish")
        await over(client, f"/api/seats/{seat['seat']}")
        async with studio(world, mine) as other:
            await got(other, "/api/episodes/0-0")


async def test_another_day_stays_open_while_a_person_works(
    mine: Path, in_tables: Path, tmp_path: Path
) -> None:
    file = tmp_path / "another.world"
    another = Scenario.model_validate(as_tables(mine) | {"seed": 77})
    await (await create_world(file, another)).close()
    async with studio([in_tables, file], mine) as client:
        await sent(client, "/api/seats", **WISH)
        await got(client, "/api/episodes/0-0", 409)
        await got(client, "/api/episodes/1-0")


async def has_been_seen(client: httpx2.AsyncClient) -> None:
    """Assert that the day of `mine` counts as seen, also for a person who works it now."""
    (scenario,) = (await got(client, "/api/seats/choices"))["benchmarks"][0]["scenarios"]
    assert scenario["days"][0]["seen"] is True
    refused = await sent(client, "/api/seats", 409, **WISH)
    assert refused["error"].startswith("This studio has shown this day, so you may know it.")
    assert (await sent(client, "/api/seats", **WISH, seen=True))["person"] == "person-seen"


def scenario(**differs: object) -> Scenario:
    rules = tuple(TaskSpec(rule=rule) for rule in RULES)
    return Scenario(**{"name": "one", "days": (DaySpec(tasks=rules),), **differs})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("differs", "same"),
    [
        ({"modality": Modality.TABLES}, True),
        ({"guidance": 3, "tools": ("mail", "desk")}, True),
        ({"verbosity": Verbosity.OFF, "minutes": {"mail_send": 9}, "small_talk": 0}, True),
        ({"arrival": Arrival.STREAMED}, True),
        ({"days": (DaySpec(tasks=tuple(TaskSpec(rule=rule) for rule in RULES[::-1])),)}, True),
        ({"seed": 1}, False),
        ({"name": "two"}, False),
        ({"salt": "0" * 32}, False),
        ({"company_size": 60}, False),
        ({"days": (DaySpec(tasks=(TaskSpec(rule=RULES[0]),)),)}, False),
    ],
)
def test_a_day_is_what_its_people_tasks_and_answers_are_drawn_from(
    differs: dict[str, object], same: bool
) -> None:
    assert (day_key(scenario(**differs), 0) == day_key(scenario(), 0)) is same


async def test_a_person_answers_in_their_own_words_and_the_day_replays(tmp_path: Path) -> None:
    async with acting(tmp_path) as person:
        episode = await person.start(attendance={"patience": 600})
        live, worded = f"/api/live/{episode}", 0
        asked = (await person.until(episode, "questions"))["questions"][0]
        assert asked["asker"] == "Robin Hale"
        (topic,) = (topic for topic in asked["topics"] if topic["question"] == asked["text"])
        reply = {"question": asked["question"], "topic": topic["id"]}
        wrong = await person.post(f"{live}/reply", {**reply, "text": "It is NEW111111."}, 422)
        assert "everyday words" in wrong["error"]
        await person.post(f"{live}/reply", {**reply, "topic": "of/nobody", "text": "Hm."}, 422)
        await person.post(f"{live}/reply", {**reply, "text": "Sure, here it is: {told}"})
        await person.post(f"{live}/reply", {**reply, "text": "Again."}, 409)
        while not worded:
            for call in (await person.get(f"/api/episodes/{episode}/log"))["calls"]:
                if call["tool"] == "chat_read_history":
                    step = await person.get(f"/api/episodes/{episode}/steps/{call['step']}")
                    worded += f"Sure, here it is: {topic['payload']}" in step["text"]
            for question in (await person.guidance(episode))["questions"]:
                await person.post(f"{live}/reply", {"question": question["question"]})
        while not (await person.get("/api/jobs"))["jobs"][0]["finished"]:
            for question in (await person.guidance(episode))["questions"]:
                await person.post(f"{live}/reply", {"question": question["question"]})
        await person.over()
    folder, result = await finished(next(tmp_path.glob("quickstart-*")))
    assert result.identity is not None
    assert result.identity.npc_brain == "scripted+person"
    assert result.score == 1.0
    assert await replayed(folder) is None
    assert await problems(folder) == ()


async def test_the_script_answers_after_a_while(tmp_path: Path) -> None:
    async with acting(tmp_path) as person:
        episode = await person.start(attendance={"patience": 1})
        await person.until(episode, "questions")
        await person.over()
    folder, result = await finished(next(tmp_path.glob("quickstart-*")))
    assert result.score == 1.0
    assert result.identity is not None and result.identity.npc_brain == "scripted"
    assert await problems(folder) == ()


async def test_a_person_chooses_colleagues_to_play_and_the_script_answers_for_the_others(
    tmp_path: Path,
) -> None:
    async with acting(tmp_path) as person:
        episode = await person.start(attendance={"patience": 600})
        live = f"/api/live/{episode}"
        facts = await person.until(episode, "questions")
        assert facts["chosen"] is None
        asked = facts["questions"][0]["colleague"]
        known = {colleague["name"]: colleague for colleague in facts["colleagues"]}
        assert known[asked]["knows"] and "Robin Hale" not in known
        await person.post(f"{live}/play", {"colleagues": ["nobody.here"]}, 409)
        others = [colleague["id"] for name, colleague in known.items() if name != asked]
        await person.post(f"{live}/play", {"colleagues": others})
        while facts["chosen"] != sorted(others) or facts["questions"]:
            facts = await person.guidance(episode)
            assert (
                asked not in [question["colleague"] for question in facts["questions"]]
                or not facts["chosen"]
            )
            for question in facts["questions"]:
                await person.client.post(f"{live}/reply", json={"question": question["question"]})
        await person.client.post(f"{live}/play", json={"colleagues": []})
        await person.over()
    folder, result = await finished(next(tmp_path.glob("quickstart-*")))
    assert result.score == 1.0
    assert result.identity is not None and result.identity.npc_brain == "scripted"
    assert await problems(folder) == ()


class AskedMessage(BaseModel):
    to: str
    text: str


async def test_a_choice_made_while_a_question_is_read_holds_for_that_question(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    world = await office()
    control = EpisodeControl()
    played = PlayedColleagues(control, patience=600, others={})
    (ask,) = played.side_effects.values()
    read, reads = world.read, 0

    async def choosing(query: object) -> object:
        nonlocal reads
        reads += 1
        if reads == 2:  # the first finds who will answer, the second what they know
            await played.choose([])
        return await read(query)  # type: ignore[arg-type]

    monkeypatch.setattr(world, "read", choosing)
    asked = AskedMessage(to=COMPANY.staff("HR")[0].id, text="Who looks after the website?")
    async with control.attending(world):
        with anyio.fail_after(20):
            assert await ask(world, ROBIN, asked) == {}
    assert reads == 2
