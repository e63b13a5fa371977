"""The mail tools as an agent calls them."""

from __future__ import annotations

from email import message_from_string
from typing import Any

import pytest
from pydantic import JsonValue

from tests.mcp_servers.seats import answer
from tests.world.office import COMPANY, MARA, NILS, ROBIN, at, do, office
from trainee_bench.mcp_servers.mail import PAGE_CHARACTERS, TOOLS
from trainee_bench.mcp_servers.serving.dispatcher import ToolDispatcher
from trainee_bench.world.apps.files import FileAppears, Files
from trainee_bench.world.apps.mail import Mail, MailArrives
from trainee_bench.world.email.message import AttachmentFile
from trainee_bench.world.errors import Invalid, NotFound
from trainee_bench.world.filesystem.content import FileKind
from trainee_bench.world.transaction import Event

NAMES = {person.id: person.name for person in COMPANY.people}


def arriving(subject: str = "Budget", body: str = "It is 400.", **more: Any) -> MailArrives:
    return MailArrives(sender=MARA, to=(ROBIN,), subject=subject, body=body, **more)


async def seat(*events: Event) -> ToolDispatcher:
    return ToolDispatcher(await office(*events), ROBIN, [TOOLS])


async def test_from_the_list_to_the_answer() -> None:
    plan = AttachmentFile(name="plan.md", kind=FileKind.TEXT, data=b"# Plan")
    office_ = await seat(arriving(attachments=(plan,)))
    async with office_.world:
        text, data = await answer(office_, "mail_list")
        assert text == f"1* 08:00 {NAMES[MARA]}: Budget (1 attached)"
        assert data["next_before"] is None and data["mails"][0]["unread"] is True
        text, data = await answer(office_, "mail_read", mail=1)
        assert data["text"] == "It is 400." and data["next_offset"] is None
        assert text.endswith("\n\nIt is 400.") and f"From: {NAMES[MARA]} <" in text
        assert data["attachments"] == [{"name": "plan.md", "kind": "text", "size": 6}]
        assert (await answer(office_, "mail_list", label="unread"))[0] == "No mail in unread."
        text, data = await answer(office_, "mail_reply", mail=1, body="Thanks.")
        assert text == f"Sent as mail 2 to {NAMES[MARA]} <{MARA}@tessel.example>."
        assert data["subject"] == "Re: Budget"
        text, _ = await answer(office_, "mail_list", label="sent")
        assert text == f"2 08:03 to {NAMES[MARA]}: Re: Budget"


async def test_sending_and_answering_take_five_minutes_and_looking_one() -> None:
    office_ = await seat(arriving())
    async with office_.world:
        await answer(office_, "mail_list")
        assert await office_.world.now() == at(8, 1)
        await answer(office_, "mail_send", to=[NILS], subject="S", body="B")
        assert await office_.world.now() == at(8, 6)
        await answer(office_, "mail_forward", mail=1, to=[NILS])
        assert await office_.world.now() == at(8, 11)


async def test_files_go_out_and_come_back() -> None:
    office_ = await seat(FileAppears(path="drive:/plans/plan.md", text="# Plan\n"))
    async with office_.world:
        text, data = await answer(
            office_, "mail_send", to=[ROBIN, "x@vendor.example.org"], cc=[NAMES[NILS]],
            subject="Plan", body="Here.", attachments=["drive:/plans/plan.md"],
        )  # fmt: skip
        assert data["attachments"] == ["plan.md"] and text.endswith("with plan.md.")
        await answer(office_, "mail_save", mail=1, attachment="plan.md", path="workspace:/got.md")
        await answer(office_, "mail_save", mail=1, path="workspace:/plan.eml")
        got, mail = await office_.world.read(
            lambda t: [Files(t).text(f"workspace:/{name}") for name in ("got.md", "plan.eml")]
        )
        assert got == "# Plan\n"
        read = message_from_string(mail)
        assert read["cc"] == f"{NAMES[NILS]} <{NILS}@tessel.example>"
        assert [part.get_filename() for part in read.walk()][-1] == "plan.md"


