"""The cheat that hands in empty files under the right names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

from harness.agents import Insider
from harness.workplace import Workplace
from meta_tasks.composition import Composition


class EmptyFiles(Insider):
    """Is told the names of the files to hand in, even those told in a meeting only."""

    name = "empty_files"
    tolerated = 0.05

    def __init__(self, paths: Sequence[str]):
        self._paths = tuple(paths)

    @classmethod
    async def for_day(cls, composition: Composition) -> Self:
        """The cheat that knows the outputs of this day's tasks."""
        return cls(composition.outputs)

    async def work(self, office: Workplace) -> None:
        """Write them, with nothing in them."""
        for path in self._paths:
            await office.call("files_write", path=path, text="")
