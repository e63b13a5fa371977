"""The errors of the simulation, and which of them an agent sees.

    WorldError               shown to the agent; the text names the next step
    ├── Invalid              an argument is malformed; the text shows the correct form
    ├── NotFound             no such person, file, mail, meeting …; the text says where to look
    └── Refused              valid, but not allowed or not possible
        └── DayOver          the working day has ended; nothing more can be done

    WorldFileError           never shown to the agent: the world file itself is unusable

Any other exception is a bug and is not caught.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pydantic import ValidationError

__all__ = [
    "DayOver", "Invalid", "NotFound", "Refused", "WorldError", "WorldFileError", "first_flaw",
]  # fmt: skip


class WorldError(Exception):
    """An error for the agent: its text names the next step."""


class Invalid(WorldError):
    """An argument is malformed."""


class NotFound(WorldError):
    """The requested thing does not exist, or this employee cannot see it."""


class Refused(WorldError):
    """The request is valid, but the world does not allow it."""


class DayOver(Refused):
    """The working day has ended."""


class WorldFileError(Exception):
    """A file is not a world, has another format version, or already exists."""


def first_flaw(error: ValidationError) -> tuple[str, str]:
    """Return the place of the first flaw, such as ``days.0.tasks`` ("" for the whole), and its
    message."""
    flaw = error.errors(include_url=False, include_input=False, include_context=False)[0]
    return ".".join(map(str, flaw["loc"])), flaw["msg"]
