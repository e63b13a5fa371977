"""Who goes on with a day clears what is in the way of any tool that makes a file."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

import pytest
from pydantic import JsonValue

from trainee_bench.harness.testbench.finishing_tools import FinishingTools
from trainee_bench.harness.testbench.work_done import WorkDone
from trainee_bench.mcp_servers import discover_tools
from trainee_bench.mcp_servers.serving.toolbox import FileUse
from trainee_bench.meta_tasks.tool_client import ToolFailed, ToolResponse

NOW = datetime(2025, 10, 1, 9)
MADE = "workspace:/result.csv"
MAKING = {
    name: "target" if "target" in tool.arguments.model_fields else "path"
    for name, tool in discover_tools().items()
    if tool.files in (FileUse.WRITES, FileUse.MAKES)
}


class Occupied:
    """An office in which nothing can be made until a file is deleted."""

    def __init__(self) -> None:
        self.calls: list[str] = []

    async def call(self, tool: str, arguments: Mapping[str, JsonValue]) -> ToolResponse:
        self.calls.append(tool)
        if tool == "files_delete":
            assert arguments == {"path": MADE}
        elif "files_delete" not in self.calls:
            raise ToolFailed("There is such a file already.", NOW)
        return ToolResponse("", {}, NOW)


@pytest.mark.every_app
@pytest.mark.parametrize(("tool", "names"), MAKING.items())
async def test_a_file_in_the_way_of_a_tool_that_makes_one_is_removed(tool: str, names: str) -> None:
    office = Occupied()
    tools = FinishingTools(office, WorkDone(), NOW, (), {})
    await tools.call(tool, {names: MADE, "source": "drive:/a.csv"})
    assert office.calls == [tool, "files_delete", tool]


async def test_a_file_of_the_company_stays() -> None:
    office = Occupied()
    tools = FinishingTools(office, WorkDone(), NOW, (), {})
    with pytest.raises(ToolFailed):
        await tools.call("files_write", {"path": "drive:/result.csv", "text": ""})
    assert office.calls == ["files_write"]
