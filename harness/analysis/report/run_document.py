"""The report of a run as a document: built once here, shown by every renderer."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from trainee_bench.harness.analysis.charts.charts import (
    SERIES_COLOURS,
    Series,
    bar_chart,
    line_chart,
)
from trainee_bench.harness.analysis.report.attempts_section import attempts_sections
from trainee_bench.harness.analysis.report.confidence_section import confidence_sections
from trainee_bench.harness.analysis.report.npc_section import npc_section
from trainee_bench.harness.analysis.report.provenance_section import provenance_sections
from trainee_bench.harness.analysis.report.returns_section import returns_sections
from trainee_bench.harness.analysis.report.run_facts import agent_facts, identity_facts, run_extent
from trainee_bench.harness.analysis.report.summary_grids import (
    breakdown_grid,
    interval_note,
    property_name,
    summary_grid,
)
from trainee_bench.harness.analysis.report.usage import incident_grid, usage_grid
from trainee_bench.harness.analysis.report.worst_day import headline, worst_day_section
from trainee_bench.harness.analysis.report.worth_section import NO_WORTHS, Worths, worth_sections
from trainee_bench.harness.analysis.scheduling.schedule_section import (
    causes_section,
    schedule_section,
)
from trainee_bench.harness.analysis.scheduling.schedule_summary import NO_REFERENCES, References
from trainee_bench.harness.analysis.statistics.summary import (
    AgentSummary,
    Breakdown,
    agent_summaries,
    breakdowns,
    unsupported_tasks,
)
from trainee_bench.harness.documents.document import (
    FILES,
    Block,
    Bullet,
    Bullets,
    Chart,
    Charts,
    Document,
    Facts,
    Grid,
    Medium,
    Paragraph,
    Section,
    meanings_of,
)
from trainee_bench.harness.documents.formatting import format_number, pluralize
from trainee_bench.harness.records.plan import RunPlan
from trainee_bench.harness.records.results import EpisodeResult, TaskResult
from trainee_bench.meta_tasks.working_days import WORKING_WEEK

DAYS = "days"
"""The key of the section that the HTML report fills with the days' timelines."""
MAX_EMBEDDED_EPISODES = 60
"""With more episodes, each day has its own page next to report.html."""
_HTML, _MARKDOWN = frozenset({Medium.HTML}), frozenset({Medium.MARKDOWN})
_NOT_GRADED = "not graded"
VERIFIED = "Verified: every episode was repeated from its log and graded again."
WITHDRAWN = "Not verified: the run has changed since this report was written."
"""Replacement for `VERIFIED` in a written report.

Neither text has characters that Markdown or HTML would escape.
"""
_IN_THE_STUDIO = (
    "To step through days call by call, run trainee-bench studio . in the folder of this report. "
    "Each day has the command that opens it there."
)
_EPISODE_IN_THE_STUDIO = (
    "To step through one of these episodes, run trainee-bench studio . --episode ID in this folder."
)
NOT_VERIFIED = (
    "Not verified: the command trainee-bench verify repeats every episode and grades it again."
)


def build_run_document(
    plan: RunPlan,
    results: Sequence[EpisodeResult],
    *,
    verified: bool = False,
    references: References = NO_REFERENCES,
    worths: Worths = NO_WORTHS,
) -> Document:
    """Return the report of *results*, which are some or all of the plan's episodes.

    It says whether they were *verified*. *references* has the figures of the optimal days, and
    *worths* the worth of the steps of episodes.
    """
    summaries = agent_summaries(results)
    agents = [summary.agent for summary in summaries]
    lost = worth_sections(results, agents, worths)
    causes = [] if lost else causes_section(results, references)
    scheduling = schedule_section(results, references, causes=not causes)
    extent = f"{run_extent(plan, results)} {VERIFIED if verified else NOT_VERIFIED}"
    return Document(
        title=plan.benchmark,
        genre="Trainee-Bench · run report",
        lead=headline(summaries),
        blocks=(
            Section("", (Paragraph(extent, "note"),), media=FILES),
            *lost,
            *causes,
            *worst_day_section(results),
            _results_section(results, summaries),
            *((scheduling,) if scheduling is not None else ()),
            *attempts_sections(results),
            *confidence_sections(results),
            *provenance_sections(results),
            *returns_sections(results),
            _figures_section(summaries, breakdowns(results)),
            *week_sections(results, agents),
            _days_section(results),
            _missed_section(results),
            _execution_section(plan, results, agents),
            *_conditions_section(plan, results),
        ),
        footer="Compare only runs with the same identity. report.md has the same tables as text.",
    )


def _results_section(
    results: Sequence[EpisodeResult], summaries: Sequence[AgentSummary]
) -> Section:
    """Return the main table, and what its columns mean."""
    grid = summary_grid(summaries)
    note = interval_note(summaries)
    notes = (Paragraph(note, "note"),) if note else ()
    details = Section("", (*notes, meanings_of(grid)), media=FILES)
    main = grid if summaries else Paragraph("No episode has ended yet.")
    return Section("Results", (main, details), key="results")


