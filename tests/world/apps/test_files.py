"""The drive and the workspace: paths, kinds, verbs, and damage to what was staged."""

from __future__ import annotations

import base64
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, suppress
from datetime import datetime, timedelta
from typing import TypeVar

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ValidationError

from trainee_bench.world.apps.files import FileAppears, Files, Replacement, SearchHit
from trainee_bench.world.errors import Invalid, NotFound, Refused, WorldError
from trainee_bench.world.filesystem.content import FileKind
from trainee_bench.world.filesystem.paths import parse_file_path
from trainee_bench.world.filesystem.store import MAX_PLACE_BYTES, MAX_TEXT_BYTES
from trainee_bench.world.transaction import Result, Transaction
from trainee_bench.world.world import World, WorldConfig

START = datetime(2025, 10, 1, 9)
OPENING = WorldConfig(employee="robin.hale", starts=START, ends=datetime(2025, 10, 1, 18))
PNG = b"\x89PNG\r\n\x1a\n" + bytes(range(40))
JPEG = b"\xff\xd8\xff\xe0" + bytes(20)
T = TypeVar("T")


class Nothing(BaseModel):
    """No data."""


async def furnished(**files: str) -> World:
    """A world with these texts, `a__b` standing for drive:/a/b.txt."""

    def stage(tx: Transaction) -> None:
        for name, text in files.items():
            FileAppears(path=f"drive:/{name.replace('__', '/')}.txt", text=text).fire(tx)

    return await World.create_inline(OPENING, stage)


Staged = Callable[..., Awaitable[World]]


@pytest.fixture
async def staged() -> AsyncIterator[Staged]:
    """`furnished`, and its worlds closed in the end."""
    async with AsyncExitStack() as worlds:

        async def stage(**files: str) -> World:
            return await worlds.enter_async_context(await furnished(**files))

        yield stage


async def do(world: World, verb: Callable[[Files], T], actor: str = "robin.hale") -> T:
    """What *verb* returns, or the error it is refused with."""
    got: list[T] = []

    def act(tx: Transaction) -> Result[Nothing]:
        got.append(verb(Files(tx)))
        return Result("", Nothing())

    done = await world.execute(actor, "files", {}, act)
    if done.error is not None:
        raise done.error
    return got[0]


# looking ------------------------------------------------------------------------------------


async def test_folders_are_listed_before_files_with_sizes(staged: Staged) -> None:
    world = await staged(b="12", a__x="1", a__y__z="123", c__d="1")
    entries = await do(world, lambda files: files.list("drive:/"))
    assert [(e.path, e.kind, e.size) for e in entries] == [
        ("drive:/a", "folder", 4), ("drive:/c", "folder", 1), ("drive:/b.txt", "text", 2),
    ]  # fmt: skip
    inner = await do(world, lambda files: files.list("drive:/a/"))
    assert [e.path for e in inner] == ["drive:/a/y", "drive:/a/x.txt"]
    within = await do(world, lambda files: files.files_within("drive:/a"))
    assert [f.path for f in within] == ["drive:/a/x.txt", "drive:/a/y/z.txt"]


async def test_a_folder_whose_name_begins_another_keeps_to_itself(staged: Staged) -> None:
    world = await staged(a__x="1", ab__x="2")
    within = await do(world, lambda files: files.files_within("drive:/a"))
    assert [f.path for f in within] == ["drive:/a/x.txt"]


async def test_an_empty_place_is_a_folder_and_a_missing_folder_is_not(staged: Staged) -> None:
    world = await staged(a="1")
    assert await do(world, lambda files: files.list("workspace:/")) == ()
    with pytest.raises(NotFound, match="files_list of drive:/"):
        await do(world, lambda files: files.list("drive:/nowhere"))
    with pytest.raises(NotFound, match="is a file, not a folder"):
        await do(world, lambda files: files.list("drive:/a.txt"))


async def test_a_missing_file_is_not_found_and_the_error_says_where_to_look(staged: Staged) -> None:
    world = await staged(a__x="1")
    with pytest.raises(NotFound, match=r"no file drive:/a/y\.txt.*in drive:/a"):
        await do(world, lambda files: files.text("drive:/a/y.txt"))
    with pytest.raises(NotFound, match="is a folder"):
        await do(world, lambda files: files.text("drive:/a"))


