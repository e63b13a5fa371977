"""Asks colleagues new questions, each in the office of its scene, and measures their replies.

Each line of a file of questions is an object in JSON:

    {"scene": "A01", "style": "terse", "question": "Hangzhou: the four fit numbers, please?"}

``scene`` is the id of one of `scenes`, ``style`` any word. Every question is asked in its own
world, in which only the scene's facts were told before. A question back gets one answer: a yes, or
the number of the right choice. The outcomes are:

at once    the reply tells the right fact, meets the expectation, or names the right place.
after one  the same, after at most one question back.
wrong      the reply tells a fact that the question did not ask for.
away       the holder of the fact neither told it nor asked back.
"""

from __future__ import annotations

import asyncio
import json
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel

from benchmarks.scenes import REFERRAL, DayOffice, Scene, SceneFile, day_office
from trainee_bench.world.colleagues.conversation import ColleagueConversation
from trainee_bench.world.colleagues.knowledge import ClueAdded, ExpectationAdded, Knowledge
from trainee_bench.world.colleagues.understanding import hear
from trainee_bench.world.company.directory import Directory
from trainee_bench.world.transaction import Result, Transaction
from trainee_bench.world.world import World, WorldConfig

YES = ("Yes, exactly.", "yep", "That's right, thanks", "Yes please", "that's what I meant")
ORDINALS = ("the first one", "the second one", "the third one")
T = TypeVar("T")


class NewQuestion(BaseModel, frozen=True):
    """A line of a file of questions."""

    scene: str
    question: str
    style: str = ""


@dataclass(frozen=True)
class Outcome:
    """The outcome of a question: the reply and, after a question back, the second reply."""

    question: NewQuestion
    scene: Scene
    at_once: bool
    after_one: bool
    wrong: tuple[str, ...]
    away: bool
    reply: str
    answer: str = ""
    second_reply: str = ""

    @property
    def mark(self) -> str:
        """Return the outcome in a word."""
        if self.wrong:
            return "WRONG"
        if self.away:
            return "AWAY"
        return "at once" if self.at_once else "after one" if self.after_one else "MISSED"


@dataclass(frozen=True)
class _Reply:
    """A reply, what it told, and the clues it asks back about."""

    text: str
    told: frozenset[str]
    asked_back: tuple[str, ...]


class _Nothing(BaseModel):
    """No data."""


def read_questions(path: Path) -> list[NewQuestion]:
    """The questions of a file. Raises ValueError for an invalid line."""
    lines = path.read_text(encoding="utf-8").splitlines()
    return [NewQuestion.model_validate_json(line) for line in lines if line.strip()]


def ask_all(questions: Sequence[NewQuestion], file: SceneFile) -> list[Outcome]:
    """Ask every question in the office of its scene.

    Raises ValueError for an unknown scene, and for a scene whose fact has no holder, which means
    that the scenes are older than the tasks.
    """
    scenes = {scene.id: scene for scene in file.scenes}
    unknown = sorted({question.scene for question in questions} - scenes.keys())
    if unknown:
        raise ValueError(f"no such scenes: {', '.join(unknown)}")

    async def each() -> list[Outcome]:
        return [
            await _ask(question, scenes[question.scene], file, number)
            for number, question in enumerate(questions, 1)
        ]

    return asyncio.run(each())


async def _ask(question: NewQuestion, scene: Scene, file: SceneFile, number: int) -> Outcome:
    office = day_office(file.seed, scene.day, file.days[scene.day])
    _check(scene, office)
    async with await _world(office, scene) as world:
        first = await _say(world, office, scene, question.question, 10 * number)
        done = scene.right in first.told
        answer, second = "", _Reply("", frozenset(), ())
        if not done and (first.asked_back or ("?" in first.text and not first.told)):
            answer = _answer(scene, first, number)
            second = await _say(world, office, scene, answer, 10 * number + 1)
    told = first.told | second.told
    holds = not scene.right.startswith(REFERRAL)
    return Outcome(
        question=question,
        scene=scene,
        at_once=done,
        after_one=scene.right in told,
        wrong=tuple(sorted(i for i in told if i != scene.right and not i.startswith(REFERRAL))),
        away=holds and not done and not first.asked_back and "?" not in first.text,
        reply=first.text,
        answer=answer,
        second_reply=second.text,
    )


