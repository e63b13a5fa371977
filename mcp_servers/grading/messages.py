"""The messages between a process and its grading process.

    GradingRequest, then the bytes of a world ──► grading process
    a line for each step that begins, then one with the outcome ◄──

Every message is a line of JSON.
"""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import BaseModel, ConfigDict

PLACES = (
    "trainee_bench.meta_tasks.families",
    "trainee_bench.meta_tasks.complications",
    "trainee_bench.mcp_servers",
    "trainee_bench.world.apps",
)
"""The packages whose modules are found without being named. The grading process also searches
folders that users added to their ``__path__``."""


class _Message(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Surroundings(_Message):
    """The places where a process finds modules, ``sys.path`` and the folders of `PLACES`, and the
    open offices, as the environment names them."""

    path: tuple[str, ...]
    places: Mapping[str, tuple[str, ...]]
    offices: str = ""


class GradingRequest(_Message):
    """A request to grade a world of *size* bytes. ``failed`` maps checks that are not to be run to
    why they failed. ``check_seconds`` and ``replay_seconds`` limit the processor time of each check
    and each replay."""

    size: int
    failed: Mapping[str, str]
    check_seconds: float
    replay_seconds: float


class GradingStep(_Message):
    """A step that begins now: a check, or with None the replay of a day up to a deadline."""

    check: str | None = None


class GradingOutcome(_Message):
    """The ``grade`` as JSON, or why there is none: ``refused`` says what is wrong with the world,
    ``diverged`` at which action its replay differs, and ``crash`` is the traceback of a bug."""

    grade: str | None = None
    refused: str | None = None
    diverged: tuple[int, str] | None = None
    crash: str | None = None


class GradingReport(_Message):
    """One line from the grading process: it is ready, a step begins, or it is done."""

    step: GradingStep | None = None
    outcome: GradingOutcome | None = None


def to_line(message: BaseModel) -> bytes:
    """Encode *message* as one line."""
    return message.model_dump_json().encode() + b"\n"
