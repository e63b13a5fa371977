"""A person's hands in the office: each call of a day, made with the controls of the page."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from pydantic import JsonValue

from trainee_bench.harness.studio.views import APP_VIEWS

Given = Mapping[str, JsonValue]


class OfficeHands:
    """Clicks and types in the office that *page* shows."""

    def __init__(self, page: Any):
        self.page = page
        self.panel = page.get_by_role("tabpanel")

    async def make(self, tool: str, given: Given) -> None:
        """Make a call with the page's own controls, and wait for its answer."""
        before = await self.steps_left()
        app = tool.partition("_")[0]
        if tool != "desk_wait":
            assert app in APP_VIEWS
            await self.tab(app)
        await self._HOW[tool](self, given)
        question = self.page.get_by_role("dialog")
        left = self.page.get_by_text(f"{before - 1} of ", exact=False)
        await left.or_(question).first.wait_for()
        if await question.is_visible():
            await question.get_by_role("button").first.click()
            await left.wait_for()

    async def steps_left(self) -> int:
        """Return how many steps are left, according to the page."""
        said = await self.page.get_by_text(re.compile("steps left")).inner_text()
        return int(said.split()[0])

    async def tab(self, app: str) -> None:
        """Go to an app."""
        await self.page.get_by_role("tab", name=re.compile(f"^{app}", re.IGNORECASE)).click()

    async def press(self, name: str) -> None:
        """Press a button of the app by the beginning of its name."""
        await self.panel.get_by_role("button", name=re.compile(f"^{re.escape(name)}")).first.click()

    async def unfold(self, name: str) -> None:
        """Open a folded part of the app."""
        part = self.panel.locator("details", has=self.page.get_by_text(name, exact=True)).last
        if await part.get_attribute("open") is None:
            await part.locator("summary").first.click()

    async def _tasks(self, given: Given) -> None:
        await self.press("List tasks")

    async def _now(self, given: Given) -> None:
        await self.press("Time")

    async def _submit(self, given: Given) -> None:
        await self.press(f"Hand in {given['task']}")

    async def _note(self, given: Given) -> None:
        await self.unfold("Write a note")
        await (
            self.panel.get_by_role("form", name="Write note")
            .get_by_label("text")
            .fill(str(given["text"]))
        )
        await self.press("Write note")

    async def _wait(self, given: Given) -> None:
        wait = self.page.get_by_role("group", name="Wait")
        await wait.get_by_label("Wait until").fill(str(given["until"]))
        await wait.get_by_label("stop at news").set_checked(given.get("wake") is not False)
        await wait.get_by_role("button").click()

    async def _meetings(self, given: Given) -> None:
        await self.press("Today" if given.get("day") else "List meetings")

    async def _attend(self, given: Given) -> None:
        await self.panel.locator(".day-column").get_by_role("button").first.click()
        await self.press("Attend")

    async def _people(self, given: Given) -> None:
        await self.panel.get_by_label("Find people").fill(str(given["query"]))
        await self.press("Find 1 min")

    async def _talk(self, given: Given) -> None:
        people = self.panel.locator("details.people")
        name = str(given.get("to") or given.get("peer")).replace(".", " ")
        entry = people.get_by_role("button", name=re.compile(f"^{name}", re.IGNORECASE))
        await entry.click()

    async def _say(self, given: Given) -> None:
        await self._talk(given)
        await self.panel.get_by_label("Message to").fill(str(given["text"]))
        await self.press("Send")

    async def _history(self, given: Given) -> None:
        if "peer" not in given:
            await self.press("Read all news")
            return
        await self._talk(given)
        await self.press("Read what is new")

    async def _read(self, given: Given) -> None:
        await self.panel.get_by_label("Open a path").fill(str(given["path"]))
        await self.panel.get_by_role("form", name="Read").get_by_role("button").click()

    async def _write(self, given: Given) -> None:
        await self.unfold("New text file")
        form = self.panel.get_by_role("form", name="Write file")
        await form.get_by_label("path").fill(str(given["path"]))
        await form.get_by_label("text").fill(str(given["text"]))
        await form.get_by_role("button").click()

    async def _summary(self, given: Given) -> None:
        await self.press(f"{given['window']} load times of all pages")

    async def _services(self, given: Given) -> None:
        await self.press("Services")

    async def _server(self, given: Given) -> None:
        await self.unfold("Pages and servers")
        await self.press(str(given["server"]))

    async def _health(self, given: Given) -> None:
        await self._server(given)
        await self.press("Compare with before")

    async def _log(self, given: Given) -> None:
        await self._server(given)
        await self.press("Read its log")

    async def _on_call(self, given: Given) -> None:
        await self.press("On call")

    async def _maintenance(self, given: Given) -> None:
        await self._server(given)
        await self.panel.get_by_label("Approval code").fill(str(given["code"]))
        await self.press("Start maintenance")

    _HOW: Mapping[str, Callable[[OfficeHands, Given], Awaitable[None]]] = {
        "desk_tasks": _tasks,
        "desk_now": _now,
        "desk_submit": _submit,
        "desk_write_note": _note,
        "desk_wait": _wait,
        "calendar_list": _meetings,
        "calendar_attend": _attend,
        "chat_list_people": _people,
        "chat_send_message": _say,
        "chat_read_history": _history,
        "files_read": _read,
        "files_write": _write,
        "monitor_get_summary": _summary,
        "monitor_list_services": _services,
        "monitor_check_health": _health,
        "monitor_read_logs": _log,
        "monitor_get_on_call": _on_call,
        "monitor_start_maintenance": _maintenance,
    }
