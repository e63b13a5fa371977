"""What a program prints is kept in bounds, and no key that it was given is in it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from trainee_bench.harness.agents.external.output_buffer import OutputBuffer

KEY = "sk-a1b2c3d4e5f6g7h8"


def heard(text: bytes, cuts: list[int]) -> OutputBuffer:
    said, begun = OutputBuffer({"MY_KEY": KEY, "SHORT": "a"}), 0
    for cut in (*sorted(cuts), len(text)):
        said.feed(text[begun:cut])
        begun = max(begun, cut)
    return said


@given(
    st.lists(st.sampled_from([KEY, "a line\n", "x", "\N{HOT BEVERAGE}"]), max_size=40),
    st.lists(st.integers(0, 600), max_size=8),
)
def test_little_is_kept_whole_with_a_name_for_each_key(parts: list[str], cuts: list[int]) -> None:
    said = heard("".join(parts).encode(), cuts)
    assert said.text == "".join(parts).replace(KEY, "[MY_KEY]")


@given(st.integers(0, len(KEY)), st.integers(300_000, 300_100), st.text("\nab", max_size=50))
def test_of_much_the_beginning_and_the_end_are_kept_and_no_part_of_a_key(
    shift: int, size: int, last: str
) -> None:
    text = "begun" + "." * shift + KEY * (size // len(KEY)) + last + "ended"
    said = heard(text.encode(), [100_000, 200_000])
    assert said.text.startswith("begun") and said.text.endswith("ended")
    assert len(said.text) < 270_000
    assert "bytes are left out here" in said.text
    for part in (KEY[:6], KEY[-6:], KEY[6:12]):
        assert part not in said.text


def test_the_last_line_is_the_last_that_says_something() -> None:
    said = OutputBuffer({"MY_KEY": KEY})
    assert said.last_line == ""
    said.feed(b"one\ncannot open " + KEY.encode() + b"\n\n  \n")
    assert said.last_line == "cannot open [MY_KEY]"
    said.feed(b"x" * 1000)
    assert len(said.last_line) == 300
