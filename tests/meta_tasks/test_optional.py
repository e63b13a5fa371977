"""What may be missing from a text is None where it is."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import time

import pytest

from trainee_bench.meta_tasks.authoring import CLOCK, TextTemplate, ValueTemplate, optional


@dataclass(frozen=True)
class Trip:
    place: str
    back: time | None


TRIP = TextTemplate(
    Trip,
    "We go to {place}.{back}",
    {"back": optional(ValueTemplate(" Be back by {value}.", CLOCK).converter())},
)


@pytest.mark.parametrize("back", [None, time(17, 30)])
def test_a_part_that_may_be_missing_is_read_as_it_was_written(back: time | None) -> None:
    text = TRIP.render(Trip("Alder Brook", back))
    assert text == "We go to Alder Brook." + (" Be back by 17:30." if back else "")
    assert TRIP.parse(text) == Trip("Alder Brook", back)
