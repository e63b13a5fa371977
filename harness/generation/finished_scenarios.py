"""The scenarios of a benchmark that are finished, so that an interrupted generation goes on.

They lie beside the benchmark's file: a line with the specification, then one for each scenario.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from pydantic import ValidationError

from trainee_bench.harness.generation.spec import GenerationSpec
from trainee_bench.meta_tasks.scenario import Scenario


class FinishedScenarios:
    """The scenarios of *spec*, numbered from 1 without gaps, in a file beside *out*."""

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
        for number, line in enumerate(lines, start=1):
            try:
                found[number] = Scenario.model_validate_json(line)
            except ValidationError:  # the writing of the last one was cut short
                break
        return found

    def begin(self, scenarios: Mapping[int, Scenario]) -> None:
        """Write the file anew with *scenarios*."""
        self.path.write_text(self._first, encoding="utf-8")
        for _, scenario in sorted(scenarios.items()):
            self.add(scenario)

    def add(self, scenario: Scenario) -> None:
        """Add the next one."""
        with self.path.open("a", encoding="utf-8") as file:
            file.write(f"{scenario.model_dump_json(exclude_defaults=True)}\n")

    def remove(self) -> None:
        """Delete the file: the benchmark is written."""
        self.path.unlink(missing_ok=True)
