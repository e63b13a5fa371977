"""Encodes messages as RFC 5322 and MIME, always with the same bytes for the same message."""

from __future__ import annotations

from collections.abc import Sequence
from email.header import Header
from email.headerregistry import Address as HeaderAddress
from email.headerregistry import AddressHeader
from email.message import EmailMessage
from email.policy import EmailPolicy
from email.utils import format_datetime
from typing import Any

from trainee_bench.world.company.people import DOMAIN
from trainee_bench.world.email.message import AttachmentFile, MailAddress, MailMessage
from trainee_bench.world.filesystem.content import FileContent, FileKind
from trainee_bench.world.random_streams import stable_id

_TYPES = {
    "csv": "text/csv",
    "eml": "message/rfc822",
    "html": "text/html",
    "ics": "text/calendar",
    "jpeg": "image/jpeg",
    "jpg": "image/jpeg",
    "json": "application/json",
    "md": "text/markdown",
    "pdf": "application/pdf",
    "png": "image/png",
    "txt": "text/plain",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "xml": "application/xml",
    "zip": "application/zip",
}
"""Media types by file extension. The standard library's table differs between machines."""


class _Policy(EmailPolicy):
    """The standard library's policy for transmitted mail, except for headers that are not ASCII.

    The older `Header` folds those, since the newer code loses spaces between encoded words.
    """

    def fold_binary(self, name: str, value: Any) -> bytes:
        """Fold one header with its name, in ASCII."""
        if str(value).isascii() or name.lower() not in ("from", "to", "cc", "subject"):
            return super().fold_binary(name, value)
        if isinstance(value, AddressHeader):
            text = f",{self.linesep} ".join(map(self._address, value.addresses))
        else:
            text = Header(str(value), "utf-8", header_name=name).encode(linesep=self.linesep)
        return f"{name}: {text}{self.linesep}".encode("ascii")

    def _address(self, address: HeaderAddress) -> str:
        if address.display_name.isascii():
            return str(address)
        name = Header(address.display_name, "utf-8", header_name="Cc")
        return f"{name.encode(linesep=self.linesep)} <{address.addr_spec}>"


_SMTP = _Policy(linesep="\r\n")


def to_rfc5322(
    message: MailMessage, enclosures: Sequence[AttachmentFile], references: Sequence[str] = ()
) -> bytes:
    """Encode *message* with its attachments' contents; lines end in CRLF.

    *references* are the message ids of the conversation so far, oldest first. The date has no zone
    ("-0000"), as simulated time has none.
    """
    mail = EmailMessage(policy=_SMTP)
    mail["From"] = _header(message.sender)
    if message.to:
        mail["To"] = tuple(_header(address) for address in message.to)
    if message.cc:
        mail["Cc"] = tuple(_header(address) for address in message.cc)
    mail["Subject"] = message.subject
    mail["Date"] = format_datetime(message.at)
    mail["Message-ID"] = f"<{message.message_id}>"
    if references:
        mail["In-Reply-To"] = f"<{references[-1]}>"
        mail["References"] = " ".join(f"<{reference}>" for reference in references)
    mail.set_content(message.body)
    for enclosure in enclosures:
        maintype, _, subtype = media_type_by_name(enclosure.name).partition("/")
        mail.add_attachment(
            _file(enclosure), maintype=maintype, subtype=subtype, filename=enclosure.name
        )
    if enclosures:
        mail.set_boundary(f"=_{stable_id('boundary', message.message_id, length=32)}")
    return mail.as_bytes()


def media_type_by_name(name: str) -> str:
    """Return the media type of a file with this name, or the type of unknown bytes."""
    _, dot, ending = name.rpartition(".")
    known = _TYPES.get(ending.lower(), "application/octet-stream") if dot else ""
    # A mail is attached as unknown bytes, since it would have to be reencoded; its name tells.
    return known if known and not known.startswith("message/") else "application/octet-stream"


def new_message_id(*names: str | int, domain: str = DOMAIN) -> str:
    """Derive a message id from these names, without the angle brackets."""
    return f"{stable_id('mail', *names, length=20)}@{domain}"


def _header(address: MailAddress) -> HeaderAddress:
    return HeaderAddress(display_name=address.name, addr_spec=address.address)


def _file(enclosure: AttachmentFile) -> bytes:
    """Return the bytes that another program would get."""
    if enclosure.kind is not FileKind.WORKBOOK:
        return FileContent(kind=enclosure.kind, data=enclosure.data).shown
    # Imported here, since most mail does not need the spreadsheet engine.
    from trainee_bench.world.workbook.model import Workbook
    from trainee_bench.world.workbook.xlsx import to_xlsx

    return to_xlsx(Workbook.model_validate_json(enclosure.data))
