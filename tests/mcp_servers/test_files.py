"""The files tools as an agent calls them."""

from __future__ import annotations

import base64
from collections.abc import AsyncIterator
from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue

from tests.mcp_servers.seats import data, refused, said
from trainee_bench.mcp_servers.files import PAGE_ENTRIES, PAGE_HITS, TOOLS
from trainee_bench.mcp_servers.serving.dispatcher import ToolDispatcher
from trainee_bench.world.apps.files import FileAppears
from trainee_bench.world.transaction import Transaction
from trainee_bench.world.world import World, WorldConfig

OPENING = WorldConfig(
    employee="robin.hale", starts=datetime(2025, 10, 1, 9), ends=datetime(2025, 10, 1, 18)
)
PNG = b"\x89PNG\r\n\x1a\n" + bytes(range(40))


async def office(files: dict[str, str] | None = None) -> ToolDispatcher:
    def stage(tx: Transaction) -> None:
        for path, text in (files or {}).items():
            FileAppears(path=path, text=text).fire(tx)
        picture = base64.b64encode(PNG).decode()
        FileAppears(path="drive:/maps/town.png", data_base64=picture).fire(tx)

    return ToolDispatcher(await World.create_inline(OPENING, stage), "robin.hale", [TOOLS])


@pytest.fixture
async def seat() -> AsyncIterator[ToolDispatcher]:
    many = {f"drive:/many/{number:03}.txt": f"line {number}" for number in range(130)}
    desk = await office(many | {"drive:/hr/rules.md": "# Rules\nAsk early.\n"})
    yield desk
    await desk.world.close()


async def test_the_drive_is_listed_by_default(seat: ToolDispatcher) -> None:
    assert await said(seat, "files_list") == (
        "drive:/hr (folder)\ndrive:/many (folder)\ndrive:/maps (folder)"
    )
    assert await said(seat, "files_list", folder="workspace:/") == "workspace:/ is empty."


async def test_a_long_listing_comes_in_pages_that_say_how_to_go_on(seat: ToolDispatcher) -> None:
    text = await said(seat, "files_list", folder="drive:/many")
    assert text.endswith(f"({PAGE_ENTRIES} of 130; continue with cursor={PAGE_ENTRIES})")
    paths: list[str] = []
    cursor: JsonValue = 0
    while cursor is not None:
        page = await data(seat, "files_list", folder="drive:/many", cursor=cursor)
        paths += [entry["path"] for entry in page["entries"]]
        cursor = page["next_cursor"]
    assert paths == [f"drive:/many/{number:03}.txt" for number in range(130)]
    assert "without a cursor" in await refused(seat, "files_list", folder="drive:/hr", cursor=9)


async def test_a_short_text_is_read_at_once(seat: ToolDispatcher) -> None:
    assert await said(seat, "files_read", path="drive:/hr/rules.md") == (
        "drive:/hr/rules.md, lines 1-2 of 2:\n# Rules\nAsk early.\n"
    )
    page = await data(seat, "files_read", path="drive:/hr/rules.md", offset=1)
    assert page["text"] == "Ask early.\n"
    assert page["total_lines"] == 2
    assert page["next_offset"] is None


async def test_a_text_is_read_as_many_lines_at_a_time_as_asked(seat: ToolDispatcher) -> None:
    text = await said(seat, "files_read", path="drive:/hr/rules.md", limit=1)
    assert text == "drive:/hr/rules.md, lines 1-1 of 2; continue with offset=1:\n# Rules\n"
    assert "smaller offset" in await refused(
        seat, "files_read", path="drive:/hr/rules.md", offset=2
    )


async def test_an_empty_text_is_read_as_empty(seat: ToolDispatcher) -> None:
    await said(seat, "files_write", path="workspace:/a.txt", text="")
    assert await said(seat, "files_read", path="workspace:/a.txt") == "workspace:/a.txt is empty."


