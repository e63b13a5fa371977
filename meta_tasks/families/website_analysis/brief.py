"""Texts of the website task: the objective, and the steps that colleagues know.

One colleague knows each step and tells it once the step before is done.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from trainee_bench.meta_tasks.absences import without_absent
from trainee_bench.meta_tasks.authoring import (
    FULL_NAME,
    PATH,
    Converter,
    Deliverable,
    FirstOf,
    HiddenFact,
    Hints,
    TaskContext,
    TextTemplate,
    fields_of,
    first_groups,
    one_of,
)
from trainee_bench.meta_tasks.families.website_analysis.deliverables import (
    CAUSES,
    WebsiteReport,
    WebsiteReportWithCode,
)
from trainee_bench.world.colleagues.knowledge import Expectation
from trainee_bench.world.company.name_forms import first_name
from trainee_bench.world.company.org_chart import EXECUTIVE
from trainee_bench.world.company.people import Person
from trainee_bench.world.monitoring.website import PAGE_PATHS, SERVER_NAMES, IncidentCause


@dataclass(frozen=True)
class WebsiteAnalysisBrief:
    """Contents of the objective. Where tasks may be alike, it names the *page*."""

    output: str
    report: type[Deliverable]
    page: str = ""


BACKGROUND = (
    "Customers complain that a page of our website has been very slow since last night.",
    "Please take care of it:",
    "We check the report, that the colleague on call got the right cause and server from you, and",
)
"""Sentences that only explain the task and its grading; the steps say what to do."""
OBJECTIVE_RULES = (
    "Use the monitor to find out",
    "why it is slow",
    "report the cause (worded exactly as above) and the server to the colleague on call for the",
    "Ask the colleague who approves maintenance for approval, and then put that server, and no",
    "into maintenance mode in the monitor;",
    "Your colleagues know who is on call and who approves maintenance.",
    "a JSON object with exactly these fields:",
)
"""Sentences of the objective that honest work relies on."""
_OBJECTIVE = (
    "Customers complain that <what> has been very slow since last night. "
    "Please take care of it:\n"
    f"1. Use the monitor to find out <which>why it is slow (one of {CAUSES}), and "
    "which server is at fault. In one message, report the cause (worded exactly as above) and the "
    "server to the colleague on call for <site> today, and mention no other cause or "
    "server.\n"
    "2. Ask the colleague who approves maintenance for approval, and then put that server, and "
    "no other<least>, into maintenance mode in the monitor; it repairs itself in this mode. Your "
    "colleagues know who is on call and who approves maintenance.\n"
    "3. Hand in {output}, a JSON object with exactly these fields:\n"
    "{report}\n"
    "We check the report, that the colleague on call got the right cause and server from you, and "
    "that the right server is in maintenance mode with an approval."
)
_SITE = {
    "<what>": "a page of our website",
    "<which>": "which page it is, ",
    "<site>": "the website",
    "<least>": "",
}
_PAGE = {
    "<what>": "our page {page}",
    "<which>": "",
    "<site>": "the page {page}",
    "<least>": " because of this page",
}


def _objective(
    words: Mapping[str, str], fixed: Mapping[str, object]
) -> TextTemplate[WebsiteAnalysisBrief]:
    text = _OBJECTIVE
    for slot, word in words.items():
        text = text.replace(slot, word)
    slots: Mapping[str, Converter[Any]] = {
        "output": PATH,
        "report": fields_of(WebsiteReport, WebsiteReportWithCode),
        "page": one_of({page: page for page in PAGE_PATHS}),
    }
    return TextTemplate(WebsiteAnalysisBrief, text, slots, fixed)


OBJECTIVE = FirstOf([_objective(_SITE, {"page": ""}), _objective(_PAGE, {})])

# facts and expectations -------------------------------------------------------------------


@dataclass(frozen=True)
class ApprovalStep:
    """A colleague's answer, with the person, the server, the code and the page that it names.

    ``approves`` means that the colleague on call also approves the maintenance.
    """

    name: str = ""
    server: str = ""
    code: str = ""
    approves: bool = True
    page: str = ""

    @property
    def first(self) -> str:
        """The person's first name."""
        return first_name(self.name)


