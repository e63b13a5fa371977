"""How one finds out who knows something: somebody in the department says who that is.

told = await work(ToldBySomebody(task, "Finance", WhoKnows(…), question))
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from trainee_bench.meta_tasks.authoring.converters import FULL_NAME
from trainee_bench.meta_tasks.authoring.text_template import ValueTemplate
from trainee_bench.meta_tasks.tool_client import ToolFailed
from trainee_bench.meta_tasks.work.asking import Question, Told
from trainee_bench.meta_tasks.work.need import Need, Work
from trainee_bench.meta_tasks.work.sources import DirectorySearch

V = TypeVar("V")


@dataclass(frozen=True)
class WhoKnows(Question[str]):
    """Which colleague knows something: a full name, or "" for whoever is asked.

    *words* ask for it. The answer is a name with *others* after it, or *own*.
    """

    words: str
    others: str
    own: str

    @property
    def subjects(self) -> tuple[str, ...]:
        """The words, which name the matter."""
        return (self.words,)

    def ask(self, missing: Sequence[str]) -> str:
        """The words."""
        return self.words

    def read(self, text: str) -> Mapping[str, str]:
        """Whom *text* names."""
        if self.own in text:
            return {self.words: ""}
        named = ValueTemplate(f"{{value}}{self.others}", FULL_NAME).search(text)
        return {} if named is None else {self.words: named}


@dataclass(frozen=True)
class ToldBySomebody(Need[Mapping[str, V]]):
    """What somebody in a department tells; its first colleague says who that is."""

    task: str
    department: str
    who: WhoKnows
    question: Question[V]

    async def satisfy(self, work: Work) -> Mapping[str, V]:
        """Ask who knows it, then ask them. Raises ToolFailed if nobody answers, or somebody is
        named who is not in the department."""
        colleagues = await work(DirectorySearch(department=self.department))
        first = colleagues[0]
        name = (await work(Told(self.task, first.id, self.who)))[self.who.words] or first.name
        for person in colleagues:
            if person.name == name:
                return await work(Told(self.task, person.id, self.question))
        raise ToolFailed(f"nobody in {self.department} is called {name}")