LINES = st.lists(
    st.text(max_size=30) | st.integers(1, 400).map(lambda n: "7;é" * n * 20), max_size=8
)


@given(LINES.map("\n".join), st.integers(1, 5))
async def test_pages_joined_are_the_text_and_no_page_is_long(text: str, limit: int) -> None:
    text = text.replace("\0", "")
    seat = await office({"workspace:/a.txt": text})
    read, offset, column = "", 0, 0
    for _ in range(200):
        page = await data(
            seat, "files_read", path="workspace:/a.txt", offset=offset, column=column, limit=limit
        )
        assert len(page["text"]) <= 12_000
        read += page["text"]
        if page["next_offset"] is None:
            break
        offset, column = page["next_offset"], page["next_column"]
    assert read == text
    await seat.world.close()


async def test_a_page_of_numbers_is_shorter_than_one_of_words(seat: ToolDispatcher) -> None:
    words = "some ordinary words of an office\n" * 2_000
    numbers = "1234;5678;90.12\n" * 4_000
    for text, least, most in ((words, 9_000, 12_100), (numbers, 4_000, 7_000)):
        await said(seat, "files_write", path="workspace:/a.txt", text=text)
        assert least <= len(await said(seat, "files_read", path="workspace:/a.txt")) <= most


async def test_a_picture_is_shown_as_a_picture_and_its_caption_says_nothing(
    seat: ToolDispatcher,
) -> None:
    done = await seat.call("files_view_image", {"path": "drive:/maps/town.png"})
    assert done.result is not None
    assert done.result.picture is not None
    assert (done.result.picture.data, done.result.picture.mime_type) == (PNG, "image/png")
    assert done.result.text == "This is drive:/maps/town.png."
    assert "files_read" in await refused(seat, "files_view_image", path="drive:/hr/rules.md")
    assert "files_view_image" in await refused(seat, "files_read", path="drive:/maps/town.png")


async def test_a_working_copy_is_made_changed_and_moved(seat: ToolDispatcher) -> None:
    text = await said(seat, "files_copy", source="drive:/hr/rules.md", target="workspace:/")
    assert text == "Copied to workspace:/rules.md."
    edits: list[JsonValue] = [{"old": "early", "new": "late"}]
    text = await said(seat, "files_edit", path="workspace:/rules.md", edits=edits)
    assert text == "Edited workspace:/rules.md, 18 B."
    text = await said(seat, "files_move", source="workspace:/rules.md", target="workspace:/b/r.md")
    assert text == "Moved to workspace:/b/r.md."
    assert "Ask late." in await said(seat, "files_read", path="workspace:/b/r.md")
    assert "Ask early." in await said(seat, "files_read", path="drive:/hr/rules.md")
    assert await said(seat, "files_delete", path="workspace:/b") == "Deleted workspace:/b/r.md."
    assert await said(seat, "files_list", folder="workspace:/") == "workspace:/ is empty."


async def test_many_files_are_named_by_their_number(seat: ToolDispatcher) -> None:
    text = await said(seat, "files_copy", source="drive:/many", target="workspace:/")
    assert text == "Copied to 130 files, starting with workspace:/many/000.txt."


async def test_a_written_file_can_be_read(seat: ToolDispatcher) -> None:
    text = await said(seat, "files_write", path="workspace:/out/a.json", text="[1]")
    assert text == "Wrote workspace:/out/a.json, 3 B."
    assert await said(seat, "files_info", path="workspace:/out/a.json") == (
        "workspace:/out/a.json: text, 3 B, 1 line; last changed 2025-10-01 09:00 by robin.hale"
    )
    facts = await data(seat, "files_info", path="drive:/maps/town.png")
    assert (facts["kind"], facts["size"], facts["lines"]) == ("picture", None, None)


