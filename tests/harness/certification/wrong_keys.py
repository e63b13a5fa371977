"""Wrong answer keys, as an author may write them: edits of the office that ships."""

from __future__ import annotations

from dataclasses import dataclass

EXPENSES, REPLY, MEETING = "travel_expenses", "customer_reply", "meeting_prep"


@dataclass(frozen=True)
class WrongKey:
    """An edit that makes the key of a task wrong: in a file, a text is replaced."""

    name: str
    task: str
    file: str
    old: str
    new: str


ANSWER = f"tasks/{EXPENSES}/answer.py"
POLICY = "drive/handbook/travel_policy.md"
MAIL = f"tasks/{REPLY}/task.yaml"
BOOKING = f"tasks/{MEETING}/task.yaml"
WRONG_KEYS = (
    WrongKey(
        "the page says 36, the code computes 32",
        EXPENSES, POLICY, "up to {meal_limit} euros", "up to 36 euros",
    ),
    WrongKey(
        "the code has a number of its own",
        EXPENSES, ANSWER, 'policy["meal_limit"]', "Decimal(32)",
    ),
    WrongKey(
        "a limit on the page that nothing uses",
        EXPENSES, ANSWER, '"hotel": policy["hotel_limit"]', '"hotel": Decimal(10**6)',
    ),
    WrongKey(
        "the surcharge is taken as a factor",
        EXPENSES, ANSWER, '1 + facts["surcharge"] / 100', '1 + facts["surcharge"]',
    ),
    WrongKey("the code forgets the fact", EXPENSES, ANSWER, '/ 100', '* 0'),
    WrongKey(
        "the code leaves out the last record",
        EXPENSES, ANSWER, 'files["expenses"]:', 'files["expenses"][:-1]:',
    ),
    WrongKey(
        "rejected expenses are paid",
        EXPENSES, ANSWER, "if limit is not None else 0", "if limit is not None else euros",
    ),
    WrongKey("the wrong colleague is copied", REPLY, MAIL, "cc: [Nora Weiss]", "cc: [Tomasz Kern]"),
    WrongKey(
        "the mail says the opposite of the page",
        REPLY, MAIL, "- covered by the warranty|", "- paid by the customer|the ",
    ),
    WrongKey("somebody else knows the fact", REPLY, MAIL, "who: Siobhán O'Neill", "who: Li Lei"),
    WrongKey("the meeting is too short", MEETING, BOOKING, "minutes: 45", "minutes: 30"),
    WrongKey(
        "the meeting has other people", MEETING, BOOKING, "with: [Nora Weiss, Emre Yıldız]",
        "with: [Nora Weiss, Mette Holm]",
    ),
    WrongKey(
        "a limit counts as exceeded when it is reached",
        EXPENSES, ANSWER, "euros > limit", "euros >= limit",
    ),
)  # fmt: skip
"""Thirteen wrong keys: the first, the third and the eighth are those of a first trial."""
