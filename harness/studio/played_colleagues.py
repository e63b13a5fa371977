"""A person who answers for the colleagues, with the same effects as a model that plays them.

    chat_send_message ──► who will answer? ──► ask the person ──► draft ──► effects of the call
                                                └ after a timeout: no draft, so the script answers

Code decides which clue is told and fills it in; the person words the reply.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from itertools import count
from time import time

import anyio
from pydantic import BaseModel, JsonValue

from trainee_bench.harness.episodes.manual_work import PLAYED_EFFECT
from trainee_bench.harness.studio.guidance import EpisodeControl, NotNow
from trainee_bench.mcp_servers.chat import DRAFTS_EFFECT
from trainee_bench.mcp_servers.llm_colleagues.situation import ChatSituation, chat_situations
from trainee_bench.mcp_servers.serving.toolbox import SideEffect
from trainee_bench.world.apps.chat import Chat
from trainee_bench.world.colleagues.conversation import ColleagueConversation
from trainee_bench.world.colleagues.knowledge import Knowledge
from trainee_bench.world.colleagues.model_reply import (
    MAX_DRAFT_LENGTH,
    Audience,
    DraftResponder,
    ReplyDraft,
)
from trainee_bench.world.colleagues.reply_filter import PAYLOAD_PLACEHOLDER
from trainee_bench.world.colleagues.reply_provenance import WordingSource
from trainee_bench.world.company.directory import Directory
from trainee_bench.world.transaction import Transaction
from trainee_bench.world.world import World

_ASKING_TOOL = "chat_send_message"


class KnownTopic(BaseModel):
    """A topic that the colleague can be asked about; ``told`` says whether the asker knows it."""

    id: str
    question: str
    payload: str
    told: bool


class SaidLine(BaseModel):
    """A line of the conversation so far."""

    who: str
    text: str


class ColleagueQuestion(BaseModel):
    """A message that waits for a person's answer, until ``until`` (seconds since 1970)."""

    question: int
    colleague: str
    title: str
    asker: str
    group: str
    talk: tuple[SaidLine, ...]
    text: str
    topics: tuple[KnownTopic, ...]
    until: float


class NotUsable(Exception):
    """Raised if the script's reply would replace this one; the message says why."""


@dataclass
class _Question:
    shown: ColleagueQuestion
    situation: ChatSituation
    to: str
    answered: anyio.Event = field(default_factory=anyio.Event)
    draft: ReplyDraft | None = None


