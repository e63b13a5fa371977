"""The objective, and the assignment that is announced only in the meeting.

The format of the deliverable is rendered from the model that grades it, and only the announcement
tells it.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, time

from trainee_bench.meta_tasks.authoring import (
    FULL_NAME,
    PATH,
    WORD,
    Deliverable,
    FirstOf,
    TextTemplate,
    fields_of,
    one_of,
    separated,
)
from trainee_bench.meta_tasks.authoring.converters import EUROS, EUROS_IN_GROUPS
from trainee_bench.meta_tasks.families.meeting_attend.data import TOPICS
from trainee_bench.meta_tasks.families.meeting_attend.deliverables import (
    CostedRequestList,
    DecisionEntry,
    DecisionList,
    RequestList,
)
from trainee_bench.meta_tasks.families.meeting_attend.subject import (
    ITEM_CATALOGUE,
    Limits,
    PurchaseRequest,
)
from trainee_bench.world.colleagues.referrals import ReferralPublished

RULES_PATH = "drive:/financial/procurement_rules.md"
MEETING_MINUTES = (
    (
        "Everybody said what is finished and what comes next. Two of next week's appointments "
        "were swapped. There was cake."
    ),
    (
        "The team went through the coming month week by week. One date is still open; the people "
        "concerned will settle it."
    ),
    (
        "The team looked back on the quarter: what went well, what took too long, what to try "
        "next. Nobody wanted more meetings."
    ),
)


@dataclass(frozen=True)
class MeetingAttendBrief:
    """The facts that the objective states."""

    department: str
    room: str
    day: date
    starts: time
    ends: time
    host: str


OBJECTIVE_RULES = (
    "come at most five minutes before or after the start.",
    "You will get an assignment in the meeting; complete it before this task's deadline.",
)
"""Rules that the objective states and honest work follows."""
OBJECTIVE = TextTemplate(
    MeetingAttendBrief,
    "Attend the {department} team's meeting in {room}, from {starts} to {ends} on {day}; {host} "
    "has invited you. Be on time: come at most five minutes before or after the start. You will "
    "get an assignment in the meeting; complete it before this task's deadline.",
    {"room": WORD, "host": FULL_NAME},
)

# the clue ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class Assignment:
    """The announced assignment: requests or decisions to write down, the file, and its fields.

    If *checked*, only requests that comply with the procurement rules have to be listed.
    """

    path: str
    model: type[Deliverable]
    requests: tuple[PurchaseRequest, ...] = ()
    checked: bool = False
    decisions: tuple[DecisionEntry, ...] = ()

    def to_list(self, limits: Limits | None) -> tuple[PurchaseRequest, ...]:
        """The requests to be listed; *limits* is needed if they are checked."""
        if not self.checked or limits is None:
            return self.requests
        return tuple(request for request in self.requests if not request.breaches(limits))


REQUEST = TextTemplate(
    PurchaseRequest,
    "- {name} asks for {quantity} x “{item}” at {price} each.",
    {
        "name": FULL_NAME,
        "item": one_of({item.name: item.name for item in ITEM_CATALOGUE}),
        "price": EUROS,
    },
)
DECISION = TextTemplate(
    DecisionEntry,
    "- {topic}: {owner} is responsible, due {due}, with a budget of EUR {budget}.",
    {"topic": one_of({topic: topic for topic in TOPICS}), "owner": FULL_NAME},
)
_HAND_IN = "Hand in {path}, a JSON object with exactly these fields:\n{model}"
ASSIGNMENT = FirstOf(
    [
        TextTemplate(
            Assignment,
            f"Please write a note of the decisions made today:\n{{decisions}}\n{_HAND_IN}",
            {
                "path": PATH,
                "model": fields_of(DecisionList),
                "decisions": separated(DECISION.converter(), "\n"),
            },
            fixed={"model": DecisionList},
        ),
        TextTemplate(
            Assignment,
            "Please write down the team's purchase requests:\n"
            f"{{requests}}\n{{checked}}\n{_HAND_IN}",
            {
                "path": PATH,
                "model": fields_of(RequestList, CostedRequestList),
                "requests": separated(REQUEST.converter(), "\n"),
                "checked": one_of(
                    {
                        True: "First compare each request with the procurement rules in "
                        f"{RULES_PATH}. List only the requests that comply with all of the rules, "
                        "and leave out every request that breaks one.",
                        False: "List every request exactly as it was made, including any that "
                        "break the procurement rules. This time, Finance will compare them with "
                        "the rules.",
                    }
                ),
            },
        ),
    ]
)
WHAT_TO_LIST = (
    "Which purchase requests should I list: all, or only those within the procurement rules?",
    "Should {file} contain requests that break the procurement rules?",
    "Should I list a request that breaks a limit of the procurement rules, or leave it out?",
    "Do I list every request of the {department} meeting, even one that the rules do not allow?",
    "Is a request that breaks the rules to be left out of the list, or does it belong there?",
    "The announcement in the meeting and the procurement rules differ: which requests do I list?",
    "Does “list every request” also mean those that are too expensive?",
    "Does the announcement to list every request include one that breaks the rules?",
)
"""Questions of somebody who is not sure which requests to list."""


def list_referral(assignment: Assignment, topic: str, department: str) -> ReferralPublished:
    """Return everybody's answer to `WHAT_TO_LIST` from the meeting on: what was announced."""
    about = {"file": assignment.path.rpartition("/")[2], "department": department}
    wanted = (
        "list only the purchase requests that comply with all of the procurement rules"
        if assignment.checked
        else "list every purchase request as it was made, including any that break the "
        "procurement rules"
    )
    return ReferralPublished(
        topic=topic,
        asks=tuple(ask.format(**about) for ask in WHAT_TO_LIST),
        text=f"As announced in the {department} team's meeting: {wanted}.",
        keys=(about["file"],),
    )


LIMITS_TEXT = TextTemplate(
    Limits,
    "1. **Pieces per request.** A request may be for at most {pieces} pieces, whatever they "
    "cost.\n"
    "2. **Price of one piece.** One piece may cost at most {price}.\n"
    "3. **Cost per person.** All pieces that one person asks for may together cost at most "
    "{total}.",
    {"price": EUROS_IN_GROUPS, "total": EUROS_IN_GROUPS},
)
"""The wording of the limits in the procurement rules on the drive."""
