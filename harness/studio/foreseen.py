"""What a call would do: its verb is tried out in the world, and everything is undone.

call ──► World.try_out ──► what stood before ╮
                       └─► what stands after ┴─► ForeseenEffects

So it counts what happens, whatever the arguments look like: an answer to a mail goes to whoever
wrote it, and a row is added to a file of all.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import date

from pydantic import BaseModel

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
