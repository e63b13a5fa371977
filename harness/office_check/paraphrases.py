"""Other wordings of an author's questions, as colleagues hear them in a chat."""

from __future__ import annotations

from collections.abc import Iterator

_BEFORE = (
    "Hi {first}, ",
    "Hello {first}! I hope you are well. I am working on a task for {requester}. ",
    "Quick question: ",
    "Sorry to bother you. ",
)
_AROUND = (
    "{question} Thanks!",
    "Could you please help me? {question}",
    "{requester} sent me to you. {question} Thank you in advance.",
    "I have read the files, but one thing is missing. {question}",
)


def paraphrases(questions: tuple[str, ...], first: str, requester: str) -> Iterator[str]:
    """Yield each of the *questions* with an opener, within other sentences, in small letters, and
    without its question mark. *first* is the colleague's first name."""
    for number, question in enumerate(questions):
        names = {"first": first, "requester": requester, "question": question}
        yield question
        yield _BEFORE[number % len(_BEFORE)].format(**names) + _lowered(question)
        yield _AROUND[number % len(_AROUND)].format(**names)
        yield question.lower().rstrip("?")


def _lowered(question: str) -> str:
    """Return the question as it continues a sentence."""
    return question[:1].lower() + question[1:] if question[1:2].islower() else question
