"""The mail server: list, read, search, send, reply, forward, label, save."""

from __future__ import annotations

from datetime import date, datetime
from functools import lru_cache
from typing import Annotated

from pydantic import BaseModel, Field

from trainee_bench.mcp_servers.files import shown_size
from trainee_bench.mcp_servers.serving.toolbox import FileUse, Toolbox
from trainee_bench.world.apps.files import Files
from trainee_bench.world.apps.mail import Mail
from trainee_bench.world.email.message import SENT, MailMessage, MailSummary
from trainee_bench.world.errors import Invalid
from trainee_bench.world.filesystem.content import FileContent
from trainee_bench.world.filesystem.paths import parse_file_path
from trainee_bench.world.transaction import Result, Transaction

TOOLS = Toolbox(
    "mail",
    "Your mailbox: read, search, send, reply, forward and label mail.",
    opt_in=False,
    examples=(
        ("mail_send", {"to": ["{me}"], "subject": "Hello", "body": "To myself"}),
        ("mail_send", {"to": ["{colleague}"], "subject": "Hello", "body": "Hello there"}),
        ("mail_label", {"mail": 1, "add": ["kept"]}),
        ("mail_save", {"mail": 1, "path": "workspace:/first.eml"}),
    ),
)

PAGE = 10
PAGE_CHARACTERS = 6_000
"""Maximum characters of a mail's text that one call shows."""

MailId = Annotated[int, Field(description="Mail number")]
Before = Annotated[int, Field(ge=0, description="Only mails with lower numbers")]
People = Annotated[
    tuple[str, ...],
    Field(max_length=100, description="Ids, full names or addresses, internal or external"),
]
Body = Annotated[str, Field(description="Plain text")]
Attached = Annotated[
    tuple[str, ...], Field(max_length=10, description="Paths, such as workspace:/report.md")
]


class MailLine(BaseModel, frozen=True):
    """A mail in a list."""

    id: int
    at: datetime
    sender: str
    to: tuple[str, ...]
    subject: str
    unread: bool
    attachments: int
    labels: tuple[str, ...]


class MailPage(BaseModel):
    """A page of mails, newest first; *next_before* leads to the next page, None at the end."""

    mails: tuple[MailLine, ...]
    next_before: int | None


class MailLabels(BaseModel):
    """A mail's labels after a change."""

    id: int
    labels: tuple[str, ...]


class AttachmentLine(BaseModel):
    """An attachment; size in bytes, None for a picture."""

    name: str
    kind: str
    size: int | None


class MailContent(BaseModel):
    """A mail with the requested part of its text; *next_offset* continues it, None at the end."""

    id: int
    at: datetime
    sender: str
    to: tuple[str, ...]
    cc: tuple[str, ...]
    subject: str
    text: str
    total_characters: int
    next_offset: int | None
    attachments: tuple[AttachmentLine, ...]
    replies_to: int | None
    labels: tuple[str, ...]


class SentMail(BaseModel):
    """A mail that was sent."""

    id: int
    to: tuple[str, ...]
    cc: tuple[str, ...]
    subject: str
    attachments: tuple[str, ...]


class SavedFile(BaseModel):
    """The written file; size in bytes."""

    path: str
    size: int


@TOOLS.tool(read_only=True)
def mail_list(
    tx: Transaction,
    label: Annotated[
        str, Field(description="inbox, unread, sent, all, or one of your labels")
    ] = "inbox",
    before: Before = 0,
) -> Result[MailPage]:
    """List your mails with a label, newest first, ten at a time. * marks unread mails. The last
    line of the result says how to continue."""
    found = Mail(tx).page(label, before=before or None, limit=PAGE + 1)
    return _page(tx, found, f"No mail in {label}.")


