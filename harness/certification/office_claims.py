"""Claims about tasks of own offices, whose answers their authors state or compute.

*live policy*: if the value of a rule changes in its page and in the answer's input together, the
right answer changes. So every value that a page states counts, and the code takes it from the page.

*second opinion*: rows or values that a person worked out before seeing the code are right.

*wrong list*: each plausible mistake that the author lists fails (for mails; tables have mutants).
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

from trainee_bench.harness.certification.claim import NO_OFFICE, Claim
from trainee_bench.harness.records.tried_world import TriedWorld
from trainee_bench.harness.testbench.staged_day import single_task_day, stage_day
from trainee_bench.meta_tasks.catalog import find_rule
from trainee_bench.meta_tasks.offices.instance import literal_instance
from trainee_bench.meta_tasks.offices.named_values import hand_checked_names
from trainee_bench.meta_tasks.offices.office import Office
from trainee_bench.meta_tasks.offices.office_task import FolderTask
from trainee_bench.meta_tasks.offices.opened import find_office, replaced
from trainee_bench.meta_tasks.offices.placeholders import names_in
from trainee_bench.meta_tasks.offices.values import Value, parse_cells, parse_value, write_value

MIN_CHECKED = 3
"""The least number of rows for a second opinion."""
MIN_WRONG = 2
"""The least number of plausible mistakes that the author of a mail lists."""
_BARE = re.compile(r"(?<![\w{.:/-])\d+(?:[.,]\d+)*(?![\w}:/-])")
"""A number in a page, but not in a date, a time, an id or a path."""
_SOME_DAY = date(2026, 3, 2)
_LIST_MARK = re.compile(r"^\s*\d+[.)]\s", re.MULTILINE)


def task_of(rule: str) -> type[FolderTask] | None:
    """Return the task of an own office that has this rule; None for any other rule."""
    family = find_rule(rule).meta_task.family_class
    return family if issubclass(family, FolderTask) else None


# live policy ----------------------------------------------------------------------------------


async def certify_live_policy(rule: str, seeds: Sequence[int]) -> Claim:
    """Check that each value of a rule decides the answer, and that rule pages state no number that
    is not such a value.

    Facts: ``values``, the number of values that were changed.
    """
    claim = Claim("live policy")
    family = task_of(rule)
    if family is None:
        claim.leave_out(rule, seeds, NO_OFFICE)
        return claim
    office = find_office(family.family)
    named = _named_values(family)
    if not named:
        claim.leave_out(rule, seeds, "the texts of the task name no value of policy")
        return claim
    claim.facts["values"] = len(named)
    for name, value in named.items():
        with claim.trying(rule, seeds[0]):
            follows = {
                (seed, other): await _answer_follows(rule, office.with_policy(name, other), seed)
                for seed in seeds[:3]
                for other in _others(value)
            }
            if not follows:
                claim.notes.append(f"policy.{name} is a text, which is not changed")
                continue
            claim.expect(
                any(follows.values()) or name in family.source.file.background,
                f"policy.{name}: the texts say {write_value(value)}, but another value changes no "
                f"answer; use it in answer.py, or list {name} under background",
                _world_with(name, *next(iter(follows))),
            )
            short = [tried for tried, answer in follows.items() if answer is None]
            claim.expect(
                not short,
                f"policy.{name}: with another value honest work falls short",
                _world_with(name, *short[0]) if short else None,
            )
    for page, number in _bare_numbers(family):
        claim.expect(
            False, f"{page} states {number} as a plain number; make it a value of policy, or list "
            f"the number under background"
        )  # fmt: skip
    claim.tried += 1
    return claim


def _world_with(name: str, seed: int, value: Value) -> TriedWorld:
    return TriedWorld(seed, policy={name: write_value(value)})


def _named_values(family: type[FolderTask]) -> dict[str, Value]:
    values = family.policy()
    return {name: values[name] for name in sorted(family().rule_names)}


def _others(value: Value) -> Iterator[Value]:
    """Yield other values of a rule: a little and much smaller and larger ones."""
    if isinstance(value, Decimal):
        for factor in ("0.5", "0.9", "1.1", "2"):
            yield (value * Decimal(factor)).quantize(Decimal("0.01")).normalize() + 0
        yield value + 1
    elif isinstance(value, date):
        yield from (value + timedelta(days=days) for days in (-30, -7, -1, 1, 7, 30))
    elif isinstance(value, time):
        moment = datetime.combine(_SOME_DAY, value)
        shifted = (moment + timedelta(minutes=minutes) for minutes in (-120, -30, -5, 5, 30, 120))
        yield from (other.time() for other in shifted if other.date() == _SOME_DAY)


async def _answer_follows(rule: str, changed: Office, seed: int) -> bool | None:
    """Return whether the right answer differs in the *changed* office; None if honest work there
    is not right."""
    right = single_task_day(rule, seed).tasks[0].instance.graded.truth.result
    with replaced(changed):
        composition = single_task_day(rule, seed)
        other = composition.tasks[0].instance.graded.truth.result
        day = await stage_day(composition)
        async with day.world:
            await day.work()
            (grade,) = await day.grades()
    return bool(other != right) if grade.success else None


def _bare_numbers(family: type[FolderTask]) -> Iterator[tuple[str, str]]:
    """Yield the numbers that the task's rule pages state without a name, each with its page."""
    values = family.policy()
    background = "\n".join(family.source.file.background)
    words = "\n".join(word for said in family.source.file.because.values() for word in said)
    for path in family.source.file.files.values():
        if path in family.source.mails:
            stated = family.source.mails[path].body
        elif path.endswith((".md", ".txt")):
            stated = family.setting.drive.get(path, b"").decode("utf-8-sig")
        else:
            continue
        text = _LIST_MARK.sub("", stated)
        if not names_in(text, values):
            continue
        for number in _BARE.findall(text):
            if number not in background and number not in words:
                yield path, number


