"""Badges: how an own office's tasks were certified, kept in the office's folder.

A badge is what the office's owner states, since anybody can edit the file. It counts only for the
contents, the rule and the claims that it was made for, and `certify --verify-badges` repeats it.
The file begins with a dot, so it is no part of the office's digest.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import Field, StringConstraints, ValidationError, model_validator

from trainee_bench.harness.certification.claim import WAIVED
from trainee_bench.harness.certification.claim_words import CLAIM_WORDS
from trainee_bench.harness.documents.formatting import pluralize
from trainee_bench.harness.records.frozen_model import FrozenModel
from trainee_bench.meta_tasks import offices
from trainee_bench.meta_tasks.offices.office import DIGEST_LENGTH, Office
from trainee_bench.meta_tasks.offices.opened import open_offices
from trainee_bench.meta_tasks.scenario import GENERATOR_VERSION, SCORE_VERSION

FILE = ".badges.json"
NOT_CERTIFIED = "not certified"
MAX_BYTES = 2_000_000
_SAID_ELSEWHERE = frozenset({"__init__.py", "badges.py", "office_badges.py", "tables.py"})
"""The files of this package that decide nothing about a claim."""
Line = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_.@:,+ ]{1,200}$")]


class Badge(FrozenModel):
    """How one rule was certified: over which seeds, with which claims, and what came of it."""

    rule: Line
    office: Annotated[str, StringConstraints(pattern=r"^[a-z0-9_]{1,40}@[0-9a-f]{64}$")]
    """The office's name with the whole digest of its contents."""
    made_by: Line
    """The versions of the generator, the score and the claims."""
    kind: Literal["computed", "literal", "stated"]
    start: int = Field(ge=0, le=10**12)
    """The first seed."""
    seeds: int = Field(ge=1, le=10**6)
    claims: tuple[Line, ...] = Field(min_length=1, max_length=100)
    """The claims that were tried."""
    applying: int = Field(ge=0)
    """The number of those that apply to the rule."""
    complete: bool
    """Whether all claims were tried that there are."""
    waived: bool = False
    broken: tuple[Line, ...] = Field(default=(), max_length=100)

    @model_validator(mode="after")
    def _agrees_with_itself(self) -> Self:
        tried = set(self.claims)
        if self.applying > len(tried) or len(tried) < len(self.claims):
            raise ValueError("its claims do not agree with each other")
        if not set(self.broken) <= tried or self.complete > (tried >= CLAIM_WORDS.keys()):
            raise ValueError("its claims do not agree with each other")
        return self

    @property
    def text(self) -> str:
        """The badge in a few words, such as "computed · 20 seeds · all 17 claims that apply"."""
        claims = pluralize(self.applying, "claim")
        parts = [self.kind, pluralize(self.seeds, "seed")]
        parts += [f"all {claims} that apply" if self.complete else claims]
        parts += [WAIVED] if self.waived else []
        parts += [f"broken: {', '.join(self.broken)}"] if self.broken else []
        return " · ".join(parts)


class BadgeFile(FrozenModel):
    """The content of the file: a badge for each rule that was certified."""

    badges: tuple[Badge, ...] = Field(max_length=10_000)

    @model_validator(mode="after")
    def _has_one_for_each_rule(self) -> Self:
        twice = [rule for rule, count in Counter(b.rule for b in self.badges).items() if count > 1]
        if twice:
            raise ValueError(f"two badges are for {twice[0]}")
        return self


@dataclass(frozen=True)
class KeptBadge:
    """A badge in an office's folder, and why it does not fit the office; "" if it fits."""

    badge: Badge
    flaw: str


@cache
def claims_version() -> str:
    """Return the versions that decide what a certificate says. The claims' is a digest of the code
    that tries them, and of the code that stages and grades tasks of offices."""
    hashed = hashlib.sha256()
    claims, tasks = Path(__file__).parent, Path(offices.__file__).parent
    for file in (*sorted(claims.glob("*.py")), *sorted(tasks.glob("*.py"))):
        if file.name not in _SAID_ELSEWHERE:
            hashed.update(f"{file.name} ".encode() + file.read_bytes())
    version = hashed.hexdigest()[:16]
    return f"generator {GENERATOR_VERSION}, score {SCORE_VERSION}, claims {version}"