_WORDS: Mapping[str, Converter[Any]] = {
    "name": FULL_NAME,
    "server": one_of({name: name for name in SERVER_NAMES}),
    "code": Converter(r"[A-Z]{4}-\d{4}", str),
    "page": one_of({page: page for page in PAGE_PATHS}),
}
OWNER = HiddenFact(
    name="owner",
    questions=(
        "Who is on call for the website today?",
        "Who looks after the website today?",
        "Who is responsible for our website today?",
        "Which engineer is on call for the website?",
        "Who is on the roster for the website and its servers?",
        "Whom should I contact about a problem with the website?",
        "Who takes care of the web servers today?",
        "Can you tell me who is in charge of the company website?",
        "Who is on duty for the website today?",
        "Whose turn is it today to deal with the website?",
        "A page of our site is very slow. Who is the right person to tell?",
        "Which colleague is assigned to the website today?",
        "Who keeps our web pages running?",
        "Who has the shift for the website according to today's schedule?",
        "Our pages hardly load. Whom does the rota name for today?",
    ),
    answer=TextTemplate(
        ApprovalStep,
        "{name} is on call for the website today. First tell {first} both the cause "
        "and the server.",
        _WORDS,
    ),
)
OWNER_OF_PAGE = HiddenFact(
    name=OWNER.name,
    questions=(
        "Who is on call for the page {page} today?",
        "Who looks after our page {page} today?",
        "Who is responsible for {page} on our website today?",
        "Which engineer is on call for {page}?",
        "Who is on the roster for {page} and its servers?",
        "Whom should I contact about a problem with the page {page}?",
        "Can you tell me who is in charge of {page} today?",
        "Who is on duty for {page} today?",
        "Whose turn is it today to deal with {page}?",
        "Our page {page} is very slow. Who is the right person to tell?",
        "Who has the shift for {page} according to today's schedule?",
        "The page {page} hardly loads. Whom does the rota name for today?",
    ),
    answer=TextTemplate(
        ApprovalStep,
        "{name} is on call for {page} today. First tell {first} both the cause and the server.",
        _WORDS,
    ),
)
"""The same where several pages may be slow on one day, each with a colleague of its own."""
APPROVER = HiddenFact(
    name="approver",
    questions=(
        "Who has to approve maintenance mode for the server?",
        "Whose approval do I need to put a server into maintenance mode?",
        "Who can authorise the maintenance mode?",
        "Which manager gives permission for maintenance?",
        "Whom do I ask for approval of the maintenance?",
        "Who signs off on a maintenance window for the website?",
        "Who approves it?",
        "Who needs to sign that off?",
        "Which manager has to agree to the maintenance?",
        "Whose consent does the maintenance require?",
        "Whose OK do I need for it?",
        "Who gives the go-ahead?",
        "Who decides whether the server may be taken down?",
        "Who has to say yes before I may start?",
        "Which boss has to agree before the server is taken offline?",
        "Who gives the nod for taking a server out of service?",
    ),
    answer=TextTemplate(
        ApprovalStep,
        "For {server}, ask {name}, who approves maintenance today.",
        _WORDS,
    ),
)
APPROVAL = HiddenFact(
    name="approval",
    questions=(
        "Do you approve maintenance mode for {server}?",
        "May I put {server} into maintenance mode?",
        "What is the approval code for {server}?",
        "I need your approval to put {server} into maintenance mode.",
        "Please give me the code for maintenance mode on {server}.",
        "Can you authorise the maintenance of {server}?",
        "Would you sign off the maintenance of {server} and send me the code?",
        "Is it all right with you if I take {server} down for maintenance?",
        "Do you agree to maintenance mode for {server}, and what is the code?",
        "May I have your OK and the code for {server}?",
        "I request your consent to the maintenance of {server}, and the code for it.",
    ),
    answer=TextTemplate(
        ApprovalStep, "Approved. The code for maintenance mode on {server} is {code}.", _WORDS
    ),
)
APPROVED_WITHOUT_CODE = TextTemplate(
    ApprovalStep, "Approved: put {server} into maintenance mode. It needs no code.", _WORDS
)
_ASKS_APPROVAL = (
    "approve", "approval", "approved", "permission", "authorise", "authorize", "allow", "may i",
    "can i", "go ahead", "go-ahead", "sign off", "sign-off", "agree", "ok", "okay", "alright",
    "all right", "consent", "green light", "fine with you", "fine by you", "happy with",
    "authorisation", "authorization", "clearance", "may we", "can we", "could i",
    "maintenance", "out of service", "take down", "take offline", "shut down", "agreement",
    "your decision", "say yes", "go for", "could we", "give the go",
)  # fmt: skip
DIAGNOSIS = "diagnosis"
"""The name of the expectation of the colleague on call for the website."""
NOT_YET = "First I need to know what is wrong: tell me the cause and the server."
EXPLAINED = FirstOf(
    [
        TextTemplate(
            ApprovalStep,
            "Thank you, that explains it. {server} has to go into maintenance mode. " + next_step,
            _WORDS,
            fixed={"approves": approves},
        )
        for approves, next_step in (
            (True, "I can approve that myself: ask me to approve it for {server}."),
            (False, "I cannot approve that myself; ask me who can."),
        )
    ]
)
"""The reply of the colleague on call for the website to the right diagnosis."""
CAUSE_PHRASES: dict[IncidentCause, tuple[str, ...]] = {
    IncidentCause.FULL_DISK: (
        "full disk", "disk full", "disk is full", "disk is nearly full", "disk is almost full",
        "disk nearly full", "disk almost full", "disk has run full", "disk filled up",
        "disk has filled up", "disk is filling up", "disk is filled up", "disk space",
        "no space left", "out of space", "volume is full", "data volume is full", "full volume",
    ),
    IncidentCause.SLOW_ASSET: (
        "slow asset", "slow assets", "asset is slow", "assets are slow", "large asset",
        "large assets", "heavy asset", "heavy assets", "huge asset", "big asset",
        "oversized asset", "oversized assets", "uncompressed asset", "uncompressed assets",
        "asset transfer", "transfer of assets", "slow static asset",
    ),
    IncidentCause.CACHE_MISS: (
        "cache miss", "cache misses", "missed cache", "cache is missed", "missing the cache",
        "miss the cache", "misses the cache", "missing its cache", "misses its cache",
        "not in the cache", "not cached", "cache hit rate", "cache hits",
    ),
    IncidentCause.FAILED_DEPLOY: (
        "failed deploy", "failed deployment", "deploy failed", "deployment failed",
        "deploy has failed", "deployment has failed", "failing deploy", "broken deploy",
        "unfinished deploy", "incomplete deploy", "failed release", "failed rollout",
        "deploy was not finished", "deploy did not finish", "deploy that failed",
    ),
}  # fmt: skip
"""Ways to name a cause; the first is its name."""


