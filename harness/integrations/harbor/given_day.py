"""A day as one word that a task gives to its container at the start.

    GivenDay ──encode──► word (JSON, zlib, base64) ──decode──► GivenDay

The word has the seed, so anybody who has it can compute the answers.
"""

from __future__ import annotations

import base64
import binascii
import zlib

from pydantic import BaseModel, ConfigDict, ValidationError

from trainee_bench.mcp_servers.serving.server import package_version
from trainee_bench.meta_tasks.scenario import Scenario

_MOST_BYTES = 8 * 1024 * 1024
"""More than any scenario has, so that a small word cannot fill the memory."""
_DAMAGED = "the day is damaged; export the task again."


class DayRefused(ValueError):
    """Raised if a word is not a day that this version can stage; says what to do."""


class GivenDay(BaseModel):
    """Day number *number* (from 0) of *scenario*, and the version of this package that exported
    it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    version: str
    scenario: Scenario
    number: int

    @classmethod
    def of(cls, scenario: Scenario, number: int) -> GivenDay:
        """Return the day for containers with this version."""
        return cls(version=package_version(), scenario=scenario, number=number)

    def encode(self) -> str:
        """Return the word: letters, digits, ``-``, ``_`` and ``=``."""
        packed = zlib.compress(self.model_dump_json().encode(), 9)
        return base64.urlsafe_b64encode(packed).decode()

    @classmethod
    def decode(cls, word: str) -> GivenDay:
        """Return the day of *word*. Raises DayRefused for a damaged word or another version."""
        unpacking = zlib.decompressobj()
        try:
            packed = base64.b64decode(word.strip(), altchars=b"-_", validate=True)
            text = unpacking.decompress(packed, _MOST_BYTES)
            if not unpacking.eof:
                raise DayRefused(_DAMAGED)
            day = cls.model_validate_json(text)
        except (binascii.Error, ValueError, zlib.error, ValidationError):
            raise DayRefused(_DAMAGED) from None
        if day.version != package_version():
            raise DayRefused(
                f"the image has trainee-bench {package_version()}, but the task was exported by "
                f"{day.version}. Build the image of that version, or export the tasks again."
            )
        if day.scenario.week or not 0 <= day.number < len(day.scenario.days):
            raise DayRefused(_DAMAGED)
        return day