def belongs_to(rule: str, office: Office) -> bool:
    """Return whether a rule, perhaps with complications, is one of an office's tasks."""
    return rule.partition("+")[0] in office.rules


def full_reference(office: Office) -> str:
    """Return an office's name with the whole digest of its contents."""
    return f"{office.name}@{office.digest}"


def kept_badges(office: Office) -> Mapping[str, KeptBadge]:
    """Return the badges in an office's folder by rule; none if its file cannot be read."""
    try:
        badges = _read(office).badges
    except (OSError, ValidationError):
        return {}
    return {badge.rule: KeptBadge(badge, _flaw(office, badge)) for badge in badges}


def unreadable_badges(office: Office) -> str:
    """Return why an office's file of badges cannot be read; "" if it can, or is not there."""
    file = office.folder / FILE
    remedy = "delete it, and certify again"
    try:
        _read(office)
    except FileNotFoundError:
        return ""
    except OSError as error:
        return f"{file}: it cannot be read ({error.strerror or error}); {remedy}"
    except ValidationError:
        return f"{file}: it is no file of badges that this version writes; {remedy}"
    return ""


def _read(office: Office) -> BadgeFile:
    file = office.folder / FILE
    if file.is_symlink() or (file.exists() and not file.is_file()):
        raise OSError("it is a link or no file")
    if file.stat().st_size > MAX_BYTES:
        raise OSError(f"it has more than {MAX_BYTES:,} bytes")
    return BadgeFile.model_validate_json(file.read_bytes())


def _flaw(office: Office, badge: Badge) -> str:
    name, _, digest = badge.office.partition("@")
    if name != office.name:
        return f"it was made for another office, {name}"
    if not belongs_to(badge.rule, office):
        return f"the office {office.name} has no such task"
    if digest != office.digest:
        return f"it was made for other contents, {name}@{digest[:DIGEST_LENGTH]}"
    kind = office.tasks[badge.rule.partition("+")[0].partition(".")[2]].file.kind
    if badge.kind != kind:
        return f"it says {badge.kind}, but the task is {kind}"
    if badge.made_by != claims_version():
        return f"it was made by {badge.made_by}; this is {claims_version()}"
    return ""


def keep_badges(office: Office, badges: Sequence[Badge]) -> bool:
    """Keep new badges of an office beside those of its other rules that still fit. Return whether
    the folder can be written."""
    fitting = {rule: kept.badge for rule, kept in kept_badges(office).items() if not kept.flaw}
    fitting |= {badge.rule: badge for badge in badges}
    file = office.folder / FILE
    try:
        if file.is_symlink():
            return False
        written = BadgeFile(badges=tuple(fitting[rule] for rule in sorted(fitting)))
        file.write_text(written.model_dump_json(indent=1) + "\n", encoding="utf-8")
    except OSError:
        return False
    return True


def badge_text(office: Office, rule: str) -> str:
    """Return the badge of a rule in words. A badge that does not fit is not shown, but named."""
    kept = kept_badges(office).get(rule)
    if kept is None:
        return NOT_CERTIFIED
    return f"{NOT_CERTIFIED}: a badge is kept, but {kept.flaw}" if kept.flaw else kept.badge.text


def badge_of(rule: str) -> str:
    """Return the badge of a rule of an open office, with its complications, in words; "" for any
    other rule."""
    for office in open_offices().values():
        if belongs_to(rule, office):
            return badge_text(office, rule)
    return ""


def foreign_badges(office: Office) -> Iterator[str]:
    """Yield what is wrong with the badges in an office's folder that are for none of its tasks."""
    if unreadable := unreadable_badges(office):
        yield unreadable
    for rule, kept in kept_badges(office).items():
        if not belongs_to(rule, office):
            yield f"{office.folder / FILE}: the badge of {rule} does not count: {kept.flaw}"
