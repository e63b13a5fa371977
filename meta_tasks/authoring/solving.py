"""The beginning and end of a script's work: read the brief, hand in, submit."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import TypeVar

from trainee_bench.meta_tasks.authoring.text_template import Wording
from trainee_bench.meta_tasks.deliverable import Deliverable
from trainee_bench.meta_tasks.meta_task import NOTES_HEADING
from trainee_bench.meta_tasks.tool_client import ToolClient, ToolFailed, read_text, wait_for_task

T = TypeVar("T")
_BEFORE_HINTS = "\n\nHint: "
"""The text between an objective and the hints that a scenario with guidance adds."""


@dataclass
class StatedRules:
    """The statements of workers: how many objectives they read with `read_brief`, and the rules."""

    briefs: int = 0
    rules: list[str] = field(default_factory=list)


_STATED: ContextVar[StatedRules | None] = ContextVar("stated rules", default=None)


@contextmanager
def collect_stated_rules() -> Iterator[StatedRules]:
    """Collect all rules that workers state while this context is active. For certificates."""
    stated = StatedRules()
    token = _STATED.set(stated)
    try:
        yield stated
    finally:
        _STATED.reset(token)


async def read_brief(
    client: ToolClient,
    objective: Wording[T],
    rules: Sequence[str] = (),
    rules_for: Callable[[T], Sequence[str]] | None = None,
) -> T:
    """Return what the task's objective states, as soon as it is published.

    *rules* are sentences that it always contains and that the work follows: a template alone would
    read back any words. *rules_for* gives those that depend on what is stated.

    Raises ToolFailed if the day ends first or the objective does not say one of these rules,
    ValueError if it is not written as *objective* is.
    """
    published = plain_objective(str((await wait_for_task(client))["objective"]))
    return parse_brief(published, objective, rules, rules_for)


def parse_brief(
    published: str,
    objective: Wording[T],
    rules: Sequence[str] = (),
    rules_for: Callable[[T], Sequence[str]] | None = None,
) -> T:
    """Return what a *published* objective states (see `read_brief`). Raises the same errors."""
    if (stated := _STATED.get()) is not None:
        stated.briefs += 1
    check_rules("the objective", published, rules)
    brief = objective.parse(published)
    if rules_for is not None:
        check_rules("the objective", published, rules_for(brief))
    return brief


def plain_objective(published: str) -> str:
    """Return the family's part of an objective, without the notes and hints that are added to
    it."""
    return published.partition(_BEFORE_HINTS)[0].partition(NOTES_HEADING)[0]


async def read_rules(client: ToolClient, path: str, rules: Sequence[str]) -> str:
    """Return the text of a page that says what counts. *rules* are the sentences of it that the
    work follows, so that a changed page does not go unnoticed.

    Raises ToolFailed if there is no such page, or one of *rules* is not in it.
    """
    text = await read_text(client, path)
    check_rules(path, text, rules)
    return text


def check_rules(where: str, text: str, rules: Sequence[str]) -> None:
    """Raise ToolFailed unless *text* says each of *rules*. *where* names the text."""
    if (stated := _STATED.get()) is not None:
        stated.rules += rules
    for rule in rules:
        if rule not in text:
            raise ToolFailed(f"{where} does not say: {rule}")


async def hand_in(client: ToolClient, path: str, work: Deliverable | str) -> None:
    """Write the file that is asked for, and submit the task."""
    text = work if isinstance(work, str) else work.model_dump_json(indent=2)
    await client.call("files_write", path=path, text=text)
    await client.call("desk_submit", task=client.task)
