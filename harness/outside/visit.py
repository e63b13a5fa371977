"""One day of an agent's command: its folder, its address, its process, and the end of all that."""

from __future__ import annotations

import json
import os
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import anyio

from harness.outside.child import Child, Start, started
from harness.outside.command_line import MCP_CONFIG, PROMPT, PROMPT_FILE, TOKEN, URL, filled
from harness.outside.gateway import Gateway, build_gateway
from harness.outside.housing import PASSWD, PEOPLE, House, house
from harness.outside.said import Said
from harness.outside.scratch import HOME, Scratch, scratch_folder
from harness.plan import Candidate, PlanError
from harness.workplace import InfrastructureFault
from mcp_servers.office import OFFICE
from mcp_servers.serving.http import Address, HttpHost

_CONFIG, _PROMPT = "mcp.json", "prompt.md"
_NO_SANDBOX = 1
"""What bwrap exits by where it fails itself; a command in it may, too."""


@dataclass(frozen=True)
class Visit:
    """A command at work for one day, through *gateway*; ``said`` is what it prints."""

    candidate: Candidate
    prompt: str
    gateway: Gateway
    said: Said

    async def pay(self) -> int | None:
        """Run the command to its end; its exit code, None if it had to be stopped.

        It is stopped when the gateway has been closed and its grace is over. Raises
        InfrastructureFault if it cannot be started, or its sandbox cannot be made.
        """
        try:
            place = house(self.candidate)
        except PlanError as error:  # what was there when the run began is gone
            raise InfrastructureFault(str(error)) from None
        async with AsyncExitStack() as stack:
            host = await stack.enter_async_context(HttpHost())
            address = await stack.enter_async_context(host.seat(build_gateway(self.gateway)))
            self.said.leave_out("token", address.token)
            scratch = stack.enter_context(scratch_folder(place.owner))
            report = stack.enter_context(_Report()) if place.inside else None
            start = self._start(place, scratch, address, report)
            child = await stack.enter_async_context(started(start, place))
            code = await self._attend(child)
            if code == _NO_SANDBOX and report is not None and not report.tells_an_end():
                raise InfrastructureFault(f"the sandbox cannot be made: {self.said.last_line}")
            return code

    async def _attend(self, child: Child) -> int | None:
        stopped = False

        async def stop_in_time() -> None:
            nonlocal stopped
            await self.gateway.closed.wait()
            await anyio.sleep(self.gateway.grace)
            stopped = True
            child.kill()

        async with anyio.create_task_group() as group:
            group.start_soon(stop_in_time)
            code = await child.ended(self.said)
            group.cancel_scope.cancel()
        return None if stopped else code

    def _start(
        self, place: House, scratch: Scratch, address: Address, report: _Report | None
    ) -> Start:
        """How the command is started, and the files that it is given."""
        server = {"type": "http", "url": address.url, "headers": address.headers}
        scratch.put(_CONFIG, json.dumps({"mcpServers": {OFFICE: server}}, indent=1))
        scratch.put(_PROMPT, self.prompt)
        scratch.put(PASSWD, PEOPLE)
        values = {
            MCP_CONFIG: place.seen(scratch.path, _CONFIG),
            PROMPT_FILE: place.seen(scratch.path, _PROMPT),
            PROMPT: self.prompt,
            URL: address.url,
            TOKEN: address.token,
        }
        assert self.candidate.command is not None
        told = report.writing if report else None
        words = place.words(filled(self.candidate.command, values), scratch.path, told)
        folder = Path("/") if place.inside else scratch.path / HOME
        return Start(words, self._environment(place, scratch), folder, str(scratch.path), told)

    def _environment(self, place: House, scratch: Scratch) -> dict[str, str]:
        given = {
            "PATH": place.path,
            "HOME": place.seen(scratch.path, HOME),
            "LANG": "C.UTF-8",
            "TERM": "dumb",
        }
        return given | passed_on(self.candidate)


class _Report:
    """Where a sandbox tells how its command ended; open while the block lasts."""

    def __enter__(self) -> Self:
        self._reading, self.writing = os.pipe()
        os.set_blocking(self._reading, False)
        return self

    def __exit__(self, *raised: object) -> None:
        os.close(self._reading)
        os.close(self.writing)

    def tells_an_end(self) -> bool:
        """Whether a command was begun, and ended. To be asked once, after the end of it all."""
        try:
            return b'"exit-code"' in os.read(self._reading, 65_536)
        except BlockingIOError:
            return False


def passed_on(candidate: Candidate) -> dict[str, str]:
    """The variables of our environment that *candidate* gets, by name."""
    return {name: os.environ[name] for name in candidate.environment if name in os.environ}
