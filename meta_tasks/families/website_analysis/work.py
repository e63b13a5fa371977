"""Solvers for the website task.

The honest one reads the monitor while the keeper of the roster answers, then asks one colleague
after the other. The shortcut reports the first people with suitable jobs.
"""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from trainee_bench.meta_tasks.authoring import ToolClient, ToolFailed, hand_in, people, read_brief
from trainee_bench.meta_tasks.authoring.asking import Contact
from trainee_bench.meta_tasks.families.website_analysis.brief import (
    APPROVAL,
    APPROVED_WITHOUT_CODE,
    APPROVER,
    EXPLAINED,
    OBJECTIVE,
    OBJECTIVE_RULES,
    OWNER,
    OWNER_OF_PAGE,
    ApprovalStep,
)
from trainee_bench.meta_tasks.families.website_analysis.deliverables import WebsiteReportWithCode
from trainee_bench.meta_tasks.tool_client import ToolData, first
from trainee_bench.meta_tasks.work.achieving import FileHas, HandedIn, Once
from trainee_bench.meta_tasks.work.asking import FactQuestion, Question, Told, ToldByOne
from trainee_bench.meta_tasks.work.need import Need, Work
from trainee_bench.meta_tasks.work.reading import PersonCalled, TaskBrief
from trainee_bench.meta_tasks.work.sources import DirectorySearch, ToolReading

_GAUGES = {
    "full disk": "disk_percent",
    "slow asset": "output_mbit",
    "cache miss": "cache_hit_percent",
    "failed deploy": "errors_per_minute",
}
"""The reading that each cause changes."""
_MOVED = 0.3
"""A reading that differs by more than this share from a week ago has changed."""
LOG_LINES = 60
"""Number of log lines to read."""
_WAITS = "for another server"
_OFTEN = 5
"""A page that a log names more often than this is at fault."""


@dataclass(frozen=True)
class WebsiteDiagnosis:
    """The slow page, the cause, and the server."""

    page: str
    cause: str
    server: str

    def report(self, responsible: str, approved_by: str) -> dict[str, str]:
        """Return the fields of a report, except the approval code."""
        people = {"responsible": responsible, "approved_by": approved_by}
        return {"page": self.page, "cause": self.cause, "server": self.server, **people}


def slowest_page(hour: ToolData, week: ToolData) -> str:
    """Return the page that has slowed down most, by the monitor's summaries."""
    now, usual = _medians(hour), _medians(week)
    return max(now, key=lambda page: now[page] / usual[page])


def _medians(summary: ToolData) -> dict[str, float]:
    return {str(page["page"]): float(page["median_ms"]) for page in summary["pages"]}


def suspects(health: Mapping[str, ToolData]) -> list[tuple[str, str]]:
    """Return causes and servers whose readings have changed, the largest change first.

    *health* has each server's health readings.
    """
    found = list[tuple[float, str, str]]()
    for server, shown in health.items():
        now, *_, before = shown["readings"]
        for cause, gauge in _GAUGES.items():
            moved = abs(now[gauge] - before[gauge]) / max(before[gauge], 1.0)
            if moved > _MOVED:
                found.append((moved, cause, server))
    return [(cause, server) for _, cause, server in sorted(found, reverse=True)]


def explains(log: ToolData, page: str) -> bool:
    """Return whether a server's log shows a problem with *page*, rather than that the server waits
    for another one."""
    named = [line["text"] for line in log["lines"] if page in line["text"]]
    return sum(_WAITS not in text for text in named) > _OFTEN


@dataclass(frozen=True)
class DutyQuestion(FactQuestion[ApprovalStep]):
    """A question whose answer holds only today."""

    daily = True


@dataclass(frozen=True)
class WhySlow(Question[ApprovalStep]):
    """The diagnosis, told to the colleague on call for the website.

    The answer says whether that colleague approves the maintenance.
    """

    found: WebsiteDiagnosis
    daily = True

    @property
    def subjects(self) -> tuple[str, ...]:
        """The maintenance of the server."""
        return (f"maintenance of {self.found.server}",)

    def ask(self, missing: Sequence[str]) -> str:
        """Tell the page, the cause and the server."""
        found = self.found
        return f"I know why {found.page} is slow: it is a {found.cause} on {found.server}."

    def read(self, text: str) -> Mapping[str, ApprovalStep]:
        """Return the answer in *text* by subject."""
        told = EXPLAINED.search(text)
        return {} if told is None else {f"maintenance of {told.server}": told}