@TOOLS.tool(read_only=True)
def mail_search(
    tx: Transaction,
    query: Annotated[
        str, Field(min_length=1, max_length=200, description="Words that must all occur")
    ],
    label: Annotated[str, Field(description="As in mail_list")] = "all",
    before: Before = 0,
) -> Result[MailPage]:
    """Search mails for words in the subject, text, names, addresses and attachment names. Shows ten
    at a time, as mail_list does."""
    if not query.strip():
        raise Invalid("Give at least one word to search for.")
    found = Mail(tx).page(label, query, before or None, PAGE + 1)
    return _page(tx, found, "No mail has all these words; try fewer.")


@TOOLS.tool(effort=0)
def mail_read(
    tx: Transaction,
    mail: MailId,
    offset: Annotated[int, Field(ge=0, description="Characters to skip")] = 0,
) -> Result[MailContent]:
    """Read a mail and mark it as read. Long mails come in pages; the first line of the result says
    how to continue."""
    filed = Mail(tx).read(mail)
    message = filed.message
    part = message.body[offset : offset + PAGE_CHARACTERS]
    end = offset + len(part)
    further = end if end < len(message.body) else None
    files = tuple(
        AttachmentLine(name=a.name, kind=a.kind, size=shown_size(a.kind, a.size))
        for a in message.attachments
    )
    first = f"Mail {mail}, {message.at:%Y-%m-%d %H:%M}"
    if further is not None:
        first += f", characters {offset + 1}-{end} of {len(message.body)}"
        first += f"; continue with offset={further}"
    head = [first, f"From: {message.sender}"]
    head.append(f"To: {', '.join(map(str, message.to))}")
    if message.cc:
        head.append(f"Cc: {', '.join(map(str, message.cc))}")
    head.append(f"Subject: {message.subject}")
    if message.replies_to:
        head.append(f"In reply to mail {message.replies_to}")
    if files:
        names = ", ".join(_attachment_in_words(file) for file in files)
        head.append(f"Attachments: {names} (mail_save saves an attachment as a file)")
    opened = MailContent(
        id=message.id,
        at=message.at,
        sender=str(message.sender),
        to=tuple(map(str, message.to)),
        cc=tuple(map(str, message.cc)),
        subject=message.subject,
        text=part,
        total_characters=len(message.body),
        next_offset=further,
        attachments=files,
        replies_to=message.replies_to,
        labels=filed.labels,
    )
    return Result("\n".join([*head, "", part]), opened)


@TOOLS.tool(minutes=5, effort=10)
def mail_send(
    tx: Transaction,
    to: People,
    subject: Annotated[str, Field(description="One line")],
    body: Body,
    cc: People = (),
    attachments: Attached = (),
) -> Result[SentMail]:
    """Send a mail to report, to hand over files, or to write to someone outside the company.
    Colleagues read mail but answer questions only in chat (chat_send_message)."""
    return _sent(Mail(tx).send(to, subject, body, cc, attachments))


@TOOLS.tool(minutes=5, effort=10)
def mail_reply(
    tx: Transaction,
    mail: MailId,
    body: Body,
    everybody: Annotated[bool, Field(description="Reply to everyone on the mail")] = False,
    attachments: Attached = (),
) -> Result[SentMail]:
    """Reply to a mail. Recipients and subject are filled in."""
    return _sent(Mail(tx).reply(mail, body, everybody, attachments))


@TOOLS.variant("mail_reply", "copies")
def mail_reply_with_copies(
    tx: Transaction,
    mail: MailId,
    body: Body,
    everybody: Annotated[bool, Field(description="Reply to everyone on the mail")] = False,
    cc: People = (),
    attachments: Attached = (),
) -> Result[SentMail]:
    """Reply to a mail. Recipients and subject are filled in; you can add copies."""
    return _sent(Mail(tx).reply(mail, body, everybody, attachments, cc))


@TOOLS.tool(minutes=5)
def mail_forward(tx: Transaction, mail: MailId, to: People, body: Body = "") -> Result[SentMail]:
    """Forward a mail: its text, below your own, and its attachments."""
    return _sent(Mail(tx).forward(mail, to, body))


