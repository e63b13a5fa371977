"""An explanation of a day's score: every checkpoint, and what was found."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol


class GradedCheck(Protocol):
    """A checkpoint of a grade or a result."""

    @property
    def sentence(self) -> str:
        """The condition that has to hold."""

    @property
    def weight(self) -> float:
        """Its weight in the score."""

    @property
    def passed(self) -> bool:
        """Whether it holds."""

    @property
    def seen(self) -> str:
        """The state that was found."""


class ExplainedTask(Protocol):
    """A task of a grade or a result."""

    @property
    def task(self) -> str:
        """Its id on its day."""

    @property
    def rule(self) -> str:
        """Its rule."""

    @property
    def score(self) -> float | None:
        """Its score from 0 to 1; None if it could not be graded."""

    @property
    def success(self) -> bool:
        """Whether it is complete and without harm."""

    @property
    def checkpoints(self) -> Sequence[GradedCheck]:
        """Its checkpoints."""

    @property
    def harm(self) -> tuple[str, ...]:
        """The forbidden things that happened."""

    @property
    def error(self) -> str | None:
        """The reason why it could not be graded or, with a score, which checks broke."""


def explain_tasks(tasks: Sequence[ExplainedTask]) -> str:
    """Return the score of each of *tasks* with all its checkpoints, as Markdown."""
    return "\n\n".join(map(_explained, tasks))


def _explained(task: ExplainedTask) -> str:
    if task.score is None:
        return f"**{task.task}** `{task.rule}`: could not be graded ({task.error})"
    done = ", complete" if task.success else ""
    lines = [f"**{task.task}** `{task.rule}`: {task.score:.2f}{done}", ""]
    for check in task.checkpoints:
        mark = "passed" if check.passed else "**missed**"
        sentence = check.sentence.rstrip(".")
        lines.append(f"- {mark} (weight {check.weight:g}): {sentence}. Found: {check.seen}")
    lines += [f"- **harm**: {harm}" for harm in task.harm]
    lines += [f"- **a check broke**: {task.error}"] if task.error else []
    return "\n".join(lines)
