"""Scripted models that keep notes themselves: over a night they pass through the text of requests,
and nothing is left of what nobody remembers."""

from __future__ import annotations

import pytest

from trainee_bench.harness.agents.scripted.notes import KeptNotes, remembered_notes
from trainee_bench.harness.agents.scripted.skill import ModelSkill, NoteKeeping
from trainee_bench.meta_tasks.tool_client import ToolFailed

PAGE = {"path": "workspace:/notes/T1.md"}
TEXT = '- limit: 45\n- Monday: {"approved": 2, "names": ["Ann"]}\n'


def model(notes: NoteKeeping, *, habitual: bool = False, memory: str = "") -> KeptNotes:
    kept = KeptNotes(ModelSkill(easy=1, hard=1, notes=notes, habitual=habitual))
    kept.remember(memory)
    return kept


def night(kept: KeptNotes, so_far: str = "") -> str:
    """What is in the memory after the day, the request to reflect having shown its messages."""
    shown = f"{so_far}\nWhat you did:\n" + "\n".join(f"18:00 {one}" for one in kept.messages())
    return "\n".join(f"- {line}" for line in remembered_notes(shown))


def page(kept: KeptNotes) -> str:
    return kept.read(PAGE)


def test_who_remembers_has_the_page_on_the_next_morning_and_the_one_after() -> None:
    first = model(NoteKeeping.MEMORY)
    first.write(PAGE | {"text": TEXT})
    assert page(first) == TEXT.strip()
    second = model(NoteKeeping.MEMORY, memory=night(first))
    assert page(second) == TEXT.strip()
    second.write(PAGE | {"text": TEXT.replace("45", "70")})
    third = model(NoteKeeping.MEMORY, memory=night(second, so_far=night(first)))
    assert page(third) == TEXT.replace("45", "70").strip()


def test_many_notes_are_said_in_messages_of_which_each_is_seen_whole() -> None:
    kept = model(NoteKeeping.MEMORY)
    text = "\n".join(f"- figure of day {number}: {number}{'0' * 80}" for number in range(30))
    kept.write(PAGE | {"text": text})
    assert all(len(message) <= 560 for message in kept.messages())
    assert page(model(NoteKeeping.MEMORY, memory=night(kept))) == text


def test_who_notes_nowhere_knows_it_on_the_same_day_only() -> None:
    first = model(NoteKeeping.NOWHERE)
    first.write(PAGE | {"text": TEXT})
    assert page(first) == TEXT.strip()
    assert night(first) == ""
    with pytest.raises(ToolFailed, match="nothing is noted"):
        page(model(NoteKeeping.NOWHERE, memory="- Noted, T1: limit: 45"))


def test_only_pages_of_notes_are_kept_and_none_by_who_writes_into_the_office() -> None:
    for notes in (NoteKeeping.MEMORY, NoteKeeping.NOWHERE):
        assert model(notes).takes("files_write", PAGE)
        assert not model(notes).takes("files_write", {"path": "workspace:/report.json"})
        assert not model(notes).takes("files_delete", PAGE)
    assert not model(NoteKeeping.OFFICE).takes("files_write", PAGE)


def test_the_habitual_go_by_the_morning_and_know_the_change_on_the_next() -> None:
    first = model(NoteKeeping.MEMORY, habitual=True)
    first.write(PAGE | {"text": TEXT})
    assert page(first) == TEXT.strip()
    second = model(NoteKeeping.MEMORY, habitual=True, memory=night(first))
    second.write(PAGE | {"text": TEXT.replace("45", "70")})
    assert page(second) == TEXT.strip()
    second.write(PAGE | {"text": page(second) + "\n- Tuesday: 3"})  # as who adds a line does
    assert page(second) == TEXT + "- Tuesday: 3"
    third = model(NoteKeeping.MEMORY, habitual=True, memory=night(second))
    assert page(third) == TEXT.replace("45", "70") + "- Tuesday: 3"
