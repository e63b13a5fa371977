"""The certificate notices what it claims to notice: families with one flaw each."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import pytest
from pydantic import Field

from tests import quick_round
from trainee_bench.harness.certification.ablation import certify_ablation
from trainee_bench.harness.certification.ahead import certify_ahead
from trainee_bench.harness.certification.cheats import certify_cheats, certify_guesses
from trainee_bench.harness.certification.claim import Claim, rotating_sample
from trainee_bench.harness.certification.counterfactuals import certify_counterfactuals
from trainee_bench.harness.certification.finishing import certify_finishing
from trainee_bench.harness.certification.leakage import certify_leakage
from trainee_bench.harness.certification.mutants import certify_mutants
from trainee_bench.harness.certification.solvable import certify_solvable
from trainee_bench.harness.testbench.mutations import harmless_mutants, wrong_mutants
from trainee_bench.meta_tasks import catalog, needs
from trainee_bench.meta_tasks.answers import RecordId
from trainee_bench.meta_tasks.checkpoints import GradingContext, Verdict, checkpoint
from trainee_bench.meta_tasks.composition import ComposedDay
from trainee_bench.meta_tasks.deliverable import Deliverable, InvalidDeliverable
from trainee_bench.meta_tasks.meta_task import (
    Difficulty,
    Domain,
    GradedPart,
    HiddenPart,
    Hints,
    MetaTask,
    PlannedEvent,
    Rule,
    SolverVariant,
    TaskInstance,
    ToldPart,
)
from trainee_bench.meta_tasks.task_context import TaskContext
from trainee_bench.meta_tasks.tool_client import ToolFailed
from trainee_bench.world.apps.files import FileAppears
from trainee_bench.world.colleagues.knowledge import Clue
from trainee_bench.world.transaction import Transaction

Flaw_ = Literal["none", "leaky", "needless", "constant", "loose", "lazy", "free", "chatty", "deeds"]
PATH = "workspace:/door.json"


class Door(Deliverable):
    code: RecordId = Field(description="the code of the door")
    floor: int = Field(description="the floor it is on")
    note: RecordId = Field(description="the word 'noted'")


@dataclass(frozen=True)
class CodeQuestion(needs.Question[str]):
    """What the code of the door is."""

    @property
    def subjects(self) -> tuple[str, ...]:
        return ("code",)

    def ask(self, missing: Sequence[str]) -> str:
        return "What is the code of the door?"

    def read(self, text: str) -> Mapping[str, str]:
        told = re.search(r"The code of the door is ([\w-]+)", text)
        return {"code": told[1]} if told else {}


class DoorCode(MetaTask[tuple[str, int]]):
    """A colleague knows a code; it is to be written down. ``flaw`` breaks one claim."""

    family = "door_code"
    domain = Domain.INQUIRY
    flaw: Flaw_

    @classmethod
    def rules(cls) -> tuple[Rule, ...]:
        flaws: tuple[Flaw_, ...] = (
            "none", "leaky", "needless", "constant", "loose", "lazy", "free", "chatty", "deeds",
        )  # fmt: skip
        return tuple(Rule(f"door_code.{flaw}", Difficulty.EASY, cls(flaw=flaw)) for flaw in flaws)

    @property
    def rule_id(self) -> str:
        return f"door_code.{self.flaw}"

    def generate(self, context: TaskContext) -> TaskInstance[tuple[str, int]]:
        number = context.secret_stream("code").randrange(10**6)
        code = "DOOR-CODE" if self.flaw == "constant" else f"DOOR-{number:06}"
        holder = context.pick("holder", context.company.staff("Finance"))[0]
        floor = 3 if self.flaw == "constant" else context.stream("floor").randrange(2, 90)
        shown = code if self.flaw in ("leaky", "needless") else "never written down"
        return TaskInstance(
            ToldPart(
                title="Door code",
                objective=f"Ask {holder.name} ({holder.id}) for the door code and write {PATH}. "
                f"The door is on floor {floor}.\n{Door.describe()}",
                hints=Hints(
                    f"Ask{f' for {code}' if self.flaw == 'chatty' else ''}.", "In a chat.", "Write."
                ),
                deliverable_paths=(PATH,),
            ),
            HiddenPart(
                clues=(
                    Clue(
                        id=context.clue_id("code"),
                        holder=holder.id,
                        payload=f"The code of the door is {code}.",
                        asks=(
                            "What is the code of the door?",
                            "Which code opens the door?",
                            "Can you tell me the door code?",
                            "I need the code for the door.",
                            "How do I open the door, is there a code?",
                        ),
                    ),
                ),
                events=(
                    PlannedEvent(
                        FileAppears(path="drive:/doors/door.txt", text=f"Code: {shown}\n")
                    ),
                ),
            ),
            GradedPart(truth=(code, floor)),
        )

    @checkpoint("The code is right", weight=4)
    def right(self, case: GradingContext[tuple[str, int]]) -> Verdict:
        door = case.read_deliverable(PATH, Door)
        if self.flaw == "free":
            return Verdict(case.text(PATH) is not None, "a file")
        if isinstance(door, InvalidDeliverable):
            return Verdict(False, door.seen)
        if self.flaw == "loose":
            return Verdict(True, "something was handed in")
        return Verdict(
            (door.code, door.floor, door.note) == (*case.truth, "noted"), f"code {door.code!r}"
        )

    @checkpoint("It was asked for", only_with="right")
    def asked(self, case: GradingContext[tuple[str, int]]) -> Verdict:
        told = case.clue_released_at("code") is not None or self.flaw in (
            "needless",
            "constant",
            "free",
        )
        return Verdict(told, "the code was told" if told else "nobody was asked")

    @staticmethod
    async def honest_work(work: needs.Work, task: str) -> None:
        objective = (await work(needs.Task(task))).objective
        floor = int(objective.partition("on floor ")[2].partition(".")[0])
        holder = objective.partition("(")[2].partition(")")[0]
        lying = await work(needs.FileText("drive:/doors/door.txt", task))
        try:
            told = (await work(needs.Told(task, holder, CodeQuestion())))["code"]
        except ToolFailed:
            told = ""
        words = f"{told} {lying}".split()
        code = next((word for word in words if word.startswith("DOOR-")), "unknown")
        door = {"code": code, "floor": floor, "note": "noted"}
        await work(needs.FileHas(PATH, json.dumps(door, indent=1)))

    @classmethod
    def solver_variants(cls) -> tuple[SolverVariant, ...]:
        async def nothing(work: needs.Work, task: str) -> None:
            await work(needs.Task(task))

        if cls is not DoorCodeWithDeeds:
            return ()
        return (
            SolverVariant("nothing", True, nothing),
            SolverVariant("all of it", False, cls.honest_work),
        )


class DoorCodeWithDeeds(DoorCode):
    """The same, saying of ways to work the contrary of what they are."""


class LazyDoorCode(DoorCode):
    """The same with honest work that does nothing."""

    @staticmethod
    async def honest_work(work: needs.Work, task: str) -> None:
        await work(needs.Task(task))


@pytest.fixture(autouse=True)
def _catalog_of_doors(monkeypatch: pytest.MonkeyPatch) -> None:
    rules = {rule.id: rule for rule in DoorCode.rules()}
    lazy = LazyDoorCode(flaw="lazy")
    rules["door_code.lazy"] = Rule("door_code.lazy", Difficulty.EASY, lazy)
    deeds = DoorCodeWithDeeds(flaw="deeds")
    rules["door_code.deeds"] = Rule("door_code.deeds", Difficulty.EASY, deeds)
    monkeypatch.setattr(catalog, "all_rules", lambda: rules)


SEEDS = range(2)


def flaws(claim: Claim) -> str:
    return "\n".join(claim.broken)


@pytest.mark.parametrize(
    "certify",
    [
        certify_solvable,
        certify_counterfactuals,
        certify_ablation,
        certify_mutants,
        certify_cheats,
        certify_leakage,
        certify_ahead,
        certify_finishing,
    ],
)
@quick_round.seeds(1, sweep=2)
async def test_every_claim_holds_for_a_sound_family(certify: Any, seeds: range) -> None:
    claim = await certify("door_code.none", seeds)
    assert claim.holds, flaws(claim)


async def test_an_answer_that_differs_with_every_seed_is_not_worth_guessing() -> None:
    claim = await certify_guesses("door_code.none", range(8))
    assert claim.holds
    assert claim.facts == {"commonest": 1 / 8, "guess_seeds": 8}


async def test_what_is_there_before_its_task_is_published_is_noticed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    populate = ComposedDay.populate

    def from_the_start(day: ComposedDay, tx: Transaction) -> None:
        populate(day, tx)
        starts = day.day.starts.isoformat()
        tx.run("UPDATE event SET due = ? WHERE kind <> 'TaskPublished'", starts)

    monkeypatch.setattr(ComposedDay, "populate", from_the_start)
    claim = await certify_ahead("door_code.none", range(1))
    assert not claim.holds
    assert "there before it is published" in flaws(claim)


async def test_honest_work_that_falls_short_is_noticed() -> None:
    claim = await certify_solvable("door_code.lazy", SEEDS)
    assert not claim.holds
    assert "the oracle scores 0" in flaws(claim)


async def test_honest_work_that_does_not_finish_what_others_have_left_is_noticed() -> None:
    claim = await certify_finishing("door_code.lazy", range(1))
    assert not claim.holds
    assert "after somebody has looked around oracles reach 0" in flaws(claim)


async def test_a_secret_that_lies_in_a_file_shows_in_the_twins() -> None:
    claim = await certify_counterfactuals("door_code.leaky", SEEDS)
    assert not claim.holds
    assert "files_" in flaws(claim)


async def test_a_clue_that_nobody_needs_is_noticed_when_it_is_withheld() -> None:
    claim = await certify_ablation("door_code.needless", SEEDS)
    assert not claim.holds
    assert "without code the oracle still scores 1" in flaws(claim)


async def test_an_answer_that_is_always_the_same_is_worth_guessing() -> None:
    claim = await certify_guesses("door_code.constant", range(5))
    assert not claim.holds
    assert "100%" in flaws(claim)


async def test_a_check_that_accepts_wrong_values_is_noticed_by_mutants() -> None:
    claim = await certify_mutants("door_code.loose", SEEDS)
    assert not claim.holds
    assert "a letter of a text changed passes" in flaws(claim)


async def test_a_rule_that_pays_for_empty_files_is_noticed_by_cheats() -> None:
    claim = await certify_cheats("door_code.free", SEEDS)
    assert not claim.holds
    assert "empty_files" in flaws(claim)


async def test_a_hint_that_says_the_answer_is_noticed() -> None:
    claim = await certify_leakage("door_code.chatty", SEEDS)
    assert not claim.holds
    assert "hint 1 says ['DOOR-" in flaws(claim)


async def test_ways_of_working_that_are_not_what_they_are_called_are_noticed() -> None:
    claim = await certify_mutants("door_code.deeds", SEEDS)
    assert "seed 0: nothing fails" in flaws(claim)
    assert "seed 0: all of it passes" in flaws(claim)


def test_of_many_clues_a_few_seeds_try_them_all_and_of_few_every_seed_all() -> None:
    many = [f"clue {number}" for number in range(19)]
    tried = [rotating_sample(many, seed) for seed in range(7)]
    assert {clue for some in tried for clue in some} == set(many)
    assert all(len(set(some)) == 3 for some in tried)
    assert rotating_sample(many[:3], 5) == tuple(many[:3])


async def test_a_claim_that_was_never_tried_does_not_hold() -> None:
    assert not Claim("idle").holds


def test_wrong_and_harmless_mutants_of_one_text_differ() -> None:
    text = json.dumps({"items": [{"name": "Ada", "n": 3}], "total": 2.5}, indent=1) + "\n"
    wrong = {mutant.text for mutant in wrong_mutants(text)}
    assert len(wrong) >= 8
    assert text not in wrong
    for mutant in harmless_mutants(text):
        assert json.loads(mutant.text.removeprefix("\ufeff")) == json.loads(text)
