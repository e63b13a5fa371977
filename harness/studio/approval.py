"""Approval rules: which calls of an agent need a person's approval. The first match wins.

@destructive → ask      tools that overwrite or remove, and calls with that effect
@outsiders   → ask      calls that would send mail to somebody outside the company
terminal_*   → ask      tools by name; * matches any letters
*            → allow

The first two rules look at the effects of a call. If they cannot be foreseen, because the call acts
outside the world, a person is asked, unless a rule by name decides.

call ──► World.try_out ──► the state before ╮
                       └─► the state after ─┴─► ForeseenEffects

So the effects count, not the arguments: a reply to a mail goes to its sender, and a new row
changes a file that everybody uses.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from fnmatch import fnmatchcase

from pydantic import BaseModel, ConfigDict, Field

from trainee_bench.mcp_servers.serving.toolbox import Tool
from trainee_bench.world.apps.calendar import Calendar
from trainee_bench.world.apps.files import Files
from trainee_bench.world.apps.mail import Mail
from trainee_bench.world.company.directory import Directory
from trainee_bench.world.filesystem.store import FileInfo
from trainee_bench.world.transaction import Result, Transaction
from trainee_bench.world.week import day_over
from trainee_bench.world.world import World

_DRIVE = "drive:/"


@dataclass(frozen=True)
class ForeseenEffects:
    """The effects of a call on others: addresses outside the company that would get mail, and files
    on the drive and meetings that would be changed or removed.

    If it is not *foreseeable*, the call acts outside the world and its effects are unknown.
    """

    mailed_outside: tuple[str, ...] = ()
    overwritten: tuple[str, ...] = ()
    foreseeable: bool = True


NO_EFFECTS = ForeseenEffects()
UNFORESEEABLE = ForeseenEffects(foreseeable=False)


@dataclass(frozen=True)
class _Standing:
    """The mails, files and meetings at one moment."""

    mailed: Mapping[int, tuple[str, ...]]
    """The addresses outside the company that received each mail of the person."""
    files: Mapping[str, tuple[FileInfo, str]]
    meetings: Mapping[int, Mapping[str, object]]


async def foresee(
    world: World, person: str, tool: Tool, arguments: BaseModel, outside: Collection[str] = ()
) -> ForeseenEffects:
    """Return the effects that the call of *tool* by *person* would have in *world*. Tools with a
    side effect, and those named in *outside*, act outside the world."""
    if tool.side_effect is not None or tool.name in outside:
        return UNFORESEEABLE
    if tool.read_only:
        return NO_EFFECTS

    def verb(tx: Transaction) -> Result[BaseModel]:
        if tx.now >= tx.day.ends and not tool.after_hours:
            raise day_over(tx)
        return tool.verb(tx, **vars(arguments))

    found = await world.try_out(person, verb, lambda tx: _standing(tx, person))
    return NO_EFFECTS if found is None else _difference(*found)


def _standing(tx: Transaction, person: str) -> _Standing:
    files, directory = Files(tx), Directory(tx)
    return _Standing(
        mailed={
            mail.id: tuple(
                party.address
                for party in (*mail.to, *mail.cc)
                if not directory.owner(party.address)
            )
            for mail in Mail(tx).sent_by(person)
        },
        files={
            info.path: (info, files.content(info.path).sha256 if info.changed == tx.now else "")
            for info in files.files_within(_DRIVE)
        },
        meetings={
            meeting.id: meeting.model_dump(exclude={"invitations"})
            for meeting in Calendar(tx).meetings_of(person, date.min)
        },
    )


def _difference(before: _Standing, after: _Standing) -> ForeseenEffects:
    sent = [after.mailed[id] for id in after.mailed if id not in before.mailed]
    files = [path for path, file in before.files.items() if after.files.get(path) != file]
    meetings = [
        f"meeting {id}"
        for id, meeting in before.meetings.items()
        if after.meetings.get(id) != meeting
    ]
    return ForeseenEffects(
        mailed_outside=tuple(dict.fromkeys(address for mail in sent for address in mail)),
        overwritten=(*files, *meetings),
    )


DESTRUCTIVE, OUTSIDERS = "@destructive", "@outsiders"
_ABOUT_EFFECTS = (DESTRUCTIVE, OUTSIDERS)
_ANY = "*"
_REFUSED = "the person who guides this day does not allow this call"


class ApprovalAction(StrEnum):
    """The decision about a call."""

    ALLOW = "allow"
    ASK = "ask"
    REFUSE = "refuse"


class ApprovalRule(BaseModel):
    """A rule for the calls that match *pattern*: a tool's name in which * matches any letters,
    "@destructive", or "@outsiders". ``why`` is told to the agent with a refusal."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    pattern: str = Field(
        min_length=1, max_length=64, pattern=r"^(@destructive|@outsiders|[a-z_*]+)$"
    )
    action: ApprovalAction
    why: str = Field(default="", max_length=500)

    def fits(self, tool: Tool, effects: ForeseenEffects) -> bool:
        """Return whether it applies to a call of *tool* with these *effects*. Unforeseeable effects
        match every rule about effects, unless it would allow the call."""
        if self.pattern not in _ABOUT_EFFECTS:
            return fnmatchcase(tool.name, self.pattern)
        if not effects.foreseeable:
            return self.action is not ApprovalAction.ALLOW
        if self.pattern == DESTRUCTIVE:
            return tool.destructive or bool(effects.overwritten)
        return bool(effects.mailed_outside)

    def reason(self, effects: ForeseenEffects) -> str:
        """Return why it stops a call with these *effects*, for the person who is asked."""
        if self is _UNFORESEEN:
            return "it acts outside the office, so its effects cannot be foreseen"
        about = {
            DESTRUCTIVE: ("it overwrites or removes", effects.overwritten),
            OUTSIDERS: ("it sends mail outside the company", effects.mailed_outside),
        }
        reason, things = about.get(self.pattern, (f"by the rule {self.pattern}", ()))
        return f"{reason}: {', '.join(things)}" if things else reason

    @property
    def refusal(self) -> str:
        """The text of the refusal that the agent reads."""
        return refusal_text(self.why)


ApprovalPolicy = tuple[ApprovalRule, ...]
ALLOW_ALL: ApprovalPolicy = ()
_ASK = ApprovalAction.ASK
DEFAULT_POLICY: ApprovalPolicy = (
    ApprovalRule(pattern=DESTRUCTIVE, action=_ASK),
    ApprovalRule(pattern=OUTSIDERS, action=_ASK),
    ApprovalRule(pattern="terminal_*", action=_ASK),
)


_UNFORESEEN = ApprovalRule(pattern=_ANY, action=_ASK)
"""The default rule for a call whose effects cannot be foreseen."""


def matching_rule(
    policy: ApprovalPolicy, tool: Tool, effects: ForeseenEffects
) -> ApprovalRule | None:
    """Return the first rule that matches a call of *tool* with these *effects*. None matches: the
    call is allowed, and None is returned."""
    for rule in policy:
        if rule.fits(tool, effects):
            refused = rule.action is ApprovalAction.REFUSE
            known = effects.foreseeable or rule.pattern not in _ABOUT_EFFECTS
            declared = rule.pattern == DESTRUCTIVE and tool.destructive
            return _UNFORESEEN if refused and not known and not declared else rule
    return _UNFORESEEN if policy and not effects.foreseeable else None


def refusal_text(why: str) -> str:
    """Return the text that an agent reads when its call is refused, with the reason *why* if
    given."""
    reason = " ".join(why.split()) or _REFUSED
    return f"Not approved: {reason}{'' if reason[-1] in '.!?' else '.'}"
