"""A family whose checks do what a file says: never end, end the process, take memory, or raise."""

from __future__ import annotations

import os
import re
import signal
from typing import ClassVar

from trainee_bench.meta_tasks import needs
from trainee_bench.meta_tasks.authoring import (
    Domain,
    GradedPart,
    GradingContext,
    HiddenPart,
    Hints,
    MetaTask,
    Rule,
    TaskContext,
    TaskInstance,
    ToldPart,
    Verdict,
    checkpoint,
    rules_of,
)
from trainee_bench.meta_tasks.checkpoints import forbidden

PATH = "workspace:/words.txt"
_DOUBTFUL = re.compile(r"(a+)+b")


class StubbornWords(MetaTask[str]):
    """Write a word into a file."""

    family: ClassVar[str] = "stubborn_words"
    domain: ClassVar[Domain] = Domain.INFORMATION
    rule_id: ClassVar[str] = "stubborn_words.easy"

    @classmethod
    def rules(cls) -> tuple[Rule, ...]:
        """The only rule."""
        return rules_of([cls()], hard=lambda one: False)

    def generate(self, context: TaskContext) -> TaskInstance[str]:
        """Nothing but the objective."""
        return TaskInstance(
            ToldPart(
                title="Words",
                objective=f"Write the word hello into {PATH}.",
                hints=Hints("", "", ""),
                requester=context.employee.manager or "",
                deliverable_paths=(PATH,),
            ),
            HiddenPart(),
            GradedPart(truth="hello"),
        )

    @checkpoint("There is a file", weight=1)
    def there(self, grading: GradingContext[str]) -> Verdict:
        """Nothing can go wrong here."""
        return Verdict(grading.text(PATH) is not None, "whether there is a file")

    @checkpoint("The word is right", weight=3)
    def right(self, grading: GradingContext[str]) -> Verdict:
        """Much can go wrong here."""
        text = grading.text(PATH) or ""
        if text == "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        if text == "memory":
            return Verdict(bool(bytearray(8 << 30)), "what the file says")
        if text == "raise":
            raise KeyError(grading.truth)
        return Verdict(_says_hello(text), "what the file says")

    @forbidden("A rude word was written")
    def rude(self, grading: GradingContext[str]) -> Verdict:
        """As much can go wrong here."""
        text = (grading.text(PATH) or "").removeprefix("rude ")
        return Verdict(text == grading.text(PATH) or _says_hello(text), "a rude word")

    @staticmethod
    async def honest_work(work: needs.Work, task: str) -> None:
        """Write the word."""
        await needs.hand_in(work, task, PATH, "hello")


def _says_hello(text: str) -> bool:
    """Whether it does; for many letters "a", an expression backtracks for longer than anybody
    waits, and holds the interpreter meanwhile."""
    return _DOUBTFUL.match(text) is None and text == "hello"
