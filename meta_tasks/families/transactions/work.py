"""Solvers for the review task.

The honest one asks who knows each figure, asks for it and counts. The shortcut assumes the usual
figures.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from trainee_bench.meta_tasks.authoring import (
    ToolClient,
    ToolFailed,
    hand_in,
    read_brief,
    read_rules,
    read_text,
)
from trainee_bench.meta_tasks.families.transactions.brief import (
    CONTACT_ASKS,
    FOLDER,
    OBJECTIVE,
    OBJECTIVE_RULES,
    RULES,
    TransactionsBrief,
    contacts,
    rules_for,
)
from trainee_bench.meta_tasks.families.transactions.deliverables import make_report
from trainee_bench.meta_tasks.families.transactions.subject import (
    below_limit,
    more_than_approved,
    new_suppliers,
    paid_twice,
    self_approved,
    split_invoices,
)
from trainee_bench.meta_tasks.families.transactions.subject.ledger import (
    APPROVALS,
    INVOICES,
    PAYMENTS,
    Approval,
    Invoice,
    PaymentLedger,
    ReviewFindings,
)
from trainee_bench.meta_tasks.families.transactions.subject.review import (
    ANY_FIGURE,
    Figures,
    fact_about,
    read_figures,
)
from trainee_bench.meta_tasks.work.achieving import FileHas, HandedIn
from trainee_bench.meta_tasks.work.asking import Question, Told
from trainee_bench.meta_tasks.work.need import Need, Work
from trainee_bench.meta_tasks.work.reading import FileText, ManagerOf, Page, PersonCalled, TaskBrief
from trainee_bench.meta_tasks.work.sources import Listing

FIND: Mapping[str, Callable[[PaymentLedger, Figures], ReviewFindings]] = {
    "new_supplier": new_suppliers.find,
    "just_below": below_limit.find,
    "split_invoice": split_invoices.find,
    "duplicate_invoice": paid_twice.find,
    "amount_differs": more_than_approved.find,
    "self_approved": self_approved.find,
}
"""The search for findings in each kind of review."""


@dataclass(frozen=True)
class Contacts(Question[Mapping[str, str]]):
    """A question for the names of the colleagues who know each figure, by figure.

    It goes to *manager*, who may be one of them.
    """

    file: str
    manager: str

    @property
    def subjects(self) -> tuple[str, ...]:
        """The review."""
        return (f"contacts for the review of {self.file}",)

    def ask(self, missing: Sequence[str]) -> str:
        """Ask for all figures at once."""
        return CONTACT_ASKS[0].format(file=self.file)

    def read(self, text: str) -> Mapping[str, Mapping[str, str]]:
        """Return the names in *text* by figure, if there are any."""
        told = contacts(self.file).search(text.replace("I know", f"{self.manager} knows"))
        if told is None:
            return {}
        return {
            subject: {figure: name for name, figure in told.items()} for subject in self.subjects
        }


@dataclass(frozen=True)
class Figure(Question[str]):
    """A question for a *figure*, answered by the sentence that tells it."""

    figure: str
    file: str

    @property
    def subjects(self) -> tuple[str, ...]:
        """The figure."""
        return (f"{self.figure}, for {self.file}",)

    @property
    def quoted(self) -> tuple[str, ...]:
        """The file, which the question names but no answer does."""
        return (self.file,)

    def ask(self, missing: Sequence[str]) -> str:
        """Ask for this figure."""
        return ANY_FIGURE.format(subject=self.figure, file=self.file)

    def read(self, text: str) -> Mapping[str, str]:
        """Return the sentence in *text* that is about the same part or manager, if there is one."""
        fact = fact_about(self.figure)
        for told in fact.answer.find_all(text):
            if fact.subject.format_map(_details(told)) == self.figure:
                return {subject: fact.answer.render(told) for subject in self.subjects}
        return {}


def _details(told: object) -> Mapping[str, object]:
    """Return the values for placeholders in a figure's subject."""
    return vars(told) if hasattr(told, "__dict__") else {}