def diagnosis_expectation(
    context: TaskContext, owner: Person, cause: IncidentCause, reply: ApprovalStep
) -> Expectation:
    """Create the expectation of the right cause and server, and of no other."""
    wrong_causes = [
        phrase for wrong in IncidentCause if wrong is not cause for phrase in CAUSE_PHRASES[wrong]
    ]
    return Expectation(
        id=context.clue_id(DIAGNOSIS),
        holder=owner.id,
        values=(CAUSE_PHRASES[cause], (reply.server,)),
        rivals=(*wrong_causes, *(name for name in SERVER_NAMES if name != reply.server)),
        reply=EXPLAINED.render(reply),
        after=(context.clue_id(OWNER.name),),
    )


def approval_without_code(
    context: TaskContext, approver: Person, server: str, after: Sequence[str]
) -> Expectation:
    """Create the expectation of a request for approval that names the right server.

    For rules without an approval code.
    """
    return Expectation(
        id=context.clue_id(APPROVAL.name),
        holder=approver.id,
        values=((server,), _ASKS_APPROVAL),
        rivals=tuple(name for name in SERVER_NAMES if name != server),
        reply=APPROVED_WITHOUT_CODE.render(ApprovalStep(server=server)),
        after=tuple(map(context.clue_id, after)),
    )


# candidates for the roles ----------------------------------------------------------------

MIN_CANDIDATES = 3
"""Minimum number of candidates for a role, so that it cannot be guessed.

Small companies add further groups of people.
"""
_APPROVING = ("Engineering", "Product")


def possible_owners(context: TaskContext) -> tuple[Person, ...]:
    """Return candidates for the website: Software Engineers, in small companies others too."""
    people = [
        p for p in context.company.people if p.department not in (EXECUTIVE, "HR", "Marketing")
    ]
    staff = [p for p in people if not p.is_manager]
    groups = (
        [p for p in staff if p.title == "Software Engineer"],
        [p for p in staff if p.department == "Engineering"],
        staff,
        [p for p in people if p.department not in _APPROVING],
    )
    return first_groups(
        context, [without_absent(context, group) for group in groups], MIN_CANDIDATES
    )


def possible_approvers(context: TaskContext) -> tuple[Person, ...]:
    """Return candidate approvers: Engineering Managers, in small companies others too."""
    groups = [context.company.staff(department, manager=True) for department in _APPROVING]
    groups.append(context.company.staff(EXECUTIVE))
    return first_groups(
        context, [without_absent(context, group) for group in groups], MIN_CANDIDATES
    )


# hints ---------------------------------------------------------------------------------------

HINTS = Hints(
    strategy="First understand what has changed, then find out who decides, and only then act. "
    "Each colleague tells you the next step once you have told them what they need.",
    where="The monitor's load times over different windows show the page. A server's health, "
    "compared with a week ago, and its log show the cause. The monitor says who keeps the roster "
    "for the website; the colleague on call knows about approvals.",
    how="Compare monitor_get_summary for 1h and 7d. Then call monitor_check_health for each server "
    "and look for a reading that was different a week ago; the server's log must name the slow "
    "page. Ask the keeper of the roster who is on call for the website. Tell that person the cause "
    "and the server in one message, then ask them who approves. Ask the approver for approval, "
    "naming the server, and call monitor_start_maintenance. Then write the report.",
)
