"""The scenarios of a benchmark that are finished, so that an interrupted generation goes on.

They lie beside the benchmark's file: a line with the specification, then one for each scenario,
with its number.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from pydantic import BaseModel, ValidationError

from trainee_bench.harness.generation.spec import GenerationSpec
from trainee_bench.meta_tasks.scenario import Scenario


class _Line(BaseModel):
    number: int
    scenario: Scenario


class FinishedScenarios:
    """The scenarios of *spec* with their numbers, from 1, in a file beside *out*. Whoever wants one
    drawn anew removes its line."""

    def __init__(self, out: Path, spec: GenerationSpec):
        self.path = out.with_name(f"{out.name}.part")
        self._first = f"{spec.model_dump_json()}\n"

    def read(self) -> Mapping[int, Scenario]:
        """Those that are there, by number; none if they are of another specification."""
        if not self.path.is_file():
            return {}
        first, *lines = self.path.read_text(encoding="utf-8").splitlines(keepends=True)
        if first != self._first:
            return {}
        found = dict[int, Scenario]()
        for text in lines:
            try:
                line = _Line.model_validate_json(text)
            except ValidationError:  # the writing of the last one was cut short
                break
            found[line.number] = line.scenario
        return found

    def begin(self, scenarios: Mapping[int, Scenario]) -> None:
        """Write the file anew with *scenarios*."""
        self.path.write_text(self._first, encoding="utf-8")
        for number, scenario in sorted(scenarios.items()):
            self.add(number, scenario)

    def add(self, number: int, scenario: Scenario) -> None:
        """Add the scenario of *number*."""
        line = _Line(number=number, scenario=scenario).model_dump_json(exclude_defaults=True)
        with self.path.open("a", encoding="utf-8") as file:
            file.write(f"{line}\n")

    def remove(self) -> None:
        """Delete the file: the benchmark is written."""
        self.path.unlink(missing_ok=True)