async def test_each_kind_is_read_its_own_way(staged: Staged) -> None:
    world = await staged()

    def write(files: Files) -> list[FileKind]:
        made = [
            files.write_data("workspace:/a.csv", b"x,\xc3\xa9\r\n"),
            files.write_data("workspace:/a.png", PNG),
            files.write_data("workspace:/a.JPG", JPEG),
            files.write_data("workspace:/a.db", b"\0\xff"),
            files.write_data("workspace:/nul.txt", b"a\0b"),
            files.write_workbook("workspace:/a.xlsx", '{"sheets":[]}'),
        ]
        return [info.kind for info in made]

    text, picture, workbook = FileKind.TEXT, FileKind.PICTURE, FileKind.WORKBOOK
    kinds = await do(world, write)
    assert kinds == [text, picture, picture, FileKind.BINARY, FileKind.BINARY, workbook]
    assert await do(world, lambda f: f.text("workspace:/a.csv")) == "x,é\r\n"
    assert await do(world, lambda f: f.picture("workspace:/a.png")) == (PNG, "image/png")
    assert await do(world, lambda f: f.picture("workspace:/a.JPG")) == (JPEG, "image/jpeg")
    assert await do(world, lambda f: f.workbook("workspace:/a.xlsx")) == '{"sheets":[]}'
    assert await do(world, lambda f: f.data("workspace:/a.db")) == b"\0\xff"
    for read, advice in (
        (lambda f: f.text("workspace:/a.png"), "files_view_image"),
        (lambda f: f.text("workspace:/a.xlsx"), "sheets tools"),
        (lambda f: f.text("workspace:/a.db"), "copied"),
        (lambda f: f.picture("workspace:/a.csv"), "files_read"),
        (lambda f: f.workbook("workspace:/a.csv"), "files_read"),
        (lambda f: f.data("workspace:/a.xlsx"), "sheets tools"),
    ):
        with pytest.raises(NotFound, match=advice):
            await do(world, read)


async def test_a_names_ending_and_its_kind_agree(staged: Staged) -> None:
    world = await staged(a="1")
    for verb in (
        lambda f: f.write_text("workspace:/a.xlsx", ""),
        lambda f: f.write_text("workspace:/a.png", ""),
        lambda f: f.write_data("workspace:/a.json", PNG),
        lambda f: f.write_workbook("workspace:/a.csv", "{}"),
        lambda f: f.copy("drive:/a.txt", "workspace:/a.xlsx"),
    ):
        with pytest.raises(Refused):
            await do(world, verb)


async def test_a_search_finds_names_and_lines_in_both_places_in_any_case(staged: Staged) -> None:
    world = await staged(hr__Leave_rules="Ask early.\nLeave is 30 days.", z="nothing")
    await do(world, lambda f: f.write_text("workspace:/n.md", "my LEAVE"))
    hits = await do(world, lambda f: f.search(" leave "))
    assert hits == (
        SearchHit(path="drive:/hr/Leave_rules.txt", line=0, text="Leave_rules.txt"),
        SearchHit(path="drive:/hr/Leave_rules.txt", line=2, text="Leave is 30 days."),
        SearchHit(path="workspace:/n.md", line=1, text="my LEAVE"),
    )
    assert len(await do(world, lambda f: f.search("leave", "workspace:/"))) == 1
    with pytest.raises(Invalid):
        await do(world, lambda f: f.search("  "))


# changing -----------------------------------------------------------------------------------


async def test_a_text_comes_back_as_it_was_written_and_says_when_and_by_whom(
    staged: Staged,
) -> None:
    world = await staged()
    info = await do(world, lambda f: f.write_text("workspace:/a/b.txt", "ä\r\n\n"))
    assert (info.size, info.changed, info.changed_by) == (5, START, "robin.hale")
    assert await do(world, lambda f: f.text("workspace:/a/b.txt")) == "ä\r\n\n"


async def test_everybody_has_a_workspace_of_their_own_and_checkpoints_see_the_employees(
    staged: Staged,
) -> None:
    world = await staged()
    await do(world, lambda f: f.write_text("workspace:/a.txt", "mine"))
    await do(world, lambda f: f.write_text("workspace:/a.txt", "hers"), actor="mara.lindt")
    assert await do(world, lambda f: f.text("workspace:/a.txt")) == "mine"
    assert await world.read(lambda tx: Files(tx).text("workspace:/a.txt")) == "mine"


