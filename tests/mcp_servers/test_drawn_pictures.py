"""Drawn pictures in an employee's hands: seen as pictures, and never read as data."""

from __future__ import annotations

import email.policy
from email import message_from_bytes

from mcp import Client
from pydantic import JsonValue

from tests.world.office import ROBIN, office
from trainee_bench.harness.session.tool_transports import McpToolTransport
from trainee_bench.mcp_servers import discover_toolboxes
from trainee_bench.mcp_servers.office import build_office_server
from trainee_bench.mcp_servers.serving.dispatcher import ToolDispatcher
from trainee_bench.world.apps.files import Files, PictureAppears
from trainee_bench.world.apps.mail import MailArrives
from trainee_bench.world.email.message import AttachmentFile
from trainee_bench.world.filesystem.content import FileKind, drawing_content
from trainee_bench.world.pictures.density_map import DensityMap
from trainee_bench.world.pictures.render import render_png

MAP = DensityMap(title="Xylophones in Wuhan", levels=((0, 1), (4, 5)))
PATH = "drive:/maps/wuhan.png"
IN_THE_DATA = ("Xylophone", "levels", "density_map", "[[0,1]")
MAIL = MailArrives(
    sender="Shop <shop@vendor.example.org>",
    to=(ROBIN,),
    subject="Map",
    body="Here.",
    attachments=(
        AttachmentFile(name="m.png", kind=FileKind.PICTURE, data=drawing_content(MAP).data),
    ),
)


async def desk() -> ToolDispatcher:
    return ToolDispatcher(
        await office(PictureAppears(path=PATH, drawing=MAP), MAIL),
        ROBIN,
        discover_toolboxes().values(),
    )


async def looked_at(seat: ToolDispatcher, path: str) -> bytes:
    done = await seat.call("files_view_image", {"path": path})
    assert done.result is not None, done.error
    assert done.result.picture is not None
    assert done.result.picture.mime_type == "image/png"
    return done.result.picture.data


async def test_it_is_seen_as_a_picture_wherever_it_goes() -> None:
    seat = await desk()
    async with seat.world:
        await seat.call("files_copy", {"source": PATH, "target": "workspace:/copy.png"})
        await seat.call("files_move", {"source": "workspace:/copy.png", "target": "workspace:/a/"})
        await seat.call(
            "mail_save", {"mail": 1, "attachment": "m.png", "path": "workspace:/mail.png"}
        )
        for path in (PATH, "workspace:/a/copy.png", "workspace:/mail.png"):
            assert await looked_at(seat, path) == render_png(MAP)
            stored = await seat.world.read(lambda t, at=path: Files(t).content(at))
            assert stored == drawing_content(MAP)
            assert await seat.world.read(lambda t, at=path: Files(t).data(at)) == render_png(MAP)
        assert await seat.world.read(lambda t: Files(t).changed_drive_files()) == []


async def test_clients_get_it_without_structured_content_which_would_hide_it() -> None:
    seat = await desk()
    async with seat.world, Client(await build_office_server(seat.world, ROBIN)) as client:
        shown = await client.call_tool("files_view_image", {"path": PATH})
        answer = await McpToolTransport(client).call("files_view_image", {"path": PATH})
    assert [block.type for block in shown.content] == ["text", "image"]
    assert shown.structured_content is None
    assert answer.pictures[0].data == render_png(MAP) and answer.data is not None


async def test_a_mail_in_the_standard_form_carries_the_picture() -> None:
    seat = await desk()
    async with seat.world:
        await seat.call("mail_forward", {"mail": 1, "to": [ROBIN]})
        for mail in (1, 2):
            await seat.call("mail_save", {"mail": mail, "path": "workspace:/m.eml"})
            raw = await seat.world.read(lambda t: Files(t).data("workspace:/m.eml"))
            (part,) = message_from_bytes(raw, policy=email.policy.default).iter_attachments()
            assert (part.get_content_type(), part.get_content()) == ("image/png", render_png(MAP))


async def test_no_tool_gives_the_data_away() -> None:
    seat = await desk()
    others = ("workspace:/w.txt", "workspace:/w.csv", "workspace:/w.xlsx", "workspace:/w.json")
    calls: list[tuple[str, dict[str, JsonValue]]] = [
        ("files_search", {"query": word}) for word in (*IN_THE_DATA, "wuhan")
    ]
    for to in others:
        calls += [("files_copy", {"source": PATH, "target": to}), ("files_read", {"path": to})]
        calls += [("mail_save", {"mail": 1, "attachment": "m.png", "path": to})]
    calls += [("mail_save", {"mail": 1, "path": "workspace:/m.eml"})]
    calls += [("files_read", {"path": "workspace:/m.eml"}), ("mail_read", {"mail": 1})]
    for tool in seat.tools.values():
        schema = tool.input_schema
        for name in sorted({"path", "source", "file", "workbook"} & set(schema["properties"])):
            others_needed = set(schema.get("required", ())) - {name}
            calls.append((tool.name, {name: PATH} | dict.fromkeys(sorted(others_needed), "A1")))
    async with seat.world:
        seen = []
        for tool, arguments in calls:
            done = await seat.call(tool, arguments)
            if done.result is not None:
                seen.append(done.result.text + done.result.data.model_dump_json())
            elif done.error is not None:
                seen.append(str(done.error))
        assert any("wuhan.png" in text for text in seen)
        for word in IN_THE_DATA:
            echoed = [text for text in seen if word in text]
            assert not echoed, word


async def test_the_digest_is_that_of_the_data() -> None:
    here, there = await desk(), await desk()
    async with here.world, there.world:
        before = await here.world.digest()
        assert before == await there.world.digest()
        await here.world.read(lambda t: Files(t).picture(PATH))
        assert await here.world.digest() == before
