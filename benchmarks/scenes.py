"""Scenes for people who write new questions to colleagues without knowing existing ones.

A scene names the colleague, your knowledge and your need; its id comes back with each question.
`write_scenes` draws days from a seed and makes a scene of each clue, expectation and public topic
in them. It stores rules and seed, so that `new_questions` can ask in the same office.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from pydantic import BaseModel

from trainee_bench.meta_tasks.company_documents import referrals
from trainee_bench.meta_tasks.composition import ComposedDay, compose_day
from trainee_bench.meta_tasks.scenario import DaySpec, Scenario, TaskSpec
from trainee_bench.world.colleagues.knowledge import Clue, Expectation
from trainee_bench.world.colleagues.referrals import ReferralPublished
from trainee_bench.world.company.people import Person
from trainee_bench.world.random_streams import random_stream

TEXTS = Path(__file__).with_name("scene_texts.json")
REFERRAL = "referral:"
DAYS: Mapping[str, tuple[str, ...]] = {
    "A": (
        "ads_strategy.balanced.easy", "attendance.attendance_statistics.L1", "kb_fix.medium",
        "data_completion.transactions.tax_fee.easy", "website_analysis.full_disk.h2.code",
    ),
    "B": (
        "event_planning.A2", "meeting_book.department.c2", "resume_select.pool9",
        "sales.all_depts_qoq_count", "transactions.just_below.s2",
    ),
    "C": (
        "data_completion.logistics.eta_distance_sla.easy", "meeting_book.capacity.c2",
        "kb_fix.away.easy", "transactions.split_invoice.s2",
        "website_analysis.slow_asset.h1.no_code", "attendance.has_late_or_early.L2",
    ),
    "D": (
        "meeting_book.manager.c2", "resume_select.pool6", "sales.top_sales_employee",
        "transactions.duplicate_invoice.s2", "website_analysis.cache_miss.h2.no_code",
    ),
    "E": (
        "ads_strategy.metro_focus.easy", "event_planning.A1", "meeting_book.moved.c1",
        "transactions.amount_differs.s2", "website_analysis.failed_deploy.h1.code",
    ),
    "F": (
        "attendance.attendance_statistics.L2", "kb_fix.hard", "sales.per_dept_extreme_employee",
        "transactions.self_approved.s2", "data_completion.transactions.tax_fee.medium",
    ),
}  # fmt: skip
"""The rules of each day; together they have every kind of clue, expectation and public topic."""

MOST_OF_A_KIND = 3
"""The most scenes of one kind on one day, because one chart is like another."""


MOST_IN_ALL = 3
"""The most scenes of one public topic over all days."""


class Scene(BaseModel, frozen=True):
    """The text for a writer, and the right outcome.

    The outcome is the id of a clue or of an expectation, or "referral:TOPIC". ``before`` are clues
    and ``heard`` expectations of earlier conversations.
    """

    id: str
    day: str
    to: str
    name: str
    title: str
    department: str
    right: str
    kind: str
    situation: str
    need: str
    before: tuple[str, ...] = ()
    heard: tuple[str, ...] = ()


class SceneFile(BaseModel, frozen=True):
    """The days (rules by letter), their seed, and the scenes."""

    seed: int
    days: dict[str, tuple[str, ...]]
    scenes: tuple[Scene, ...]


class SceneText(BaseModel, frozen=True):
    """The words of a kind of scene.

    ``asked`` is a pattern in the first ask (or the values) of a fact; its named groups fill the
    placeholders in ``situation`` and ``need``.
    """

    kind: str
    asked: str
    situation: str
    need: str


@dataclass(frozen=True)
class DayOffice:
    """The knowledge of all colleagues on a day."""

    day: ComposedDay
    clues: Mapping[str, Clue]
    expectations: Mapping[str, Expectation]
    referrals: tuple[ReferralPublished, ...]

    @property
    def people(self) -> tuple[Person, ...]:
        """All colleagues, by their place in the company."""
        return tuple(self.day.company.people)


@cache
def day_office(seed: int, letter: str, rules: tuple[str, ...]) -> DayOffice:
    """The office of a day of these *rules*."""
    tasks = tuple(TaskSpec(rule=rule) for rule in rules)
    day = compose_day(Scenario(name=f"scenes_{letter}", seed=seed, days=(DaySpec(tasks=tasks),)))
    instances = [task.instance for task in day.tasks]
    published = {
        event.topic: event
        for event in (
            *referrals(day.company),
            *(planned.event for instance in instances for planned in instance.hidden.events),
        )
        if isinstance(event, ReferralPublished)
    }
    return DayOffice(
        day=day,
        clues={clue.id: clue for instance in instances for clue in instance.hidden.clues},
        expectations={
            expectation.id: expectation
            for instance in instances
            for expectation in instance.hidden.expectations
        },
        referrals=tuple(published[topic] for topic in sorted(published)),
    )


def make_scenes(seed: int, days: Mapping[str, Sequence[str]] = DAYS) -> SceneFile:
    """The scenes of the days drawn from *seed*."""
    rules = {letter: tuple(named) for letter, named in days.items()}
    scenes: list[Scene] = []
    seen = Counter[str]()
    for letter, named in rules.items():
        office = day_office(seed, letter, named)
        drafts = [*_of_facts(office, letter), *_of_referrals(office, letter, seed)]
        here = Counter[str]()
        for draft in drafts:
            everywhere = draft.right.startswith(REFERRAL) and seen[draft.right] >= MOST_IN_ALL
            if here[draft.kind] < MOST_OF_A_KIND and not everywhere:
                here[draft.kind] += 1
                seen[draft.right] += 1
                number = f"{letter}{here.total():02}"
                scenes.append(draft.model_copy(update={"id": number}))
    return SceneFile(seed=seed, days=rules, scenes=tuple(scenes))


def write_scenes(seed: int, path: Path) -> SceneFile:
    """Write the scenes as JSON to *path*, and the page for writers to PATH_for_writers.md."""
    file = make_scenes(seed)
    path.write_text(file.model_dump_json(indent=1) + "\n", encoding="utf-8")
    page = path.with_name(f"{path.stem}_for_writers.md")
    page.write_text(for_writers(file), encoding="utf-8")
    return file


def for_writers(file: SceneFile) -> str:
    """The page for writers, without colleagues' knowledge and without existing questions."""
    said = [json.loads(TEXTS.read_text(encoding="utf-8"))["instructions"]]
    for scene in file.scenes:
        said.append(
            f"## {scene.id}\nTo: {scene.name}, {scene.title}, {scene.department}.\n"
            f"Situation: {scene.situation}\nYou need: {scene.need}."
        )
    return "\n\n".join(said) + "\n"


