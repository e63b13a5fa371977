"""What may stand in any tool's arguments."""

from __future__ import annotations

import pytest
from pydantic import JsonValue

from trainee_bench.mcp_servers.serving.arguments import is_serializable

DEEP: JsonValue = 1
for _ in range(40):
    DEEP = [DEEP]


@pytest.mark.parametrize(
    "value",
    [
        "text",
        "",
        "Grüße 😀",
        0,
        -1.5,
        True,
        None,
        [1, [2, {"a": "b"}]],
        ["x"] * 90_000,
        "x" * 10**6,
    ],
)
def test_sound_json_of_a_sane_size_is_speakable(value: JsonValue) -> None:
    assert is_serializable({"value": value})


@pytest.mark.parametrize(
    "value",
    [
        "\0",
        "half \ud800 of a character",
        float("nan"),
        float("inf"),
        10**400,
        "x" * 2_000_001,
        ["x"] * 100_001,
        [[1] * 1_000] * 101,
        DEEP,
    ],
    ids=["nul", "half", "nan", "inf", "huge", "long", "many", "many in rows", "deep"],
)
def test_what_no_log_can_keep_and_what_is_far_too_much_is_not(value: JsonValue) -> None:
    assert not is_serializable({"value": value})


def test_the_names_of_arguments_are_held_to_the_same() -> None:
    assert not is_serializable({"half \ud800": 1})
