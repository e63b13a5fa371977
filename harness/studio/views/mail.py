"""Mail as the page shows it."""

from __future__ import annotations

from pydantic import BaseModel

from trainee_bench.harness.studio.views.app_view import AppView, Marks, ViewRequest
from trainee_bench.mcp_servers.mail import MailContent, MailLine, mail_list, mail_read
from trainee_bench.world.apps.mail import Mail
from trainee_bench.world.email.mailbox import Mailbox
from trainee_bench.world.email.message import ALL
from trainee_bench.world.errors import NotFound
from trainee_bench.world.transaction import Transaction

_MOST = 2_000
"""The number of mails that are checked for changes."""


class MailView(BaseModel):
    """The mailbox: labels with their numbers of mails, all mails, newest first, and the opened
    one."""

    labels: dict[str, int]
    mails: tuple[MailLine, ...]
    mail: MailContent | None


def _show(tx: Transaction, request: ViewRequest) -> MailView:
    mails: list[MailLine] = []
    before: int | None = 0
    while before is not None:
        page = mail_list(tx, ALL, before).data
        mails += page.mails
        before = page.next_before
    opened = _opened(tx, int(request.item)) if request.item.isdecimal() else None
    return MailView(labels=Mail(tx).labels(), mails=tuple(mails), mail=opened)


def _opened(tx: Transaction, id: int) -> MailContent | None:
    """Return the whole mail, None if it does not exist yet or any more."""
    try:
        mail = mail_read(tx, id).data
    except NotFound:
        return None
    while mail.next_offset is not None:
        further = mail_read(tx, id, mail.next_offset).data
        text = mail.text + further.text
        mail = mail.model_copy(update={"text": text, "next_offset": further.next_offset})
    return mail


def _marks(tx: Transaction) -> Marks:
    mails = Mailbox(tx).page(tx.employee, ALL, (), None, _MOST)
    return {str(mail.id): " ".join(mail.labels) for mail in mails}


VIEW = AppView("mail", _show, _marks)
