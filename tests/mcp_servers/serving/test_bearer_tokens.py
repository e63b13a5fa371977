"""A placeholder is no token, and a random text is one."""

from __future__ import annotations

import secrets

import pytest

from trainee_bench.mcp_servers.serving.bearer_tokens import check_token


@pytest.mark.parametrize(
    "text",
    ["REPLACE-THIS-KEY", "your_token_goes_here", "change-me-please-now", "x" * 32, "0123" * 8],
)
def test_a_placeholder_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="placeholder"):
        check_token(text)


@pytest.mark.parametrize("text", ["", "short", "a key with some blanks", "<openssl rand -hex 32>"])
def test_a_text_that_no_header_can_carry_or_that_is_short_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="at least 16"):
        check_token(text)


def test_random_tokens_are_taken() -> None:
    for make in (secrets.token_hex, secrets.token_urlsafe):
        token = make(32)
        assert check_token(token) == token
