"""What a scripted model writes to reflect or summarise, and what it reads in its notes.

Everything here comes from the text of the requests alone.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from trainee_bench.harness.agents.scripted.kept_notes import remembered_notes
from trainee_bench.harness.agents.scripted.skill import LearningMode
from trainee_bench.harness.models.conversation import (
    ConversationMessage,
    ModelReply,
    ModelRequest,
    ToolMessage,
    UserMessage,
)
from trainee_bench.meta_tasks.checkpoints import Checkpoint
from trainee_bench.world.task_ids import TASK_ID

_FOUND = "\nWhat was found:\n"
"""The text before the feedback in a request to reflect."""
_CHECKED = re.compile(r"^ *\[(?P<held>[x ])\] (?P<sentence>.+)$", re.MULTILINE)
_TASK = re.compile(rf"^(?P<task>{TASK_ID}): (?P<score>[\d.]+)(?:, complete)?$")
_SEEN = re.compile(r"^ *seen: (?P<seen>.+)$")
_BY_HEART = "By heart"
_LESSON = "See to it that this holds: "
_NOTED = re.compile(rf"^- (?P<note>{_LESSON}.+|{_BY_HEART}, {TASK_ID}: .+)$", re.MULTILINE)
_RESOLVED = "I will read the tasks more carefully, begin earlier, and check before I hand in."
_NOTES_AT_MOST = 60
_LONGEST_SUMMARY = 2_000


def is_feedback(request: ModelRequest) -> bool:
    """Whether *request* asks for a reflection on a day; perhaps nothing was due on it."""
    said = _said(request.messages)
    return _FOUND in said or bool(_CHECKED.search(said))


def write_reflection(request: ModelRequest, learning: LearningMode) -> str:
    """Notes for later days, from the feedback and the notes in *request*."""
    shown = _said(request.messages)
    notes = [*remembered_notes(shown), *_lessons(shown, learning)]
    return "\n".join(f"- {note}" for note in notes) or _RESOLVED


def _lessons(shown: str, learning: LearningMode) -> list[str]:
    """What is learnt from the feedback in *shown*, and what its notes so far have learnt."""
    kept = [match["note"] for match in _NOTED.finditer(shown)]
    made: list[str] = []
    if learning is LearningMode.BY_RULE:
        missed = [m["sentence"] for m in _CHECKED.finditer(shown) if m["held"] == " "]
        made = [f"{_LESSON}{sentence}" for sentence in missed]
    elif learning is LearningMode.BY_HEART:
        made = [f"{_BY_HEART}, {task}: {seen}" for task, seen in _values(shown)]
    return list(dict.fromkeys([*made, *kept]))[:_NOTES_AT_MOST]


def _values(shown: str) -> list[tuple[str, str]]:
    """The wrong values in the feedback, each with its task's id."""
    found, task = [], ""
    for line in shown.splitlines():
        if named := _TASK.match(line):
            task = named["task"]
        elif task and (seen := _SEEN.match(line)):
            found.append((task, seen["seen"]))
    return found


def lesson_coverage(told: str, checkpoints: Sequence[Checkpoint]) -> float:
    """The share of *checkpoints* that the notes in the system prompt *told* mention."""
    noted = {line.removeprefix(f"- {_LESSON}") for line in told.splitlines()}
    sentences = [mark.sentence for mark in checkpoints if not mark.forbidden]
    return sum(sentence in noted for sentence in sentences) / len(sentences) if sentences else 0.0


def memorised_answer(told: str, task: str) -> str:
    """What the notes in the system prompt *told* memorised of the task with this id."""
    start = f"- {_BY_HEART}, {task}: "
    return "\n".join(line.removeprefix(start) for line in told.splitlines() if start in line)


def write_summary(request: ModelRequest) -> str:
    """A summary of the conversation: its beginning and its latest part."""
    lines = [line for message in request.messages for line in _told(message)]
    text = "\n".join(lines)
    if len(text) <= _LONGEST_SUMMARY:
        return text or "Nothing has happened so far."
    half = _LONGEST_SUMMARY // 2
    return f"{text[:half]}\n(…)\n{text[-half:]}"


def _told(message: ConversationMessage) -> list[str]:
    if isinstance(message, ToolMessage):
        first, _, _ = message.answer.text.partition("\n")
        return [f"{message.call.name}: {first[:120]}"]
    return [message.text] if message.text else []


def _said(messages: Sequence[ConversationMessage]) -> str:
    """The text of all user messages."""
    return "\n".join(m.text for m in messages if isinstance(m, UserMessage))


def message_length(message: ConversationMessage) -> int:
    """The number of characters in *message*."""
    if isinstance(message, ToolMessage):
        return len(message.answer.text)
    if isinstance(message, ModelReply):
        return len(message.text) + sum(len(call.text) + len(call.name) for call in message.calls)
    return len(message.text)
