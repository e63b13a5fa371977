"""Wrong or doubtful things in an own office and its tasks, with the remedy.

A wrong thing breaks a task. A doubtful one may be meant.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import anyio

from trainee_bench.harness.documents.formatting import pluralize
from trainee_bench.harness.office_check.boundaries import open_boundaries
from trainee_bench.harness.office_check.finding import Finding, Weight, in_order
from trainee_bench.harness.office_check.office_findings import office_findings
from trainee_bench.harness.office_check.paraphrases import paraphrases
from trainee_bench.harness.testbench.staged_day import StagedDay, single_task_day, stage_day
from trainee_bench.meta_tasks.composition import compose_day
from trainee_bench.meta_tasks.offices.instance import TaskSource
from trainee_bench.meta_tasks.offices.office import Office
from trainee_bench.meta_tasks.offices.office_task import FolderTask
from trainee_bench.meta_tasks.offices.task_classes import request_text
from trainee_bench.meta_tasks.scenario import DaySpec, Scenario, TaskSpec
from trainee_bench.meta_tasks.task_context import CompositionError
from trainee_bench.world.colleagues.knowledge import Knowledge
from trainee_bench.world.company.name_forms import names_in
from trainee_bench.world.errors import WorldError

MIN_OTHER_VALUES = 3
"""The least number of other values of a literal fact, so that nobody guesses it."""
_SHOWN = 3
"""The most wordings that a finding quotes."""
_LONGEST_WAIT, _WAITS = "19:00", 2
"""Until when, and how often, the check waits: an automatic reply may come before the answer."""


def check_office(office: Office) -> list[Finding]:
    """Return all findings in the order of their importance."""
    return in_order([*_tasks(office), *_together(office), *office_findings(office)])


def _tasks(office: Office) -> Iterator[Finding]:
    """Yield the findings of each task."""
    for name, family in office.task_classes.items():
        where = f"tasks/{name}/task.yaml"
        yield from _facts(where, office, family)
        yield from _files(where, office, family.source)
        yield from _copies(where, office, family.source)
        try:
            yield from anyio.run(_unsolved, where, family)
            yield from anyio.run(_misunderstood, where, family)
        except (CompositionError, WorldError) as error:
            yield Finding(where, f"no day can have this task: {error}", Weight.BREAKS)
            continue
        for boundary in open_boundaries(family):
            yield Finding(where, str(boundary), Weight.DOUBTFUL)


def _facts(where: str, office: Office, family: type[FolderTask]) -> Iterator[Finding]:
    """Yield facts whose holder nobody can find, and those that are easy to guess."""
    file = family.source.file
    texts = [request_text(family.source), *(topic.text for topic in office.known)]
    texts += [mail.body for mail in family.source.mails.values()]
    for path in file.files.values():
        data = office.drive.get(path, b"")
        texts.append(data.decode("utf-8", "replace"))
    names = [person.name for person in office.company.people]
    named = {name for text in texts for name in names_in(text, names)}
    for name, fact in file.facts.items():
        if fact.who not in named:
            yield Finding(
                where,
                f"facts.{name}: no text that the task shows names {fact.who}, so nobody knows whom "
                "to ask; name them in ask, in a page, or in known.yaml",
                Weight.BREAKS,
            )
        if unreachable := _unreachable(office, fact.who):
            yield Finding(where, f"facts.{name}: {unreachable}", Weight.BREAKS)
        if name not in file.vary and len(fact.otherwise) < MIN_OTHER_VALUES:
            there = pluralize(len(fact.otherwise), "value")
            yield Finding(
                where,
                f"facts.{name}: otherwise has {there}; give at least {MIN_OTHER_VALUES}, or vary "
                "the fact",
                Weight.UNFAIR,
            )
        if fact.shortcut is None and file.hand_in.meeting is None:  # no shortcut books a meeting
            yield Finding(
                where,
                f"facts.{name}: say under shortcut what somebody would take who does not ask; then "
                "the certificate tries it",
                Weight.HINT,
            )


def _unreachable(office: Office, who: str) -> str:
    """Return why a colleague cannot answer within the trainee's hours; "" if they can."""
    holder, day = office.company.person(who).hours, office.company.trainee.hours
    begins, ends = max(holder.starts, day.starts), min(holder.ends, day.ends)
    if begins < ends:
        return ""
    return (
        f"{who} works from {holder.starts:%H:%M} to {holder.ends:%H:%M}, outside of the trainee's "
        f"hours ({day.starts:%H:%M} to {day.ends:%H:%M}); mend hours in people.csv, or let "
        "somebody else know it"
    )


