"""A scripted model as a model service.

    ModelRequest ──► results of its calls ──► work on the day continues ──► next calls ──► reply

The work is one coroutine that pauses for its calls. A reply contains those calls, and the next
request their results. Some replies are useless on purpose.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Coroutine, Generator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from pydantic import JsonValue

from trainee_bench.harness.agents.scripted.notes import (
    is_feedback,
    message_length,
    write_reflection,
    write_summary,
)
from trainee_bench.harness.agents.scripted.skill import ModelSkill
from trainee_bench.harness.agents.scripted.task_work import ScriptedWork
from trainee_bench.harness.models.conversation import (
    FinishReason,
    ModelReply,
    ModelRequest,
    ModelToolCall,
    ToolMessage,
)
from trainee_bench.harness.session.turns import Thought, ToolResult
from trainee_bench.harness.testbench.work_plan import outline_of, standing_work, without_submitted
from trainee_bench.mcp_servers.desk import FINISH_DAY_TOOL
from trainee_bench.meta_tasks.complications import careful_habits
from trainee_bench.meta_tasks.composition import ComposedDay
from trainee_bench.meta_tasks.tool_client import ToolFailed, ToolResponse
from trainee_bench.meta_tasks.work.worker import employ
from trainee_bench.world.notices import Notice

PARALLEL_CALLS = 3
"""Calls in one reply."""
_CHARS_PER_TOKEN = 4
_PICTURE_TOKENS = 800
_MAX_REQUESTS_PER_CALL = 5
"""How often a call is requested before the model treats it as failed."""
_REPLIES_PER_REMARK = 5
"""The number of replies after which the model repeats what it has noted."""
_EARLIEST_END, _LATEST_END = 8, 40
"""Range of replies after which the model ends a day early."""


@dataclass(frozen=True)
class _Turn:
    """Calls that the worker wants to make; awaiting them gives their results."""

    calls: tuple[tuple[str, Mapping[str, JsonValue]], ...]

    def __await__(
        self,
    ) -> Generator[_Turn, list[ToolResponse | ToolFailed], list[ToolResponse | ToolFailed]]:
        return (yield self)


class _ModelToolBackend:
    """A `BatchToolCaller` whose calls the model puts into its replies."""

    async def call(self, tool: str, arguments: Mapping[str, JsonValue]) -> ToolResponse:
        """Make a turn of one call. Raises ToolFailed with the tool's text."""
        (answer,) = await self.call_many([(tool, arguments)])
        if isinstance(answer, ToolFailed):
            raise answer
        return answer

    async def call_many(
        self, calls: Sequence[tuple[str, Mapping[str, JsonValue]]]
    ) -> Sequence[ToolResponse | ToolFailed]:
        """Make a turn of several calls; return the result of each."""
        return await _Turn(tuple(calls))


@dataclass
class _PendingCall:
    """A call that the work waits for; ``id`` belongs to its latest request, ``asked`` counts
    them."""

    tool: str
    arguments: Mapping[str, JsonValue]
    id: str = ""
    asked: int = 0
    answer: ToolResponse | ToolFailed | None = None


