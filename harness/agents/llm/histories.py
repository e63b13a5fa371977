"""The built-in histories: ``summarising`` (or ``summarising:40000``, in tokens) and ``whole``.

The default is the first: beyond a threshold the model itself summarises the older turns.

    opening, with the notes: ──► tasks · summary of older turns · what is unfinished, verbatim
    the last turns, whole    ──► reply, its answers, reply, its answers, …

If a summary fails or is not shorter than the turns, the older turns are left out and the notes say
so. Pictures are kept as long as their turn is.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from trainee_bench.harness.agents.llm.components import (
    ConversationHistory,
    Exchange,
    HistoryContext,
    UnknownComponent,
    resolve_component,
)
from trainee_bench.harness.agents.llm.open_items import OpenItems
from trainee_bench.harness.agents.llm.tokens import (
    BYTES_PER_TOKEN,
    TokenMeter,
    message_tokens,
    text_tokens,
)
from trainee_bench.harness.documents.formatting import pluralize
from trainee_bench.harness.models.conversation import (
    ContextOverflow,
    ConversationMessage,
    FinishReason,
    ModelReply,
    ModelRequest,
    ToolMessage,
    UserMessage,
)


def to_messages(opening: str, exchanges: Iterable[Exchange]) -> tuple[ConversationMessage, ...]:
    """Return *opening* and the exchanges as messages that every service accepts.

    Every call is followed by its result, successive user messages are merged, and empty replies are
    left out.
    """
    messages: list[ConversationMessage] = [UserMessage(opening)]
    for exchange in exchanges:
        messages.append(exchange.reply)
        messages.extend(exchange.answers)
        if exchange.said:
            messages.append(UserMessage(exchange.said))
    return as_request(messages)


def as_request(messages: Iterable[ConversationMessage]) -> tuple[ConversationMessage, ...]:
    """Return *messages* for a request: no empty replies, and successive user messages merged."""
    merged: list[ConversationMessage] = []
    for message in messages:
        if isinstance(message, ModelReply) and not (message.text.strip() or message.calls):
            continue
        last = merged[-1] if merged else None
        if isinstance(message, UserMessage) and isinstance(last, UserMessage):
            merged[-1] = UserMessage(f"{last.text}\n\n{message.text}")
        else:
            merged.append(message)
    return tuple(merged)


class FullHistory:
    """History that keeps everything; if that is too long for the model, the session ends."""

    def begin(self, frame: HistoryContext) -> None:
        """Begin a new day."""
        self._frame = frame
        self._exchanges: list[Exchange] = []

    def add(self, exchange: Exchange) -> None:
        """Remember *exchange*."""
        self._exchanges.append(exchange)

    async def request(self) -> ModelRequest:
        """Return a request with the whole day so far."""
        frame = self._frame
        return ModelRequest(frame.system, to_messages(frame.opening, self._exchanges), frame.tools)

    async def shorten(self) -> bool:
        """Return False: nothing is ever left out."""
        return False


DEFAULT_TOKEN_THRESHOLD = 60_000
"""Tokens of a request above which the older turns are summarised."""
_MARGIN = 0.9
"""The share of the threshold that an estimate may reach, because estimates err."""
_ROOM = 2_000
"""Tokens left for turns if tasks and tools alone reach the threshold."""
_TURNS_SHARE, _SUMMARY_SHARE = 0.4, 0.25
"""Shares of the remaining tokens for the kept turns and the summary."""
_SHORTEN_FACTOR = 0.6
"""The factor by which a request that was too long is shortened for the next try."""
_CLIPPED = 1_200
"""Characters kept of each result if even the last turns are too long for the model."""
_CLIPS = (1_500, 500, 150)
"""Characters of a result in the request for a summary; the first that fits is used."""
_LEFT_OUT = "(Earlier turns are left out.)"

_ASKED = """\
You keep the notes of an employee during one working day. Your notes are all that the employee \
will still have of the turns below, so write down everything needed to go on:
- for each task what was done, what is left, and what was tried and failed;
- every fact found out, with ids, names, codes, numbers and paths copied exactly;
- who was asked what, and what they answered;
- what was promised to whom;
- what to do next.
Keep what still counts from the notes so far. Write a plain-text list of at most {words} words, \
and nothing else."""


class SummarisingHistory:
    """History that keeps the last turns and a summary of the others.

    *threshold* is the limit of a request in tokens.
    """

    def __init__(self, threshold: int = DEFAULT_TOKEN_THRESHOLD):
        self._threshold = threshold
        self._meter = TokenMeter()

    def begin(self, frame: HistoryContext) -> None:
        """Begin a new day; keep the calibration and the threshold for this model."""
        self._frame = frame
        self._exchanges: list[Exchange] = []
        self._summary = ""
        self._summarised = self._dropped = 0
        self._open_items = OpenItems()

    def add(self, exchange: Exchange) -> None:
        """Remember *exchange* and what is unfinished after it."""
        self._meter.calibrate(exchange.reply.thought.prompt_tokens)
        self._exchanges.append(exchange)
        for answered in exchange.answers:
            self._open_items.update(answered)

    async def request(self) -> ModelRequest:
        """Return the summary and the last turns; summarise first if they exceed the threshold."""
        request = self._request()
        if self._meter.estimate(request) > self._allowed():
            await self._summarise()
            request = self._request()
            self._meter.estimate(request)
        return request

    async def shorten(self) -> bool:
        """Lower the threshold and summarise at once; clip results if that does not help."""
        before = self._meter.estimate(self._request())
        self._threshold = int(min(self._threshold, before) * _SHORTEN_FACTOR)
        await self._summarise()
        if self._meter.estimate(self._request()) >= before * _MARGIN:
            self._exchanges = [_clipped(exchange) for exchange in self._exchanges]
        return self._meter.estimate(self._request()) < before

    def _request(self) -> ModelRequest:
        messages = to_messages(self._opening(), self._exchanges)
        return ModelRequest(self._frame.system, messages, self._frame.tools)

    def _opening(self) -> str:
        """Return the day's prompt and, once turns are summarised, the notes."""
        if not self._summarised:
            return self._frame.opening
        turns = pluralize(self._summarised, "turn")
        parts = [
            self._frame.opening,
            f"Your notes of your first {turns} today. These turns are not shown again:",
            self._summary,
        ]
        if self._dropped:
            parts.append(
                f"(There are no notes of {pluralize(self._dropped, 'turn')}. Look again where you "
                "need to: files, mails and chat_read_history still have everything.)"
            )
        if left := self._open_items.text(self._frame.opening):
            parts += ["Still open, word for word:", left]
        return "\n\n".join(part for part in parts if part)

    # token budget ---------------------------------------------------------------------------------

    def _fixed(self) -> int:
        """Return the tokens of every request apart from turns and summary."""
        frame = self._frame
        opening = text_tokens(frame.opening + self._open_items.text(frame.opening)) + 100
        tools = self._meter.estimate_tools(frame.tools)
        return self._meter.scaled(text_tokens(frame.system) + tools + opening)

    def _room(self) -> int:
        """Return the tokens for turns and summary."""
        return max(int(self._threshold * _MARGIN) - self._fixed(), _ROOM)

    def _allowed(self) -> int:
        """Return the tokens that a request may have."""
        return max(int(self._threshold * _MARGIN), self._fixed() + _ROOM)

    def _kept(self) -> int:
        """Return how many of the last turns are kept: as many as fit, but at least one."""
        left, kept = self._room() * _TURNS_SHARE, 0
        for exchange in reversed(self._exchanges):
            left -= self._meter.scaled(_tokens(exchange))
            if left < 0 and kept:
                break
            kept += 1
        return kept

    # summarising --------------------------------------------------------------------------

    async def _summarise(self) -> None:
        """Replace all turns but the last ones by a summary."""
        split = len(self._exchanges) - self._kept()
        older, self._exchanges = self._exchanges[:split], self._exchanges[split:]
        if not older:
            return
        self._summarised += len(older)
        limit = int(self._room() * _SUMMARY_SHARE)
        notes = await self._notes(older, limit)
        if notes is None:
            self._frame.count_incident("summary_failed")
            self._dropped += len(older)
        else:
            self._summary = notes

    async def _notes(self, older: Sequence[Exchange], limit: int) -> str | None:
        """Return the model's notes of *older* turns, None if they are unusable."""
        system = _ASKED.format(words=max(100, limit // 2))
        so_far = f"{self._frame.opening}\n\nNotes so far:\n{self._summary or '(none)'}"
        left = self._threshold * _MARGIN - self._meter.scaled(text_tokens(system + so_far) + 100)
        happened = self._transcript(older, max(left, _ROOM))
        prompt = f"{so_far}\n\nThe turns to take notes of:\n{happened}"
        try:
            reply = await self._frame.ask(ModelRequest(system, (UserMessage(prompt),)))
        except ContextOverflow:
            return None
        size = self._meter.scaled(text_tokens(reply.text))
        shrunk = size <= limit and size < self._meter.scaled(text_tokens(prompt))
        sound = reply.finish is not FinishReason.REFUSAL and reply.text.strip()
        return reply.text.strip() if sound and shrunk else None

    def _transcript(self, older: Sequence[Exchange], room: float) -> str:
        """Return *older* turns as text of at most *room* tokens.

        Results are clipped; if that does not suffice, the first turns are left out.
        """
        for clip in _CLIPS:
            turns = [_told(exchange, clip) for exchange in older]
            if self._meter.scaled(sum(map(text_tokens, turns))) <= room:
                return "\n".join(turns)
        while len(turns) > 1 and self._meter.scaled(sum(map(text_tokens, turns))) > room:
            turns.pop(0)
        kept = "\n".join([_LEFT_OUT, *turns])
        return kept[-max(1, int(room) * BYTES_PER_TOKEN) :]


def _tokens(exchange: Exchange) -> int:
    extra_tokens = text_tokens(exchange.said) if exchange.said else 0
    return (
        message_tokens(exchange.reply)
        + sum(message_tokens(answer) for answer in exchange.answers)
        + extra_tokens
    )


def _told(exchange: Exchange, clip: int) -> str:
    """Return one turn as text."""
    lines = [f"They: {_short(exchange.reply.text, clip)}"] if exchange.reply.text.strip() else []
    for answered in exchange.answers:
        call, answer = answered.call, answered.answer
        given = call.text if call.arguments is None else json.dumps(dict(call.arguments))
        lines.append(f"Call {call.name} {_short(given, clip // 2)}")
        lines.append(f"Answer: {_short(answer.text, clip)}{' [picture]' * len(answer.pictures)}")
    return "\n".join(lines)


def _short(text: str, length: int) -> str:
    return text if len(text) <= length else f"{text[:length]}…"


def _clipped(exchange: Exchange) -> Exchange:
    """Return the turn with short results and without pictures."""

    def clip(answered: ToolMessage) -> ToolMessage:
        answer, text = answered.answer, answered.answer.text
        if len(text) > _CLIPPED:
            text = (
                f"{text[:_CLIPPED]}\n(Cut here because it was too long for you to read: ask for "
                "a part of it.)"
            )
        if answer.pictures:
            text += "\n(The picture is left out because it was too large for you.)"
        return ToolMessage(answered.call, replace(answer, text=text, pictures=()))

    return replace(exchange, answers=tuple(map(clip, exchange.answers)))


DEFAULT_HISTORY = "summarising"
MIN_TOKEN_THRESHOLD = 2_000
_NEEDS = ("begin", "add", "request", "shorten")


def _summarising(rest: str) -> ConversationHistory:
    if not rest:
        return SummarisingHistory()
    if not rest.isascii() or not rest.isdigit() or int(rest) < MIN_TOKEN_THRESHOLD:
        raise UnknownComponent(
            f"The history summarising:{rest} is not valid: write a number of tokens after the "
            f"colon, {MIN_TOKEN_THRESHOLD} at least, such as summarising:40000."
        )
    return SummarisingHistory(int(rest))


def _whole(rest: str) -> ConversationHistory:
    if rest:
        raise UnknownComponent(f"The history whole takes nothing after its name, not {rest!r}.")
    return FullHistory()


BUILTIN_HISTORIES: Mapping[str, Callable[[str], ConversationHistory]] = {
    "summarising": _summarising,
    "whole": _whole,
}


def create_history(named: str) -> ConversationHistory:
    """Return the history called *named*, "" for the default. Raises UnknownComponent."""
    return resolve_component("history", named or DEFAULT_HISTORY, BUILTIN_HISTORIES, _NEEDS)


def history_token_limit(named: str) -> int | None:
    """Return the most tokens of a request with the history *named*; None without a known limit."""
    name, _, rest = (named or DEFAULT_HISTORY).partition(":")
    if name != "summarising":
        return None
    return int(rest) if rest.isdigit() else DEFAULT_TOKEN_THRESHOLD