@dataclass(frozen=True)
class Documents(Need[PaymentLedger]):
    """The ledger and its registers, after a check of the manual's rules for this kind."""

    task: str
    kind: str
    ledger: str
    registers: tuple[str, ...]

    async def satisfy(self, work: Work) -> PaymentLedger:
        """Read the documents. Raises ToolFailed for a missing or different manual."""
        listed = await work(Listing(FOLDER))
        manual = next((path for path in listed if "review" in path and path.endswith(".md")), None)
        if manual is None:
            raise ToolFailed(f"there is no manual for reviews in {FOLDER}")
        await work(Page(manual, RULES[self.kind]))
        paths = (self.ledger, *self.registers)
        ledger, *texts = await work.all(FileText(path, self.task) for path in paths)
        registers = list(zip(self.registers, texts, strict=True))
        invoices = [text for path, text in registers if "/invoices/" in path]
        approvals = [text for path, text in registers if "/invoices/" not in path]
        return PaymentLedger(
            tuple(PAYMENTS.parse(ledger)),
            {invoice.id: invoice for text in invoices for invoice in INVOICES.parse(text)},
            {approval.id: approval for text in approvals for approval in APPROVALS.parse(text)},
        )


@dataclass(frozen=True)
class ToldFigures(Need[list[str]]):
    """Sentences with the figures that colleagues tell."""

    task: str
    file: str
    needed: tuple[str, ...]

    async def satisfy(self, work: Work) -> list[str]:
        """Ask the manager for contacts, then each contact. Raises ToolFailed if nobody answers."""
        manager = await work(ManagerOf("Finance"))
        told = await work(Told(self.task, manager.id, Contacts(self.file, manager.name)))
        (knows,) = told.values()
        people = await work.all(PersonCalled(knows[figure], "Finance") for figure in self.needed)
        figures = await work.all(
            Told(self.task, person.id, Figure(figure, self.file))
            for person, figure in zip(people, self.needed, strict=True)
        )
        return [sentence for known in figures for sentence in known.values()]


async def honest_work(work: Work, task: str) -> None:
    """Read the documents while Finance answers, then count and report."""
    brief = await work(TaskBrief(task, OBJECTIVE, OBJECTIVE_RULES, rules_for))
    told, ledger = await work.both(
        ToldFigures(task, brief.file, brief.needed),
        Documents(task, brief.kind, brief.ledger, brief.registers),
    )
    figures = read_figures("\n".join([*brief.stated, *told]))
    findings = FIND[brief.kind](ledger, replace(figures, first=brief.first, last=brief.last))
    report = make_report(findings).model_dump_json(indent=2)
    await work(HandedIn(task, (FileHas(brief.report, report),)))


async def review_with_usual_figures(client: ToolClient) -> None:
    """Review without asking anybody, assuming the usual figures."""
    brief = await read_brief(client, OBJECTIVE)
    ledger = await _read_documents(client, brief)
    known, approvals = read_figures("\n".join(brief.stated)), ledger.approvals.values()
    figures = replace(
        known,
        first=brief.first,
        last=brief.last,
        limit=known.limit or below_limit.ASSUMED_LIMIT,
        days_apart=known.days_apart or split_invoices.MAX_DAYS_APART[0],
        deputies={
            approval.signed.removeprefix(self_approved.IN_PLACE_OF): "" for approval in approvals
        },
    )
    findings = FIND[brief.kind](ledger, figures)
    if not findings.payments:
        findings = replace(findings, payments=ledger.payments)
    await hand_in(client, brief.report, make_report(findings))


async def _read_documents(client: ToolClient, brief: TransactionsBrief) -> PaymentLedger:
    """Check the manual, then read the ledger and its registers."""
    listed = await client.call("files_list", folder=FOLDER)
    for path in (str(entry["path"]) for entry in listed.data["entries"]):
        if "review" in path and path.endswith(".md"):
            await read_rules(client, path, RULES[brief.kind])
            break
    else:
        raise ToolFailed(f"there is no manual for reviews in {FOLDER}")
    payments = PAYMENTS.parse(await read_text(client, brief.ledger))
    invoices: dict[str, Invoice] = {}
    approvals: dict[str, Approval] = {}
    for register in brief.registers:
        text = await read_text(client, register)
        if "/invoices/" in register:
            invoices |= {invoice.id: invoice for invoice in INVOICES.parse(text)}
        else:
            approvals |= {approval.id: approval for approval in APPROVALS.parse(text)}
    return PaymentLedger(tuple(payments), invoices, approvals)
