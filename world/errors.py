"""What can go wrong inside the simulation, and what an agent is told.

    WorldError               shown to the agent; the text names the next step
    ├── Invalid              an argument is malformed: says what a right one looks like
    ├── NotFound             no such person, file, mail, meeting …: says where to look
    └── Refused              understood, but not allowed or not possible
        └── DayOver          the working day has ended; nothing more can be done

    WorldFileError           never shown to the agent: the world's file itself is unusable

Anything else that is raised is a bug of ours and is not caught.
"""

__all__ = ["DayOver", "Invalid", "NotFound", "Refused", "WorldError", "WorldFileError"]


class WorldError(Exception):
    """Part of the simulation: its text is written for the agent and names the next step."""


class Invalid(WorldError):
    """An argument is malformed."""


class NotFound(WorldError):
    """What was asked for does not exist, or does not exist for this employee."""


class Refused(WorldError):
    """The request was understood, and the world does not allow it."""


class DayOver(Refused):
    """The working day has ended."""


class WorldFileError(Exception):
    """A file is not a world, is of another version, or already exists."""
