"""The chat as the page shows it."""

from __future__ import annotations

from pydantic import BaseModel

from trainee_bench.harness.studio.views.app_view import AppView, Marks, ViewRequest
from trainee_bench.mcp_servers.chat import DirectoryEntry, chat_list_people
from trainee_bench.world.apps.chat import Chat, ChatGroup, ChatMessage
from trainee_bench.world.transaction import Transaction


class ChatView(BaseModel):
    """All messages, oldest first, with the people and groups in them."""

    me: str
    people: tuple[DirectoryEntry, ...]
    groups: tuple[ChatGroup, ...]
    messages: tuple[ChatMessage, ...]


def _show(tx: Transaction, request: ViewRequest) -> ChatView:
    page = chat_list_people(tx).data
    people = list(page.people)
    while page.next_cursor is not None:
        page = chat_list_people(tx, cursor=page.next_cursor).data
        people += page.people
    chat = Chat(tx)
    return ChatView(
        me=tx.employee,
        people=tuple(people),
        groups=tuple(chat.groups()),
        messages=chat.history(),
    )


def _marks(tx: Transaction) -> Marks:
    chat = Chat(tx)
    messages = {str(message.id): "" for message in chat.history()}
    return messages | {group.id: " ".join(group.members) for group in chat.groups()}


VIEW = AppView("chat", _show, _marks)
