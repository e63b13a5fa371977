"""What honest workers remember and read, beside what the family's oracle does."""

from __future__ import annotations

from datetime import datetime, timedelta

from pydantic import JsonValue

from trainee_bench.meta_tasks.remembering_client import RememberingClient, TaskMemory
from trainee_bench.meta_tasks.tool_client import ToolData, ToolResponse
from trainee_bench.meta_tasks.worker_clients import wait_for_message

NINE = datetime(2025, 10, 1, 9)
PAGE = 100


class Office:
    """A chat, a desk with one task, and files that can be written; every call takes a minute."""

    task = "T1"

    def __init__(self) -> None:
        self.now = NINE
        self.messages: list[ToolData] = []
        self.calls: list[str] = []

    def say(self, sender: str, text: str, answers: int = 0) -> int:
        number = len(self.messages) + 1
        message = {"id": number, "sender": sender, "text": text}
        self.messages.append({**message, "answers": answers, "automatic": False})
        return number

    async def call(self, tool: str, **arguments: JsonValue) -> ToolResponse:
        self.calls.append(tool)
        self.now += timedelta(minutes=1)
        return ToolResponse(text="", time=self.now, data=self._data(tool, arguments))

    def _data(self, tool: str, arguments: dict[str, JsonValue]) -> ToolData:
        if tool == "desk_tasks":
            due = (NINE + timedelta(hours=2)).isoformat()
            return {"tasks": [{"id": "T1", "title": "It", "objective": "", "deadline": due}]}
        if tool == "chat_send_message":
            number = self.say("me", str(arguments["text"]))
            self.say(str(arguments["to"]), "It is 5.", answers=number)
            return {"message": {"id": number}}
        if tool == "chat_read_history":
            return self._page(int(str(arguments.get("after", 0))), arguments.get("before"))
        return {}

    def _page(self, after: int, before: JsonValue) -> ToolData:
        if after:
            found = self.messages[after:]
            later = len(found) - PAGE
            return {"messages": found[:PAGE], "earlier": 0, "later": max(0, later)}
        found = self.messages[: int(str(before)) - 1] if before else self.messages
        return {"messages": found[-PAGE:], "earlier": max(0, len(found) - PAGE), "later": 0}

    async def wait_until(self, time: datetime) -> None:
        self.now = max(self.now, time)

    async def promise(self, time: datetime) -> None:
        pass

    async def wait_at_least(self, minutes: int) -> None:
        self.now += timedelta(minutes=minutes)

    async def give_way(self, until: datetime) -> bool:
        return True


async def test_a_message_of_the_morning_is_found_among_hundreds() -> None:
    office = Office()
    office.say("eve", "Could you send me what you were told?")
    for number in range(2 * PAGE + 30):
        office.say("ann", f"Message {number}")
    heard = await wait_for_message(office, lambda text: "what you were told" in text)
    assert heard is not None and (heard.number, heard.sender) == (1, "eve")


async def test_who_waits_for_a_message_gives_up_shortly_before_the_deadline() -> None:
    office = Office()
    office.say("ann", "Good morning!")
    assert await wait_for_message(office, lambda text: "revised" in text) is None
    assert timedelta(hours=1, minutes=40) < office.now - NINE < timedelta(hours=2)


async def do_the_task(office: Office, memory: TaskMemory, text: str = "5") -> str:
    """Ask Ann and write *text* into a file, as often as this is called; what Ann's answer is."""
    client = RememberingClient(office, memory)
    await client.call("desk_tasks")
    sent = await client.call("chat_send_message", to="ann", text="What is it?")
    page = await client.call("chat_read_history", peer="ann", after=sent.data["message"]["id"])
    await client.call("files_write", path="workspace:/a.txt", text=text)
    return str(page.data["messages"][0]["text"])


def asked(office: Office) -> int:
    return sum(one["text"] == "What is it?" for one in office.messages if one["sender"] == "me")


async def test_who_does_a_task_again_neither_asks_nor_writes_again_what_still_stands() -> None:
    office, memory = Office(), TaskMemory()
    for _ in range(2):
        assert await do_the_task(office, memory) == "It is 5."
    assert asked(office) == office.calls.count("files_write") == 1


async def test_what_somebody_has_written_since_is_read_before_their_answer() -> None:
    office, memory = Office(), TaskMemory()
    assert await do_the_task(office, memory) == "It is 5."
    office.say("ann", "Sorry, it is 6.")
    office.say("bob", "Nice weather.")
    for _ in range(2):
        assert await do_the_task(office, memory, "6") == "Sorry, it is 6. It is 5."
    office.say("ann", "No, it is 7.")
    assert await do_the_task(office, memory, "7") == "No, it is 7. Sorry, it is 6. It is 5."
    assert asked(office) == 1
    assert office.calls.count("files_write") == 3


async def test_what_is_written_about_another_task_corrects_nothing() -> None:
    office, memory = Office(), TaskMemory()
    await do_the_task(office, memory)
    office.say("ann", "I have to take back what I told you for “It (T2)”. It is 9.")
    assert await do_the_task(office, memory) == "It is 5."
    office.say("ann", "I have to take back what I told you for “It (T1)”. It is 6.")
    assert (await do_the_task(office, memory, "6")).startswith("I have to take back what I told")


async def test_what_a_reviewer_finds_in_the_file_is_read_before_every_answer() -> None:
    office, memory = Office(), TaskMemory()
    await do_the_task(office, memory)
    number = office.say("me", "Please sign off workspace:/a.txt.")
    office.say("bob", "By now it is 8.", answers=number)
    assert await do_the_task(office, memory, "8") == "By now it is 8. It is 5."
    assert asked(office) == 1
