"""A page of the website has become slow; a server must go into maintenance, with approval.

Told: the complaint, the steps, and the fields of the report. Hidden: the colleague on call for
the website (the HR Manager knows), the approver (that colleague names them after the right
diagnosis), and the code of the approval. The monitor shows the page, the cause and the server.

    monitor ──► HR Manager ──► responsible ◄── diagnosis
                                    └──► approver ──► code ──► maintenance mode

The later holders cannot be told from other candidates before a clue names them: what they know and
expect exists only afterwards.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, time, timedelta
from itertools import product
from typing import ClassVar, Literal, get_args

from pydantic import JsonValue

from trainee_bench.meta_tasks.authoring import (
    CompositionError,
    Domain,
    GradedPart,
    GradingContext,
    HiddenPart,
    MetaTask,
    PlannedEvent,
    Precondition,
    Rule,
    TaskContext,
    TaskInstance,
    ToldPart,
    Verdict,
    checkpoint,
    head_of,
    rules_of,
    was_told,
)
from trainee_bench.meta_tasks.families.website_analysis import work
from trainee_bench.meta_tasks.families.website_analysis.brief import (
    APPROVAL,
    APPROVER,
    BACKGROUND,
    DIAGNOSIS,
    HINTS,
    NOT_YET,
    OBJECTIVE,
    OWNER,
    OWNER_OF_PAGE,
    ApprovalStep,
    WebsiteAnalysisBrief,
    approval_without_code,
    diagnosis_expectation,
    possible_approvers,
    possible_owners,
)
from trainee_bench.meta_tasks.families.website_analysis.deliverables import (
    WebsiteReportWithCode,
    WebsiteTruth,
)
from trainee_bench.meta_tasks.meta_task import HonestWay, Shortcut
from trainee_bench.world.apps.monitor import CODE_LETTERS, IncidentBegins, IncidentEnds, Monitor
from trainee_bench.world.colleagues.knowledge import Clue, Expectation
from trainee_bench.world.company.people import Person
from trainee_bench.world.monitoring.website import PAGE_PATHS, SERVERS_BY_CAUSE, IncidentCause

ApprovalHops = Literal["one", "two"]
ApprovalCodeMode = Literal["needed", "not_needed"]
_HOPS: tuple[ApprovalHops, ...] = get_args(ApprovalHops)
_CODES: tuple[ApprovalCodeMode, ...] = get_args(ApprovalCodeMode)

MOST_AT_ONCE = 4
"""The most pages that are slow on one day, where tasks may be alike: half of them."""
REPORT = "workspace:/website_report.json"
ROSTER_KEEPER = "HR Manager"
"""The title of the person who keeps the roster, as the monitor says it."""


class WebsiteAnalysis(MetaTask[WebsiteTruth]):
    """Find out why a page is slow, and get maintenance approved."""

    family = "website_analysis"
    domain = Domain.INQUIRY
    published_name = "Website Monitor"

    # parameters ---------------------------------------------------------------------------

    cause: IncidentCause | None = None
    """The cause; drawn if None."""
    hops: ApprovalHops = "two"
    """one: the colleague on call for the website approves; two: they name the approver."""
    code: ApprovalCodeMode = "needed"
    """Whether maintenance mode requires an approval code."""

    @classmethod
    def rules(cls) -> tuple[Rule, ...]:
        """Return a rule with any cause and the longest approval, then one per cause and approval.

        The shortest approval is easy.
        """
        fixed = (
            cls(cause=cause, hops=hops, code=code)
            for cause, hops, code in product(IncidentCause, _HOPS, _CODES)
        )
        return rules_of((cls(), *fixed), hard=lambda rule: not rule.is_shortest)

    @property
    def is_shortest(self) -> bool:
        """Whether the colleague on call for the website approves, without a code."""
        return self.hops == "one" and self.code == "not_needed"

    @property
    def rule_id(self) -> str:
        """``website_analysis.slow_page`` by default, else such as
        ``website_analysis.full_disk.h1.code``."""
        if self == type(self)():
            return f"{self.family}.slow_page"
        cause = self.cause.replace(" ", "_") if self.cause else "any_cause"
        hops, code = _HOPS.index(self.hops) + 1, "code" if self.code == "needed" else "no_code"
        return f"{self.family}.{cause}.h{hops}.{code}"

    @classmethod
    def from_published(cls, arguments: Mapping[str, JsonValue]) -> WebsiteAnalysis:
        """Return the default task. Raises ValueError for arguments, since the original has none."""
        if arguments:
            raise ValueError(f"it takes no arguments, but has {', '.join(sorted(arguments))}")
        return cls()

    # the task instance ----------------------------------------------------------------------

    def generate(self, context: TaskContext) -> TaskInstance[WebsiteTruth]:
        """Stage an incident since last night, and colleagues who know one step each."""
        if not context.copies:
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
        events = [PlannedEvent(incident)]
        if context.copies:
            night = datetime.combine(context.deadline.date() + timedelta(days=1), time())
            events.append(PlannedEvent(IncidentEnds(server=outage.server), night))
        clues, expectations = self._hidden(context, outage)
        approvers = possible_approvers(context) if self.hops == "two" else ()
        return TaskInstance(
            ToldPart(
                title="A slow page on our website",
                objective=OBJECTIVE.render(
                    WebsiteAnalysisBrief(
                        outage.path, outage.model, outage.page if context.copies else ""
                    )
                ),
                hints=HINTS,
                requester=requester.id,
                deliverable_paths=(outage.path,),
            ),
            HiddenPart(
                clues=clues,
                expectations=expectations,
                events=tuple(events),
                possible_holders=frozenset(
                    person.id for person in (*possible_owners(context), *approvers)
                ),
            ),
            GradedPart(truth=outage, background=BACKGROUND),
        )

    def _outage(self, context: TaskContext) -> WebsiteTruth:
        """Draw the monitor's facts from public streams, and clues from secret ones."""
        draws = context.stream("incident")
        page, drawn = draws.choice(_free_pages(context)), draws.choice(tuple(IncidentCause))
        cause = self.cause or drawn
        server = draws.choice(_free(context, SERVERS_BY_CAUSE[cause]))
        for ailing in (page, server):
            _take(context, ailing)
        responsible = context.secret_stream(OWNER.name).choice(possible_owners(context))
        approver = responsible
        if self.hops == "two":
            approver = context.secret_stream(APPROVER.name).choice(possible_approvers(context))
        secret = context.secret_stream(APPROVAL.name)
        letters = "".join(secret.choice(CODE_LETTERS) for _ in range(4))
        return WebsiteTruth(
            path=context.reserve_path(REPORT),
            page=page,
            cause=cause,
            server=server,
            responsible=responsible,
            approver=approver,
            code=f"{letters}-{secret.randrange(10_000):04}" if self.code == "needed" else None,
        )

    def _hidden(
        self, context: TaskContext, outage: WebsiteTruth
    ) -> tuple[tuple[Clue, ...], tuple[Expectation, ...]]:
        """Return the clues that colleagues know and the messages that they expect."""
        keeper = head_of(context.company, "HR")
        if keeper.title != ROSTER_KEEPER:
            raise CompositionError(
                f"the monitor says that the {ROSTER_KEEPER} keeps the roster, but {keeper.name} is "
                f"{keeper.title}"
            )
        responsible, approver, server = outage.responsible, outage.approver, outage.server
        own = approver == responsible
        explained = Precondition((OWNER.name, DIAGNOSIS), NOT_YET, (OWNER.name,))
        condition = explained if own else Precondition((APPROVER.name,))
        reply = ApprovalStep(server=server, approves=own)
        clues = [_owner_clue(context, keeper, outage)]
        expectations = [diagnosis_expectation(context, responsible, outage.cause, reply)]
        if not own:
            named = ApprovalStep(approver.name, server)
            clues.append(APPROVER.clue(context, responsible, named, condition=explained))
        if outage.code is None:
            expectations.append(approval_without_code(context, approver, server, condition.after))
        else:
            approval, about = ApprovalStep(server=server, code=outage.code), {"server": server}
            clues.append(APPROVAL.clue(context, approver, approval, about, (server,), condition))
        return tuple(clues), tuple(expectations)

    # checkpoints ------------------------------------------------------------------------

    @checkpoint(
        "The report names the slow page, its cause and the server at fault, and you told the "
        "colleague on call for the website the cause and the server",
        weight=2.5,
        where="monitor: load times over several windows, each server's health and log; chat",
        how="Compare the last hour with the last week, page by page and server by server, and "
        "send the cause and the server in one message that names no other.",
    )
    def cause_found(self, grading: GradingContext[WebsiteTruth]) -> Verdict:
        """Check page, cause and server, and that the colleague got the diagnosis."""
        truth = grading.truth
        report = truth.read(grading)
        right = truth.agrees(grading, report, "page", "cause", "server")
        told = grading.expectation_met_at(DIAGNOSIS)
        seen = f"reported: {report.page}, {report.cause}, {report.server}; " + (
            f"the colleague heard the right diagnosis at {told:%H:%M}"
            if told
            else "the colleague has not heard the right diagnosis"
        )
        return Verdict(right and told is not None, seen)

    @checkpoint(
        "The report names the colleague on call for the website today",
        weight=0.75,
        where="the monitor says who keeps the roster",
        how="Ask the keeper of the roster who is on call for the website today.",
    )
    def responsible_named(self, grading: GradingContext[WebsiteTruth]) -> Verdict:
        """Check the responsible colleague, and that the keeper of the roster named them."""
        report = grading.truth.read(grading)
        told = grading.clue_released_at(OWNER.name) is not None
        seen = f"reported: {report.responsible}; " + ("told so" if told else "nobody said so")
        return Verdict(told and grading.truth.agrees(grading, report, "responsible"), seen)

    @checkpoint(
        "The report names who approved the maintenance, and the approval's code if there is one",
        weight=1.5,
        where="the colleague on call for the website knows who approves",
        how="After you have told the diagnosis, ask that colleague who approves, then ask the "
        "approver for approval, naming the server.",
    )
    def approval_reported(self, grading: GradingContext[WebsiteTruth]) -> Verdict:
        """Check approver and code, and that the approval was given."""
        truth = grading.truth
        report = truth.read(grading)
        right = truth.agrees(grading, report, "approved_by")
        seen = f"reported: {report.approved_by}"
        if isinstance(report, WebsiteReportWithCode):
            right = right and truth.agrees(grading, report, "approval_code")
            seen += f", {report.approval_code}"
        approved = _approved(grading)
        seen += "; approved" if approved else "; nobody has approved"
        return Verdict(right and approved, seen)

    @checkpoint(
        "Only the server at fault is in maintenance mode, with the approval",
        weight=2.5,
        where="monitor_start_maintenance, after the approval",
        how="Call monitor_start_maintenance with the server of your diagnosis and the code.",
    )
    def maintenance_in_force(self, grading: GradingContext[WebsiteTruth]) -> Verdict:
        """Check that only the right server is in maintenance mode, and that it was approved."""
        truth = grading.truth
        monitor = Monitor(grading.tx)
        servers = monitor.maintenance()
        times = ", ".join(f"{name} since {since:%H:%M}" for name, since in servers.items())
        approved = _approved(grading)
        seen = f"in maintenance mode: {times or 'none'}; " + (
            "approved" if approved else "no approval"
        )
        ailing = {incident.server for incident in monitor.incidents()}
        if truth.server not in servers or not ailing.issuperset(servers) or not approved:
            return Verdict(False, seen)
        return Verdict(True, f"{seen}; {truth.page} now loads in {monitor.load_ms(truth.page)} ms")

    @checkpoint(
        "You asked the roster keeper who is on call for the website",
        weight=0.25,
        only_with="responsible_named",
        where="the monitor says who keeps the roster",
    )
    def roster_asked(self, grading: GradingContext[WebsiteTruth]) -> Verdict:
        """Check that the keeper of the roster was asked."""
        return was_told(grading, OWNER.name, yes="told at {at:%H:%M}", no="not asked")

    @checkpoint(
        "The approval was obtained before the maintenance began",
        weight=0.5,
        only_with="maintenance_in_force",
        where="chat, before monitor_start_maintenance",
    )
    def approved_first(self, grading: GradingContext[WebsiteTruth]) -> Verdict:
        """Check that the approval came before the maintenance."""
        told = grading.clue_released_at(APPROVAL.name) or grading.expectation_met_at(APPROVAL.name)
        began = Monitor(grading.tx).maintenance().get(grading.truth.server)
        seen = f"approved {told:%H:%M}" if told else "not approved"
        seen += f", maintenance {began:%H:%M}" if began and told else ""
        return Verdict(told is not None and began is not None and told <= began, seen)

    # honest work ----------------------------------------------------------------------------

    shortcut: ClassVar[Shortcut] = staticmethod(work.report_without_approval)
    honest_work: ClassVar[HonestWay] = staticmethod(work.honest_work)


