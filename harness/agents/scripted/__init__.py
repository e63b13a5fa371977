"""Scripted models: an honest worker behind a model service, with seeded errors.

Agents use them as they use language models: they send requests, and get replies with calls.
Scripted models need no key and no network. They know secrets of the day, and results say so.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import aclosing, asynccontextmanager
from dataclasses import replace

from trainee_bench.harness.agents.scripted.model import ScriptedModel
from trainee_bench.harness.agents.scripted.skill import LearningMode, ModelSkill, NoteKeeping
from trainee_bench.meta_tasks.composition import ComposedDay

ALL_SCRIPTED = "scripted"
"""The alias for all of `GRADED_MODELS`."""
GRADED_MODELS: Mapping[str, ModelSkill] = {
    "scripted-expert": ModelSkill(easy=0.95, hard=0.85, idle=0.02),
    "scripted-able": ModelSkill(easy=0.80, hard=0.55, quits=0.02, idle=0.04),
    "scripted-fair": ModelSkill(easy=0.55, hard=0.28, quits=0.05, idle=0.07),
    "scripted-novice": ModelSkill(easy=0.25, hard=0.06, slips=0.4, quits=0.1, idle=0.12),
}
"""The models from the best to the worst."""
_INFALLIBLE = ModelSkill(easy=1, hard=1, burden=0, idle=0, notes=NoteKeeping.MEMORY)
SCRIPTED_MODELS: Mapping[str, ModelSkill] = {
    **GRADED_MODELS,
    "scripted-learner": ModelSkill(
        easy=0.45, hard=0.20, learning=LearningMode.BY_RULE, notes=NoteKeeping.MEMORY
    ),
    "scripted-memoriser": ModelSkill(
        easy=0.45, hard=0.20, learning=LearningMode.BY_HEART, notes=NoteKeeping.NOWHERE
    ),
    "scripted-forgetful": ModelSkill(easy=0.45, hard=0.20, notes=NoteKeeping.NOWHERE),
    "scripted-note-taker": _INFALLIBLE,
    "scripted-habitual": replace(_INFALLIBLE, habitual=True),
}
"""Every scripted model, by its alias."""


@asynccontextmanager
async def create_scripted_model(
    alias: str, composition: ComposedDay, attempt: int = 1
) -> AsyncIterator[ScriptedModel]:
    """Create the scripted model *alias* for the day of *composition*, *attempt* number 1 or later.

    Its replies depend on these arguments and on the requests alone. Raises KeyError for an alias
    that is not in `SCRIPTED_MODELS`.
    """
    async with aclosing(
        ScriptedModel(alias, SCRIPTED_MODELS[alias], composition, attempt)
    ) as model:
        yield model