def _conditions_section(plan: RunPlan, results: Sequence[EpisodeResult]) -> list[Section]:
    """Return the section of conditions on which the figures depend; none if nothing was run."""
    facts = [*identity_facts(plan, results), *agent_facts(plan)]
    if plan.model_settings.npc_model:
        facts.append(("Colleagues' model", plan.model_settings.npc_model))
    if not facts:
        return []
    return [Section("Conditions", (Facts(tuple(facts)),), key="conditions", media=FILES)]


def _figures_section(summaries: Sequence[AgentSummary], kinds: Sequence[Breakdown]) -> Section:
    """Return charts, and tables by kind of task."""
    charts, note = run_charts(summaries, kinds), omitted_note(summaries)
    blocks: list[Block] = [Paragraph(note, "note")] if charts and note else []
    blocks.append(Charts(charts) if charts else Paragraph("No task could be graded."))
    tables = (
        Section(
            f"Scores by {property_name(kind)}",
            (breakdown_grid(kind), Paragraph("Each cell: score / success.", "note")),
            folds_in=_HTML,
        )
        for kind in kinds
    )
    return Section("Figures", (Section("", tuple(blocks), media=_HTML), *tables), "figures", FILES)


def _execution_section(
    plan: RunPlan, results: Sequence[EpisodeResult], agents: Sequence[str]
) -> Section:
    """Return how episodes ended, what was spent, and what went wrong."""
    blocks: list[Block] = [usage_grid(plan, results, agents)] if agents else []
    incidents = incident_grid(results, agents)
    if incidents is not None:
        blocks.append(Section("Incidents between agents and their models", (incidents,)))
    else:
        blocks.append(Paragraph("No incidents between agents and their models."))
    colleagues = npc_section(results)
    if colleagues is not None:
        blocks.append(colleagues)
    shown_in_files = Section("", tuple(blocks), media=FILES)
    faults = [*_badge_section(plan), *_refused_section(plan), *fault_sections(results)]
    return Section("How it ran", (shown_in_files, *faults), key="running")


def _badge_section(plan: RunPlan) -> list[Section]:
    """Return the contents of own offices by their digests, and how their tasks were certified, if
    there are any."""
    offices = dict.fromkeys(scenario.office for scenario in plan.scenarios if scenario.office)
    named = [reference.partition("@") for reference in offices]
    contents = tuple(Bullet(f"contents {digest}", id=name) for name, _, digest in named)
    sections = [Section("Own offices", (Bullets(contents),))] if contents else []
    if not plan.badges:
        return sections
    badges = Bullets(tuple(Bullet(badge, id=rule) for rule, badge in plan.badges.items()))
    meant = Paragraph(
        "A badge is what the office's owner stated when the run began. Anybody who has the office "
        "can repeat it: trainee-bench certify --verify-badges --office FOLDER"
    )
    return [*sections, Section("Certificates of the own office's tasks", (badges, meant))]


def _refused_section(plan: RunPlan) -> list[Section]:
    """Return the scenarios that could not be composed, if any."""
    refused = tuple(Bullet(scenario.reason, id=scenario.name) for scenario in plan.refused)
    title = "Scenarios that could not be composed and were not run"
    return [Section(title, (Bullets(refused),))] if refused else []


def fault_sections(results: Sequence[EpisodeResult]) -> list[Section]:
    """Return unsupported tasks, failed episodes, faults and agents' own errors, without empty
    lists.

    Episodes are in the order of their ids, whichever ended first.
    """
    ordered = sorted(results, key=lambda result: result.episode)
    lists = {
        "Not graded: task family not supported": [
            Bullet(f"{name}: {pluralize(count, 'task')}")
            for name, count in unsupported_tasks(results).items()
        ],
        "Failed episodes": [
            Bullet(result.error, id=result.episode)
            for result in ordered
            if result.error is not None
        ],
        "Faults that a retry overcame": [
            Bullet(fault, id=result.episode)
            for result in ordered
            if result.error is None
            for fault in result.faults
        ],
        "Errors in the agents' own code; the day was graded as the agent left it": [
            Bullet(result.agent_error, id=result.episode)
            for result in ordered
            if result.agent_error is not None
        ],
    }
    return [Section(title, (Bullets(tuple(items)),)) for title, items in lists.items() if items]


def _days_section(results: Sequence[EpisodeResult]) -> Section:
    """Return the head of the days, which only the HTML report draws."""
    if not results:
        text = "No day has been worked yet."
    elif len(results) > MAX_EMBEDDED_EPISODES:
        text = f"Each row links to the page of a day. {_IN_THE_STUDIO}"
    else:
        text = f"Open a row to see the day. {_IN_THE_STUDIO}"
    return Section("Days", (Paragraph(text),), key=DAYS, media=_HTML)


