"""The cheat that answers every mail and books every meeting with what it finds, asking nobody."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Sequence
from datetime import datetime, timedelta

from pydantic import JsonValue

from trainee_bench.harness.agents.agent import Agent
from trainee_bench.harness.agents.confidence import CHEAT_CONFIDENCE, with_confidence
from trainee_bench.harness.agents.heuristics import (
    all_people,
    fitting_sentences,
    named_paths,
    read_desk,
)
from trainee_bench.harness.session.agent_session import AgentSession
from trainee_bench.mcp_servers.desk import SUBMIT_TOOL

_MOST_WORDS = 110
_QUOTED = re.compile(r"[“\"]([^”\"\n]{3,80})[”\"]")
_MINUTES = re.compile(r"\b([1-9][0-9]{1,2})[ -]minutes?\b")
_LENGTHS = (30, 45, 60)
_STARTS = ("10:00", "14:00", "16:30")


class CannedReplies(Agent):
    """Cheat that quotes what the pages say in mails to everybody concerned, and books the people
    whom a task names."""

    name = "canned_replies"
    score_ceiling = 0.15
    steps = 400

    async def work(self, session: AgentSession) -> None:
        """Read the named files, answer all mails with what they say, and book meetings."""
        tasks = await read_desk(session)
        everybody = await all_people(session)
        for text in tasks:
            material = "\n".join([text, *[page async for page in _pages(session, text)]])
            named = [person for person in everybody if person["name"] in text]
            named.sort(key=lambda person: text.rfind(str(person["name"])))
            await self._write(session, text, material, [str(person["id"]) for person in named])
            await self._book(session, text, [str(person["id"]) for person in named])
        listed = await session.call("desk_tasks")
        for task in listed.data["tasks"] if listed.data else ():
            given = {"task": task["id"]}
            said = with_confidence(session.tools, SUBMIT_TOOL, given, CHEAT_CONFIDENCE)
            await session.call(SUBMIT_TOOL, **said)

    async def _write(
        self, session: AgentSession, text: str, material: str, people: Sequence[str]
    ) -> None:
        """Send the sentences that fit the task to the people it names, and as replies to all; and
        much more to the person named last, under the subject that the task puts in quotes."""
        body = " ".join(fitting_sentences(text, material, _MOST_WORDS))
        mails = await session.call("mail_list")
        for mail in mails.data["mails"] if mails.data else ():
            if str(mail["subject"]) in text:
                copies: list[JsonValue] = [*people]
                subject = f"Re: {mail['subject']}"
                shown = await session.call("mail_read", mail=mail["id"])
                sender = str(shown.data["sender"]) if shown.data else ""
                quoted = f"{body} {shown.data['text'] if shown.data else ''}"
                await session.call(
                    "mail_send", to=[sender], cc=copies, subject=subject, body=_short(quoted)
                )
                await session.call("mail_reply", mail=mail["id"], body=body, everybody=True)
        if people:
            to: list[JsonValue] = [*people]
            await session.call("mail_send", to=to, subject=text[:60].strip(), body=body)
            await session.call(
                "mail_send", to=to[-1:], subject=_title(text), body=_short(f"{body} {material}")
            )

    async def _book(self, session: AgentSession, text: str, people: Sequence[str]) -> None:
        """Book the named people at several hours, for as long as the task says."""
        lengths = [int(minutes) for minutes in _MINUTES.findall(text)] or list(_LENGTHS)
        for start, minutes in zip(_STARTS, lengths * len(_STARTS), strict=False):
            begins = datetime.combine(session.now, datetime.strptime(start, "%H:%M").time())
            ends = f"{begins + timedelta(minutes=minutes):%H:%M}"
            rooms = await session.call(
                "calendar_find_rooms", starts=start, ends=ends, people=len(people) + 1
            )
            if not people or rooms.data is None or not rooms.data["rooms"]:
                continue
            invited: list[JsonValue] = [*people]
            room = next(iter(rooms.data["rooms"]))
            title = _title(text)
            await session.call(
                "calendar_book", title=title, room=room, starts=start, ends=ends, attendees=invited
            )


def _title(text: str) -> str:
    """Return what a task puts in quotes last, or its beginning."""
    quoted = _QUOTED.findall(text)
    return quoted[-1] if quoted else " ".join(text[:60].split()) or "Meeting"


async def _pages(session: AgentSession, text: str) -> AsyncIterator[str]:
    for path in named_paths(text):
        shown = await session.call("files_read", path=path)
        if shown.data is not None:
            yield str(shown.data["text"])


def _short(text: str) -> str:
    return " ".join(text.split()[:_MOST_WORDS])