async def test_an_edit_replaces_what_occurs_exactly_once(staged: Staged) -> None:
    world = await staged()
    await do(world, lambda f: f.write_text("workspace:/a.txt", "one two two"))
    await do(world, lambda f: f.edit("workspace:/a.txt", [Replacement(old="one", new="1")]))
    assert await do(world, lambda f: f.text("workspace:/a.txt")) == "1 two two"
    with pytest.raises(Refused, match="does not occur"):
        await do(world, lambda f: f.edit("workspace:/a.txt", [Replacement(old="three", new="")]))
    with pytest.raises(Refused, match="2 times"):
        await do(world, lambda f: f.edit("workspace:/a.txt", [Replacement(old="two", new="")]))
    with pytest.raises(Invalid):
        await do(world, lambda f: f.edit("workspace:/a.txt", [Replacement(old="", new="x")]))


@pytest.mark.parametrize(
    ("text", "old", "new", "edited"),
    [
        ("a\r\nb\r\nc\r\n", "a\nb", "x\ny\nz", "x\r\ny\r\nz\r\nc\r\n"),
        ("a\r\nb\r\nc\r\n", "\nb\n", "\n", "a\r\nc\r\n"),
        ("a\r\nb\r\nc\r\n", "a\r\nb", "x", "x\r\nc\r\n"),
        ("a\r\nb\r\nc\r\n", "b", "b\nb2", "a\r\nb\r\nb2\r\nc\r\n"),
        ("a\nb\nc\n", "a\r\nb", "x\r\ny", "x\ny\nc\n"),
        ("a\nb\r\nc\r\nd\r\ne", "a\nb\nc", "A\nC", "A\r\nC\r\nd\r\ne"),
        ("a\nb\r\nc\nd", "b\nc", "B", "a\nB\nd"),
        ("one line", "one", "1\r\n2", "1\r\n2 line"),
    ],
)
async def test_an_edit_matches_whatever_ends_the_lines_and_keeps_the_ends_of_the_file(
    text: str, old: str, new: str, edited: str, staged: Staged
) -> None:
    world = await staged()
    await do(world, lambda f: f.write_text("workspace:/a.txt", text))
    await do(world, lambda f: f.edit("workspace:/a.txt", [Replacement(old=old, new=new)]))
    assert await do(world, lambda f: f.text("workspace:/a.txt")) == edited


async def test_an_edit_that_occurs_twice_over_other_line_ends_is_refused(staged: Staged) -> None:
    world = await staged()
    await do(world, lambda f: f.write_text("workspace:/a.txt", "a\r\nb\na\nb"))
    with pytest.raises(Refused, match="occurs 2 times"):
        await do(world, lambda f: f.edit("workspace:/a.txt", [Replacement(old="a\nb", new="")]))


async def test_a_file_is_copied_to_a_name_or_into_a_folder(staged: Staged) -> None:
    world = await staged(a__x="1")
    for target, made in (
        ("workspace:/y.txt", "workspace:/y.txt"),
        ("workspace:/", "workspace:/x.txt"),
        ("workspace:/new/", "workspace:/new/x.txt"),
        ("drive:/b/x.txt", "drive:/b/x.txt"),
        ("drive:/b/c.txt", "drive:/b/c.txt"),
    ):
        copied = await do(world, lambda f, to=target: f.copy("drive:/a/x.txt", to))
        assert [info.path for info in copied] == [made]
    with pytest.raises(Refused, match="already exists"):
        await do(world, lambda f: f.copy("drive:/a/x.txt", "workspace:/new"))
    with pytest.raises(Refused, match="already exists"):
        await do(world, lambda f: f.copy("drive:/a/x.txt", "drive:/a/x.txt"))


async def test_a_folder_is_copied_and_moved_with_all_in_it(staged: Staged) -> None:
    world = await staged(a__x="1", a__b__y="2")
    await do(world, lambda f: f.copy("drive:/a", "workspace:/"))
    within = await do(world, lambda f: f.files_within("workspace:/"))
    assert [i.path for i in within] == ["workspace:/a/b/y.txt", "workspace:/a/x.txt"]
    await do(world, lambda f: f.move("workspace:/a", "workspace:/c"))
    within = await do(world, lambda f: f.files_within("workspace:/"))
    assert [i.path for i in within] == ["workspace:/c/b/y.txt", "workspace:/c/x.txt"]
    assert await do(world, lambda f: f.text("workspace:/c/b/y.txt")) == "2"
    with pytest.raises(Refused, match="is inside"):
        await do(world, lambda f: f.copy("workspace:/c", "workspace:/c/d"))
    with pytest.raises(Refused, match="is the top folder"):
        await do(world, lambda f: f.move("drive:/", "workspace:/"))
    with pytest.raises(NotFound):
        await do(world, lambda f: f.move("drive:/none", "workspace:/none"))


