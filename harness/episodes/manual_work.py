"""Work on a staged world, call by call through its MCP server and in no other way.

It is for a person or a script without an MCP client. They see what an agent sees.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import count
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, JsonValue, ValidationError

from trainee_bench.harness.episodes.transports import InMemoryServers
from trainee_bench.harness.records.human_part import GivenGuidance, GuidanceKind
from trainee_bench.harness.records.results import ResultIdentity
from trainee_bench.harness.session.prompt import build_prompt
from trainee_bench.harness.session.tool_transports import McpToolTransport
from trainee_bench.harness.session.turns import ToolResult
from trainee_bench.mcp_servers.guide import MENTOR
from trainee_bench.world.action_log import LogEntry
from trainee_bench.world.errors import first_flaw
from trainee_bench.world.transaction import Picture
from trainee_bench.world.world import World


class CallLine(BaseModel):
    """A line of input: the name of a tool and its arguments."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    tool: str
    args: dict[str, JsonValue] = Field(default_factory=dict)


async def morning_prompt(path: Path) -> str:
    """Return the prompt for an agent that begins to work the world at *path* now.

    Raises WorldFileError.
    """
    async with await World.open(path) as world:
        return await world.read(lambda tx: build_prompt(tx, None))


async def tool_lines(path: Path) -> list[str]:
    """Return the tools that the world at *path* offers, each as a line of JSON.

    Raises WorldFileError.
    """
    async with InMemoryServers().connect(path, "") as client:
        tools = await McpToolTransport(client).tools()
    return [
        json.dumps(
            {
                "name": tool.name,
                "minutes": tool.minutes,
                "description": tool.description,
                "input_schema": dict(tool.input_schema),
            },
            ensure_ascii=False,
        )
        for tool in tools
    ]


async def answer_lines(path: Path, lines: Iterable[str]) -> AsyncIterator[str]:
    """Make the call in each of *lines* in the world at *path*; yield each answer as a line of JSON.

    A line is a `CallLine` in JSON; empty lines are skipped. A line that is not a call is answered
    with an error, and nothing happens in the world. Pictures are written beside the world's file;
    the answer names them. Raises WorldFileError.
    """
    async with InMemoryServers().connect(path, "") as client:
        transport = McpToolTransport(client)
        for line in filter(str.strip, lines):
            try:
                call = CallLine.model_validate_json(line)
            except ValidationError as error:
                where, flaw = first_flaw(error)
                said = 'Nothing was called. A line is {"tool": …, "args": …}; '
                said += f"{where or 'the line'}: {flaw}"
                yield _line(ToolResult(said, None, None, failed=True))
                continue
            answer = await transport.call(call.tool, call.args)
            yield _line(answer, [_save_picture(path, picture) for picture in answer.pictures])


def _save_picture(world: Path, picture: Picture) -> str:
    """Write a picture beside the *world*'s file, under the next free number; return its path."""
    ending = picture.mime_type.rpartition("/")[2]
    for number in count(1):
        path = world.with_name(f"{world.stem}-{number}.{ending}")
        with suppress(FileExistsError), path.open("xb") as file:
            file.write(picture.data)
            return str(path)
    raise AssertionError("numbers do not end")


def _line(answer: ToolResult, pictures: Sequence[str] = ()) -> str:
    shown: dict[str, JsonValue] = {
        "failed": answer.failed,
        "time": answer.time.isoformat() if answer.time else None,
        "text": answer.text,
        "data": answer.data,
    }
    if pictures:
        shown["pictures"] = list(pictures)
    return json.dumps(shown, ensure_ascii=False)


async def next_day(path: Path) -> str:
    """Begin the next working day of the world at *path*; return the text about it.

    Raises WorldFileError, and Refused if no day follows.
    """
    async with await World.open(path) as world:
        done = await world.begin_next_day()
    assert done.result is not None
    return done.result.text


APPROVAL_EFFECT = "approval"
"""Logged effect: a person's answer to the question whether a call may be made."""
PLAYED_EFFECT = "played_by_person"
"""Logged effect: the ids of the colleagues whose replies a person wrote."""
PERSON_BRAIN = "person"
_VERDICTS = (GuidanceKind.APPROVED.value, GuidanceKind.REFUSED.value)


def with_human_part(identity: ResultIdentity, log: Sequence[LogEntry]) -> ResultIdentity:
    """Return *identity* with the part that people played in the day of *log*."""
    brain = identity.npc_brain
    if any(PLAYED_EFFECT in entry.effects for entry in log):
        brain = f"{brain}+{PERSON_BRAIN}"
    return identity.model_copy(update={"guided": tuple(guidance_in(log)), "npc_brain": brain})


def guidance_in(log: Sequence[LogEntry]) -> Iterator[GivenGuidance]:
    """Yield every act of guidance in *log*; a refused call of the mentor is not one."""
    for entry in log:
        verdict = entry.effects.get(APPROVAL_EFFECT)
        if entry.actor == MENTOR and entry.ok:
            yield _of_mentor(entry)
        elif verdict in _VERDICTS:
            yield GivenGuidance(seq=entry.seq, kind=GuidanceKind(str(verdict)))


def _of_mentor(entry: LogEntry) -> GivenGuidance:
    given: dict[str, JsonValue] = entry.data or {}
    tier, task = given.get("tier"), given.get("task")
    if not isinstance(tier, int) or not isinstance(task, str):
        return GivenGuidance(seq=entry.seq, kind=GuidanceKind.MESSAGE)
    return GivenGuidance(seq=entry.seq, kind=GuidanceKind.HINT, tier=tier, task=task)
