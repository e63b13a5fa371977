"""The part of a run that one machine works, if several machines share the run.

Every machine has the same plan except for its part, so `trainee-bench merge` can check that the
parts belong together.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Self, TypeVar

from pydantic import Field, model_validator

from trainee_bench.harness.records.frozen_model import FrozenModel

_Item = TypeVar("_Item")
_WRITTEN = re.compile(r"(\d{1,6})/(\d{1,6})", re.ASCII)


class PlanPart(FrozenModel):
    """Part *number* (from 1) of *count* parts."""

    number: int = Field(ge=1)
    count: int = Field(ge=1)

    @model_validator(mode="after")
    def _exists(self) -> Self:
        if self.number > self.count:
            raise ValueError(f"there is no part {self.number} of {self.count}")
        return self

    def __str__(self) -> str:
        return f"{self.number}/{self.count}"

    @classmethod
    def parse(cls, text: str) -> PlanPart:
        """Return the part that *text* names, such as 3/16. Raises ValueError."""
        match = _WRITTEN.fullmatch(text)
        number, count = map(int, match.groups()) if match else (0, 0)
        if not 1 <= number <= count:
            raise ValueError(
                f"{text!r} is not a part; write NUMBER/COUNT with a number from 1, such as 3/16"
            )
        return cls(number=number, count=count)

    def of(self, items: Sequence[_Item]) -> Sequence[_Item]:
        """Return this part of *items*: neighbours, and at most one more than any other part."""
        begin = len(items) * (self.number - 1) // self.count
        return items[begin : len(items) * self.number // self.count]
