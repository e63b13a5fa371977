"""A page of the website has become slow; a server must go into maintenance, with approval.

Told: that a page is slow, that colleagues know who is responsible, what the report says.
Hidden: who looks after the website (the HR Manager knows), who approves (that colleague tells
whoever brings the right cause and server), and the code of the approval. The page, the cause
and the server show in the monitor.

    monitor ──► HR Manager ──► responsible ◄── diagnosis
                                    └──► approver ──► code ──► maintenance mode

Nothing distinguishes the later holders from other candidates before the clue that names them
has been told: what they know and expect only exists after it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from itertools import product
from typing import ClassVar, Literal, get_args

from pydantic import JsonValue

from trainee_bench.meta_tasks.deliverable import InvalidDeliverable
from trainee_bench.meta_tasks.families.website_analysis import colleague_clues
from trainee_bench.meta_tasks.families.website_analysis.deliverables import (
    CAUSES,
    WebsiteReport,
    WebsiteReportWithCode,
    names_person,
    same_code,
    same_page,
    same_text,
)
from trainee_bench.meta_tasks.families.website_analysis.oracle import repair_website
from trainee_bench.meta_tasks.meta_task import (
    Difficulty,
    Domain,
    GradingContext,
    Hints,
    MetaTask,
    PlannedEvent,
    Rule,
    TaskInstance,
    Verdict,
    checkpoint,
)
from trainee_bench.meta_tasks.task_context import TaskContext
from trainee_bench.meta_tasks.tool_client import ToolClient
from trainee_bench.world.apps.monitor import CODE_LETTERS, IncidentBegins, Monitor
from trainee_bench.world.colleagues.knowledge import Clue, Expectation
from trainee_bench.world.company.people import Person
from trainee_bench.world.monitoring.website import PAGE_PATHS, SERVERS_BY_CAUSE, IncidentCause

ApprovalHops = Literal["one", "two"]
ApprovalCodeMode = Literal["needed", "not_needed"]
_HOPS: tuple[ApprovalHops, ...] = get_args(ApprovalHops)
_CODES: tuple[ApprovalCodeMode, ...] = get_args(ApprovalCodeMode)

REPORT = "workspace:/website_report.json"
HINTS = Hints(
    strategy=(
        "First understand what has changed, then find out who decides, and only then act. Each "
        "colleague tells you the next step once you have brought what they need."
    ),
    where=(
        "The monitor's load times over different windows show the page; the health of a single "
        "server, compared with earlier, and its log show the cause. The monitor says who keeps "
        "the roster of those who look after the website; approvals go through these people."
    ),
    how=(
        "Compare monitor_get_summary for 1h and 7d. Then call monitor_check_health for each server "
        "and look for a reading that was different a week ago; its log must name the slow page. "
        "Ask the keeper of the roster who looks after the website, tell that person cause and "
        "server in one message, ask who approves, ask that person for the approval of the server, "
        "and call monitor_start_maintenance. Then write the report."
    ),
)


@dataclass(frozen=True)
class WebsiteTruth:
    """What is wrong and who decides; ``code`` is None where none is needed."""

    report: str
    page: str
    cause: IncidentCause
    server: str
    responsible: Person
    approver: Person
    code: str | None

    def read_report(
        self, grading: GradingContext[WebsiteTruth]
    ) -> WebsiteReport | InvalidDeliverable:
        """The report as handed in."""
        return grading.read_deliverable(
            self.report, WebsiteReportWithCode if self.code else WebsiteReport
        )

    def approved(self, grading: GradingContext[WebsiteTruth]) -> bool:
        """Whether the employee has got the approval."""
        told = (
            grading.clue_released_at("approval")
            if self.code
            else grading.expectation_met_at("approval")
        )
        return told is not None


class WebsiteAnalysis(MetaTask[WebsiteTruth]):
    """A slow page, its cause, and the way to an approval."""

    family: ClassVar[str] = "website_analysis"
    domain: ClassVar[Domain] = Domain.INQUIRY
    published_name: ClassVar[str] = "Website Monitor"

    cause: IncidentCause | None = None
    """Drawn where it is None."""
    hops: ApprovalHops = "two"
    """Whether who looks after the website approves, or names somebody who does."""
    code: ApprovalCodeMode = "needed"
    """Whether maintenance mode asks for the code of the approval."""

    @classmethod
    def rules(cls) -> tuple[Rule, ...]:
        """A slow page of whatever cause, with the longest way to the approval; then each cause
        with each way. The shortest way is easy."""
        fixed = (
            cls(cause=cause, hops=hops, code=code)
            for cause, hops, code in product(IncidentCause, _HOPS, _CODES)
        )
        return tuple(
            Rule(one.rule_id, Difficulty.EASY if one.is_shortest else Difficulty.HARD, one)
            for one in (cls(), *fixed)
        )

    @property
    def is_shortest(self) -> bool:
        """Whether who looks after the website approves without a code."""
        return self.hops == "one" and self.code == "not_needed"

    @property
    def rule_id(self) -> str:
        """``website_analysis.slow_page``; with a knob turned, all of them, such as
        ``website_analysis.full_disk.h1.code``."""
        if self == type(self)():
            return f"{self.family}.slow_page"
        cause = self.cause.replace(" ", "_") if self.cause else "any_cause"
        hops, code = _HOPS.index(self.hops) + 1, "code" if self.code == "needed" else "no_code"
        return f"{self.family}.{cause}.h{hops}.{code}"

    @classmethod
    def from_published(cls, arguments: Mapping[str, JsonValue]) -> WebsiteAnalysis:
        """The original's entries have no arguments. Raises ValueError for any."""
        if arguments:
            raise ValueError(f"it takes no arguments, but has {', '.join(sorted(arguments))}")
        return cls()

    # the scene ------------------------------------------------------------------------

    def generate(self, context: TaskContext) -> TaskInstance[WebsiteTruth]:
        """An incident since last night, and colleagues who know one step each."""
        context.claim("the website monitor")
        (requester,) = context.pick("requester", context.company.staff("Marketing", manager=True))
        outage, began = self._outage(context), context.stream("began").randrange(300, 720)
        incident = IncidentBegins(
            page=outage.page,
            cause=outage.cause,
            server=outage.server,
            code=outage.code,
            began=context.day.starts - timedelta(minutes=began),
        )
        clues, expectations = self._hidden(context, outage)
        return TaskInstance(
            title="A slow page on our website",
            objective=_objective(outage),
            truth=outage,
            hints=HINTS,
            clues=clues,
            expectations=expectations,
            events=(PlannedEvent(incident),),
            deliverable_paths=(outage.report,),
            requester=requester.id,
        )

    def _outage(self, context: TaskContext) -> WebsiteTruth:
        """Drawn from the open streams what the monitor shows, from the clues' what they tell."""
        draws = context.stream("incident")
        page, drawn = draws.choice(PAGE_PATHS), draws.choice(tuple(IncidentCause))
        cause = self.cause or drawn
        responsible = context.secret_stream("owner").choice(
            colleague_clues.possible_owners(context)
        )
        approver = responsible
        if self.hops == "two":
            approver = context.secret_stream("approver").choice(
                colleague_clues.possible_approvers(context)
            )
        secret = context.secret_stream("approval")
        letters = "".join(secret.choice(CODE_LETTERS) for _ in range(4))
        return WebsiteTruth(
            report=context.reserve_path(REPORT),
            page=page,
            cause=cause,
            server=draws.choice(SERVERS_BY_CAUSE[cause]),
            responsible=responsible,
            approver=approver,
            code=f"{letters}-{secret.randrange(10_000):04}" if self.code == "needed" else None,
        )

    def _hidden(
        self, context: TaskContext, outage: WebsiteTruth
    ) -> tuple[tuple[Clue, ...], tuple[Expectation, ...]]:
        """What colleagues know and what they wait for."""
        (keeper, *_) = context.company.staff("HR", manager=True)
        responsible, approver, server = outage.responsible, outage.approver, outage.server
        clues = [colleague_clues.owner_clue(context, keeper, responsible)]
        next_step = f"I may approve that myself: ask me for the approval of {server}."
        after: tuple[str, ...] = (context.clue_id("owner"), context.clue_id("diagnosis"))
        if self.hops == "two":
            clues.append(colleague_clues.approver_clue(context, responsible, approver, server))
            next_step = "I may not approve that myself; ask me who has to."
            after = (context.clue_id("approver"),)
        reply = (
            f"Thank you, that explains it. {server} has to go into maintenance mode. {next_step}"
        )
        expectations = [
            colleague_clues.diagnosis_expectation(context, responsible, outage.cause, server, reply)
        ]
        if outage.code is not None:
            clues.append(colleague_clues.code_clue(context, approver, server, outage.code, after))
        else:
            expectations.append(
                colleague_clues.approval_expectation(context, approver, server, after)
            )
        return tuple(clues), tuple(expectations)

    @staticmethod
    async def oracle(client: ToolClient) -> None:
        """Diagnose, ask, act, report."""
        await repair_website(client)

    # what is graded ---------------------------------------------------------------------

    @checkpoint(
        "The report names the slow page, its cause and the server at fault, and the colleague "
        "who looks after the website was told cause and server",
        weight=2.5,
        where="monitor: load times over several windows, each server's health and log; chat",
        how="Compare the last hour with the last week, page by page and server by server, and "
        "send cause and server in one message, without naming any other.",
    )
    def cause_found(self, grading: GradingContext[WebsiteTruth]) -> Verdict:
        """Page, cause and server, and the diagnosis heard."""
        truth = grading.truth
        report = truth.read_report(grading)
        if isinstance(report, InvalidDeliverable):
            return Verdict(False, report.seen)
        right = (
            same_page(report.page, truth.page)
            and same_text(report.cause.replace("_", " "), truth.cause)
            and same_text(report.server, truth.server)
        )
        told = grading.expectation_met_at("diagnosis")
        seen = f"reported: {report.page}, {report.cause}, {report.server}; " + (
            f"the colleague heard the right diagnosis at {told:%H:%M}"
            if told
            else "the colleague has not heard the right diagnosis"
        )
        return Verdict(right and told is not None, seen)

    @checkpoint(
        "The report names the colleague who looks after the website today",
        weight=0.75,
        where="the monitor says who keeps the roster",
        how="Ask the keeper of the roster who looks after the website today.",
    )
    def responsible_named(self, grading: GradingContext[WebsiteTruth]) -> Verdict:
        """The responsible colleague, as told."""
        report = grading.truth.read_report(grading)
        if isinstance(report, InvalidDeliverable):
            return Verdict(False, report.seen)
        told = grading.clue_released_at("owner") is not None
        seen = f"reported: {report.responsible}; " + ("told so" if told else "nobody said so")
        return Verdict(told and names_person(report.responsible, grading.truth.responsible), seen)

    @checkpoint(
        "The report names who approved the maintenance, and the approval's code if there is one",
        weight=1.5,
        where="the colleague who looks after the website knows who approves",
        how="Once the diagnosis is told, ask that colleague who approves, and whoever it is for "
        "the approval of the server, by its name.",
    )
    def approval_reported(self, grading: GradingContext[WebsiteTruth]) -> Verdict:
        """Approver and code, as told."""
        truth = grading.truth
        report = truth.read_report(grading)
        if isinstance(report, InvalidDeliverable):
            return Verdict(False, report.seen)
        right = names_person(report.approved_by, truth.approver)
        seen = f"reported: {report.approved_by}"
        if isinstance(report, WebsiteReportWithCode):
            right = right and same_code(report.approval_code, truth.code or "")
            seen += f", {report.approval_code}"
        approved = truth.approved(grading)
        seen += "; approved" if approved else "; nobody has approved"
        return Verdict(right and approved, seen)

    @checkpoint(
        "The server at fault, and no other, is in maintenance mode with the approval",
        weight=2.5,
        where="monitor_start_maintenance, once the approval is there",
        how="Call monitor_start_maintenance with the server of your diagnosis and the code.",
    )
    def maintenance_in_force(self, grading: GradingContext[WebsiteTruth]) -> Verdict:
        """Maintenance mode on the right server alone, approved."""
        truth = grading.truth
        monitor = Monitor(grading.tx)
        servers = monitor.maintenance()
        said = ", ".join(f"{name} since {since:%H:%M}" for name, since in servers.items())
        approved = truth.approved(grading)
        seen = f"in maintenance mode: {said or 'none'}; " + (
            "approved" if approved else "no approval"
        )
        if set(servers) != {truth.server} or not approved:
            return Verdict(False, seen)
        return Verdict(True, f"{seen}; {truth.page} now loads in {monitor.load_ms(truth.page)} ms")

    @checkpoint(
        "Who keeps the roster was asked who looks after the website",
        weight=0.25,
        only_with="responsible_named",
        where="the monitor says who keeps the roster",
    )
    def roster_asked(self, grading: GradingContext[WebsiteTruth]) -> Verdict:
        """The roster was asked for."""
        told = grading.clue_released_at("owner")
        return Verdict(told is not None, f"told at {told:%H:%M}" if told else "not asked")

    @checkpoint(
        "The approval was obtained before the maintenance began",
        weight=0.5,
        only_with="maintenance_in_force",
        where="chat, before monitor_start_maintenance",
    )
    def approved_first(self, grading: GradingContext[WebsiteTruth]) -> Verdict:
        """Approval, then maintenance."""
        told = grading.clue_released_at("approval") or grading.expectation_met_at("approval")
        began = Monitor(grading.tx).maintenance().get(grading.truth.server)
        seen = f"approved {told:%H:%M}" if told else "not approved"
        seen += f", maintenance {began:%H:%M}" if began and told else ""
        return Verdict(told is not None and began is not None and told <= began, seen)


def _objective(outage: WebsiteTruth) -> str:
    model = WebsiteReportWithCode if outage.code else WebsiteReport
    return (
        "Customers complain that a page of our website has become very slow since last night. "
        "Please take care of it:\n"
        f"1. Find out with the monitor which page it is, why it is slow (one of {CAUSES}), and on "
        "which server. Tell the cause (in these very words) and the server, in one message that "
        "names no other cause or server, to the colleague who looks after the website today.\n"
        "2. The server has to go into maintenance mode, in which it repairs itself. Start it in "
        "the monitor, for no other server, and not before whoever has to approve it has done so. "
        "You do not know these people yet; your colleagues know who is responsible for what.\n"
        f"3. Hand in {outage.report}, a JSON object with exactly these fields:\n"
        f"{model.describe()}\n"
        "We check what the report says against the facts, that the colleague got the right "
        "diagnosis from you, and that the right server is in maintenance mode with an approval."
    )
