"""What is a path here, and what is not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trainee_bench.world.errors import Invalid
from trainee_bench.world.filesystem.paths import VirtualPath, parse_file_path, parse_folder_path


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
def test_what_is_no_path_is_refused_in_words(path: str) -> None:
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