def _missed_section(results: Sequence[EpisodeResult]) -> Section:
    """Return for each agent, folded, what each of its episodes missed; the HTML report has the
    days."""
    ordered = sorted(results, key=lambda result: (result.agent, result.episode))
    blocks: list[Block] = []
    for agent, episodes in groupby(ordered, key=lambda result: result.agent):
        sections = [
            Section(f"{result.episode}: {_score(result.score)}", (Bullets(items),))
            for result in episodes
            if (items := tuple(b for task in result.tasks if (b := _missed(task)) is not None))
        ]
        if sections:
            blocks.append(Section(agent, tuple(sections), folds_in=_MARKDOWN))
    if blocks:
        blocks.insert(0, Paragraph(_EPISODE_IN_THE_STUDIO))
    else:
        blocks.append(Paragraph("Nothing." if results else "No episode has ended yet."))
    return Section("What was missed", tuple(blocks), media=_MARKDOWN)


def _missed(task: TaskResult) -> Bullet | None:
    """Return the checkpoints that *task* missed and the harm it did; None if there are none."""
    missed = [check for check in task.checkpoints if not check.passed]
    if not missed and not task.harm and task.error is None:
        return None
    return Bullet(
        _score(task.score),
        id=f"{task.task} {task.rule}".strip(),
        items=(
            *([Bullet(_error(task))] if task.error else []),
            *(Bullet(f"missed: {check.sentence}. Seen: {check.seen}") for check in missed),
            *(Bullet(f"harm: {harm}") for harm in task.harm),
        ),
    )


def _error(task: TaskResult) -> str:
    """Return why *task* has no score, or which of its checks failed with an exception."""
    return f"a check broke: {task.error}" if task.score is not None else str(task.error)


def _score(score: float | None) -> str:
    return _NOT_GRADED if score is None else format_number(score)


ORDERED_PROPERTY = "tasks in the day"
"""The only property whose groups have an order: its chart has lines."""


def run_charts(
    summaries: Sequence[AgentSummary], breakdowns: Sequence[Breakdown]
) -> tuple[Chart, ...]:
    """Return the charts, best agents first; empty if nothing was graded.

    The first chart has all agents, the others at most as many as there are colours.
    """
    graded = [summary for summary in summaries if summary.score is not None]
    if not graded:
        return ()
    series = (
        Series("score", tuple(summary.score for summary in graded), hue=1),
        Series("success", tuple(summary.success for summary in graded), hue=3),
    )
    title = "Score and success by agent"
    names = [summary.agent for summary in graded]
    svg = bar_chart(title, names, series)
    by_kind = (_breakdown_chart(kind, names[:SERIES_COLOURS]) for kind in breakdowns)
    return (Chart("agents", title, svg), *by_kind)


def omitted_note(summaries: Sequence[AgentSummary]) -> str:
    """Say which agents the charts leave out, "" if none."""
    graded = sum(summary.score is not None for summary in summaries)
    if graded <= SERIES_COLOURS:
        return ""
    return (
        f"Charts by kind of task show the {SERIES_COLOURS} best of {graded} agents; the tables "
        "show all."
    )


def _breakdown_chart(breakdown: Breakdown, agents: Sequence[str]) -> Chart:
    """Draw the score of *agents* by the property of *breakdown*."""
    groups = sorted(breakdown.cells, key=_group_order)
    series = [
        Series(agent, tuple(breakdown.cells[group][agent].score for group in groups))
        for agent in agents
    ]
    ordered = breakdown.title == ORDERED_PROPERTY and len(groups) > 1
    title = f"Score by {property_name(breakdown)}"
    names = [group.replace("_", " ") for group in groups]
    svg = (line_chart if ordered else bar_chart)(title, names, series)
    return Chart(f"by-{property_name(breakdown).replace(' ', '-')}", title, svg)


def _group_order(group: str) -> tuple[int, str]:
    return (int(group) if group.isdecimal() else 0, group)


def week_sections(results: Sequence[EpisodeResult], agents: Sequence[str]) -> list[Section]:
    """Return a table with a row for each of *agents* and a column for each day of weeks.

    Empty if no episode is one of a week.
    """
    names = list(dict.fromkeys(day.name for result in results for day in result.days))
    if not names:
        return []
    rows = [[agent, *(_cell(results, agent, name) for name in names)] for agent in agents]
    note = "Each cell: mean score of the tasks due that day / steps."
    blocks = (Grid.from_rows(["agent", *names], rows), Paragraph(note, "note"))
    title = "Days of the week" if len(names) <= WORKING_WEEK else "Working days"
    return [Section(title, blocks, media=FILES)]


def _cell(results: Sequence[EpisodeResult], agent: str, name: str) -> str:
    """Return the figures of *agent* on all days called *name*."""
    days = [
        day
        for result in results
        if result.agent == agent
        for day in result.days
        if day.name == name
    ]
    graded = [(day.due, day.score) for day in days if day.score is not None]
    due = sum(count for count, _ in graded)
    score = sum(count * score for count, score in graded) / due if due else None
    steps = sum(day.steps for day in days) / len(days) if days else None
    return f"{format_number(score)} / {format_number(steps, 0)}"
