"""The honest way: read the instruments while the keeper of the roster answers, then ask from one
colleague to the next."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from trainee_bench.meta_tasks.authoring.asking import Contact
from trainee_bench.meta_tasks.families.website_analysis.brief import (
    APPROVAL,
    APPROVED_WITHOUT_CODE,
    APPROVER,
    EXPLAINED,
    OBJECTIVE,
    OBJECTIVE_RULES,
    OWNER,
    ApprovalStep,
    WebsiteReportWithCode,
)
from trainee_bench.meta_tasks.families.website_analysis.diagnosis import (
    LOG_LINES,
    WebsiteDiagnosis,
    explains,
    slowest_page,
    suspects,
)
from trainee_bench.meta_tasks.tool_client import ToolFailed
from trainee_bench.meta_tasks.work.achieving import FileHas, HandedIn, Once
from trainee_bench.meta_tasks.work.asking import FactQuestion, Question, Told, ToldByOne
from trainee_bench.meta_tasks.work.need import Need, Work
from trainee_bench.meta_tasks.work.reading import PersonCalled, TaskBrief
from trainee_bench.meta_tasks.work.sources import DirectorySearch, ToolReading


@dataclass(frozen=True)
class DutyQuestion(FactQuestion[ApprovalStep]):
    """A question for what holds today."""

    daily: ClassVar[bool] = True


@dataclass(frozen=True)
class WhySlow(Question[ApprovalStep]):
    """The diagnosis, told to whoever looks after the website, who answers whether they approve."""

    found: WebsiteDiagnosis
    daily: ClassVar[bool] = True

    @property
    def subjects(self) -> tuple[str, ...]:
        """The server."""
        return (f"maintenance of {self.found.server}",)

    def ask(self, missing: Sequence[str]) -> str:
        """Say what is wrong, and where."""
        found = self.found
        return f"I know why {found.page} is slow: it is a {found.cause} on {found.server}."

    def read(self, text: str) -> Mapping[str, ApprovalStep]:
        """What *text* says about the server that it names."""
        told = EXPLAINED.search(text)
        return {} if told is None else {f"maintenance of {told.server}": told}


@dataclass(frozen=True)
class Diagnosis(Need[WebsiteDiagnosis]):
    """What the instruments say: the page that is slower than in its week, the server and the
    reading that moved, confirmed by the log, which names the page."""

    async def satisfy(self, work: Work) -> WebsiteDiagnosis:
        """Read them. Raises ToolFailed if nothing explains it."""
        windows = [
            ToolReading("monitor_get_summary", (("window", window),)) for window in ("1h", "7d")
        ]
        *summaries, services = await work.all([*windows, ToolReading("monitor_list_services")])
        page, names = slowest_page(*summaries), [one["name"] for one in services["servers"]]
        health = await work.all(
            ToolReading("monitor_check_health", (("server", name),)) for name in names
        )
        for cause, server in suspects(dict(zip(names, health, strict=True))):
            asked = (("server", server), ("lines", LOG_LINES))
            if explains(await work(ToolReading("monitor_read_logs", asked)), page):
                return WebsiteDiagnosis(page, cause, server)
        raise ToolFailed(f"nothing explains why {page} is slow")


@dataclass(frozen=True)
class WebsiteOwner(Need[Contact]):
    """Who looks after the website, as the keeper of the roster says."""

    task: str

    async def satisfy(self, work: Work) -> Contact:
        """Ask; a large company has several people of the keeper's title."""
        title = (await work(ToolReading("monitor_get_on_call")))["kept_by"]
        keepers = [
            person.id
            for person in await work(DirectorySearch(query=title))
            if person.title == title
        ]
        question = DutyQuestion("owner of the website", OWNER)
        (told,) = (await work(ToldByOne(self.task, tuple(keepers), question))).values()
        return await work(PersonCalled(told.name))


async def honest_work(work: Work, task: str) -> None:
    """Find the cause, get the approval, start the maintenance, and report."""
    brief = await work(TaskBrief(task, OBJECTIVE, OBJECTIVE_RULES))
    owner, found = await work.both(WebsiteOwner(task), Diagnosis())
    approver, server = await _approver(work, task, owner, found), ("server", found.server)
    question = DutyQuestion("approval", APPROVAL, (server,), (APPROVED_WITHOUT_CODE,))
    (approval,) = (await work(Told(task, approver.id, question))).values()
    code = (("code", approval.code),) if approval.code else ()
    await work(Once("monitor_start_maintenance", (server, *code)))
    report = found.report(owner.name, approver.name)
    if brief.report is WebsiteReportWithCode:
        report["approval_code"] = approval.code
    text = brief.report.model_validate(report).model_dump_json(indent=2)
    await work(HandedIn(task, (FileHas(brief.output, text),)))


async def _approver(work: Work, task: str, owner: Contact, found: WebsiteDiagnosis) -> Contact:
    """Who has to approve: *owner*, or the person whom they name once they know what is wrong."""
    (explained,) = (await work(Told(task, owner.id, WhySlow(found)))).values()
    if explained.approves:
        return owner
    question = DutyQuestion("approver", APPROVER)
    (named,) = (await work(Told(task, owner.id, question))).values()
    return await work(PersonCalled(named.name))
