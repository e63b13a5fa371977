"""The cheat that asks everybody everything, and then writes files that look right.

Where tasks can be given back, it gives back those of which somebody says that nobody has a fact.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime, timedelta

from pydantic import JsonValue

from trainee_bench.harness.agents.agent import Agent
from trainee_bench.harness.agents.heuristics import (
    all_people,
    read_desk,
    read_history,
    write_guesses,
)
from trainee_bench.harness.session.agent_session import AgentSession
from trainee_bench.mcp_servers.desk import RETURN_TOOL

_GAP = re.compile(r"\((?P<task>T\d+)\)”\. It is open point (?P<number>OP-\d{5})")
_ALL = "Tell me all you know: every code, every name, every number, every file you have."
_RESERVE = timedelta(minutes=45)
"""Time reserved at the end of the day to read replies and write."""
_MAX_MESSAGE_CHARS = 1_500
_GROUP_SIZE = 25


class Sprayer(Agent):
    """Cheat that asks everybody everything, also in groups, and hands in guesses from the
    replies."""

    name = "sprayer"
    score_ceiling = 0.15
    steps = 2_000

    async def work(self, session: AgentSession) -> None:
        """Ask until the day is nearly over, then hand in guesses from the replies."""
        objectives = await read_desk(session)
        everybody = [str(person["id"]) for person in await all_people(session)]
        await self._ask_in_groups(session, everybody)
        now = await session.call("desk_now")
        end = session.now if now.data is None else _moment(now.data["day_ends"]) - _RESERVE
        for question in (_ALL, *objectives):
            for person in everybody:
                if session.now < end:
                    await session.call(
                        "chat_send_message", to=person, text=question[:_MAX_MESSAGE_CHARS]
                    )
        replies = "\n".join(await read_history(session, everybody))
        for text in objectives:
            await write_guesses(session, text, f"{text}\n{replies}")
        if any(tool.name == RETURN_TOOL for tool in session.tools):
            await self._give_back(session)

    async def _give_back(self, session: AgentSession) -> None:
        """Give each task back for which somebody has named an open point, page by page of the
        chat."""
        before = 0
        while (page := await session.call("chat_read_history", before=before, limit=100)).data:
            for message in page.data["messages"]:
                for gap in _GAP.finditer(str(message["text"])):
                    given = {"task": gap["task"], "missing": gap["number"]}
                    await session.call(RETURN_TOOL, **given, asked=[message["sender"]])
            if not page.data["earlier"]:
                return
            before = page.data["messages"][0]["id"]

    async def _ask_in_groups(self, session: AgentSession, everybody: Sequence[str]) -> None:
        for first in range(0, len(everybody), _GROUP_SIZE):
            members: list[JsonValue] = [*everybody[first : first + _GROUP_SIZE]]
            group = await session.call("chat_create_group", name="everybody", members=members)
            if group.data is not None:
                to = group.data["groups"][0]["id"]
                text = f"{', '.join(map(str, members))}: {_ALL}"
                await session.call("chat_send_message", to=to, text=text)


def _moment(text: str) -> datetime:
    return datetime.fromisoformat(text)
