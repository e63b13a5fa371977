"""Badges: how an own office's tasks were certified, kept in the office's folder.

The file begins with a dot, so it is no part of the office's digest. A badge counts only for the
contents that were certified. It says what the office's owner certified; to be sure, certify again.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

from pydantic import Field, ValidationError

from trainee_bench.harness.records.frozen_model import FrozenModel
from trainee_bench.meta_tasks.offices.office import Office
from trainee_bench.meta_tasks.offices.opened import open_offices

FILE = ".badges.json"
NOT_CERTIFIED = "not certified"
_FORM = r"^(computed|literal|stated) · [0-9]{1,5} seeds?( · [a-z0-9 :,]{1,200}){1,3}$"


class OfficeBadges(FrozenModel):
    """The badges of an office by rule; ``office`` is its name and digest."""

    office: str
    badges: Mapping[str, Annotated[str, Field(pattern=_FORM)]]


def read_badges(office: Office) -> Mapping[str, str]:
    """Return the badges of an office's present contents, by rule; none without a valid file."""
    try:
        kept = OfficeBadges.model_validate_json((office.folder / FILE).read_bytes())
    except (OSError, ValidationError):
        return {}
    return kept.badges if kept.office == office.reference else {}


def keep_badges(office: Office, badges: Mapping[str, str]) -> bool:
    """Keep new badges of an office beside those of its other rules. Return whether the folder can
    be written."""
    kept = OfficeBadges(office=office.reference, badges={**read_badges(office), **badges})
    file = office.folder / FILE
    try:
        if file.is_symlink():
            return False
        file.write_text(kept.model_dump_json(indent=1) + "\n", encoding="utf-8")
    except OSError:
        return False
    return True


def badge_of(rule: str) -> str:
    """Return the badge of a rule of an open office, with its complications; "" for any other
    rule."""
    for office in open_offices().values():
        if rule.partition("+")[0] in office.rules:
            return read_badges(office).get(rule, NOT_CERTIFIED)
    return ""