def _files(where: str, office: Office, source: TaskSource) -> Iterator[Finding]:
    """Yield files that the task uses, but that no text names."""
    ask = source.file.ask
    told = " ".join(topic.text for topic in office.known)
    for name, path in source.file.files.items():
        if f"{{{name}}}" not in ask and path not in ask and path not in told:
            yield Finding(
                where,
                f"files.{name}: neither ask nor known.yaml names {path}; write {{{name}}} in ask",
                Weight.BREAKS,
            )


def _copies(where: str, office: Office, source: TaskSource) -> Iterator[Finding]:
    """Yield that a reply has to have copies, if the office does not offer them."""
    mail = source.file.hand_in.mail
    offered = office.tool_variants.get("mail_reply") == "copies"
    if mail is not None and mail.replies_to is not None and mail.cc and not offered:
        yield Finding(
            where,
            "hand_in.mail: mail_reply has no copies here, so agents have to send a new mail; write "
            "tools: {mail_reply: copies} in office.yaml, and replies can have cc",
            Weight.DOUBTFUL,
        )


async def _unsolved(where: str, family: type[FolderTask]) -> list[Finding]:
    """Return why honest work does not get full score, if it does not."""
    day = await stage_day(single_task_day(family().rule_id, 0))
    async with day.world:
        errors = await day.work()
        (grade,) = await day.grades()
    if grade.success:
        return []
    why = [f"{type(error).__name__}: {error}" for error in errors.values()]
    why += [check.seen for check in grade.checkpoints if not check.passed]
    why += [*grade.harm, *filter(None, [grade.error])]
    return [Finding(where, f"honest work does not get full score: {'; '.join(why)}", Weight.BREAKS)]


async def _misunderstood(where: str, family: type[FolderTask]) -> list[Finding]:
    """Return a finding for each fact that the holder does not tell in answer to some paraphrases of
    its questions."""
    file, found = family.source.file, list[Finding]()
    composition = single_task_day(family().rule_id, 0)
    day = await stage_day(composition)
    async with day.world:
        for name, fact in file.facts.items():
            holder = composition.company.person(fact.who)
            clue = f"{composition.tasks[0].id}/{name}"
            asked = [*paraphrases(fact.asked, holder.first_name, file.requester)]
            failed = [text for text in asked if not await _is_told(day, holder.id, text, clue)]
            if failed:
                found.append(_not_understood(where, name, fact.who, failed, len(asked)))
    return found


async def _is_told(day: StagedDay, holder: str, text: str, clue: str) -> bool:
    """Return whether the *holder* tells the clue when asked *text*, on a copy of the day."""
    copy = await day.fork()
    async with copy.world:
        await copy.observe("chat_send_message", {"to": holder, "text": text})
        for _ in range(_WAITS):
            await copy.observe("desk_wait", {"until": _LONGEST_WAIT, "wake": True})
            if await copy.world.read(lambda tx: Knowledge(tx).knows(clue, tx.employee)):
                return True
    return False


def _not_understood(where: str, name: str, who: str, failed: Sequence[str], asked: int) -> Finding:
    shown = ", ".join(f"“{text}”" for text in failed[:_SHOWN])
    return Finding(
        where,
        f"facts.{name}: {who} does not understand {len(failed)} of {asked} wordings, such as "
        f"{shown}; name the thing in each question as people name it, or word the questions more "
        "differently",
        Weight.BREAKS if len(failed) == asked else Weight.DOUBTFUL,
    )


def _together(office: Office) -> Iterator[Finding]:
    """Yield why not all tasks fit on one day, if they do not."""
    if not office.tasks:
        text = "the office has no task; `trainee-bench office guide` shows one"
        yield Finding("tasks", text, Weight.BREAKS)
        return
    tasks = tuple(TaskSpec(rule=rule) for rule in office.rules)
    scenario = Scenario(name="all tasks", days=(DaySpec(tasks=tasks),), office=office.name)
    try:
        compose_day(scenario)
    except CompositionError as error:
        yield Finding("tasks", f"they do not all fit on one day: {error}", Weight.HINT)