async def test_a_search_shows_lines_and_goes_on(seat: ToolDispatcher) -> None:
    text = await said(seat, "files_search", query="ask", folder="drive:/hr")
    assert text == "drive:/hr/rules.md:2: Ask early."
    assert await said(seat, "files_search", query="RULES") == (
        "drive:/hr/rules.md\ndrive:/hr/rules.md:1: # Rules"
    )
    assert await said(seat, "files_search", query="quarks") == "Nothing found."
    page = await data(seat, "files_search", query="line")
    assert (page["total"], page["next_cursor"]) == (130, PAGE_HITS)
    page = await data(seat, "files_search", query="line", cursor=120)
    assert page["next_cursor"] is None


async def test_a_search_in_one_file_finds_its_lines_and_one_in_nothing_says_so(
    seat: ToolDispatcher,
) -> None:
    text = await said(seat, "files_search", query="ask", folder="drive:/hr/rules.md")
    assert text == "drive:/hr/rules.md:2: Ask early."
    assert "There is no file or folder drive:/it" in await refused(
        seat, "files_search", query="ask", folder="drive:/it"
    )
    assert await said(seat, "files_search", query="ask", folder="workspace:/") == "Nothing found."


async def test_an_excerpt_shows_the_match_wherever_it_is_in_its_line(seat: ToolDispatcher) -> None:
    lines = ["needle " + "x" * 500, "ß" * 300 + " needle " + "y" * 300, "z" * 500 + " needle"]
    await said(seat, "files_write", path="workspace:/long.txt", text="\n".join(lines))
    for hit in (await data(seat, "files_search", query="NEEDLE", folder="workspace:/"))["hits"]:
        assert "needle" in hit["text"]
        assert len(hit["text"]) <= 162


async def test_a_search_with_very_many_hits_ends_and_says_so(seat: ToolDispatcher) -> None:
    await said(seat, "files_write", path="workspace:/many.txt", text="a\n" * 400_000)
    text = await said(seat, "files_search", query="a", folder="workspace:/")
    assert "(stopped at 1,000 hits; use a longer query or search in a folder)" in text


async def test_several_passages_are_replaced_at_once_or_none(seat: ToolDispatcher) -> None:
    await said(seat, "files_write", path="workspace:/t.txt", text="one two three two")
    good: list[JsonValue] = [{"old": "one", "new": "two three"}, {"old": "three t", "new": "4"}]
    bad = [*good, {"old": "two", "new": "2"}]
    error = await refused(seat, "files_edit", path="workspace:/t.txt", edits=bad)
    assert error.startswith("Replacement 2: that text occurs 2 times in workspace:/t.txt")
    assert "one two three two" in await said(seat, "files_read", path="workspace:/t.txt")
    good[1] = {"old": "three two", "new": "four"}
    await said(seat, "files_edit", path="workspace:/t.txt", edits=good[1:] + good[:1])
    assert "two three two four" in await said(seat, "files_read", path="workspace:/t.txt")
    assert "Give the text to replace" in await refused(
        seat, "files_edit", path="workspace:/t.txt", edits=[]
    )


async def test_every_call_takes_a_minute(seat: ToolDispatcher) -> None:
    for name, arguments in (
        ("files_list", {}),
        ("files_copy", {"source": "drive:/hr/rules.md", "target": "workspace:/"}),
        ("files_read", {"path": "nonsense"}),
    ):
        done = await seat.call(name, arguments)
        assert (done.now - done.at).seconds == 60


async def test_paths_of_the_machine_are_not_understood(seat: ToolDispatcher) -> None:
    for path in ("/etc/passwd", "workspace:/../../etc/passwd", "file:///etc/passwd", "~/.ssh"):
        for name, arguments in (
            ("files_read", {"path": path}),
            ("files_list", {"folder": path}),
            ("files_write", {"path": path, "text": ""}),
            ("files_copy", {"source": path, "target": "workspace:/a"}),
            ("files_search", {"query": "a", "folder": path}),
        ):
            text = await refused(seat, name, **arguments)
            assert "drive:/" in text or "folder itself" in text