async def test_a_refused_move_leaves_everything_where_it_was(staged: Staged) -> None:
    world = await staged()
    long = "/".join(["d" * 40] * 10)
    await do(world, lambda f: f.write_text("workspace:/a/1.txt", "1"))
    await do(world, lambda f: f.write_text(f"workspace:/a/{long}/2.txt", "2"))
    before = await do(world, lambda f: f.files_within("workspace:/"))
    with pytest.raises(Invalid):
        await do(world, lambda f: f.move("workspace:/a", f"workspace:/{'e' * 150}"))
    assert await do(world, lambda f: f.files_within("workspace:/")) == before


async def test_a_workspaces_folder_is_deleted_and_the_drives_only_file_by_file(
    staged: Staged,
) -> None:
    world = await staged(a__x="1", a__y="2")
    await do(world, lambda f: f.copy("drive:/a", "workspace:/"))
    gone = await do(world, lambda f: f.delete("workspace:/a"))
    assert gone == ("workspace:/a/x.txt", "workspace:/a/y.txt")
    with pytest.raises(Refused, match="cannot be deleted; delete files one by one"):
        await do(world, lambda f: f.delete("drive:/a"))
    assert await do(world, lambda f: f.delete("drive:/a/x.txt")) == ("drive:/a/x.txt",)
    with pytest.raises(NotFound):
        await do(world, lambda f: f.delete("drive:/a/x.txt"))


async def test_a_file_and_a_folder_never_share_a_name(staged: Staged) -> None:
    world = await staged(a__x="1")
    with pytest.raises(Refused, match="is a folder"):
        await do(world, lambda f: f.write_text("drive:/a", ""))
    with pytest.raises(Refused, match="is a file"):
        await do(world, lambda f: f.write_text("drive:/a/x.txt/y", ""))


async def test_there_is_an_end_to_the_room(staged: Staged) -> None:
    world = await staged()
    with pytest.raises(Refused, match="1 MB"):
        await do(world, lambda f: f.write_text("workspace:/a.txt", "x" * (MAX_TEXT_BYTES + 1)))
    await do(world, lambda f: f.write_data("workspace:/a.db", b"\0" * (MAX_PLACE_BYTES - 10)))
    with pytest.raises(Refused, match="full"):
        await do(world, lambda f: f.write_text("workspace:/b.txt", "x" * 11))
    await do(world, lambda f: f.write_text("workspace:/b.txt", "x" * 10))
    await do(world, lambda f: f.write_text("drive:/b.txt", "x" * 11))


# staging and damage -------------------------------------------------------------------------


async def test_changing_moving_or_deleting_a_staged_file_is_damage(staged: Staged) -> None:
    world = await staged(a="1", b="2", c="3", d="4", e="5")
    await do(world, lambda f: f.write_text("drive:/a.txt", "changed"))
    await do(world, lambda f: f.move("drive:/b.txt", "drive:/elsewhere.txt"))
    await do(world, lambda f: f.delete("drive:/c.txt"))
    await do(world, lambda f: f.write_text("drive:/d.txt", "4"))
    await do(world, lambda f: f.write_text("drive:/new.txt", "nobody minds"))
    changed = await world.read(lambda tx: Files(tx).changed_drive_files())
    assert changed == ["drive:/a.txt", "drive:/b.txt", "drive:/c.txt"]


async def test_damage_undone_is_damage_all_the_same(staged: Staged) -> None:
    world = await staged(a="1")
    await do(world, lambda f: f.edit("drive:/a.txt", [Replacement(old="1", new="2")]))
    await do(world, lambda f: f.edit("drive:/a.txt", [Replacement(old="2", new="1")]))
    assert await world.read(lambda tx: Files(tx).changed_drive_files()) == ["drive:/a.txt"]


