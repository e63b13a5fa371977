"""The days of a split as rows of a data set, for trainers that begin a day from a row.

    training_rows(SplitOptions(…)) ──► {"prompt": …, "day": …, …} ──► day_of_row(row)

A row's prompt is empty: the trainer's environment fills it when it begins the day.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TypedDict

from pydantic import ValidationError

from trainee_bench.harness.integrations.training.splits import SplitOptions, describe_day
from trainee_bench.meta_tasks.scenario import ScenarioDay

__all__ = ["NoDayGiven", "RowMessage", "TrainingRow", "day_of_row", "training_rows"]


class NoDayGiven(ValueError):
    """Raised for a row without a day; says which rows have one."""


class RowMessage(TypedDict):
    """A message of a conversation."""

    role: str
    content: str


class TrainingRow(TypedDict):
    """A day to work. The model sees only ``prompt``, with the text of the day added to its last
    message. The other columns serve to select or weigh rows."""

    prompt: list[RowMessage]
    day: str
    id: str
    split: str
    index: int
    rules: list[str]
    families: list[str]
    labels: list[str]


def training_rows(options: SplitOptions, system_prompt: str = "") -> Iterator[TrainingRow]:
    """Yield the days of a split as rows, endlessly if the split is endless.

    ``Dataset.from_list(list(training_rows(…)))`` takes them all;
    ``IterableDataset.from_generator(training_rows, gen_kwargs={"options": …})`` takes them one by
    one. Raises UnknownSplit or InvalidGenerationSpec.
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


def day_of_row(row: Mapping[str, object]) -> ScenarioDay:
    """Return the day of *row*, which comes from `training_rows`. Raises NoDayGiven for another."""
    given = row.get("day")
    if not isinstance(given, str):
        raise NoDayGiven(
            "the row has no column day; build the data set with training_rows(SplitOptions(…))"
        )
    try:
        return ScenarioDay.model_validate_json(given)
    except ValidationError as error:
        raise NoDayGiven(
            f"the column day has no day ({error.error_count()} errors); build the data set with "
            "training_rows(SplitOptions(…))"
        ) from None
