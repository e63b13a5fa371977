"""The submitted report and its grading."""

from __future__ import annotations

from dataclasses import dataclass

from pydantic import Field

from trainee_bench.meta_tasks.authoring import (
    Code,
    Deliverable,
    GradingContext,
    PathText,
    PersonRef,
    Text,
)
from trainee_bench.world.company.people import Person
from trainee_bench.world.monitoring.website import IncidentCause

CAUSES = ", ".join(f'"{cause}"' for cause in IncidentCause)


class WebsiteReport(Deliverable):
    """The diagnosis and the people involved."""

    page: PathText = Field(description='path of the slow page, such as "/home"')
    cause: Text = Field(description=f"why it is slow, one of {CAUSES}")
    server: Text = Field(description='name of the server at fault, such as "web-01"')
    responsible: PersonRef = Field(
        description="full name of the colleague on call for the website today, whether or "
        "not they also approve the maintenance"
    )
    approved_by: PersonRef = Field(
        description="full name of the colleague who approved the maintenance"
    )


class WebsiteReportWithCode(WebsiteReport):
    """The report for rules with an approval code."""

    approval_code: Code = Field(description='code of that approval, such as "ABCD-1234"')


@dataclass(frozen=True)
class WebsiteTruth:
    """Grading data: the report's path, the diagnosis and the people.

    ``code`` is None if no approval code is needed.
    """

    path: str
    page: str
    cause: IncidentCause
    server: str
    responsible: Person
    approver: Person
    code: str | None

    @property
    def model(self) -> type[WebsiteReport]:
        """The required format of the report."""
        return WebsiteReportWithCode if self.code else WebsiteReport

    def read(self, grading: GradingContext[WebsiteTruth]) -> WebsiteReport:
        """Read the submitted report. Raises Unreadable."""
        return grading.read(self.path, self.model)

    @property
    def right(self) -> WebsiteReport:
        """The right report."""
        found = {
            "page": self.page,
            "cause": self.cause,
            "server": self.server,
            "responsible": self.responsible.name,
            "approved_by": self.approver.name,
        }
        return self.model.model_validate(
            found | ({"approval_code": self.code} if self.code else {})
        )

    def agrees(
        self, grading: GradingContext[WebsiteTruth], report: WebsiteReport, *fields: str
    ) -> bool:
        """Return whether these *fields* of *report* are right."""
        return not {*fields}.intersection(grading.keys.differing(report, self.right))
