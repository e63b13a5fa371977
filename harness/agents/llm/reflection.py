"""The reflection after a day: the request for new notes, and the notes in the next prompt.

    day's record, feedback, notes so far ──ModelRequest──► new notes ──► next system prompt

The model sees what it did and the verifier's feedback, never the right answers.
"""

from __future__ import annotations

import json
from dataclasses import dataclass

from trainee_bench.harness.agents.llm.components import SystemPrompt
from trainee_bench.harness.models.conversation import ModelRequest, UserMessage
from trainee_bench.harness.session.agent_session import AgentSession
from trainee_bench.harness.session.turns import ToolCall, ToolResult, TurnRecord

MAX_NOTES_CHARS = 8_000
"""Characters of notes that are kept, because every later request contains them."""
MAX_TRANSCRIPT_CHARS = 24_000
"""Characters of a day's turns in the request."""
_SHORT_TEXT, _SHORT_CALL, _SHORT_ANSWER = 600, 200, 160
_LEFT_OUT = "(…)"

_ASKED = """\
You are an employee who has just worked a day. You see your tasks, what you did, and what was \
found when your work was checked. Write down what will help you do better tomorrow.

Tomorrow brings tasks of the same or other kinds, with other people, files, names and numbers. \
Today's answers will be wrong then, so note how to work, not what the answers were. For each kind \
of task, say what was missed, why, and what to do about it; keep what worked. Your text replaces \
your notes so far, so keep what still counts of them. Write a Markdown list of at most {words} \
words, and nothing else."""

_ASKED_IN_WEEK = """\
You are an employee who has just worked a day of a week. You see your tasks, what you did, and \
what was found when the work due today was checked. Tomorrow you go on in the same office. You \
will remember nothing but what you write down now and what you left in the office.

So note everything that will count on a later day: what was said or agreed on, what has changed, \
what is due and when, and what you have done of it. Note as well how to work better: for each kind \
of task, say what was missed, why, and what to do about it; keep what worked. Your text replaces \
your notes so far, so keep what still counts of them. Write a Markdown list of at most {words} \
words, and nothing else."""

_REMINDED = """\
Notes that you wrote on earlier days here. Names, files and numbers are different today:

"""
_REMINDED_IN_WEEK = """\
Notes that you wrote on the days before:

"""


@dataclass(frozen=True)
class PromptWithNotes:
    """A system prompt followed by the notes from earlier days."""

    plain: SystemPrompt
    memory: str

    def text(self, session: AgentSession) -> str:
        """Return the prompt for the day of *session*."""
        told = self.plain.text(session)
        reminded = _REMINDED_IN_WEEK if session.place else _REMINDED
        return f"{told}\n\n{reminded}{self.memory}" if self.memory else told


def reflection_request(
    session: AgentSession, feedback: str, memory: str, room: int
) -> ModelRequest:
    """Return the request for new notes after a day in *session*, with *room* characters for its
    turns."""
    text = [
        f"Your notes so far:\n{memory or '(none)'}",
        f"Your day began with this:\n{session.prompt}",
        f"Your tasks, as you last saw them:\n{_tasks(session)}",
        f"What you did:\n{day_transcript(session, room)}",
        f"What was found:\n{feedback or '(nothing was due today)'}",
    ]
    asked = _ASKED_IN_WEEK if session.another_day_follows else _ASKED
    system = asked.format(words=MAX_NOTES_CHARS // 10)
    return ModelRequest(system, (UserMessage("\n\n".join(text)),))


def truncate_notes(text: str) -> str:
    """Return *text* cut to whole lines within `MAX_NOTES_CHARS`."""
    text = text.strip().encode(errors="replace").decode()
    if len(text) <= MAX_NOTES_CHARS:
        return text
    return text[:MAX_NOTES_CHARS].rpartition("\n")[0] or text[:MAX_NOTES_CHARS]


def day_transcript(session: AgentSession, room: int) -> str:
    """Return the turns of a day as text; omit those in the middle beyond *room* characters."""
    turns = [_told(turn) for turn in session.record]
    total = sum(map(len, turns))
    while turns and total > room:
        total -= len(turns.pop(len(turns) // 2))
    if len(turns) < len(session.record):
        turns.insert(len(turns) // 2, _LEFT_OUT)
    return "\n".join(turns) or "(nothing)"


def _tasks(session: AgentSession) -> str:
    """Return the latest list of tasks, "(see above)" if the agent never asked for it."""
    for turn in reversed(session.record):
        for call, answer in zip(turn.calls, turn.answers, strict=True):
            if call.name == "desk_tasks" and not answer.failed:
                return answer.text
    return "(see above)"


def _told(turn: TurnRecord) -> str:
    lines = [f"{turn.began:%H:%M} {_short(turn.thought.message, _SHORT_TEXT)}".rstrip()]
    lines += [_called(*pair) for pair in zip(turn.calls, turn.answers, strict=True)]
    return "\n".join(lines)


def _called(call: ToolCall, answer: ToolResult) -> str:
    given = _short(json.dumps(dict(call.arguments), ensure_ascii=False), _SHORT_CALL)
    outcome = "failed: " if answer.failed else ""
    return f"- {call.name} {given}: {outcome}{_short(answer.text, _SHORT_ANSWER)}"


def _short(text: str, length: int) -> str:
    line = " ".join(text.split())
    return line if len(line) <= length else f"{line[:length]}…"
