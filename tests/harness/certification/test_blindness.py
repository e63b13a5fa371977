"""The claim notices what is earned without looking, and tries nothing where there is nothing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

import pytest

from trainee_bench.harness.certification.blindness import certify_blindness
from trainee_bench.meta_tasks import complications
from trainee_bench.meta_tasks.authoring.converters import FULL_NAME
from trainee_bench.meta_tasks.authoring.text_template import ValueTemplate
from trainee_bench.meta_tasks.catalog import find_rule
from trainee_bench.meta_tasks.checkpoints import GradingContext, Verdict, checkpoint
from trainee_bench.meta_tasks.complication import Complicated, Complication, ComplicationKind, Stage
from trainee_bench.meta_tasks.complication_scene import Scene, outsider
from trainee_bench.meta_tasks.complications import discover_complications
from trainee_bench.meta_tasks.needs import Around, Habit, Inner, Need, PersonCalled, Task, Work
from trainee_bench.meta_tasks.work.achieving import Beside
from trainee_bench.meta_tasks.work.asking import Sent
from trainee_bench.world.colleagues.knowledge import Expectation

NOTE = ValueTemplate("Tell {value} in the chat that you have begun.", FULL_NAME)


class SaysSo(Habit):
    """Tells whom the note names."""

    name: ClassVar[str] = "says so"

    def ways(self) -> Mapping[type[Need[Any]], Around]:
        return {Beside: self._said}

    async def _said(
        self, work: Work, need: Beside, inner: Inner[tuple[Need[Any], ...]]
    ) -> tuple[Need[Any], ...]:
        done, name = await inner(), NOTE.search((await work(Task(need.task))).notes)
        if name is None:
            return done
        person = await work(PersonCalled(name))
        return (*done, Sent(need.task, person.id, "I have begun."))


class Beginning(Complication):
    """A colleague waits for the same word on each day."""

    name = "beginning"
    kind = ComplicationKind.PEOPLE
    stage = Stage.BESIDE
    about = "Somebody is told that the work has begun."
    habits = (SaysSo(),)

    def apply(self, scene: Scene) -> Complicated:
        person = outsider(scene, self.name, scene.context.company.people)
        told = Expectation(
            id=scene.context.clue_id("begun"), holder=person.id, values=(("begun",),), reply="Fine."
        )
        scene = scene.with_expectations(told)
        return Complicated(scene.with_note(NOTE.render(person.name)))

    @checkpoint("The colleague knows that you have begun")
    def begun(self, grading: GradingContext[None]) -> Verdict:
        heard = grading.expectation_met_at("begun") is not None
        return Verdict(heard, f"they were {'' if heard else 'not '}told")


@pytest.fixture
def beginning(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    found = {**discover_complications(), Beginning.name: Beginning()}
    for place in (complications.__name__, "trainee_bench.meta_tasks.catalog"):
        monkeypatch.setattr(f"{place}.discover_complications", lambda: found)
    yield
    find_rule.__globals__["_complicated"].cache_clear()


@pytest.mark.usefixtures("beginning")
async def test_what_the_same_message_earns_on_each_day_breaks_the_claim() -> None:
    claim = await certify_blindness("kb_fix.easy+beginning", range(2))
    assert claim.broken == [
        "the blind worker deals with beginning in 4 of 4 trials",
        "the early worker deals with beginning in 4 of 4 trials",
    ]
    assert claim.facts == {"blind beginning": 1, "early beginning": 1}


@pytest.mark.parametrize(
    ("rule", "names"),
    [
        ("kb_fix.easy+outside_mail", ["outside_mail"]),
        ("kb_fix.easy+busy_holder+curious_colleague", ["busy_holder", "curious_colleague"]),
    ],
)
async def test_each_complication_of_a_rule_is_tried_in_both_ways(
    rule: str, names: list[str]
) -> None:
    claim = await certify_blindness(rule, range(1))
    assert claim.holds and claim.tried == 2 * len(names)
    assert claim.facts == {f"{way} {name}": 0 for name in names for way in ("blind", "early")}


async def test_of_a_plain_rule_nothing_is_tried() -> None:
    claim = await certify_blindness("kb_fix.easy", range(3))
    assert claim.holds and claim.notes == ["this rule has no complications"]
    assert claim.facts == {}
