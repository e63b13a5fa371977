"""The cheat that hands in at once what fits the task's text, and answers all news with quotes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from trainee_bench.harness.agents.agent import Agent
from trainee_bench.harness.agents.heuristics import (
    all_people,
    fitting_sentences,
    read_desk,
    write_guesses,
)
from trainee_bench.harness.session.agent_session import AgentSession
from trainee_bench.harness.session.turns import ToolResult
from trainee_bench.meta_tasks.tool_client import ToolData

_MOST_WORDS = 400
_MOST_CHARS = 1_500
_ROUNDS = 80
"""The most times that it waits for news on one day."""


class Parrot(Agent):
    """Cheat that hands in guesses from the task's text, and quotes that text to everybody who
    writes.

    It accepts every invitation and attends every meeting on time.
    """

    name = "parrot"
    score_ceiling = 0.15
    steps = 2_000

    async def work(self, session: AgentSession) -> None:
        """Hand in guesses, then answer news until the day ends."""
        self._answered = set[tuple[str, int]]()
        self._tasks: dict[str, None] = {}
        self._said = set[str]()
        everybody = await all_people(session)
        for _ in range(_ROUNDS):
            await self._hand_in(session, everybody)
            await self._answer_messages(session)
            await self._answer_mails(session)
            await self._attend(session)
            await session.call("desk_wait", until=f"{session.day.ends:%H:%M}")

    async def _hand_in(self, session: AgentSession, everybody: Sequence[Mapping[str, str]]) -> None:
        """Write guesses for each new or changed task, quote it to the people it names, and submit
        everything."""
        for text in await read_desk(session):
            if text in self._tasks:
                continue
            self._tasks[text] = None
            await write_guesses(session, text, text)
            for person in everybody:
                if person["name"] in text:
                    quote = " ".join(fitting_sentences(person["name"], text, _MOST_WORDS))
                    await self._say(session, person["id"], (quote or text)[:_MOST_CHARS])
            listed = await session.call("desk_tasks")
            for task in _list(listed, "tasks"):
                await session.call("desk_submit", task=task["id"], note=text[-_MOST_CHARS:])

    async def _answer_messages(self, session: AgentSession) -> None:
        """Answer each new chat message with what it says and what the tasks say about it."""
        page = await session.call("chat_read_history", limit=100)
        for message in _list(page, "messages"):
            news = ("chat", message["id"])
            if news in self._answered or message["text"] in self._said:
                continue
            self._answered.add(news)
            await self._say(session, message["sender"], self._quote(message["text"]))

    async def _answer_mails(self, session: AgentSession) -> None:
        """Reply likewise to each new mail."""
        page = await session.call("mail_list", label="unread")
        for mail in _list(page, "mails"):
            if ("mail", mail["id"]) in self._answered:
                continue
            self._answered.add(("mail", mail["id"]))
            shown = await session.call("mail_read", mail=mail["id"])
            text = str(shown.data["text"]) if shown.data else ""
            await session.call("mail_reply", mail=mail["id"], body=self._quote(text))

    async def _attend(self, session: AgentSession) -> None:
        """Accept all invitations, and go to the next meeting when it begins."""
        page = await session.call("calendar_list")
        for meeting in _list(page, "meetings"):
            if meeting["attended"] or meeting["cancelled"]:
                continue
            if ("meeting", meeting["id"]) not in self._answered:
                self._answered.add(("meeting", meeting["id"]))
                await session.call("calendar_respond", meeting=meeting["id"], answer="accepted")
            starts = datetime.fromisoformat(str(meeting["starts"]))
            if starts <= session.now < datetime.fromisoformat(str(meeting["ends"])):
                await session.call("calendar_attend", meeting=meeting["id"])

    async def _say(self, session: AgentSession, to: str, text: str) -> None:
        self._said.add(text)
        await session.call("chat_send_message", to=to, text=text)

    def _quote(self, message: str) -> str:
        """Return what the tasks say about *message*, and *message* itself."""
        material = "\n".join(self._tasks)
        quoted = " ".join(fitting_sentences(message, material, _MOST_WORDS))
        return f"{quoted} {message}"[:_MOST_CHARS].strip() or "Yes."


def _list(answer: ToolResult, name: str) -> list[ToolData]:
    """Return the entries of a list in *answer*; none if the call failed."""
    return list(answer.data[name]) if answer.data is not None else []
