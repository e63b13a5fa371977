"""A small sound family, and variants with one hole each, which the certificate has to refuse.

A colleague knows the code of a parcel; a list on the drive has its weight. Both are reported.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from pydantic import Field

from trainee_bench.meta_tasks import needs
from trainee_bench.meta_tasks.authoring import (
    TEXT,
    Checkpoint,
    Deliverable,
    Difficulty,
    Domain,
    GradedPart,
    GradingContext,
    HiddenPart,
    Hints,
    MetaTask,
    PathText,
    PlannedEvent,
    RecordId,
    Rule,
    TaskContext,
    TaskInstance,
    ToldPart,
    ValueTemplate,
    Verdict,
    checkpoint,
    was_told,
)
from trainee_bench.meta_tasks.checkpoints import declared_checkpoints
from trainee_bench.meta_tasks.meta_task import SolverVariant
from trainee_bench.meta_tasks.tool_client import ToolFailed
from trainee_bench.world.apps.files import FileAppears
from trainee_bench.world.apps.mail import MailArrives
from trainee_bench.world.colleagues.knowledge import Clue

Hole = Literal[
    "none", "one_ask", "two_values", "plain_paths", "told_worth_half", "told_without_outcome",
    "told_is_not_needed", "contradiction", "unread_list", "unread_mail", "unsaid_word", "tolerance",
    "sign", "column", "unstated", "no_mail", "no_file", "no_requester", "raises",
    "two_values_not_needed", "secret_holder", "leaky", "needless", "constant", "free", "chatty",
    "lazy", "deeds",
]  # fmt: skip
QUESTIONS = (
    "What is the code of the parcel {id}?",
    "Which code does {id} have?",
    "Could you tell me the code of {id}?",
    "I need the code for the parcel {id}.",
    "Do you know the code that belongs to {id}?",
)


@dataclass(frozen=True)
class CodeQuestion(needs.Question[str]):
    """The question for the code of a parcel."""

    parcel: str

    @property
    def subjects(self) -> tuple[str, ...]:
        return (self.parcel,)

    def ask(self, missing: Sequence[str]) -> str:
        return QUESTIONS[0].format(id=self.parcel)

    def read(self, text: str) -> Mapping[str, str]:
        told = re.search(rf"The code of the parcel {self.parcel} is (C-\d+)", text)
        return {self.parcel: told[1]} if told else {}


STATED = ("Its weight in grams and the balance are in", "in the chat for its code.")
"""The data that honest work uses."""
ANY_WORDS = ValueTemplate("Report {value}", TEXT)


class ParcelReport(Deliverable):
    """The report that is submitted."""

    code: RecordId = Field(description="the code of the parcel")
    kilograms: float = Field(description="its weight, rounded to 2 decimals")
    balance: int = Field(description="the balance of the account, which may be negative")
    note: RecordId = Field(description='the word "stamped"')


class ParcelTruth(Deliverable):
    """The right values, and the path for the report."""

    path: PathText
    right: ParcelReport


class Parcels(MetaTask[ParcelTruth]):
    """A parcel that has arrived; ``hole`` is the defect of the family."""

    family = "parcels"
    domain = Domain.INQUIRY
    hole: Hole

    @classmethod
    def rules(cls) -> tuple[Rule, ...]:
        other: dict[str, type[Parcels]] = {"lazy": LazyParcels, "deeds": ParcelsWithDeeds}
        made = [other.get(hole, cls)(hole=hole) for hole in get_args(Hole)]
        return tuple(Rule(rule.rule_id, Difficulty.EASY, rule) for rule in made)

    @property
    def rule_id(self) -> str:
        return f"parcels.{self.hole}"

    def generate(self, context: TaskContext) -> TaskInstance[ParcelTruth]:
        if self.hole == "raises":
            raise ZeroDivisionError("this family cannot be generated")
        plain = self.hole == "plain_paths"
        report = "workspace:/parcel.json"
        report = report if plain else context.reserve_path(report)
        book = context.reserve_path("drive:/parcels/weights.txt")
        draws, secret = context.stream("parcel"), context.secret_stream("code")
        id = context.fresh_id("PAR")
        code = f"C-{secret.randrange(2 if self.hole.startswith('two_values') else 10**6)}"
        grams, balance = draws.randrange(1_000, 9_000), -draws.randrange(100, 900)
        if self.hole == "constant":
            code, grams, balance = "C-1", 2_000, -300
        shown = f"{code} " if self.hole in ("leaky", "needless") else ""
        holder, *_ = context.pick("holder", context.company.staff("Finance"))
        if self.hole == "secret_holder":
            holder = secret.choice(context.company.staff("Finance"))
        right = ParcelReport(
            code=code, kilograms=round(grams / 1_000, 2), balance=balance, note="stamped"
        )
        questions = QUESTIONS[:1] if self.hole == "one_ask" else QUESTIONS
        files = [FileAppears(path=book, text=f"Parcel {id}: {shown}{grams} g, balance {balance}\n")]
        if self.hole == "unread_list":
            files.append(FileAppears(path="drive:/parcels/rules.md", text="Round down.\n"))
        events = [PlannedEvent(file) for file in files]
        if self.hole == "unread_mail":
            mail = MailArrives(
                sender=holder.email, to=(context.employee.email,), subject="Hi", body="Round down."
            )
            events.append(PlannedEvent(mail))
        return TaskInstance(
            ToldPart(
                title=f"Parcel {id}",
                objective=self._objective(id, holder.id, book, report),
                hints=Hints(
                    f"Ask{f' for {code}' if self.hole == 'chatty' else ''}.",
                    "In the chat.",
                    "Write.",
                ),
                requester="" if self.hole == "no_requester" else holder.id,
                deliverable_paths=(report,),
            ),
            HiddenPart(
                clues=(
                    Clue(
                        id=context.clue_id("code"),
                        holder=holder.id,
                        payload=f"The code of the parcel {id} is {code}.",
                        asks=tuple(question.format(id=id) for question in questions),
                        keys=(id,),
                    ),
                ),
                events=tuple(events),
            ),
            GradedPart(truth=ParcelTruth(path=report, right=right), background=("Thank you.",)),
        )

    def _objective(self, id: str, holder: str, book: str, report: str) -> str:
        more = {
            "contradiction": "Add 5 kg for the box. ",
            "no_mail": "Ada has sent you a mail about it. Thank you. ",
            "unstated": "Weigh it without its box. ",
            "no_file": "drive:/parcels/rules.md explains it. ",
        }.get(self.hole, "")
        fields = ParcelReport.describe()
        if self.hole == "unsaid_word":
            fields = fields.replace('the word "stamped"', "a word")
        return (
            f"Report the parcel {id} in {report}. Ask {holder} in the chat for its code. "
            f"Its weight in grams and the balance are in {book}. {more}Thank you.\n{fields}"
        )

    # what is graded ---------------------------------------------------------------------

    def checkpoints(self) -> tuple[Checkpoint, ...]:
        worth = 4.0 if self.hole == "told_worth_half" else 1.0
        with_ = None if self.hole == "told_without_outcome" else "right"
        needs = None if self.hole in ("told_is_not_needed", "two_values_not_needed") else "told"
        right, told = declared_checkpoints(type(self))[:2]
        return (
            Checkpoint(
                right.name, right.sentence, 4, None, "", "", False, right.check, only_after=needs
            ),
            Checkpoint(told.name, told.sentence, worth, with_, "", "", False, told.check),
        )

    @checkpoint("The report is right")
    def right(self, grading: GradingContext[ParcelTruth]) -> Verdict:
        if self.hole == "free":
            return Verdict(grading.text(grading.truth.path) is not None, "a file")
        given, right = grading.read(grading.truth.path, ParcelReport), grading.truth.right
        tolerance = 0.5 if self.hole == "tolerance" else 0.005 + 1e-9
        signs = (1, -1) if self.hole == "sign" else (1,)
        same = (
            given.code == right.code
            and abs(given.kilograms - right.kilograms) <= tolerance
            and given.balance in [sign * right.balance for sign in signs]
            and (given.note == right.note or self.hole == "column")
        )
        return Verdict(same, "a report was handed in")

    @checkpoint("You were told the code")
    def told(self, grading: GradingContext[ParcelTruth]) -> Verdict:
        if self.hole in ("needless", "constant", "free"):
            return Verdict(True, "nobody has to ask")
        return was_told(grading, "code")

    # how it is worked -------------------------------------------------------------------

    @staticmethod
    async def honest_work(work: needs.Work, task: str) -> None:
        words = (await work(needs.TaskBrief(task, ANY_WORDS, STATED))).split()
        named = {word.rstrip(".") for word in words}
        (id,) = (word for word in named if word.startswith("PAR-"))
        (report,) = (word for word in named if word.startswith("workspace:/"))
        book = next(word for word in named if word.startswith("drive:/parcels/weights"))
        holder = words[words.index("Ask") + 1]
        line = (await work(needs.FileText(book, task))).split()
        try:
            code = (await work(needs.Told(task, holder, CodeQuestion(id))))[id]
        except ToolFailed:
            code = next((word for word in line if word.startswith("C-")), "C-0")
        made = {
            "code": code,
            "kilograms": round(int(line[line.index("g,") - 1]) / 1_000, 2),
            "balance": int(line[-1]),
            "note": "stamped",
        }
        await needs.hand_in(work, task, report, json.dumps(made, indent=1))


class LazyParcels(Parcels):
    """The same family with honest work that does nothing."""

    @staticmethod
    async def honest_work(work: needs.Work, task: str) -> None:
        await work(needs.Task(task))


class ParcelsWithDeeds(Parcels):
    """The same family with solver variants that claim the opposite of what they are."""

    @classmethod
    def solver_variants(cls) -> tuple[SolverVariant, ...]:
        return (
            SolverVariant("nothing", True, LazyParcels.honest_work),
            SolverVariant("all of it", False, cls.honest_work),
        )