# second opinion -------------------------------------------------------------------------------


async def certify_second_opinion(rule: str, seeds: Sequence[int]) -> Claim:
    """Check that the rows which a person worked out are among the right ones, and the values of a
    mail or a meeting the right ones.

    Facts: ``checked``, the number of rows.
    """
    claim = Claim("second opinion")
    family = task_of(rule)
    if family is None or not family.source.code:
        claim.leave_out(rule, seeds, NO_OFFICE if family is None else "no code computes the answer")
        return claim
    source = family.source
    claim.facts["checked"] = 0
    if not source.file.checked:
        claim.expect(
            False,
            f"tasks/{source.name} has no second opinion; work out {_asked_by_hand(family)} by hand "
            "from the pages alone, save them as checked.csv, and name it under checked",
        )
        return claim
    with claim.trying(rule, seeds[0], stated=True):
        lines = list(csv.reader(io.StringIO(source.pools[source.file.checked])))
        checked = parse_cells(
            [dict(zip(lines[0], line, strict=True)) for line in lines[1:] if line]
        )
        claim.facts["checked"] = len(checked)
        if source.file.hand_in.table is None:
            _check_values(claim, family, checked)
        else:
            _check_rows(claim, family, checked)
    return claim


def _asked_by_hand(family: type[FolderTask]) -> str:
    if family.source.file.hand_in.table is not None:
        return f"{MIN_CHECKED} rows"
    return ", ".join(sorted(hand_checked_names(family.source.file, family.setting.policy)))


def _check_rows(
    claim: Claim, family: type[FolderTask], checked: Sequence[Mapping[str, Value]]
) -> None:
    source = family.source
    right = family().right_rows(literal_instance(source, family.setting.policy))
    key = next(iter(source.file.table.columns))
    claim.expect(len(checked) >= MIN_CHECKED, f"fewer than {MIN_CHECKED} rows are checked")
    by_key = {_same(row[key]): row for row in right}
    last = _last_key(family, key)
    known = {_same(row[key]) for row in checked}
    known |= {_same(parse_value(said)) for said in source.file.background}
    claim.expect(
        last is None or last in known,
        f"the last record of the material, {last}, is not among the checked rows; check it, "
        "or list it under background if it has no row",
    )
    for row in checked:
        found = by_key.get(_same(row[key]))
        differing = [n for n in row if found is None or _same(row[n]) != _same(found.get(n, ""))]
        claim.expect(
            not differing,
            f"{key} {row[key]}: by hand {_shown(row, differing)}, answer.py says "
            f"{_shown(found, differing) if found else 'no such row'}",
        )


def _check_values(
    claim: Claim, family: type[FolderTask], checked: Sequence[Mapping[str, Value]]
) -> None:
    """Compare the one row of a mail or a meeting, which has each computed value that it states."""
    source = family.source
    right = family().right_values(literal_instance(source, family.setting.policy))
    names = hand_checked_names(source.file, family.setting.policy)
    listed = ", ".join(sorted(names))
    claim.expect(
        len(checked) == 1 and checked[0].keys() == names,
        f"{source.file.checked} needs one row with the columns {listed}",
    )
    for name, value in checked[0].items() if checked else ():
        computed = right.get(name, "nothing")
        text = write_value(computed)
        same = _same(parse_value(text)) if isinstance(computed, tuple) else _same(computed)
        claim.expect(
            _same(value) == same,
            f"{name}: by hand {write_value(value)}, answer.py says {text}",
        )


def _last_key(family: type[FolderTask], key: str) -> Any:
    """Return the key of the last record in the first table that has the answer's key as a column;
    None if no table has."""
    source = family.source
    for seen in family().seen_files(literal_instance(source, family.setting.policy)).values():
        if not isinstance(seen, str) and seen and key in seen[0]:
            return _same(seen[-1][key])
    return None


def _same(value: Value) -> Any:
    return value.normalize() if isinstance(value, Decimal) else str(value).casefold()


def _shown(row: Mapping[str, Value], names: Sequence[str]) -> str:
    return ", ".join(f"{name} {row[name]}" for name in names)


# wrong list -----------------------------------------------------------------------------------


async def certify_wrong_list(rule: str, seeds: Sequence[int]) -> Claim:
    """Check that the author lists plausible mistakes, and that each fails.

    Facts: ``wrong``, their number.
    """
    claim = Claim("wrong list")
    family = task_of(rule)
    if family is None or family.source.file.hand_in.mail is None:
        claim.leave_out(rule, seeds, NO_OFFICE if family is None else "the result is no mail")
        return claim
    wrong = family.source.file.wrong
    claim.facts["wrong"] = len(wrong)
    claim.expect(
        len(wrong) >= MIN_WRONG,
        f"tasks/{family.source.name} lists {len(wrong)} plausible wrong mails; list {MIN_WRONG}",
    )
    for seed in seeds:
        with claim.trying(rule, seed):
            composition = single_task_day(rule, seed)
            for variant in family.solver_variants():
                if not variant.name.startswith("wrong text"):
                    continue
                day = await stage_day(composition)
                async with day.world:
                    await day.work({composition.tasks[0].id: variant.work})
                    (grade,) = await day.grades()
                claim.expect(not grade.success, f"seed {seed}: {variant.name} passes")
    return claim
