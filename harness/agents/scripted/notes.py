"""Notes of a scripted model: written to reflect or summarise, and read later.

A day's notes may be kept here instead of in files in the office, as pages of lines such as "-
limit: 45". A model that remembers them repeats them when its day ends. Its reflection writes them
into its memory, from which they are read on the next morning. Everything here comes from the text
of the requests alone.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from pydantic import JsonValue

from trainee_bench.harness.agents.scripted.skill import LearningMode, ModelSkill, NoteKeeping
from trainee_bench.harness.models.conversation import (
    ConversationMessage,
    ModelReply,
    ModelRequest,
    ToolMessage,
    UserMessage,
)
from trainee_bench.meta_tasks.checkpoints import Checkpoint
from trainee_bench.meta_tasks.tool_client import ToolFailed
from trainee_bench.world.notes import NOTES_FOLDER
from trainee_bench.world.task_ids import TASK_ID

_REMEMBERED = re.compile(r"^- Noted, (?P<page>[^:]+): (?P<line>.+)$", re.MULTILINE)
_SAID = re.compile(r"⟦(?P<page>[^ ⟧]+) (?P<line>[^⟧]+)⟧")
_SAID_AT_ONCE = 560
"""Characters in one message: a reflection sees this much of each."""
_READ, _WRITE = "files_read", "files_write"
Pages = dict[str, dict[str, str]]
"""The lines of each page, by the name with which a line begins."""


class KeptNotes:
    """Pages of one day of a model with this *skill*."""

    def __init__(self, skill: ModelSkill):
        self._skill = skill
        self._pages: Pages = {}
        self._morning: Pages = {}

    def remember(self, memory: str) -> None:
        """Take the pages of earlier days from the text *memory*, if it has any."""
        if self._skill.notes is NoteKeeping.MEMORY:
            self._pages = _pages(_REMEMBERED, memory)
            self._morning = _pages(_REMEMBERED, memory)

    def takes(self, tool: str, arguments: Mapping[str, JsonValue]) -> bool:
        """Whether a call is about a page that is kept here, not in a file."""
        path = str(arguments.get("path", ""))
        kept = self._skill.notes is not NoteKeeping.OFFICE
        return kept and tool in (_READ, _WRITE) and path.startswith(f"{NOTES_FOLDER}/")

    def write(self, arguments: Mapping[str, JsonValue]) -> None:
        """Write a page."""
        name, lines = _page_name(arguments), _lines(str(arguments["text"]))
        before, morning = self._pages.get(name, {}), self._morning.get(name, {})
        if self._skill.habitual:  # a habitual model writes the morning's line back unchanged
            lines |= {
                key: before[key]
                for key in lines
                if key in before and lines[key] == morning.get(key)
            }
        self._pages[name] = lines

    def read(self, arguments: Mapping[str, JsonValue]) -> str:
        """Return the text of a page. Raises ToolFailed if there is none."""
        name = _page_name(arguments)
        if name not in self._pages:
            raise ToolFailed(f"nothing is noted for {name}")
        lines = self._pages[name]
        if self._skill.habitual:
            lines = lines | self._morning.get(name, {})
        return "\n".join(f"- {line}" for line in lines.values())

    def messages(self) -> list[str]:
        """Return the notes to remember, in messages that a reflection sees whole."""
        if self._skill.notes is not NoteKeeping.MEMORY:
            return []
        messages = [""]
        for page, lines in self._pages.items():
            for line in lines.values():
                marked = f"⟦{page} {line}⟧"
                if len(messages[-1]) + len(marked) > _SAID_AT_ONCE:
                    messages.append("")
                messages[-1] += marked
        return [message for message in messages if message]


def remembered_notes(shown: str) -> list[str]:
    """Return the lines to remember according to *shown*, the text of a request to reflect.

    They are in the notes so far; the day's last messages replace these.
    """
    pages = _pages(_REMEMBERED, shown)
    for page, lines in _pages(_SAID, shown).items():
        pages[page] = pages.get(page, {}) | lines
    return [f"Noted, {page}: {line}" for page, lines in pages.items() for line in lines.values()]


def _pages(pattern: re.Pattern[str], text: str) -> Pages:
    pages: Pages = {}
    for found in pattern.finditer(text):
        pages.setdefault(found["page"], {}).update(_lines(found["line"]))
    return pages


def _lines(text: str) -> dict[str, str]:
    """Return the lines of a page by the text before their first colon, without empty ones."""
    lines = [line.removeprefix("- ") for line in text.splitlines() if line.strip()]
    return {line.partition(": ")[0]: line for line in lines}


def _page_name(arguments: Mapping[str, JsonValue]) -> str:
    """Return the name of a page, which is that of its file."""
    return str(arguments["path"]).removeprefix(f"{NOTES_FOLDER}/").removesuffix(".md")


_FOUND = "\nWhat was found:\n"
"""The text before the feedback in a request to reflect."""
_CHECKED = re.compile(r"^ *\[(?P<held>[x ])\] (?P<sentence>.+)$", re.MULTILINE)
_TASK = re.compile(rf"^(?P<task>{TASK_ID}): (?P<score>[\d.]+)(?:, complete)?$")
_SEEN = re.compile(r"^ *seen: (?P<seen>.+)$")
_BY_HEART = "By heart"
_LESSON = "Make sure of this: "
_NOTED = re.compile(rf"^- (?P<note>{_LESSON}.+|{_BY_HEART}, {TASK_ID}: .+)$", re.MULTILINE)
_RESOLVED = "I will read the tasks more carefully, begin earlier, and check before I hand in."
_NOTES_AT_MOST = 60
_LONGEST_SUMMARY = 2_000


def is_feedback(request: ModelRequest) -> bool:
    """Whether *request* asks for a reflection on a day; perhaps nothing was due on it."""
    text = _said(request.messages)
    return _FOUND in text or bool(_CHECKED.search(text))


def write_reflection(request: ModelRequest, learning: LearningMode) -> str:
    """Return notes for later days, from the feedback and the notes in *request*."""
    shown = _said(request.messages)
    notes = [*remembered_notes(shown), *_lessons(shown, learning)]
    return "\n".join(f"- {note}" for note in notes) or _RESOLVED


def _lessons(shown: str, learning: LearningMode) -> list[str]:
    """Return the lessons of the feedback in *shown* and those of its notes so far."""
    kept = [match["note"] for match in _NOTED.finditer(shown)]
    made: list[str] = []
    if learning is LearningMode.BY_RULE:
        missed = [m["sentence"] for m in _CHECKED.finditer(shown) if m["held"] == " "]
        made = [f"{_LESSON}{sentence}" for sentence in missed]
    elif learning is LearningMode.BY_HEART:
        made = [f"{_BY_HEART}, {task}: {seen}" for task, seen in _values(shown)]
    return list(dict.fromkeys([*made, *kept]))[:_NOTES_AT_MOST]


def _values(shown: str) -> list[tuple[str, str]]:
    """Return the wrong values in the feedback, each with its task's id."""
    found, task = [], ""
    for line in shown.splitlines():
        if named := _TASK.match(line):
            task = named["task"]
        elif task and (seen := _SEEN.match(line)):
            found.append((task, seen["seen"]))
    return found


def lesson_coverage(told: str, checkpoints: Sequence[Checkpoint]) -> float:
    """Return the share of *checkpoints* that the notes in the system prompt *told* mention."""
    noted = {line.removeprefix(f"- {_LESSON}") for line in told.splitlines()}
    sentences = [mark.sentence for mark in checkpoints if not mark.forbidden]
    return sum(sentence in noted for sentence in sentences) / len(sentences) if sentences else 0.0


def memorised_answer(told: str, task: str) -> str:
    """Return the answer to the task with this id that the notes in the prompt *told* memorised."""
    start = f"- {_BY_HEART}, {task}: "
    return "\n".join(line.removeprefix(start) for line in told.splitlines() if start in line)


def write_summary(request: ModelRequest) -> str:
    """Return a summary of the conversation: its beginning and its latest part."""
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
    """Return the text of all user messages."""
    return "\n".join(m.text for m in messages if isinstance(m, UserMessage))


def message_length(message: ConversationMessage) -> int:
    """Return the number of characters in *message*."""
    if isinstance(message, ToolMessage):
        return len(message.answer.text)
    if isinstance(message, ModelReply):
        return len(message.text) + sum(len(call.text) + len(call.name) for call in message.calls)
    return len(message.text)