class ScriptedModel:
    """A scripted model as a `ModelService`, for one day."""

    def __init__(self, alias: str, skill: ModelSkill, composition: ComposedDay, attempt: int):
        day = composition.scenario_day
        number = day.day + composition.place  # each day of a week gets different draws
        names = (alias, day.scenario.name, day.scenario.seed, number, attempt)
        self.model = alias
        self.incidents: Counter[str] = Counter()
        self._skill = skill
        self._work_plan = ScriptedWork(skill, composition, ("scripted", *names))
        self._draws = self._work_plan.draws("replies")
        quits = self._work_plan.draws("quits")
        early = quits.random() < skill.quits
        self._ends_after = quits.randint(_EARLIEST_END, _LATEST_END) if early else None
        self._work: Coroutine[Any, Any, object] | None = None
        self._wanted: list[_PendingCall] = []
        self._replies = 0
        self._idled = False
        self._finished, self._goodbyes = False, 0
        self._ending = False
        self._unsaid: list[str] = []
        self._tools = 0
        self._useless = set[str]()
        self._overheard: tuple[Notice, ...] = ()

    async def aclose(self) -> None:
        """Stop the work."""
        if self._work is not None:
            self._work.close()

    async def reply(self, request: ModelRequest) -> ModelReply:
        """Return the model's next message."""
        if not request.tools:
            about = is_feedback(request)
            text = (
                write_reflection(request, self._skill.learning) if about else write_summary(request)
            )
            return self._priced(request, text, ())
        self._work_plan.system_prompt = request.system
        self._replies += 1
        self._go_on(request)
        if self._finished or self._replies == self._ends_after:
            return self._goodbye(request)
        if self._idles():
            return self._idle(request)
        calls = [self._ask(wanted) for wanted in self._wanted if wanted.answer is None]
        said = f"{self._remark()}Next: {', '.join(c.name for c in calls)}."
        return self._priced(request, said, calls)

    # the work ------------------------------------------------------------------------------

    def _go_on(self, request: ModelRequest) -> None:
        """Read the results in *request*, and go on until more calls are wanted."""
        if self._work is None:
            costs = {tool.name: tool.minutes for tool in request.tools}
            self._tools = sum(
                len(tool.name + tool.description + json.dumps(tool.input_schema))
                for tool in request.tools
            )
            self._work_plan.offered = tuple(request.tools)
            self._work = self._begin(costs)
            self._resume(None)
        answers = {m.call.id: m.answer for m in request.messages if isinstance(m, ToolMessage)}
        self._overhear(answers)
        for wanted in self._wanted:
            if wanted.answer is None and wanted.id in answers:
                wanted.answer = _understood(wanted, answers[wanted.id])
            if wanted.answer is None and wanted.asked >= _MAX_REQUESTS_PER_CALL:
                wanted.answer = ToolFailed("the call had no result")
        settled = [wanted.answer for wanted in self._wanted if wanted.answer is not None]
        if self._wanted and len(settled) == len(self._wanted):
            first, self._overheard = _told_first(self._overheard, settled[0]), ()
            self._resume([first, *settled[1:]])

    def _overhear(self, answers: Mapping[str, ToolResult]) -> None:
        """Keep notices that came with the results of useless calls, which the work does not wait
        for.

        Each notice is given only once.
        """
        for id in self._useless & set(answers):
            self._useless.remove(id)
            self._overheard = (*self._overheard, *answers[id].notices)

    async def _begin(self, costs: Mapping[str, int]) -> None:
        """Begin to work on all tasks of the day, with several calls at once."""
        plan = self._work_plan
        tools = plan.tools(_ModelToolBackend())
        known = outline_of(plan.composition, planned=False)
        outline = replace(known, abandons=plan.abandons)
        works = await without_submitted(tools, plan.works(), plan.composition)
        works |= standing_work(plan.composition)
        await employ(tools, costs, works, careful_habits(), outline, PARALLEL_CALLS).run()

    def _resume(self, answers: list[ToolResponse | ToolFailed] | None) -> None:
        assert self._work is not None
        self._wanted = []
        try:
            turn = self._work.send(answers)
        except (StopIteration, ToolFailed):  # the work is done, or even desk_now failed
            self._finished = True
            return
        self._wanted = [_PendingCall(tool, arguments) for tool, arguments in turn.calls]

    def _ask(self, wanted: _PendingCall) -> ModelToolCall:
        wanted.asked += 1
        call = self._call(wanted.tool, wanted.arguments)
        wanted.id = call.id
        return call

    def _call(self, tool: str, arguments: Mapping[str, JsonValue]) -> ModelToolCall:
        place = self._draws.getrandbits(32)
        text = json.dumps(dict(arguments), ensure_ascii=False)
        return ModelToolCall(f"s{self._replies}-{place:08x}", tool, text, dict(arguments))

    def _remark(self) -> str:
        """Return a part of what the model must remember, "" if it was said not long ago.

        It is repeated because a limit may end the day.
        """
        if not self._unsaid and self._replies % _REPLIES_PER_REMARK == 0:
            self._unsaid = self._work_plan.notes.messages()
        return f"{self._unsaid.pop(0)} " if self._unsaid else ""

    def _goodbye(self, request: ModelRequest) -> ModelReply:
        """Say what the model must remember and end the day; later replies say that it is over.

        The day is ended twice if the first answer warns that more tasks may come.
        """
        if not self._ending:
            self._ending = self._finished = True
            self._wanted, self._unsaid = [], self._work_plan.notes.messages()
        if self._unsaid:
            return self._priced(request, self._unsaid.pop(0), (self._call("desk_now", {}),))
        if self._goodbyes == 2:
            return self._priced(request, "My day is done.", ())
        self._goodbyes += 1
        finish = self._call(FINISH_DAY_TOOL, {})
        return self._priced(request, "That is all for today.", (finish,))

    # useless replies -----------------------------------------------------------------------

    def _idles(self) -> bool:
        """Whether the next reply is useless; two useless replies never follow each other."""
        self._idled = not self._idled and self._draws.random() < self._skill.idle
        return self._idled

    def _idle(self, request: ModelRequest) -> ModelReply:
        wanted = next(call for call in self._wanted if call.answer is None)
        call = self._call(wanted.tool, wanted.arguments)
        self._useless.add(call.id)
        sort = self._draws.randrange(5)
        if sort == 0:
            return self._priced(request, "", ())
        if sort in (1, 2):
            torn = call.text[: len(call.text) // 2].removesuffix("}") or "{"
            made = ModelToolCall(call.id, call.name, torn, None)
            return self._priced(
                request, "", (made,), FinishReason.LENGTH if sort == 1 else FinishReason.DONE
            )
        if sort == 3:
            tool = f"{wanted.tool}_now"
            return self._priced(
                request, "", (ModelToolCall(call.id, tool, call.text, call.arguments),)
            )
        look = self._call("desk_now", {})
        self._useless.add(look.id)
        return self._priced(request, "Let me see what time it is.", (look,))

    # what it costs ---------------------------------------------------------------------------

    def _priced(
        self,
        request: ModelRequest,
        text: str,
        calls: Sequence[ModelToolCall],
        finish: FinishReason = FinishReason.DONE,
    ) -> ModelReply:
        """Return the reply with the tokens that a language model would have used; its cost is 0."""
        reply = ModelReply(text, tuple(calls), finish)
        pictures = sum(
            len(m.answer.pictures) for m in request.messages if isinstance(m, ToolMessage)
        )
        read = len(request.system) + sum(message_length(message) for message in request.messages)
        read += self._tools if request.tools else 0
        thought = Thought(
            message=text,
            model=self.model,
            prompt_tokens=read // _CHARS_PER_TOKEN + pictures * _PICTURE_TOKENS,
            completion_tokens=max(1, message_length(reply) // _CHARS_PER_TOKEN),
            cost_usd=0.0,
        )
        return ModelReply(text, reply.calls, finish, thought)


def _told_first(
    notices: tuple[Notice, ...], answer: ToolResponse | ToolFailed
) -> ToolResponse | ToolFailed:
    """Return *answer* with *notices* before its own."""
    if isinstance(answer, ToolFailed):
        return ToolFailed(str(answer), answer.time, (*notices, *answer.notices))
    return replace(answer, notices=(*notices, *answer.notices))


def _understood(wanted: _PendingCall, answer: ToolResult) -> ToolResponse | ToolFailed | None:
    """Return the result of a call as the work expects it; None if the call was not made."""
    if answer.time is None:
        return None
    if answer.failed and _came_too_late(wanted, answer.time):
        return ToolResponse(answer.text, {}, answer.time, notices=answer.notices)
    if answer.failed or answer.data is None:
        return ToolFailed(answer.text, answer.time, answer.notices)
    picture = answer.pictures[0].data if answer.pictures else None
    return ToolResponse(answer.text, answer.data, answer.time, picture, answer.notices)


def _came_too_late(wanted: _PendingCall, now: datetime) -> bool:
    """Whether the call waits for a time that useless turns have already passed."""
    until = wanted.arguments.get("until")
    return wanted.tool == "desk_wait" and isinstance(until, str) and f"{now:%H:%M}" >= until
