"""Who knows what about the website: the roster, the approval, and how one asks for them."""

from __future__ import annotations

from collections.abc import Sequence

from trainee_bench.meta_tasks.absences import without_absent
from trainee_bench.meta_tasks.task_context import CompositionError, TaskContext
from trainee_bench.world.colleagues.knowledge import Clue, Expectation
from trainee_bench.world.company.org_chart import EXECUTIVE
from trainee_bench.world.company.people import Person
from trainee_bench.world.monitoring.website import SERVER_NAMES, IncidentCause

MIN_CANDIDATES = 3
"""Candidates below which a role could be guessed; smaller companies add the next best."""
_APPROVING = ("Engineering", "Product")

NOT_YET = "First I need to know what is wrong: tell me the cause and the server."
OWNER_ASKS = (
    "Who looks after the website today?",
    "Who is responsible for our website today?",
    "Which engineer is on call for the website?",
    "Who is on the roster for the website and its servers?",
    "Whom should I contact about a problem with the website?",
    "Who takes care of the web servers today?",
    "Can you tell me who is in charge of the company website?",
)
APPROVER_ASKS = (
    "Who has to approve maintenance mode for the server?",
    "Whose approval do I need to put a server into maintenance mode?",
    "Who can authorise the maintenance mode?",
    "Which manager gives permission for maintenance?",
    "Whom do I ask for approval of the maintenance?",
    "Who signs off on a maintenance window for the website?",
    "Who approves it?",
    "Who needs to sign that off?",
)
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
"""How a cause is put into words; the first is its name."""


def code_asks(server: str) -> tuple[str, ...]:
    """Ways to ask for the approval of *server*."""
    return (
        f"Do you approve maintenance mode for {server}?",
        f"May I put {server} into maintenance mode?",
        f"What is the approval code for {server}?",
        f"I need your approval to put {server} into maintenance mode.",
        f"Please give me the code for maintenance mode on {server}.",
        f"Can you authorise the maintenance of {server}?",
        f"Would you sign off the maintenance of {server} and send me the code?",
    )


def possible_owners(context: TaskContext) -> tuple[Person, ...]:
    """Those who may look after the website: Software Engineers, in small companies others too."""
    people = [
        p for p in context.company.people if p.department not in (EXECUTIVE, "HR", "Marketing")
    ]
    staff = [p for p in people if not p.is_manager]
    tiers = (
        [p for p in staff if p.title == "Software Engineer"],
        [p for p in staff if p.department == "Engineering"],
        staff,
        [p for p in people if p.department not in _APPROVING],
    )
    return _enough(context, tiers)


def possible_approvers(context: TaskContext) -> tuple[Person, ...]:
    """Those who may approve maintenance: Engineering Managers, in small companies others too."""
    tiers = [context.company.staff(department, manager=True) for department in _APPROVING]
    return _enough(context, (*tiers, context.company.staff(EXECUTIVE)))


def _enough(context: TaskContext, tiers: Sequence[Sequence[Person]]) -> tuple[Person, ...]:
    found: list[Person] = []
    for tier in tiers:
        found += [person for person in without_absent(context, tier) if person not in found]
        if len(found) >= MIN_CANDIDATES:
            return tuple(found)
    raise CompositionError(
        f"{context.task} needs {MIN_CANDIDATES} candidates, the company has {len(found)}"
    )


def owner_clue(context: TaskContext, holder: Person, owner: Person) -> Clue:
    """The HR Manager knows who looks after the website."""
    first = owner.first_name
    return Clue(
        id=context.clue_id("owner"),
        holder=holder.id,
        asks=OWNER_ASKS,
        payload=(
            f"{owner.name} looks after the website today. Tell {first} what you have found, the "
            f"cause and the server; before that {first} cannot help you."
        ),
    )


def diagnosis_expectation(
    context: TaskContext, owner: Person, cause: IncidentCause, server: str, reply: str
) -> Expectation:
    """Who looks after the website waits for the cause and the server, and for no others."""
    others = [
        phrase for other in IncidentCause if other is not cause for phrase in CAUSE_PHRASES[other]
    ]
    return Expectation(
        id=context.clue_id("diagnosis"),
        holder=owner.id,
        values=(CAUSE_PHRASES[cause], (server,)),
        rivals=(*others, *(name for name in SERVER_NAMES if name != server)),
        reply=reply,
        after=(context.clue_id("owner"),),
    )


def approver_clue(context: TaskContext, owner: Person, approver: Person, server: str) -> Clue:
    """Once the cause is known, who looks after the website says who approves."""
    return Clue(
        id=context.clue_id("approver"),
        holder=owner.id,
        asks=APPROVER_ASKS,
        payload=f"{approver.name} has to approve it today. Ask for the approval of {server}.",
        after=(context.clue_id("owner"), context.clue_id("diagnosis")),
        not_yet=NOT_YET,
        not_yet_from=(context.clue_id("owner"),),
    )


def code_clue(
    context: TaskContext, approver: Person, server: str, code: str, after: tuple[str, ...]
) -> Clue:
    """The approval, with the code that the monitor asks for. Who approves their own servers
    wants to hear the diagnosis first."""
    own = context.clue_id("owner") in after
    return Clue(
        id=context.clue_id("approval"),
        holder=approver.id,
        asks=code_asks(server),
        keys=(server,),
        payload=f"Approved. The code for maintenance mode on {server} is {code}.",
        after=after,
        not_yet=NOT_YET if own else "",
        not_yet_from=(context.clue_id("owner"),) if own else (),
    )


def approval_expectation(
    context: TaskContext, approver: Person, server: str, after: tuple[str, ...]
) -> Expectation:
    """The approval where no code is needed: to be asked for, for the right server."""
    return Expectation(
        id=context.clue_id("approval"),
        holder=approver.id,
        values=(
            (server,),
            ("approve", "approval", "approved", "permission", "authorise", "authorize", "allow",
             "may i", "can i", "go ahead", "sign off", "agree", "ok"),
        ),
        rivals=tuple(name for name in SERVER_NAMES if name != server),
        reply=f"Approved: put {server} into maintenance mode. It needs no code.",
        after=after,
    )  # fmt: skip