def _of_facts(office: DayOffice, letter: str) -> Iterator[Scene]:
    for id, fact in sorted({**office.clues, **office.expectations}.items()):
        if not fact.holder or (isinstance(fact, Clue) and not fact.asks):
            continue  # told in a meeting
        before, heard = _needed_first(office, fact.after)
        person = office.day.company.person(fact.holder)
        values = {
            "department": person.department,
            "ids": " and ".join(k for k in _keys(fact) if re.fullmatch(r"OLD\d+", k)),
            "article": next((k for k in _keys(fact) if k.endswith(".md")), ""),
            "server": _server(office, heard),
            "others": " and ".join(_holder_name(office, each) for each in fact.after),
        }
        yield _scene(letter, person, id, _name(id), _asked(fact), values, before, heard)


def _of_referrals(office: DayOffice, letter: str, seed: int) -> Iterator[Scene]:
    """A colleague to ask, but nobody who holds a fact."""
    busy = {fact.holder for fact in (*office.clues.values(), *office.expectations.values())}
    free = [p for p in office.people if p.id not in busy]
    for topic in office.referrals:
        person = random_stream("scene", seed, letter, topic.topic).choice(
            [p for p in free if p.id != topic.person]
        )
        yield _scene(letter, person, REFERRAL + topic.topic, "referral", topic.topic, {})


def _scene(
    letter: str,
    to: Person,
    right: str,
    kind: str,
    asked: str,
    values: Mapping[str, str],
    before: Iterable[str] = (),
    heard: Iterable[str] = (),
) -> Scene:
    """A scene in the words of its kind. Raises ValueError if there are none for it."""
    for text in _texts():
        found = re.search(text.asked, asked) if text.kind == kind else None
        if found is not None:
            named = {**values, **found.groupdict()}
            return Scene(
                id="", day=letter, to=to.id, name=to.name, title=to.title,
                department=to.department, right=right,
                kind=asked if kind == "referral" else kind,
                situation=text.situation.format(**named), need=text.need.format(**named),
                before=tuple(before), heard=tuple(heard),
            )  # fmt: skip
    raise ValueError(f"{TEXTS.name} has no words for {kind}: {asked}")


@cache
def _texts() -> tuple[SceneText, ...]:
    said = json.loads(TEXTS.read_text(encoding="utf-8"))["kinds"]
    return tuple(SceneText.model_validate(text) for text in said)


def _name(id: str) -> str:
    """The kind of an id: *charts* for *T4/charts_1_2*."""
    return re.sub(r"(?:_(?:\d+|Sales))+$", "", id.partition("/")[2])


def _keys(fact: Clue | Expectation) -> tuple[str, ...]:
    return fact.keys if isinstance(fact, Clue) else ()


def _asked(fact: Clue | Expectation) -> str:
    """The first ask of a clue, or the first value of each group of an expectation."""
    if isinstance(fact, Clue):
        return fact.asks[0]
    return "; ".join(group[0] for group in fact.values)


def _server(office: DayOffice, heard: Iterable[str]) -> str:
    """The server that the diagnosis has named."""
    groups = [office.expectations[id].values for id in heard]
    return next((values[1][0] for values in groups if len(values) > 1), "")


def _holder_name(office: DayOffice, id: str) -> str:
    fact = office.clues.get(id) or office.expectations[id]
    return office.day.company.person(fact.holder).name


def _needed_first(office: DayOffice, after: Iterable[str]) -> tuple[list[str], list[str]]:
    """The clues that must be told, and the expectations that must be met, before the scene."""
    before, heard = set[str](), set[str]()
    left = list(after)
    while left:
        id = left.pop()
        (before if id in office.clues else heard).add(id)
        fact = office.clues.get(id) or office.expectations[id]
        left += fact.after
    return sorted(before), sorted(heard)
