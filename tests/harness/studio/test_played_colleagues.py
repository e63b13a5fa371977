"""A person answers for the colleagues; code decides what is told, and the script stands in."""

from __future__ import annotations

from pathlib import Path

import anyio
import pytest
from pydantic import BaseModel

from tests.harness.studio.acting import acting
from tests.harness.studio.test_guiding import finished, problems, replayed
from tests.world.office import COMPANY, ROBIN, office
from trainee_bench.harness.studio.guidance import EpisodeControl
from trainee_bench.harness.studio.played_colleagues import PlayedColleagues


async def test_a_person_answers_in_their_own_words_and_the_day_replays(tmp_path: Path) -> None:
    async with acting(tmp_path) as person:
        episode = await person.start(attendance={"patience": 600})
        live, worded = f"/api/live/{episode}", 0
        asked = (await person.until(episode, "questions"))["questions"][0]
        assert asked["asker"] == "Robin Hale"
        (topic,) = (one for one in asked["topics"] if one["question"] == asked["text"])
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
            for one in (await person.guidance(episode))["questions"]:
                await person.post(f"{live}/reply", {"question": one["question"]})
        while not (await person.get("/api/jobs"))["jobs"][0]["finished"]:
            for one in (await person.guidance(episode))["questions"]:
                await person.post(f"{live}/reply", {"question": one["question"]})
        await person.over()
    folder, result = await finished(next(tmp_path.glob("quickstart-*")))
    assert result.identity is not None
    assert result.identity.npc_brain == "scripted+person"
    assert result.score == 1.0
    assert await replayed(folder) is None
    assert await problems(folder) == ()


async def test_the_script_stands_in_after_a_while(tmp_path: Path) -> None:
    async with acting(tmp_path) as person:
        episode = await person.start(attendance={"patience": 1})
        await person.until(episode, "questions")
        await person.over()
    folder, result = await finished(next(tmp_path.glob("quickstart-*")))
    assert result.score == 1.0
    assert result.identity is not None and result.identity.npc_brain == "scripted"
    assert await problems(folder) == ()


async def test_a_person_chooses_whom_to_play_and_the_script_answers_for_the_others(
    tmp_path: Path,
) -> None:
    async with acting(tmp_path) as person:
        episode = await person.start(attendance={"patience": 600})
        live = f"/api/live/{episode}"
        facts = await person.until(episode, "questions")
        assert facts["chosen"] is None
        asked = facts["questions"][0]["colleague"]
        known = {one["name"]: one for one in facts["colleagues"]}
        assert known[asked]["knows"] and "Robin Hale" not in known
        await person.post(f"{live}/play", {"colleagues": ["nobody.here"]}, 409)
        others = [one["id"] for name, one in known.items() if name != asked]
        await person.post(f"{live}/play", {"colleagues": others})
        while facts["chosen"] != sorted(others) or facts["questions"]:
            facts = await person.guidance(episode)
            assert (
                asked not in [one["colleague"] for one in facts["questions"]] or not facts["chosen"]
            )
            for one in facts["questions"]:
                await person.client.post(f"{live}/reply", json={"question": one["question"]})
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
