"""The file of a run's plan, run.json: read, and for a climb replaced by a longer plan."""

from __future__ import annotations

import os
from pathlib import Path

from pydantic import ValidationError

from trainee_bench.harness.records.plan import ChangedPlan, PlanError, RunPlan
from trainee_bench.harness.records.side_files import refuse_link_out
from trainee_bench.meta_tasks.scenario import GENERATOR_VERSION, SCORE_VERSION
from trainee_bench.world.errors import first_flaw

PLAN_FILE = "run.json"


def read_plan(run: Path) -> RunPlan:
    """Return the recorded plan of the run in the folder *run*.

    Raises PlanError if another version made it, ChangedPlan if the run began with another plan,
    LinkOut if it lies elsewhere.
    """
    file = run / PLAN_FILE
    refuse_link_out(run, file)
    try:
        plan = RunPlan.model_validate_json(file.read_bytes())
    except ValidationError as error:
        _, flaw = first_flaw(error)
        raise PlanError(f"{file} is not a plan of this version: {flaw}") from None
    made_by = (plan.generator, plan.score_version)
    if made_by != (GENERATOR_VERSION, SCORE_VERSION):
        raise PlanError(
            f"{run} was made with generator {plan.generator} and score version "
            f"{plan.score_version}, but here they are {GENERATOR_VERSION} and {SCORE_VERSION}. "
            "A run cannot mix versions. Begin a new run."
        )
    if plan.seal != plan.digest():
        raise ChangedPlan(
            f"{file} is not the plan that this run began with: it was changed. Restore it, or "
            "begin a new run."
        )
    return plan


def write_draft(run: Path, plan: RunPlan) -> Path:
    """Write *plan* with its seal beside the run's plan, and return the path of that file.

    Raises OSError, and then leaves no file.
    """
    draft = run / f"{PLAN_FILE}.{os.getpid()}"
    try:
        with draft.open("w", encoding="utf-8") as file:
            file.write(plan.sealed().model_dump_json(indent=1))
            file.flush()
            os.fsync(file.fileno())
    except OSError:
        draft.unlink(missing_ok=True)
        raise
    return draft


def is_current(descriptor: int, run: Path) -> bool:
    """Whether the open file *descriptor* is still the plan of the run, and was not replaced."""
    try:
        return os.path.samestat(os.fstat(descriptor), (run / PLAN_FILE).stat())
    except OSError:
        return False
