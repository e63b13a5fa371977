"""Which calls of an agent need a person's approval: a list of rules, of which the first counts.

@destructive → ask      tools that overwrite or remove
@outsiders   → ask      mail to somebody outside the company
terminal_*   → ask      tools by name, * for any letters
*            → allow
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from fnmatch import fnmatchcase

from pydantic import BaseModel, ConfigDict, Field, JsonValue

from trainee_bench.mcp_servers.serving.toolbox import Tool
from trainee_bench.world.company.people import DOMAIN

DESTRUCTIVE, OUTSIDERS = "@destructive", "@outsiders"
_ADDRESSED = ("to", "cc")
_REFUSED = "the person who guides this day does not allow this call"


class ApprovalAction(StrEnum):
    """What becomes of a call."""

    ALLOW = "allow"
    ASK = "ask"
    REFUSE = "refuse"


class ApprovalRule(BaseModel):
    """What becomes of the calls that *pattern* fits: a tool's name, in which * stands for any
    letters, "@destructive", or "@outsiders". ``why`` is told with a refusal."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    pattern: str = Field(
        min_length=1, max_length=64, pattern=r"^(@destructive|@outsiders|[a-z_*]+)$"
    )
    action: ApprovalAction
    why: str = Field(default="", max_length=500)

    def fits(self, tool: Tool, arguments: BaseModel) -> bool:
        """Whether it is about this call."""
        if self.pattern == DESTRUCTIVE:
            return tool.destructive
        if self.pattern == OUTSIDERS:
            return tool.app == "mail" and any(_outsiders(arguments))
        return fnmatchcase(tool.name, self.pattern)

    @property
    def reason(self) -> str:
        """Why a call that it fits is stopped, for the person who is asked."""
        return {
            DESTRUCTIVE: "it overwrites or removes",
            OUTSIDERS: "it goes to somebody outside the company",
        }.get(self.pattern, f"by the rule {self.pattern}")

    @property
    def refusal(self) -> str:
        """The text of its refusal."""
        return refusal_text(self.why)


ApprovalPolicy = tuple[ApprovalRule, ...]
ALLOW_ALL: ApprovalPolicy = ()
_ASK = ApprovalAction.ASK
DEFAULT_POLICY: ApprovalPolicy = (
    ApprovalRule(pattern=DESTRUCTIVE, action=_ASK),
    ApprovalRule(pattern=OUTSIDERS, action=_ASK),
    ApprovalRule(pattern="terminal_*", action=_ASK),
)


def matching_rule(policy: ApprovalPolicy, tool: Tool, arguments: BaseModel) -> ApprovalRule | None:
    """The first rule that fits the call; None if none does, so that it is allowed."""
    return next((rule for rule in policy if rule.fits(tool, arguments)), None)


def refusal_text(why: str) -> str:
    """What an agent reads whose call was refused, with the reason *why* if one was given."""
    said = " ".join(why.split()) or _REFUSED
    return f"Not approved: {said}{'' if said[-1] in '.!?' else '.'}"


def _outsiders(arguments: BaseModel) -> Iterator[str]:
    """The addresses of *arguments* that are none of the company."""
    given: dict[str, JsonValue] = arguments.model_dump(mode="json")
    for name in _ADDRESSED:
        people = given.get(name)
        for one in people if isinstance(people, list) else [people]:
            if isinstance(one, str) and "@" in one and not one.strip().endswith(f"@{DOMAIN}"):
                yield one