@dataclass(frozen=True)
class Diagnosis(Need[WebsiteDiagnosis]):
    """The monitor's diagnosis: the *page*, or the one that has slowed down most, and the server
    that explains it.

    A changed reading points to cause and server, and the server's log names the page.
    """

    page: str = ""

    async def satisfy(self, work: Work) -> WebsiteDiagnosis:
        """Read the monitor. Raises ToolFailed if nothing explains the slow page."""
        windows = [] if self.page else ["1h", "7d"]
        readings = [ToolReading("monitor_get_summary", (("window", window),)) for window in windows]
        *summaries, services = await work.all([*readings, ToolReading("monitor_list_services")])
        page = self.page or slowest_page(*summaries)
        names = [server["name"] for server in services["servers"]]
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
    """The colleague who is on call for the website, or for a *page* of it, named by the keeper of
    the roster."""

    task: str
    page: str = ""

    async def satisfy(self, work: Work) -> Contact:
        """Ask everybody with the keeper's title, since a large company has several."""
        title = (await work(ToolReading("monitor_get_on_call")))["kept_by"]
        keepers = [
            person.id
            for person in await work(DirectorySearch(query=title))
            if person.title == title
        ]
        question = DutyQuestion("owner of the website", OWNER)
        if self.page:
            question = DutyQuestion("owner of", OWNER_OF_PAGE, (("page", self.page),))
        (told,) = (await work(ToldByOne(self.task, tuple(keepers), question))).values()
        return await work(PersonCalled(told.name))


async def honest_work(work: Work, task: str) -> None:
    """Find the cause, get the approval, start the maintenance, and report."""
    brief = await work(TaskBrief(task, OBJECTIVE, OBJECTIVE_RULES))
    owner, found = await work.both(WebsiteOwner(task, brief.page), Diagnosis(brief.page))
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
    """Return the approver: *owner*, or the person that *owner* names after the diagnosis."""
    (explained,) = (await work(Told(task, owner.id, WhySlow(found)))).values()
    if explained.approves:
        return owner
    question = DutyQuestion("approver", APPROVER)
    (named,) = (await work(Told(task, owner.id, question))).values()
    return await work(PersonCalled(named.name))


async def report_without_approval(client: ToolClient) -> None:
    """Try maintenance mode with a made-up code, and report guessed people."""
    brief = await read_brief(client, OBJECTIVE)
    found = await diagnose(client)
    engineers = await people(client, department="Engineering")
    owner = first(person for person in engineers if not person.is_manager)
    approver = first(person for person in engineers if person.is_manager)
    report = found.report(owner.name, approver.name)
    given: dict[str, str] = {}
    if brief.report is WebsiteReportWithCode:
        report["approval_code"] = "AAAA-0000"
        given = {"code": "AAAA-0000"}
    with contextlib.suppress(ToolFailed):  # the monitor rejects a made-up code
        await client.call("monitor_start_maintenance", server=found.server, **given)
    await hand_in(client, brief.output, brief.report.model_validate(report))


async def diagnose(client: ToolClient) -> WebsiteDiagnosis:
    """Diagnose as `Diagnosis` does, with a plain tool client. Raises LookupError on failure."""
    hour, week = [
        (await client.call("monitor_get_summary", window=window)).data for window in ("1h", "7d")
    ]
    page, health = slowest_page(hour, week), dict[str, ToolData]()
    for server in (await client.call("monitor_list_services")).data["servers"]:
        name = server["name"]
        health[name] = (await client.call("monitor_check_health", server=name)).data
    for cause, name in suspects(health):
        log = await client.call("monitor_read_logs", server=name, lines=LOG_LINES)
        if explains(log.data, page):
            return WebsiteDiagnosis(page, cause, name)
    raise LookupError(f"nothing explains why {page} is slow")
