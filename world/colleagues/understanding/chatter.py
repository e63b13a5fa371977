"""Chatter around a question: anecdotes, good wishes, plans for lunch."""

import re

_PAST = re.compile(
    r"\b(?:was|were|had|did|went|came|saw|met|took|got|told|said|heard|found|spent|thought|knew|"
    r"left|gave|brought|rang|fell|slept|wrote|ran|lost|made|began|drew|sat|stood|broke|won|"
    r"(?:have|has) (?:just |already |now )?(?:been|seen|got|had|heard|met|told|found)|"
    r"(?!need|feed|speed|indeed|proceed)[a-z]{2,}ed)\b"
)
_WISHES = re.compile(
    r"^(?:(?:and|so|well|ps|bye|ok|by the way|then) )*(?:many thanks|thanks|thank you|thx|cheers|"
    r"happy|merry|congratulations|congrats|good luck|best of luck|best wishes|enjoy|have (?:a|fun)|"
    r"see you|talk (?:to you )?soon|say (?:hi|hello)|give my|greetings|regards|looking forward|"
    r"(?:i|we) (?:(?:really|do|just) )?(?:hope|owe|wish|look forward)|hope|welcome back|"
    r"lunch|coffee|dinner|let us)\b"
)
_PLANNING = re.compile(
    r"\b(?:moved|postponed|scheduled|rescheduled|planned|shifted|booked|set|invited|arranged|due|"
    r"asked|wanted|needed)\b"
)
"""Verbs of statements about the time that a question is about: *it was moved to Friday*."""


def is_anecdote(text: str) -> bool:
    """Return whether a clause that asks nothing tells a story or a good wish.

    Its days and hours are not those of the question."""
    if _WISHES.search(text):
        return True
    return _PAST.search(text) is not None and _PLANNING.search(text) is None
