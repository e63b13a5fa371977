"""Finding out who knows something: somebody in the department says who that is.

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
from trainee_bench.world.colleagues.phrasing import sentences

V = TypeVar("V")


@dataclass(frozen=True)
class WhoKnows(Question[str]):
    """The question which colleague knows something. The answer is a full name, or "" for the person
    who is asked.

    *words* ask the question. The answer is a name followed by *others*, or *own*, or the
    sentence of a keeper who tells the figures at once.
    """

    words: str
    others: str
    own: str

    @property
    def subjects(self) -> tuple[str, ...]:
        """The words, which name the matter."""
        return (self.words,)

    def ask(self, missing: Sequence[str]) -> str:
        """Return the words."""
        return self.words

    def read(self, text: str) -> Mapping[str, str]:
        """Return whom *text* names."""
        if self.own in text or sentences().keeper in text:
            return {self.words: ""}
        named = ValueTemplate(f"{{value}}{self.others}", FULL_NAME).search(text)
        return {} if named is None else {self.words: named}


@dataclass(frozen=True)
class ToldBySomebody(Need[Mapping[str, V]]):
    """The facts that somebody in a department tells; its first colleague says who that is."""

    task: str
    department: str
    who: WhoKnows
    question: Question[V]

    async def satisfy(self, work: Work) -> Mapping[str, V]:
        """Ask who knows it, then ask that person. Raises ToolFailed if nobody answers, or if the
        named person is not in the department."""
        colleagues = await work(DirectorySearch(department=self.department))
        first = colleagues[0]
        name = (await work(Told(self.task, first.id, self.who)))[self.who.words] or first.name
        for person in colleagues:
            if person.name == name:
                return await work(Told(self.task, person.id, self.question))
        raise ToolFailed(f"nobody in {self.department} is called {name}")