async def test_a_file_that_appears_later_counts_from_then_on() -> None:
    later = START + timedelta(minutes=3)
    path = "drive:/p/q.png"

    def stage(tx: Transaction) -> None:
        data = base64.b64encode(PNG).decode()
        tx.enqueue(later, FileAppears(path=path, data_base64=data))
        tx.enqueue(later, FileAppears(path="workspace:/todo.md", text="hello"))

    async with await World.create_inline(OPENING, stage) as world:
        for _ in range(3):
            assert not await do(world, lambda f: f.exists(path))
        info = await do(world, lambda f: f.info(path))
        assert (info.kind, info.changed, info.changed_by) == (FileKind.PICTURE, later, "")
        assert await do(world, lambda f: f.text("workspace:/todo.md")) == "hello"
        await do(world, lambda f: f.delete(path))
        assert await world.read(lambda tx: Files(tx).changed_drive_files()) == [path]


def test_a_file_appears_with_exactly_one_content() -> None:
    with pytest.raises(ValidationError):
        FileAppears(path="drive:/a.txt")
    with pytest.raises(ValidationError):
        FileAppears(path="drive:/a.txt", text="", data_base64="")


ACTIONS = st.sampled_from(["write", "edit", "copy", "move", "delete"])
PATHS = st.sampled_from(
    ["drive:/a.txt", "drive:/f/a.txt", "workspace:/a.txt", "workspace:/f", "workspace:/f/", "x"]
)


@given(st.lists(st.tuples(ACTIONS, PATHS, PATHS), max_size=12))
async def test_whatever_is_done_it_is_done_or_refused_and_listings_agree(
    actions: list[tuple[str, str, str]],
) -> None:
    world = await furnished(a="1", f__a="2")
    for action, path, other in actions:
        verbs: dict[str, Callable[[Files], object]] = {
            "write": lambda f, p=path, o=other: f.write_text(p, o),
            "edit": lambda f, p=path: f.edit(p, [Replacement(old="1", new="3")]),
            "copy": lambda f, p=path, o=other: f.copy(p, o),
            "move": lambda f, p=path, o=other: f.move(p, o),
            "delete": lambda f, p=path: f.delete(p),
        }
        with suppress(WorldError):
            await do(world, verbs[action])
    for place in ("drive:/", "workspace:/"):
        within = await do(world, lambda f, at=place: f.files_within(at))
        listed = await do(world, lambda f, at=place: f.list(at))
        assert sum(info.size for info in within) == sum(entry.size for entry in listed)
        names = {parse_file_path(info.path) for info in within}
        assert not names & {folder for name in names for folder in name.parents}
    await world.close()


# what somebody has put on the drive ----------------------------------------------------------


async def versions(world: World, path: str) -> list[str]:
    """All that the employee has ever left at *path*."""
    found = await do(world, lambda f: f.published_versions(path, OPENING.employee))
    return [content.data.decode() for content in found]


async def test_every_version_that_was_on_the_drive_is_kept_though_it_is_gone(
    staged: Staged,
) -> None:
    world = await staged()
    await do(world, lambda f: f.write_text("drive:/mine.txt", "one"))
    await do(world, lambda f: f.write_text("drive:/mine.txt", "two"))
    await do(world, lambda f: f.edit("drive:/mine.txt", [Replacement(old="two", new="three")]))
    await do(world, lambda f: f.copy("drive:/mine.txt", "drive:/copy.txt"))
    await do(world, lambda f: f.move("drive:/mine.txt", "workspace:/mine.txt"))
    await do(world, lambda f: f.delete("drive:/copy.txt"))
    published = await do(world, lambda f: f.published_by(OPENING.employee))
    assert published == ["drive:/copy.txt", "drive:/mine.txt"]
    assert await versions(world, "drive:/mine.txt") == ["one", "two", "three"]
    assert await versions(world, "drive:/copy.txt") == ["three"]


async def test_staged_and_workspace_files_are_nobodys_publication(
    staged: Staged,
) -> None:
    world = await staged(a="theirs")
    await do(world, lambda f: f.write_text("workspace:/mine.txt", "one"))
    assert await do(world, lambda f: f.published_by(OPENING.employee)) == []
    await do(world, lambda f: f.write_text("drive:/a.txt", "mine"))
    assert await versions(world, "drive:/a.txt") == ["mine"]


async def test_a_name_that_a_colleague_needed_was_on_the_drive(staged: Staged) -> None:
    world = await staged()
    await do(world, lambda f: f.write_text("drive:/a.txt", "mine"))
    await do(world, lambda f: f.write_text("drive:/a.txt", "theirs"), actor="")
    published = await do(world, lambda f: f.published_by(OPENING.employee))
    assert published == ["drive:/a.txt", "drive:/a_2.txt"]
