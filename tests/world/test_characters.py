"""Which characters a name, a subject and a cell may hold, and how a refusal names another."""

from __future__ import annotations

import pytest

from tests.world.office import MARA, do, office
from trainee_bench.harness.support.text import printable
from trainee_bench.world.apps.mail import Mail
from trainee_bench.world.errors import Invalid
from trainee_bench.world.filesystem.paths import parse_file_path
from trainee_bench.world.text_index import unprintable
from trainee_bench.world.workbook.model import check_cell, check_sheet_name

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
    with pytest.raises(Invalid, match=f"leave U\\{name[1:]} out"):
        parse_file_path(f"workspace:/a{character}b.md")
    world = await office()
    with pytest.raises(Invalid, match=f"Leave U\\{name[1:]} out"):
        await do(world, lambda tx: Mail(tx).send((MARA,), f"a{character}b", "x"), minutes=0)
    await world.close()


def test_a_cell_that_holds_a_control_character_is_refused_by_its_name() -> None:
    with pytest.raises(Invalid, match=r"holds the control character U\+0007;"):
        check_cell("a\ab", "A1")