@pytest.mark.parametrize(
    ("arguments", "error", "says"),
    [
        ({"path": "workspace:/a.txt"}, Invalid, r"is saved as \.eml"),
        ({"path": "a.eml"}, Invalid, "not a path here"),
        ({"path": "workspace:/a", "attachment": "none"}, NotFound, "it has: none"),
        ({"path": "workspace:/a.eml", "mail": 2}, NotFound, "You have no mail 2"),
    ],
)
async def test_saving_the_impossible_is_refused(
    arguments: dict[str, JsonValue], error: type[Exception], says: str
) -> None:
    office_ = await seat(arriving())
    async with office_.world:
        with pytest.raises(error, match=says):
            await answer(office_, "mail_save", **{"mail": 1, **arguments})
        assert await office_.world.read(lambda t: not Files(t).list("workspace:/"))


async def test_long_lists_come_in_pages_without_a_gap() -> None:
    office_ = await seat(*(arriving(f"No. {number}") for number in range(1, 24)))
    async with office_.world:
        seen: list[int] = []
        before = 0
        for _ in range(3):
            text, data = await answer(office_, "mail_list", before=before)
            seen += [mail["id"] for mail in data["mails"]]
            before = data["next_before"]
            assert before is None or text.endswith(f"continue with before={before})")
        assert seen == list(range(23, 0, -1)) and before is None
        _, data = await answer(office_, "mail_search", query="no. 7")
        assert [mail["id"] for mail in data["mails"]] == [17, 7]


async def test_long_texts_come_in_parts_without_a_gap() -> None:
    body = "".join(f"{number:07}" for number in range(2_000))
    office_ = await seat(arriving(body=body))
    async with office_.world:
        read, offset = "", 0
        while offset is not None:
            text, data = await answer(office_, "mail_read", mail=1, offset=offset)
            assert len(text) < PAGE_CHARACTERS + 500
            assert data["total_characters"] == len(body)
            read, offset = read + data["text"], data["next_offset"]
            assert offset is None or f"; continue with offset={offset}" in text
        assert read == body
        assert (await answer(office_, "mail_read", mail=1, offset=10**12))[1]["text"] == ""


async def test_searching_for_nothing_is_refused_and_finding_nothing_is_said() -> None:
    office_ = await seat(arriving())
    async with office_.world:
        with pytest.raises(Invalid):
            await answer(office_, "mail_search", query=" ")
        assert (await answer(office_, "mail_search", query="zebra"))[0].startswith(
            "No mail has all"
        )
        assert (await answer(office_, "mail_search", query="400"))[1]["mails"][0]["id"] == 1


async def test_labels_archive_and_mark() -> None:
    office_ = await seat(arriving())
    async with office_.world:
        _, data = await answer(office_, "mail_label", mail=1, add=["Todo"], remove=["inbox"])
        assert data == {"id": 1, "labels": ["all", "todo", "unread"]}
        assert (await answer(office_, "mail_list"))[0] == "No mail in inbox."
        assert (await answer(office_, "mail_list", label="todo"))[1]["mails"][0]["id"] == 1


async def test_the_mail_of_others_is_out_of_reach() -> None:
    office_ = await seat(arriving().model_copy(update={"to": (NILS,)}))
    async with office_.world:
        assert (await answer(office_, "mail_list", label="all"))[0] == "No mail in all."
        assert (await answer(office_, "mail_search", query="budget"))[1]["mails"] == []
        for name, more in (
            ("read", {}),
            ("reply", {"body": "x"}),
            ("forward", {"to": [NILS]}),
            ("label", {"add": ["x"]}),
            ("save", {"path": "workspace:/x.eml"}),
        ):
            with pytest.raises(NotFound, match="You have no mail 1"):
                await answer(office_, f"mail_{name}", mail=1, **more)


async def test_a_sent_attachment_does_not_change_with_the_file() -> None:
    office_ = await seat(FileAppears(path="drive:/plan.md", text="first"))
    async with office_.world:
        await answer(
            office_, "mail_send", to=[NILS], subject="S", body="B", attachments=["drive:/plan.md"]
        )
        await do(office_.world, lambda t: Files(t).write_text("drive:/plan.md", "second"))
        (sent,) = await office_.world.read(lambda t: Mail(t).attachment_files(1))
        assert sent.data == b"first"


@pytest.mark.parametrize("number", [0, -1, 2**63, -(2**63), 10**40])
async def test_numbers_beyond_all_bounds_are_no_mails(number: int) -> None:
    office_ = await seat(arriving())
    async with office_.world:
        with pytest.raises((NotFound, Invalid)):
            await answer(office_, "mail_read", mail=number)
