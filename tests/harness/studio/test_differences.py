"""Files and tables compared: with another step, with their source, with another agent's."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.harness.studio.shown import visitor
from trainee_bench.mcp_servers import default_toolboxes
from trainee_bench.mcp_servers.serving.dispatcher import ToolDispatcher
from trainee_bench.meta_tasks.benchmark import find_scenario
from trainee_bench.meta_tasks.composition import create_world

PLACE = "/api/episodes/0-0/difference"
TEXT, TABLE = "workspace:/notes.md", "workspace:/table.xlsx"
MANY = "\n".join(f"line {number}" for number in range(1, 41))
CALLS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("files_write", {"path": TEXT, "text": MANY}),
    (
        "files_write",
        {"path": TEXT, "text": MANY.replace("line 20", "line twenty")},
    ),
    ("sheets_create", {"path": TABLE}),
    ("sheets_write", {"path": TABLE, "start": "A1", "rows": [["Name", "Hours"], ["Ann", 3]]}),
    ("sheets_write", {"path": TABLE, "start": "B2", "rows": [[4]]}),
    ("files_write", {"path": "workspace:/notes_old.md", "text": "line 1"}),
)


@pytest.fixture
async def worked(tmp_path: Path) -> Path:
    path = tmp_path / "day.world"
    async with await create_world(path, find_scenario()) as world:
        me = await world.read(lambda tx: tx.employee)
        calls = ToolDispatcher(world, me, default_toolboxes().values())
        for tool, arguments in CALLS:
            done = await calls.call(tool, arguments)
            assert done.error is None, (tool, done.error)
    return path


async def told(client: httpx2.AsyncClient, place: str = PLACE, **query: object) -> Any:
    answer = await client.get(place, params={name: str(value) for name, value in query.items()})
    assert answer.status_code == 200, answer.text
    return answer.json()


async def test_lines_that_differ_between_two_steps_stand_with_those_around_them(
    worked: Path,
) -> None:
    async with visitor(worked) as client:
        found = (await told(client, path=TEXT, step=2, before_step=1))["difference"]
        same = (await told(client, path=TEXT, step=3, before_step=2))["difference"]
        new = (await told(client, path=TEXT, step=1, before_step=0))["difference"]
    changed = [(line["kind"], line["text"]) for line in found["lines"]]
    assert ("removed", "line 20") in changed and ("added", "line twenty") in changed
    assert [kind for kind, _ in changed].count("same") == 6
    assert changed[0][0] == "left out"
    assert same["same"] is True and same["lines"] == []
    assert {line["kind"] for line in new["lines"]} == {"added"} and len(new["lines"]) == 40


async def test_cells_that_differ_are_named_with_both_values(worked: Path) -> None:
    async with visitor(worked) as client:
        found = (await told(client, path=TABLE, step=5, before_step=4))["difference"]
        whole = (await told(client, path=TABLE, step=5, before_step=3))["difference"]
    assert [(c["cell"], c["before"], c["after"]) for c in found["cells"]] == [("B2", 3, 4)]
    assert [c["cell"] for c in whole["cells"]] == ["A1", "B1", "A2", "B2"]


async def test_a_file_is_compared_with_its_source_by_the_likest_name(worked: Path) -> None:
    async with visitor(worked) as client:
        found = await told(client, path="workspace:/notes_old.md", before_path="source")
        assert found["before"]["path"] == TEXT
        kinds = await told(client, path=TEXT, before_path=TABLE)
    assert kinds["difference"]["flaw"] == "A text and a table cannot be compared."


async def test_the_files_of_two_agents_are_compared(ran: Path) -> None:
    async with visitor(ran) as client:
        oracle, sprayer = "/api/episodes/0-0", "/api/episodes/0-1"
        steps = (await told(client, oracle))["steps"]
        files = (await told(client, f"{oracle}/state/{steps}/files"))["view"]["files"]
        made = next(file["path"] for file in files if file["path"].endswith("_fixed.md"))
        found = await told(client, f"{oracle}/difference", path=made, before_episode="0-1")
        steps_of_other = (await told(client, sprayer))["steps"]
    assert found["before"]["episode"] == "0-1"
    assert found["before"]["step"] == steps_of_other
    assert {line["kind"] for line in found["difference"]["lines"]} >= {"added"}


async def test_what_cannot_be_compared_is_told_in_words(worked: Path) -> None:
    async with visitor(worked) as client:
        assert (await client.get(PLACE)).status_code == 400
        assert (await client.get(PLACE, params={"path": TEXT, "step": "99"})).status_code == 404
        other = {"path": TEXT, "before_episode": "7-7"}
        assert (await client.get(PLACE, params=other)).status_code == 404
        nothing = await told(client, path="workspace:/none.md")
    assert nothing["difference"]["same"] is True
