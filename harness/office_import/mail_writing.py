"""Writes mails in the one form of the office: UTF-8, one plain text, attachments as MIME parts."""

from __future__ import annotations

import base64
import quopri
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from email.header import Header
from email.utils import encode_rfc2231, format_datetime, formataddr

from trainee_bench.harness.office_import.converted import ConvertedFile
from trainee_bench.harness.office_import.mail_headers import MailContact
from trainee_bench.world.email.rfc5322 import media_type_by_name
from trainee_bench.world.random_streams import stable_id

_LONGEST_LINE = 990
"""Bytes of a line that any mail program reads; the standard allows 998."""


@dataclass(frozen=True)
class CanonicalMail:
    """A mail as the office keeps it; ``at`` is aware, in the office's zone.

    Message ids have their brackets.
    """

    sender: MailContact
    to: tuple[MailContact, ...]
    cc: tuple[MailContact, ...]
    bcc: tuple[MailContact, ...]
    subject: str
    at: datetime
    message_id: str
    in_reply_to: str
    references: tuple[str, ...]
    body: str
    attachments: tuple[ConvertedFile, ...]

    def to_bytes(self) -> bytes:
        """Return the mail as a file; equal mails have equal bytes."""
        text = self.body.rstrip("\n") + "\n"
        body = _text_part(text)
        headers = "".join(self._headers())
        if not self.attachments:
            return headers.encode() + body
        boundary = f"=_{stable_id('boundary', self.message_id, length=32)}"
        headers += f'Content-Type: multipart/mixed; boundary="{boundary}"\n\n'
        parts = [body, *(_file_part(file) for file in self.attachments)]
        joined = b"".join(f"--{boundary}\n".encode() + part + b"\n" for part in parts)
        return headers.encode() + joined + f"--{boundary}--\n".encode()

    def _headers(self) -> Iterator[str]:
        yield f"From: {_contacts([self.sender])}\n"
        for name, contacts in (("To", self.to), ("Cc", self.cc), ("Bcc", self.bcc)):
            if contacts:
                yield f"{name}: {_contacts(contacts)}\n"
        yield f"Subject: {_encoded(self.subject, 'Subject')}\n"
        yield f"Date: {format_datetime(self.at)}\n"
        yield f"Message-ID: {self.message_id}\n"
        if self.in_reply_to:
            yield f"In-Reply-To: {self.in_reply_to}\n"
        if self.references:
            folded = "\n ".join(self.references)
            yield f"References: {folded}\n"
        yield "MIME-Version: 1.0\n"


def _encoded(text: str, name: str) -> str:
    header = Header(text, "us-ascii" if text.isascii() else "utf-8", header_name=name)
    return header.encode(linesep="\n")


def _contacts(contacts: Sequence[MailContact]) -> str:
    shown = []
    for name, address in contacts:
        if name.isascii():
            shown.append(formataddr((name, address)))
        else:
            shown.append(f"{_encoded(name, 'Cc')} <{address}>")
    return ",\n ".join(shown)


def _text_part(text: str) -> bytes:
    data = text.encode("utf-8", "replace")
    plain = all(len(line) <= _LONGEST_LINE for line in data.split(b"\n"))
    encoding = "quoted-printable" if not plain else "7bit" if data.isascii() else "8bit"
    head = f"Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: {encoding}\n\n"
    return head.encode() + (data if plain else quopri.encodestring(data))


def _file_part(file: ConvertedFile) -> bytes:
    name = file.name.replace("\\", "\\\\").replace('"', '\\"')
    shown = (
        f'filename="{name}"'
        if name.isascii()
        else f"filename*={encode_rfc2231(file.name, 'utf-8')}"
    )
    head = (
        f"Content-Type: {media_type_by_name(file.name)}\n"
        f"Content-Disposition: attachment; {shown}\n"
        "Content-Transfer-Encoding: base64\n\n"
    )
    return head.encode() + base64.encodebytes(file.data)
