"""What is a path here and what is not; which characters names, subjects and cells may hold."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.world.office import MARA, do, office
from trainee_bench.harness.support.text import printable
from trainee_bench.world.apps.mail import Mail
from trainee_bench.world.errors import Invalid
from trainee_bench.world.filesystem.paths import VirtualPath, parse_file_path, parse_folder_path
from trainee_bench.world.text_index import unprintable
from trainee_bench.world.workbook.model import check_cell, check_sheet_name


@pytest.mark.parametrize(
    "path",
    [
        "report.json", "/etc/passwd", "C:\\x.txt", "file:///etc/passwd", "http://a/b", "Drive:/a",
        "drive:a", "drive://a", "drive:/a//b", "drive:/a/", "drive:/", "workspace:/", "",
        "drive:/../a", "drive:/a/./b", "workspace:/..", "drive:/a\\b", "drive:/a\nb",
        "drive:/a\u202eb", "drive:/ a", "drive:/a ", "drive:/" + "x" * 201,
        "drive:/" + "/".join(["a"] * 21), "drive:/" + "/".join(["x" * 100] * 6),
    ],
)  # fmt: skip
def test_an_invalid_path_is_refused_with_the_reason(path: str) -> None:
    with pytest.raises(Invalid) as refused:
        parse_file_path(path)
    assert refused.value.args[0]


def test_the_refusal_names_the_right_form_and_never_repeats_a_path_of_the_machine() -> None:
    with pytest.raises(Invalid, match="drive:/folder/file.ext or workspace:/file.ext"):
        parse_file_path("/etc/passwd")
    with pytest.raises(Invalid) as refused:
        parse_file_path("/etc/passwd")
    assert "/etc" not in str(refused.value)
    with pytest.raises(Invalid, match=r"Did you mean workspace:/out/report\.json\?"):
        parse_file_path("out/report.json")


@given(st.text(max_size=60) | st.text("/.\\ ab:é", max_size=30).map("drive:/".__add__))
def test_any_text_is_a_canonical_path_or_invalid(text: str) -> None:
    try:
        parsed = parse_folder_path(text)
    except Invalid:
        return
    assert parse_folder_path(str(parsed)) == parsed
    assert parsed.place in ("drive", "workspace")
    assert not {"", ".", ".."} & set(parsed.parts)


def test_one_name_has_one_spelling_and_case_counts() -> None:
    assert parse_file_path("drive:/cafe\u0301.txt") == parse_file_path("drive:/caf\u00e9.txt")
    assert parse_file_path("drive:/A.txt") != parse_file_path("drive:/a.txt")


def test_a_folder_may_end_in_a_slash_and_a_place_is_a_folder() -> None:
    assert (
        parse_folder_path("drive:/a/")
        == parse_folder_path("drive:/a")
        == VirtualPath("drive", ("a",))
    )
    assert str(parse_folder_path("workspace:/")) == "workspace:/"


# characters -------------------------------------------------------------------------------


TEXTS = (
    "\U0001f469\u200d\U0001f4bb",  # a woman at a computer
    "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",  # a Persian word
    "10\u00a0000\u202f€",
)


@pytest.mark.parametrize("text", TEXTS)
async def test_joined_emoji_persian_words_and_spaces_that_do_not_break_are_text(text: str) -> None:
    world = await office()
    sent = await do(world, lambda tx: Mail(tx).send((MARA,), text, text), minutes=0)
    assert sent.subject == text
    assert parse_file_path(f"workspace:/{text}.md").name == f"{text}.md"
    check_sheet_name(text)
    check_cell(text, "A1")
    assert printable(text) == text
    await world.close()


@pytest.mark.parametrize(
    ("character", "name"), [("\a", "U+0007"), ("\u202e", "U+202E"), ("\u2028", "U+2028")]
)
async def test_a_refusal_names_the_character_that_is_no_text(character: str, name: str) -> None:
    assert unprintable(f"a{character}b") == name
    with pytest.raises(Invalid, match=f"remove U\\{name[1:]}"):
        parse_file_path(f"workspace:/a{character}b.md")
    world = await office()
    with pytest.raises(Invalid, match=f"Leave U\\{name[1:]} out"):
        await do(world, lambda tx: Mail(tx).send((MARA,), f"a{character}b", "x"), minutes=0)
    await world.close()


def test_a_cell_that_holds_a_control_character_is_refused_by_its_name() -> None:
    with pytest.raises(Invalid, match=r"contains the control character U\+0007;"):
        check_cell("a\ab", "A1")
