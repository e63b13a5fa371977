"""The rows of a data set for `GRPOTrainer`: a row is a day, which `reset` begins."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypedDict

from trainee_bench.harness.integrations.training.splits import SplitOptions, describe_day

__all__ = ["RowMessage", "TrainingRow", "training_rows"]


class RowMessage(TypedDict):
    """A message of a conversation."""

    role: str
    content: str


class TrainingRow(TypedDict):
    """A day to be worked. Only ``prompt`` is shown to the model, with what `reset` says added to
    its last message; the others are there to choose or to weigh rows by."""

    prompt: list[RowMessage]
    day: str
    id: str
    split: str
    index: int
    rules: list[str]
    families: list[str]
    labels: list[str]


def training_rows(options: SplitOptions, system_prompt: str = "") -> Iterator[TrainingRow]:
    """The days of a split as rows, without end if the split has none.

    ``Dataset.from_list(list(training_rows(…)))`` takes them all;
    ``IterableDataset.from_generator(training_rows, gen_kwargs={"options": …})`` one after the
    other. Raises UnknownSplit or InvalidGenerationSpec.
    """
    system = [RowMessage(role="system", content=system_prompt)] if system_prompt else []
    for index, given in enumerate(options.open()):
        card = describe_day(options.split, index, given)
        yield TrainingRow(
            prompt=[*system, RowMessage(role="user", content="")],
            day=given.model_dump_json(exclude_defaults=True),
            id=card.id,
            split=card.split,
            index=card.index,
            rules=list(card.rules),
            families=list(card.families),
            labels=list(card.labels),
        )