class PlayedColleagues:
    """The colleagues that a person plays in the episode of *control*, answering each message within
    *patience* seconds. *others* are the side effects of a model that answers for the rest."""

    def __init__(self, control: EpisodeControl, patience: float, others: Mapping[str, SideEffect]):
        self._control = control
        self._patience = patience
        self._others = others.get(_ASKING_TOOL)
        self._questions: dict[int, _Question] = {}
        self._chosen: frozenset[str] | None = None
        self._numbers = count(1)
        self._world: World | None = None

    @property
    def side_effects(self) -> Mapping[str, SideEffect]:
        """The side effects to run before tools."""
        return {_ASKING_TOOL: self._replies}

    @property
    def chosen(self) -> tuple[str, ...] | None:
        """The ids of the colleagues that the person plays, None for all."""
        return None if self._chosen is None else tuple(sorted(self._chosen))

    async def choose(self, colleagues: Collection[str] | None) -> None:
        """Play the colleagues with these ids from now on; None for all. The script answers the
        waiting questions to others. Raises NotNow if the day is no longer worked."""

        async def do() -> None:
            self._chosen = None if colleagues is None else frozenset(colleagues)
            for asked in self._questions.values():
                if not self._plays(asked.situation):
                    asked.answered.set()

        await self._control.on_its_loop(do)

    def _plays(self, situation: ChatSituation) -> bool:
        return self._chosen is None or situation.colleague.id in self._chosen

    def questions(self) -> tuple[ColleagueQuestion, ...]:
        """Return the questions that are waiting for an answer now."""
        return tuple(asked.shown for asked in list(self._questions.values()))

    async def answer(self, question: int, text: str, clue: str) -> None:
        """Answer *question* with *text*; *clue* is the topic that it tells, "" if none.

        Without both, the script answers at once. Raises NotNow if the question no longer waits,
        NotUsable if the script's words would replace this answer.
        """
        await self._control.on_its_loop(lambda: self._answer(question, text, clue))

    async def _answer(self, number: int, text: str, clue: str) -> None:
        asked = self._questions.get(number)
        if asked is None or asked.answered.is_set() or self._world is None:
            raise NotNow("The script has answered this question already.")
        if text.strip() or clue:
            draft = _draft(asked, text, clue)
            flaw = await self._world.read(lambda tx: _objection(tx, asked, draft))
            if flaw:
                raise NotUsable(flaw)
            asked.draft = draft
        asked.answered.set()

    async def _replies(
        self, world: World, actor: str, arguments: BaseModel
    ) -> Mapping[str, JsonValue]:
        """Return the effects to record: the drafts for the colleagues that the person answered
        for."""
        given = arguments.model_dump()
        to, text = str(given["to"]), str(given["text"])
        heard = await world.read(lambda tx: chat_situations(tx, actor, to, text))
        self._world = world
        drafts: dict[str, ReplyDraft] = {}
        with self._control.waiting():
            async with anyio.create_task_group() as group:
                for situation in filter(self._plays, heard):
                    group.start_soon(self._ask, world, to, situation, drafts)
        effects: dict[str, JsonValue] = {}
        if self._others is not None and len(drafts) < len(heard):
            effects |= await self._others(world, actor, arguments)
        if drafts:
            modelled = effects.get(DRAFTS_EFFECT)
            merged: dict[str, JsonValue] = dict(modelled) if isinstance(modelled, dict) else {}
            merged |= {id: draft.model_dump(mode="json") for id, draft in drafts.items()}
            effects |= {DRAFTS_EFFECT: merged, PLAYED_EFFECT: list[JsonValue](sorted(drafts))}
        return effects

    async def _ask(
        self, world: World, to: str, situation: ChatSituation, drafts: dict[str, ReplyDraft]
    ) -> None:
        topics = await world.read(lambda tx: _topics(tx, situation))
        if not self._plays(situation):  # the choice changed while the topics were read
            return
        number = next(self._numbers)
        shown = ColleagueQuestion(
            question=number,
            colleague=situation.colleague.name,
            title=f"{situation.colleague.title}, {situation.colleague.department}",
            asker=situation.asker.name,
            group=situation.group,
            talk=tuple(SaidLine(who=line.who, text=line.text) for line in situation.talk),
            text=situation.text,
            topics=topics,
            until=time() + self._patience,
        )
        asked = self._questions[number] = _Question(shown, situation, to)
        try:
            with anyio.move_on_after(self._patience):
                await asked.answered.wait()
        finally:
            del self._questions[number]
        if asked.draft is not None:
            drafts[situation.colleague.id] = asked.draft


def _draft(asked: _Question, text: str, clue: str) -> ReplyDraft:
    """Return the draft of a person's *text*. Raises NotUsable for a topic that the colleague does
    not know."""
    if clue and clue not in {topic.id for topic in asked.shown.topics}:
        raise NotUsable("The colleague knows nothing about this.")
    wording = " ".join(text.split())
    if clue and PAYLOAD_PLACEHOLDER not in wording:
        wording = f"{wording} {PAYLOAD_PLACEHOLDER}".strip()
    if len(wording) > MAX_DRAFT_LENGTH:
        raise NotUsable(f"A reply may have at most {MAX_DRAFT_LENGTH:,} characters.")
    return ReplyDraft(text=wording, clue=clue)


def _topics(tx: Transaction, situation: ChatSituation) -> tuple[KnownTopic, ...]:
    asker, knowledge = situation.asker.id, Knowledge(tx)
    known = {clue.id: clue for clue in knowledge.clues() if clue.holder == situation.colleague.id}
    return tuple(
        KnownTopic(
            id=topic.id,
            question=topic.asks[0] if topic.asks else topic.id,
            payload=known[topic.id].payload,
            told=bool(knowledge.told_at(topic.id, asker)),
        )
        for topic in situation.topics
        if topic.id in known
    )


def _objection(tx: Transaction, asked: _Question, draft: ReplyDraft) -> str:
    """Return why the script's words would replace *draft*; "" if they would not."""
    colleague, asker = asked.situation.colleague, asked.situation.asker
    text = asked.situation.text
    tx.actor = asker.id
    chat = Chat(tx)
    to = chat.recipient(asked.to, text).id
    place, heard = chat.as_heard_by(colleague, asker.id, to, text)
    context = ColleagueConversation(tx, colleague, asker.id, place).reply_context(0, heard)
    everybody = tuple(Directory(tx).everybody())
    reply = DraftResponder(draft, Audience(asker, everybody)).answer(context)
    if reply.provenance is None or reply.provenance.words is WordingSource.MODEL:
        return ""
    if reply.provenance.flaw:
        return (
            f"Reworded by the script ({reply.provenance.flaw}): use everyday words, without "
            "numbers, names or promises. The information they ask for replaces {told}."
        )
    return f"The rules of the day decide this answer: “{reply.text}” Let the script say it."