def _free(context: TaskContext, names: Sequence[str]) -> Sequence[str]:
    """Return those of *names*, of pages or servers, that ail for no other task on the days of this
    one."""
    claims = context.reservations.claims.keys()
    return [name for name in names if claims.isdisjoint(_ails(context, name))]


def _free_pages(context: TaskContext) -> Sequence[str]:
    """Return the pages that ail for no other task. Raises CompositionError if too many do."""
    free = _free(context, PAGE_PATHS)
    if len(PAGE_PATHS) - len(free) >= MOST_AT_ONCE:
        raise CompositionError(
            f"{context.task}: at most {MOST_AT_ONCE} pages of the website can be slow on a day; "
            "put the tasks on different days"
        )
    return free


def _take(context: TaskContext, name: str) -> None:
    for claim in _ails(context, name):
        context.claim(claim)


def _ails(context: TaskContext, name: str) -> list[str]:
    """Return the claims of a page or server on the days of the task."""
    days = [day.starts.date() for day in context.world_days if day.starts <= context.deadline]
    return [f"{name} ails on {day}" for day in days if day >= context.day.starts.date()]


def _owner_clue(context: TaskContext, keeper: Person, outage: WebsiteTruth) -> Clue:
    """Return the clue that names the colleague on call."""
    name, page = outage.responsible.name, outage.page
    if not context.copies:
        return OWNER.clue(context, keeper, ApprovalStep(name))
    told, about = ApprovalStep(name, page=page), {"page": page}
    return OWNER_OF_PAGE.clue(context, keeper, told, about, keys=(page,))


def _approved(grading: GradingContext[WebsiteTruth]) -> bool:
    """Return whether the approval was given."""
    told = (
        grading.clue_released_at(APPROVAL.name)
        if grading.truth.code
        else grading.expectation_met_at(APPROVAL.name)
    )
    return told is not None
