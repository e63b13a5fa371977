"""Opening the model service that a candidate thinks with."""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager

from harness.models.service import ModelService
from harness.plan import Backing, Candidate
from meta_tasks.composition import Composition


def opened_service(
    candidate: Candidate, backing: Backing, composition: Composition
) -> AbstractAsyncContextManager[ModelService]:
    """The service of *candidate*'s model, for as long as the block lasts.

    A scripted model works the day of *composition*; all others know nothing of it.
    """
    raise NotImplementedError
