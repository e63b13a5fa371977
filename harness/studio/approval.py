"""Which calls of an agent need a person's approval: a list of rules, of which the first counts.

@destructive → ask      tools that overwrite or remove, and calls that would
@outsiders   → ask      calls by which mail would go to somebody outside the company
terminal_*   → ask      tools by name, * for any letters
*            → allow

The first two look at what a call would do. Where that cannot be foreseen, since it would act
outside the world, a person is asked, unless a rule by name decides.

call ──► World.try_out ──► what stood before ╮
                       └─► what stands after ┴─► ForeseenEffects

So it counts what happens, whatever the arguments look like: an answer to a mail goes to whoever
wrote it, and a row is added to a file of all.
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
from trainee_bench.world.filesystem.store import FileInfo
from trainee_bench.world.transaction import Result, Transaction
from trainee_bench.world.week import day_over
from trainee_bench.world.world import World

_DRIVE = "drive:/"


@dataclass(frozen=True)
class ForeseenEffects:
    """What a call would do to others: the addresses outside the company to which mail would go,
    and what stood before and would be another or gone: files on the drive, meetings.

    Unless it is *foreseeable*, nothing of this is known: it acts outside the world.
    """

    mailed_outside: tuple[str, ...] = ()
    overwritten: tuple[str, ...] = ()
    foreseeable: bool = True


NO_EFFECTS = ForeseenEffects()
UNFORESEEABLE = ForeseenEffects(foreseeable=False)


@dataclass(frozen=True)
class _Standing:
    """What stands at one moment."""

    mailed: Mapping[int, tuple[str, ...]]
    """The addresses outside the company to which each mail of the person went."""
    files: Mapping[str, tuple[FileInfo, str]]
    meetings: Mapping[int, Mapping[str, object]]


async def foresee(
    world: World, person: str, tool: Tool, arguments: BaseModel, outside: Collection[str] = ()
) -> ForeseenEffects:
    """What the call of *tool* by *person* would do in *world*. Tools named in *outside* act outside
    of it, as those with a side effect of their own do."""
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
    files = Files(tx)
    return _Standing(
        mailed={
            mail.id: tuple(one.address for one in (*mail.to, *mail.cc) if not one.colleague)
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
        f"meeting {id}" for id, one in before.meetings.items() if after.meetings.get(id) != one
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

    def fits(self, tool: Tool, effects: ForeseenEffects) -> bool:
        """Whether it is about a call of *tool* with these *effects*. One whose effects cannot be
        foreseen may have any, so that no rule about effects allows it."""
        if self.pattern not in _ABOUT_EFFECTS:
            return fnmatchcase(tool.name, self.pattern)
        if not effects.foreseeable:
            return self.action is not ApprovalAction.ALLOW
        if self.pattern == DESTRUCTIVE:
            return tool.destructive or bool(effects.overwritten)
        return bool(effects.mailed_outside)

    def reason(self, effects: ForeseenEffects) -> str:
        """Why a call with these *effects*, which it fits, is stopped, for the person who is
        asked."""
        if self is _UNFORESEEN:
            return "it acts outside the office, so nobody can say before what it does"
        about = {
            DESTRUCTIVE: ("it overwrites or removes", effects.overwritten),
            OUTSIDERS: ("it goes to somebody outside the company", effects.mailed_outside),
        }
        said, things = about.get(self.pattern, (f"by the rule {self.pattern}", ()))
        return f"{said}: {', '.join(things)}" if things else said

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


_UNFORESEEN = ApprovalRule(pattern=_ANY, action=_ASK)
"""Stands for the rule that is missing for a call whose effects cannot be foreseen."""


def matching_rule(
    policy: ApprovalPolicy, tool: Tool, effects: ForeseenEffects
) -> ApprovalRule | None:
    """The first rule that fits a call of *tool* with these *effects*; None if none does, so that
    it is allowed."""
    for rule in policy:
        if rule.fits(tool, effects):
            refused = rule.action is ApprovalAction.REFUSE
            known = effects.foreseeable or rule.pattern not in _ABOUT_EFFECTS
            declared = rule.pattern == DESTRUCTIVE and tool.destructive
            return _UNFORESEEN if refused and not known and not declared else rule
    return _UNFORESEEN if policy and not effects.foreseeable else None


def refusal_text(why: str) -> str:
    """What an agent reads whose call was refused, with the reason *why* if one was given."""
    said = " ".join(why.split()) or _REFUSED
    return f"Not approved: {said}{'' if said[-1] in '.!?' else '.'}"