@TOOLS.tool()
def mail_label(
    tx: Transaction,
    mail: MailId,
    add: Annotated[tuple[str, ...], Field(max_length=10, description="Labels to add")] = (),
    remove: Annotated[tuple[str, ...], Field(max_length=10, description="Labels to remove")] = (),
) -> Result[MailLabels]:
    """Add or remove labels of a mail. Removing "inbox" archives the mail; adding "unread" marks it
    as unread."""
    filed = Mail(tx).label(mail, add, remove)
    labels = MailLabels(id=mail, labels=filed.labels)
    return Result(f"Mail {mail} is labelled {', '.join(filed.labels)}.", labels)


@TOOLS.tool(destructive=True, files=FileUse.WRITES, copies=True)
def mail_save(
    tx: Transaction,
    mail: MailId,
    path: Annotated[str, Field(description="Target, such as workspace:/offer.pdf")],
    attachment: Annotated[
        str, Field(description="Attachment name; default: the whole mail, as .eml")
    ] = "",
) -> Result[SavedFile]:
    """Save an attachment, or a whole mail in the standard format (RFC 5322), as a file. Replaces
    an existing file."""
    if attachment:
        enclosure = Mail(tx).attachment_file(mail, attachment)
        info = Files(tx).put(path, FileContent(kind=enclosure.kind, data=enclosure.data))
    else:
        if parse_file_path(path).extension != "eml":
            raise Invalid(
                "A whole mail is saved as .eml. To save an attachment, give its name in attachment."
            )
        info = Files(tx).write_data(path, Mail(tx).export(mail))
    return Result(f"Saved as {info.path}.", SavedFile(path=info.path, size=info.size))


def _page(tx: Transaction, found: list[MailSummary], none: str) -> Result[MailPage]:
    """Return the first ten of the mails found, and how to get the rest."""
    today = tx.now.date()
    lines: list[MailLine] = []
    text: list[str] = []
    for mail in found[:PAGE]:
        line, in_words = _line(mail, today)
        lines.append(line)
        text.append(in_words)
    more = lines[-1].id if len(found) > PAGE else None
    if not text:
        text.append(none)
    if more is not None:
        text.append(f"(there are more; continue with before={more})")
    return Result("\n".join(text), MailPage(mails=tuple(lines), next_before=more))


def _attachment_in_words(file: AttachmentLine) -> str:
    return file.name if file.size is None else f"{file.name} ({file.size:,} B)"


@lru_cache(maxsize=2048)
def _line(mail: MailSummary, today: date) -> tuple[MailLine, str]:
    """Return a mail's entry in a list, and its line as the model reads it.

    Cached, because most mails are listed again.
    """
    line = MailLine(
        id=mail.id,
        at=mail.at,
        sender=mail.sender,
        to=mail.recipients,
        subject=mail.subject,
        unread=mail.unread,
        attachments=mail.attachments,
        labels=mail.labels,
    )
    at = f"{mail.at:%H:%M}" if mail.at.date() == today else f"{mail.at:%Y-%m-%d %H:%M}"
    who = mail.sender
    if SENT in mail.labels:
        others = f" and {len(mail.recipients) - 1} more" if len(mail.recipients) > 1 else ""
        who = f"to {mail.recipients[0]}{others}"
    files = f" ({mail.attachments} attached)" if mail.attachments else ""
    return line, f"{mail.id}{'*' if mail.unread else ''} {at} {who}: {mail.subject}{files}"


def _sent(message: MailMessage) -> Result[SentMail]:
    to, cc = (tuple(map(str, group)) for group in (message.to, message.cc))
    names = tuple(attachment.name for attachment in message.attachments)
    shown = ", ".join(to[:5]) + (f" and {len(to) - 5} more" if len(to) > 5 else "")
    sent = SentMail(id=message.id, to=to, cc=cc, subject=message.subject, attachments=names)
    attached = f" with {', '.join(names)}" if names else ""
    return Result(f"Sent as mail {message.id} to {shown}{attached}.", sent)
