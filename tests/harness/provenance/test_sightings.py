"""Whether a result told a fact: in its words or in others, and never in the agent's own."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest

from trainee_bench.harness.provenance.hidden_facts import FactVersion
from trainee_bench.harness.provenance.sightings import first_sightings
from trainee_bench.meta_tasks.confidential_facts import PublicKnowledge, facts_in
from trainee_bench.meta_tasks.text_figures import read_figures
from trainee_bench.world.action_log import LogEntry
from trainee_bench.world.transaction import Notice, NoticeKind

ME, ANNA = "tom.trainee", "anna.adler"
TOLD = "The budget for the fair in Bern is 24,000 euros."
NINE = datetime(2025, 10, 1, 9)


def version(payload: str) -> FactVersion:
    (parts,) = facts_in([payload], PublicKnowledge(read_figures(""), (), ()))
    return FactVersion("T1/budget", payload, parts)


def call(tool: str, data: dict[str, Any] | None, *notices: str, **arguments: Any) -> LogEntry:
    return LogEntry(
        seq=1, at=NINE, until=NINE, actor=ME, tool=tool, arguments=arguments, ok=True, text="",
        data=data, effects={},
        notices=tuple(Notice(kind=NoticeKind.MESSAGE, at=NINE, text=text) for text in notices),
    )  # fmt: skip


def message(sender: str, text: str) -> dict[str, Any]:
    return {"messages": [{"id": 7, "sender": sender, "to": ME, "text": text}]}


def sees(*log: LogEntry) -> bool:
    return bool(first_sightings(log, [version(TOLD)], ME))


@pytest.mark.parametrize(
    "text",
    [
        TOLD,
        f"Sure.  {TOLD.upper()} Anything else?",
        "As to the fair in Bern: we have a budget of twenty-four thousand euros.",
        "The fair in Bern has a budget of 24k euros.",
    ],
)
def test_a_fact_is_seen_in_its_words_and_in_others_with_its_subject(text: str) -> None:
    assert sees(call("chat_read_history", message(ANNA, text), peer=ANNA))
    assert sees(call("desk_tasks", {}, f"Message 7 from Anna Adler: {text}"))


@pytest.mark.parametrize(
    "text",
    [
        "The budget for the fair in Bern is 24,500 euros.",
        "The budget for the fair in Bern is 124,000 euros.",
        "Room 24,000 is free.",
        "The budget for the fair in Bern is with me.",
    ],
)
def test_another_value_and_a_value_without_its_subject_tell_nothing(text: str) -> None:
    assert not sees(call("chat_read_history", message(ANNA, text), peer=ANNA))


def test_a_number_that_only_begins_alike_is_another() -> None:
    six = version("Allowed late days: 6")
    sixty = call("chat_read_history", message(ANNA, "Allowed late days: 60"))
    assert not first_sightings([sixty], [six], ME)
    assert first_sightings([call("x", message(ANNA, "Allowed late days: 6, I think"))], [six], ME)


def test_what_the_agent_wrote_itself_is_not_seen_when_it_reads_it_again() -> None:
    guess = "Guess: the fair in Bern, budget 24k euros"
    assert not sees(call("chat_read_history", message(ME, TOLD), peer=ANNA))
    for text in (TOLD, guess):
        wrote = call("files_write", {"path": "workspace:/a.md", "size": 9}, text=f"# A\n{text}\n")
        read = call("files_read", {"path": "workspace:/a.md", "text": f"# A\n{text}\n"})
        assert sees(read) and not sees(wrote, read)


def test_a_guess_that_a_colleague_confirms_in_the_same_words_is_seen() -> None:
    asked = call("chat_send_message", {}, to=ANNA, text=TOLD)
    assert sees(asked, call("chat_read_history", message(ANNA, TOLD), peer=ANNA))


def test_a_row_of_a_table_is_one_passage_and_two_rows_are_two() -> None:
    together = [["fair in Bern", "budget, euros", 24000]]
    apart = [["fair in Bern", "budget, euros", "?"], ["elsewhere", "–", 24000]]
    assert sees(call("sheets_read", {"rows": together}))
    assert not sees(call("sheets_read", {"rows": apart}))


@pytest.mark.parametrize("copied", [False, True])
def test_a_guess_that_was_put_together_from_pieces_is_not_seen_when_it_is_read(
    copied: bool,
) -> None:
    path, copy = "workspace:/x.txt", "workspace:/y.txt"
    log = [
        call("files_write", {"path": path}, path=path, text=TOLD[:20] + "@"),
        call("files_edit", {"path": path}, path=path, edits=[{"old": "@", "new": TOLD[20:]}]),
        call("files_copy", {"paths": [copy]}, source=path, target=copy),
        call("files_read", {"text": TOLD}, path=copy if copied else path),
        call("files_search", {"matches": [{"path": path, "line": TOLD}]}, query="budget"),
    ]
    assert not sees(*log)
    found = call("files_search", {"matches": [{"path": "drive:/a", "line": TOLD}]}, query="budget")
    assert sees(*log, found)


def test_the_copy_of_somebody_elses_file_tells_what_that_says() -> None:
    copy = "workspace:/y.txt"
    copied = call("files_copy", {"paths": [copy]}, source="drive:/a.txt", target=copy)
    assert sees(copied, call("files_read", {"text": TOLD}, path=copy))


@pytest.mark.parametrize("forwarded", [False, True])
def test_a_saved_attachment_tells_what_it_says_unless_it_is_the_agents_own_file(
    forwarded: bool,
) -> None:
    path, copy = "workspace:/x.txt", "workspace:/y.txt"
    made = [
        call("files_write", {"path": path}, path=path, text=TOLD[:20] + "@"),
        call("files_edit", {"path": path}, path=path, edits=[{"old": "@", "new": TOLD[20:]}]),
        call("mail_send", {"id": 4}, to=[ME], subject="a", body="b", attachments=[path]),
        *([call("mail_forward", {"id": 5}, mail=4, to=[ME])] if forwarded else []),
    ]
    read = call("files_read", {"text": TOLD}, path=copy)
    own = 5 if forwarded else 4
    assert sees(*made, call("mail_save", {"path": copy}, mail=3, path=copy), read)
    assert not sees(*made, call("mail_save", {"path": copy}, mail=own, path=copy), read)
