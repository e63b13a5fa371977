"""Other ways to keep a duty, for certificates: as the oracle does, with other mails."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime

from pydantic import JsonValue

from trainee_bench.meta_tasks.tool_client import Solver, ToolClient, ToolResponse

Change = Callable[[Solver], Solver]
_NUMBER = re.compile(r"\d+")


class _OtherMails:
    """A tool client that sends other mails than it is asked to: *bodies* of a mail's text, in this
    order, under another *subject*."""

    def __init__(
        self,
        client: ToolClient,
        bodies: Callable[[str], list[str]],
        subject: Callable[[str], str],
    ):
        self._client = client
        self._bodies = bodies
        self._subject = subject

    @property
    def task(self) -> str:
        """The task that is worked on."""
        return self._client.task

    async def call(self, tool: str, **arguments: JsonValue) -> ToolResponse:
        """The call, or the other mails in its place."""
        if tool != "mail_send":
            return await self._client.call(tool, **arguments)
        arguments["subject"] = self._subject(str(arguments["subject"]))
        for body in self._bodies(str(arguments["body"])):
            answer = await self._client.call(tool, **{**arguments, "body": body})
        return answer

    async def wait_until(self, time: datetime) -> None:
        """An appointment, as the client keeps it."""
        await self._client.wait_until(time)

    async def promise(self, time: datetime) -> None:
        """A promise, as the client keeps it."""
        await self._client.promise(time)

    async def wait_at_least(self, minutes: int) -> None:
        """A pause, as the client makes it."""
        await self._client.wait_at_least(minutes)

    async def give_way(self, until: datetime) -> bool:
        """Time for others, as the client gives it."""
        return await self._client.give_way(until)


def _numbers_changed(body: str) -> str:
    return _NUMBER.sub(lambda found: str(int(found[0]) + 1).zfill(len(found[0])), body)


def _respelt(subject: str) -> str:
    return subject.upper().replace(" ", "\u2013")


def _politely(body: str) -> str:
    return f"Good afternoon,\n\n{body}\n\nBest regards,\nRobin Hale"


def _mailing(bodies: Callable[[str], list[str]], subject: Callable[[str], str] = str) -> Change:
    """The work of a solver whose mails are others."""

    def change(work: Solver) -> Solver:
        async def other(client: ToolClient) -> None:
            await work(_OtherMails(client, bodies, subject))

        return other

    return change


VARIANTS: tuple[tuple[str, bool, Change], ...] = (
    ("other numbers in the mails", False, _mailing(lambda body: [_numbers_changed(body)])),
    ("half of each mail", False, _mailing(lambda body: [body[: len(body) // 2]])),
    ("another subject", False, _mailing(lambda body: [body], lambda subject: f"FYI {subject}")),
    ("right mails, then wrong ones", False, _mailing(lambda b: [b, _numbers_changed(b)])),
    ("polite mails", True, _mailing(lambda body: [_politely(body)])),
    ("each mail twice", True, _mailing(lambda body: [body, body])),
    ("wrong mails, then right ones", True, _mailing(lambda b: [_numbers_changed(b), b])),
    ("subjects spelt otherwise", True, _mailing(lambda body: [body], _respelt)),
)
"""Name, whether it is harmless, and what it makes of the oracle's work."""
