"""Which calls need approval: the first rule that fits counts."""

from __future__ import annotations

import pytest
from pydantic import JsonValue, ValidationError

from trainee_bench.harness.studio.approval import (
    DEFAULT_POLICY,
    ApprovalAction,
    ApprovalRule,
    matching_rule,
    refusal_text,
)
from trainee_bench.mcp_servers import discover_toolboxes
from trainee_bench.world.company.people import DOMAIN

TOOLS = {tool.name: tool for box in discover_toolboxes().values() for tool in box}
INSIDE, OUTSIDE = f"mara.lindt@{DOMAIN}", "somebody@elsewhere.example"


def stopped(policy: tuple[ApprovalRule, ...], name: str, **arguments: JsonValue) -> str:
    """The pattern of the rule that stops the call; "" if none does."""
    tool = TOOLS[name]
    rule = matching_rule(policy, tool, tool.parse(arguments))
    return rule.pattern if rule is not None and rule.action is not ApprovalAction.ALLOW else ""


@pytest.mark.parametrize(
    "to, cc, expected",
    [
        ([INSIDE], [], ""),
        (["Mara Lindt"], [], ""),
        ([INSIDE, OUTSIDE], [], "@outsiders"),
        ([INSIDE], [OUTSIDE], "@outsiders"),
        ([f"x@{DOMAIN}.elsewhere.example"], [], "@outsiders"),
    ],
)
def test_mail_needs_approval_by_default_if_it_leaves_the_company(
    to: list[JsonValue], cc: list[JsonValue], expected: str
) -> None:
    given = {"to": to, "cc": cc, "subject": "Hello", "body": "Hello"}
    assert stopped(DEFAULT_POLICY, "mail_send", **given) == expected


def test_the_default_asks_for_what_destroys_and_for_the_terminal_and_for_nothing_read_only() -> (
    None
):
    ask = {name for name, tool in TOOLS.items() if tool.destructive or tool.app == "terminal"}
    assert any(TOOLS[name].destructive for name in ask)
    for name, tool in TOOLS.items():
        rule = next(
            (r for r in DEFAULT_POLICY if r.fits(tool, tool.arguments.model_construct())), None
        )
        assert (rule is not None) == (name in ask), name


def test_the_first_rule_that_fits_counts() -> None:
    def rule(pattern: str, action: ApprovalAction) -> ApprovalRule:
        return ApprovalRule(pattern=pattern, action=action)

    policy = (rule("mail_list*", ApprovalAction.ALLOW), rule("mail_*", ApprovalAction.REFUSE))
    sent = {"to": [INSIDE], "subject": "Hello", "body": "Hello"}
    assert stopped(policy, "mail_send", **sent) == "mail_*"
    assert stopped(policy, "mail_list") == ""
    assert stopped(policy, "desk_now") == ""


@pytest.mark.parametrize("pattern", ["", "@nobody", "[a-z]*", "mail send", "a" * 65])
def test_a_pattern_is_a_tools_name_with_stars_or_one_of_two_words(pattern: str) -> None:
    with pytest.raises(ValidationError):
        ApprovalRule(pattern=pattern, action=ApprovalAction.ASK)


def test_a_refusal_says_its_reason_or_that_there_is_none() -> None:
    assert refusal_text("Ask  the owner") == "Not approved: Ask the owner."
    assert refusal_text("Why?") == "Not approved: Why?"
    assert "person" in refusal_text("  ")
