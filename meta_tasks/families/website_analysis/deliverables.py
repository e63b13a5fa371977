"""What is told at the start, the report that is handed in, and when what it says is right."""

from __future__ import annotations

from dataclasses import dataclass

from pydantic import Field

from trainee_bench.meta_tasks.authoring import PATH, Deliverable, TextTemplate, fields_of, fold_text
from trainee_bench.world.company.people import Person
from trainee_bench.world.monitoring.website import IncidentCause

CAUSES = ", ".join(f'"{cause}"' for cause in IncidentCause)


class WebsiteReport(Deliverable):
    """What was found, and who decided."""

    page: str = Field(description='path of the slow page, such as "/home"')
    cause: str = Field(description=f"why it is slow, one of {CAUSES}")
    server: str = Field(description='name of the server at fault, such as "web-01"')
    responsible: str = Field(
        description="full name of the colleague who looks after the website today"
    )
    approved_by: str = Field(description="full name of the colleague who approved the maintenance")


class WebsiteReportWithCode(WebsiteReport):
    """The same where an approval comes with a code."""

    approval_code: str = Field(description='code of that approval, such as "ABCD-1234"')


@dataclass(frozen=True)
class Brief:
    """What the objective states."""

    output: str
    report: type[Deliverable]


OBJECTIVE = TextTemplate(
    Brief,
    "Customers complain that a page of our website has become very slow since last night. "
    "Please take care of it:\n"
    f"1. Find out with the monitor which page it is, why it is slow (one of {CAUSES}), and on "
    "which server. Tell the cause (in these very words) and the server, in one message that "
    "names no other cause or server, to the colleague who looks after the website today.\n"
    "2. The server has to go into maintenance mode, in which it repairs itself. Start it in "
    "the monitor, for no other server, and not before whoever has to approve it has done so. "
    "You do not know these people yet; your colleagues know who is responsible for what.\n"
    "3. Hand in {output}, a JSON object with exactly these fields:\n"
    "{report}\n"
    "We check what the report says against the facts, that the colleague got the right "
    "diagnosis from you, and that the right server is in maintenance mode with an approval.",
    {"output": PATH, "report": fields_of(WebsiteReport, WebsiteReportWithCode)},
)


def same_text(written: str, meant: str) -> bool:
    """Whether a path, a name or a code is the one meant, in any case."""
    return fold_text(written) == fold_text(meant)


def same_page(written: str, meant: str) -> bool:
    """Whether a page is the one meant, with or without slashes, as the monitor takes it."""
    return same_text(written.strip().strip("/"), meant.strip("/"))


def same_code(written: str, meant: str) -> bool:
    """Whether a code is the one meant, with a dash, a blank or nothing in it, as the monitor
    takes it."""
    return fold_text(written).replace("-", "").replace(" ", "") == fold_text(meant).replace("-", "")


def names_person(written: str, person: Person) -> bool:
    """Whether *person* is meant by a full name, an id or an address."""
    return any(same_text(written, known) for known in (person.name, person.id, person.email))
