"""Notes that a scripted model keeps itself, in place of files in its office.

Its work writes and reads pages of lines such as "- limit: 45". They are kept here for a day. A
model that remembers them says them when its day ends; its reflection writes them into its memory,
from which they are read on the next morning. All of this passes through the text of requests.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from pydantic import JsonValue

from trainee_bench.harness.agents.scripted.skill import ModelSkill, NoteKeeping
from trainee_bench.meta_tasks.tool_client import ToolFailed
from trainee_bench.world.notes import NOTES_FOLDER

_REMEMBERED = re.compile(r"^- Noted, (?P<page>[^:]+): (?P<line>.+)$", re.MULTILINE)
_SAID = re.compile(r"⟦(?P<page>[^ ⟧]+) (?P<line>[^⟧]+)⟧")
_SAID_AT_ONCE = 560
"""Characters of what is said in one message: a reflection sees so much of each."""
_READ, _WRITE = "files_read", "files_write"
Pages = dict[str, dict[str, str]]
"""The lines of each page, by the name with which a line begins."""


class KeptNotes:
    """The pages of one day, of a model of this *skill*."""

    def __init__(self, skill: ModelSkill):
        self._skill = skill
        self._pages: Pages = {}
        self._morning: Pages = {}

    def remember(self, memory: str) -> None:
        """Take the pages of the days before from the text *memory*, if it has any."""
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
        if self._skill.habitual:  # who was shown the morning's line writes it back unchanged
            lines |= {
                key: before[key]
                for key in lines
                if key in before and lines[key] == morning.get(key)
            }
        self._pages[name] = lines

    def read(self, arguments: Mapping[str, JsonValue]) -> str:
        """The text of a page. Raises ToolFailed if there is none."""
        name = _page_name(arguments)
        if name not in self._pages:
            raise ToolFailed(f"nothing is noted for {name}")
        lines = self._pages[name]
        if self._skill.habitual:
            lines = lines | self._morning.get(name, {})
        return "\n".join(f"- {line}" for line in lines.values())

    def messages(self) -> list[str]:
        """What is to be remembered, in messages that a reflection sees whole."""
        if self._skill.notes is not NoteKeeping.MEMORY:
            return []
        messages = [""]
        for page, lines in self._pages.items():
            for line in lines.values():
                said = f"⟦{page} {line}⟧"
                if len(messages[-1]) + len(said) > _SAID_AT_ONCE:
                    messages.append("")
                messages[-1] += said
        return [message for message in messages if message]


def remembered_notes(shown: str) -> list[str]:
    """The lines of memory for what *shown*, the text of a request to reflect, says is to be
    remembered: by the notes so far and, in place of these, by the day's last messages."""
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
    """The lines of a page by what stands before their first colon; empty ones are left out."""
    lines = [line.removeprefix("- ") for line in text.splitlines() if line.strip()]
    return {line.partition(": ")[0]: line for line in lines}


def _page_name(arguments: Mapping[str, JsonValue]) -> str:
    """The name of a page: that of its file."""
    return str(arguments["path"]).removeprefix(f"{NOTES_FOLDER}/").removesuffix(".md")
