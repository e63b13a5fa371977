"""What is wrong or doubtful in an own office, with the remedy.

A wrong thing breaks a task. A doubtful one may be meant.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import anyio

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

MIN_OTHER_VALUES = 3
"""The least number of other values of a literal fact, so that nobody guesses it."""
_LONGEST_WAIT, _WAITS = "19:00", 2
"""Until when, and how often, the check waits: an automatic reply may come before the answer."""


@dataclass(frozen=True)
class Finding:
    """Something *wrong* or doubtful: its file, and what to do."""

    where: str
    text: str
    wrong: bool

    def __str__(self) -> str:
        return f"{'wrong' if self.wrong else 'look at'}: {self.where}: {self.text}"


def check_office(office: Office) -> Iterator[Finding]:
    """Yield the findings of each task, then those of all tasks on one day.

    Raises CompositionError if a task cannot be composed.
    """
    for name, family in office.task_classes.items():
        where = f"tasks/{name}/task.yaml"
        yield from _facts(where, office, family)
        yield from _files(where, office, family.source)
        yield from _copies(where, office, family.source)
        yield from anyio.run(_unsolved, where, family)
        yield from anyio.run(_misunderstood, where, family)
    yield from _together(office)


def _facts(where: str, office: Office, family: type[FolderTask]) -> Iterator[Finding]:
    """Yield facts whose holder nobody can find, and those that are easy to guess."""
    file = family.source.file
    texts = [request_text(family.source), *(topic.text for topic in office.known)]
    texts += [mail.body for mail in family.source.mails.values()]
    for path in file.files.values():
        data = office.drive.get(path, b"")
        texts.append(data.decode("utf-8", "replace"))
    for name, fact in file.facts.items():
        if not any(fact.who in text for text in texts):
            yield Finding(
                where,
                f"facts.{name}: no text that the task shows names {fact.who}, so nobody knows whom "
                "to ask; name them in ask, in a page, or in known.yaml",
                True,
            )
        if name not in file.vary and len(fact.otherwise) < MIN_OTHER_VALUES:
            yield Finding(
                where,
                f"facts.{name}: otherwise has {len(fact.otherwise)} values; give at least "
                f"{MIN_OTHER_VALUES}, or vary the fact",
                True,
            )
        if fact.shortcut is None:
            yield Finding(
                where,
                f"facts.{name}: say under shortcut what somebody would take who does not ask; then "
                "the certificate tries it",
                False,
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
                True,
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
            False,
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
    return [Finding(where, f"honest work does not get full score: {'; '.join(why)}", True)]


async def _misunderstood(where: str, family: type[FolderTask]) -> list[Finding]:
    """Return the paraphrases of the facts' questions to which the holder does not answer with the
    fact."""
    file, found = family.source.file, list[Finding]()
    composition = single_task_day(family().rule_id, 0)
    day = await stage_day(composition)
    async with day.world:
        for name, fact in file.facts.items():
            holder = composition.company.person(fact.who)
            for text in paraphrases(fact.asked, holder.first_name, file.requester):
                if not await _is_told(day, holder.id, text, f"{composition.tasks[0].id}/{name}"):
                    found.append(_not_understood(where, name, fact.who, text))
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


def _not_understood(where: str, name: str, who: str, text: str) -> Finding:
    return Finding(
        where,
        f"facts.{name}: {who} does not understand “{text}”; name the thing in each question as "
        "people name it, or word the questions more differently",
        False,
    )


def _together(office: Office) -> Iterator[Finding]:
    """Yield why not all tasks fit on one day, if they do not."""
    if not office.tasks:
        yield Finding(
            "tasks", "the office has no task; `trainee-bench office guide` shows one", True
        )
        return
    tasks = tuple(TaskSpec(rule=rule) for rule in office.rules)
    scenario = Scenario(name="all tasks", days=(DaySpec(tasks=tasks),), office=office.name)
    try:
        compose_day(scenario)
    except CompositionError as error:
        yield Finding("tasks", f"they do not all fit on one day: {error}", False)
