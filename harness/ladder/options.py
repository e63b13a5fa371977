"""The options of a climb: those of a run, with limits for all episodes together."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer
from pydantic import ValidationError

from trainee_bench.harness.batch.options import EXECUTION, RunOptions
from trainee_bench.harness.records.climb import Climb, ClimbLimits
from trainee_bench.harness.records.plan import PlanError
from trainee_bench.harness.session.limits import EpisodeLimits
from trainee_bench.world.errors import first_flaw

NOT_OFFERED = frozenset(
    {"scenario", "limit", "epochs", "guidance", "ask_confidence", "part", "dry_run"}
)
"""Options of a run that a climb does not have: it chooses its worlds, and works each once."""
_OPTION_NAMES = {"tokens": "max-tokens", "cost_usd": "max-cost"}
"""The options whose names differ from the fields of `ClimbLimits` that they set."""
_ON_RESUME = EXECUTION | {"resume", "episodes", "max_tokens", "max_cost", "factor", "beside"}


@dataclass(frozen=True)
class LadderOptions(RunOptions):
    """The options of one climb."""

    agent: Annotated[
        list[str] | None,
        typer.Option(help="The agent that climbs: a built-in one, or your own as module:Class."),
    ] = None
    agent_command: Annotated[
        list[str] | None,
        typer.Option(
            help="A program that climbs: its command line with {mcp_config} and {prompt_file}."
        ),
    ] = None
    model: Annotated[
        list[str] | None,
        typer.Option(
            help="The model that climbs: an alias in api_config.json, or a scripted model; "
            "combines with --agent."
        ),
    ] = None
    config: Annotated[
        Path | None,
        typer.Option(
            help="Take the worlds of this benchmark instead of new ones: a JSON file, or the name "
            "of a shipped benchmark."
        ),
    ] = None
    seed: Annotated[
        int | None,
        typer.Option(min=0, help="Seed of the climb; another one gives other worlds (default: 0)."),
    ] = None
    max_tokens: Annotated[
        int | None,
        typer.Option(min=1, help="Stop before all episodes together need more tokens than this."),
    ] = None
    max_cost: Annotated[
        float | None,
        typer.Option(
            min=0.000_001,
            help="Stop before all episodes together cost more US dollars than this.",
        ),
    ] = None
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="New folder for the climb (default: runs/ladder-NUMBER)."),
    ] = None
    resume: Annotated[
        Path | None,
        typer.Option(
            help="Continue the climb in this folder; --episodes, --max-tokens, --max-cost and "
            "--factor may be given anew."
        ),
    ] = None
    salt: Annotated[
        str,
        typer.Option(
            help="32 hexadecimal digits, so that nobody can make the same worlds from the seed."
        ),
    ] = ""
    episodes: Annotated[
        int | None, typer.Option(min=1, max=999, help="Stop after this many worlds (default: 40).")
    ] = None
    factor: Annotated[
        float | None,
        typer.Option(
            min=1.01,
            help="Stop when the upper bound of the capacity is at most this many times the lower "
            "one (default: 3).",
        ),
    ] = None
    batch: Annotated[
        int, typer.Option(min=1, help="Worlds in a round: all are chosen before any is worked.")
    ] = 4
    beside: Annotated[
        list[Path] | None,
        typer.Option(help="Also show the climb in this folder in the report. Repeatable."),
    ] = None

    @property
    def limits(self) -> EpisodeLimits:
        """Return the limits of each episode; those of tokens and cost belong to the climb."""
        return EpisodeLimits(
            steps=self.max_steps, seconds=self.max_seconds, tokens_per_minute=self.thinking
        )

    def climb(self) -> Climb:
        """Return the settings of a new climb.

        Raises PlanError for a salt that is none, and for a seed or salt beside --config.
        """
        if self.config is not None and (self.seed is not None or self.salt):
            raise PlanError(
                "The worlds of --config have seeds of their own: leave out --seed and --salt."
            )
        limits = self.changed_limits(ClimbLimits())
        try:
            return Climb(
                seed=self.seed or 0,
                salt=self.salt,
                benchmark=self._benchmark(),
                modality=self.modality,
                batch=self.batch,
                limits=limits,
            )
        except ValidationError as error:
            raise _flawed_option(error) from None

    def _benchmark(self) -> str:
        """Return the benchmark as it is recorded: a file by its absolute path, so that the climb
        goes on from any folder."""
        if self.config is None:
            return ""
        return str(self.config.resolve() if self.config.is_file() else self.config)

    def changed_limits(self, limits: ClimbLimits) -> ClimbLimits:
        """Return *limits* with those that are given anew. Raises PlanError for one that is not
        finite."""
        given = {
            "episodes": self.episodes,
            "tokens": self.max_tokens,
            "cost_usd": self.max_cost,
            "factor": self.factor,
        }
        changed = {name: value for name, value in given.items() if value is not None}
        try:
            return ClimbLimits.model_validate(limits.model_dump() | changed)
        except ValidationError as error:
            raise _flawed_option(error) from None

    def check_resume(self) -> None:
        """Raise PlanError if --resume comes with an option that would change the worlds or the
        agent."""
        if self.changed() - _ON_RESUME:
            raise PlanError(
                "--resume continues with the recorded agent and worlds; it combines only with "
                "--episodes, --max-tokens, --max-cost, --factor, --beside, --max-concurrency, "
                "--executor and --workers."
            )


def _flawed_option(error: ValidationError) -> PlanError:
    """Return what is wrong with the option whose value *error* refuses."""
    where, flaw = first_flaw(error)
    if where == "salt":
        flaw = "give 32 hexadecimal digits, with small letters"
    return PlanError(f"--{_OPTION_NAMES.get(where, where)}: {flaw}.")