def _check(scene: Scene, office: DayOffice) -> None:
    fact = office.clues.get(scene.right) or office.expectations.get(scene.right)
    public = {REFERRAL + referral.topic for referral in office.referrals}
    people = {person.id: person.name for person in office.people}
    same = people.get(scene.to) == scene.name
    if not same or (scene.right not in public and (fact is None or fact.holder != scene.to)):
        raise ValueError(f"scene {scene.id} is older than its tasks; write new scenes")


def _answer(scene: Scene, asked: _Reply, number: int) -> str:
    if len(asked.asked_back) > 1 and scene.right in asked.asked_back:
        return ORDINALS[asked.asked_back.index(scene.right)]
    return YES[number % len(YES)]


async def _world(office: DayOffice, scene: Scene) -> World:
    """A new world in which only the scene's facts have been told."""
    day = office.day
    employee = day.company.trainee.id

    def populate(tx: Transaction) -> None:
        Directory(tx).add([*day.company.people, day.company.trainee])
        for clue in office.clues.values():
            ClueAdded(clue=clue).fire(tx)
        for expectation in office.expectations.values():
            ExpectationAdded(expectation=expectation).fire(tx)
        for referral in office.referrals:
            referral.fire(tx)
        for told in scene.before:
            Knowledge(tx).record_disclosure(told, employee, "chat")
        for heard in scene.heard:
            Knowledge(tx).record_heard(heard, employee)

    config = WorldConfig(employee=employee, starts=day.day.starts, ends=day.day.ends)
    return await World.create(None, config, populate)


async def _say(world: World, office: DayOffice, scene: Scene, text: str, number: int) -> _Reply:
    employee = office.day.company.trainee.id

    def said(tx: Transaction) -> _Reply:
        before = _told(tx, office, employee)
        talk = ColleagueConversation(tx, Directory(tx).person(scene.to), employee)
        reply = talk.reply_to(number, hear(text))
        told = _told(tx, office, employee) - before
        told |= {clue.id for clue in office.clues.values() if clue.payload in reply}
        told |= {REFERRAL + each.topic for each in office.referrals if each.text in reply}
        row = tx.row("SELECT clues FROM asked_back WHERE colleague = ?", scene.to)
        return _Reply(reply, frozenset(told), tuple(json.loads(row["clues"])) if row else ())

    return await _act(world, employee, said)


def _told(tx: Transaction, office: DayOffice, employee: str) -> set[str]:
    """The clues told to the employee, and the expectations they have met."""
    knowledge = Knowledge(tx)
    heard = {id for id in office.expectations if knowledge.heard_at(id, employee)}
    return heard | knowledge.told_to(employee)


async def _act(world: World, actor: str, verb: Callable[[Transaction], T]) -> T:
    got: list[T] = []

    def wrapped(tx: Transaction) -> Result[_Nothing]:
        got.append(verb(tx))
        return Result("", _Nothing())

    done = await world.execute(actor, "say", {}, wrapped, minutes=1)
    if done.error is not None:
        raise done.error
    return got[0]


def print_outcomes(outcomes: Sequence[Outcome], every_miss: bool) -> None:
    """Print the shares of all questions, by style and by topic.

    With *every_miss*, also print each question that was not understood at once.
    """
    _print_line("all", outcomes)
    for title, key in (("style", _style), ("topic", _topic)):
        groups: dict[str, list[Outcome]] = defaultdict(list)
        for outcome in outcomes:
            groups[key(outcome)].append(outcome)
        print(f"\nby {title}")
        for name in sorted(groups):
            _print_line(name, groups[name])
    for outcome in outcomes:
        if every_miss and (outcome.mark != "at once"):
            asked = outcome.question
            print(f"\n{outcome.mark} {asked.scene} ({outcome.scene.right}) {asked.style}: "
                  f"{asked.question}\n    -> {outcome.reply}")  # fmt: skip
            if outcome.answer:
                print(f"    {outcome.answer} -> {outcome.second_reply}")


def _style(outcome: Outcome) -> str:
    return outcome.question.style or "-"


def _topic(outcome: Outcome) -> str:
    return outcome.scene.kind


def _print_line(name: str, outcomes: Sequence[Outcome]) -> None:
    count = len(outcomes)
    once, after = (
        sum(getattr(outcome, which) for outcome in outcomes) / count
        for which in ("at_once", "after_one")
    )
    wrong, away = sum(bool(o.wrong) for o in outcomes), sum(o.away for o in outcomes)
    print(f"  {name[:44]:<44}{count:>5}  at once {once:6.1%}  after one {after:6.1%}  "
          f"wrong {wrong:>2}  away {away:>2}")  # fmt: skip
