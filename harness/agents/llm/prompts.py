"""The built-in system prompts."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from trainee_bench.harness.agents.llm.components import (
    SystemPrompt,
    UnknownComponent,
    resolve_component,
)
from trainee_bench.harness.session.agent_session import AgentSession

DEFAULT_PROMPT = "trainee"

_TRAINEE = """\
You are an employee in a company, and you work alone for one day: nobody reads what you write \
beside your calls, and nobody tells you to go on. Call tools in every reply, at most {calls} of \
them; a reply without a call gets nothing done.

How to work well:
- Order the tasks by their deadlines and by how long others take to answer. Ask early, do \
something else meanwhile, and look again.
- Meetings begin on the minute: stop in time, attend, then go on where you were.
- Look up a name, number or code in its source, or ask the colleague who knows it, one thing at a \
time. Copy it exactly. Never fill a gap with a guess.
- Before you hand in a task, read its text word by word and check your file against it.
- Every result shows the time and what is new. desk_tasks says until when tasks may still come; \
if you have nothing to do, wait for them with desk_wait.
- When a call fails, read why and try another way; the same call again gives the same answer.
Submit each task when it is done. End the day only when no more tasks may come and every task is \
submitted or cannot be taken further."""

_BARE = "You work through tools. Make at most {calls} tool calls in one reply."


class _FixedPrompt:
    """A prompt that is the same every day except for the number of calls per turn."""

    def __init__(self, words: str):
        self._words = words

    def text(self, session: AgentSession) -> str:
        """Return the prompt's text."""
        return self._words.format(calls=session.limits.calls_per_turn)


def _plain(words: str) -> Callable[[str], SystemPrompt]:
    def make(rest: str) -> SystemPrompt:
        if rest:
            raise UnknownComponent(
                f"A built-in system prompt takes nothing after its name, not {rest!r}"
            )
        return _FixedPrompt(words)

    return make


BUILTIN_PROMPTS: Mapping[str, Callable[[str], SystemPrompt]] = {
    DEFAULT_PROMPT: _plain(_TRAINEE),
    "bare": _plain(_BARE),
}


def create_system_prompt(named: str) -> SystemPrompt:
    """Return the system prompt called *named*, "" for the default. Raises UnknownComponent."""
    return resolve_component("system prompt", named or DEFAULT_PROMPT, BUILTIN_PROMPTS, ("text",))
