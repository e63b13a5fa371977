"""How a script's work begins and ends: read the brief, hand in, submit."""

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
"""What comes between an objective and the hints that a scenario with guidance adds to it."""


@dataclass
class StatedRules:
    """What workers have stated: how many objectives they read with `read_brief`, and the rules."""

    briefs: int = 0
    rules: list[str] = field(default_factory=list)


_STATED: ContextVar[StatedRules | None] = ContextVar("stated rules", default=None)


@contextmanager
def collect_stated_rules() -> Iterator[StatedRules]:
    """All rules that workers state meanwhile, in this context. For certificates."""
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
    """What the task's objective states, as soon as it is published. *rules* are what it says in
    the same words every time and the work goes by: a template alone would read any words back.
    *rules_for* gives those that depend on what is stated.

    Raises ToolFailed if the day ends before or the objective does not say one of these rules,
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
    """What an objective states that is *published* so (see `read_brief`). Raises as that does."""
    if (stated := _STATED.get()) is not None:
        stated.briefs += 1
    check_rules("the objective", published, rules)
    brief = objective.parse(published)
    if rules_for is not None:
        check_rules("the objective", published, rules_for(brief))
    return brief


def plain_objective(published: str) -> str:
    """What a family has written of an objective, without what is added to it (notes, hints)."""
    return published.partition(_BEFORE_HINTS)[0].partition(NOTES_HEADING)[0]


async def read_rules(client: ToolClient, path: str, rules: Sequence[str]) -> str:
    """The text of a page that says what counts. *rules* are its sentences that the work goes by;
    so a page that says otherwise does not go unnoticed.

    Raises ToolFailed if there is no such page, or one of *rules* is not in it.
    """
    text = await read_text(client, path)
    check_rules(path, text, rules)
    return text


def check_rules(where: str, text: str, rules: Sequence[str]) -> None:
    """Raise ToolFailed unless *text* says each of *rules*; *where* says whose text it is."""
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
