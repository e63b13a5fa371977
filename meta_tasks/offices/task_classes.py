"""Makes a family of each task of an office: its request, its plan of honest work, its shortcut."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from pydantic import JsonValue

from trainee_bench.meta_tasks.authoring.converters import PATH
from trainee_bench.meta_tasks.authoring.facts import HiddenFact
from trainee_bench.meta_tasks.authoring.solving import read_brief
from trainee_bench.meta_tasks.authoring.text_template import TextTemplate, ValueTemplate
from trainee_bench.meta_tasks.offices.answer_code import Seen
from trainee_bench.meta_tasks.offices.file_contents import is_text
from trainee_bench.meta_tasks.offices.hand_ins import describe
from trainee_bench.meta_tasks.offices.honest_way import (
    OUTPUT,
    HonestPlan,
    PlannedFact,
    PlannedFile,
)
from trainee_bench.meta_tasks.offices.instance import (
    TaskSource,
    page_template,
    seen_text,
    text_template,
)
from trainee_bench.meta_tasks.offices.office_task import FolderTask, TaskSetting
from trainee_bench.meta_tasks.offices.placeholders import PLACEHOLDER, names_in
from trainee_bench.meta_tasks.offices.table_answer import table_cells
from trainee_bench.meta_tasks.offices.values import Value, converter_of, kind_of
from trainee_bench.meta_tasks.tool_client import ToolClient, read_text
from trainee_bench.meta_tasks.work.need import Work

_SENTENCE_END = re.compile(r"(?<=[.!?]) +")


def task_class(source: TaskSource, setting: TaskSetting) -> type[FolderTask]:
    """Return the family of one task. Its rule is called like the office and the task."""
    plan = _plan(source, setting)

    async def honest_work(work: Work, task: str) -> None:
        await plan.work(work, task)

    async def shortcut(client: ToolClient) -> None:
        await _shortcut(source, plan, client)

    varies = file_varies(source)
    members = {
        "usual_deadline": source.file.deadline,
        "guessing_waived": "" if varies else "the task has the same answer at every seed",
        "__module__": __name__,
        "__doc__": source.file.title,
        "family": source.office,
        "domain": source.file.domain,
        "source": source,
        "setting": setting,
        "plan": plan,
        "honest_work": staticmethod(honest_work),
        "shortcut": staticmethod(shortcut),
    }
    name = f"{source.office}_{source.name}".title().replace("_", "")
    return type(name, (FolderTask,), members)


def file_varies(source: TaskSource) -> bool:
    """Whether seeds give other answers: something of the task is drawn."""
    return bool(source.file.vary)


def _plan(source: TaskSource, setting: TaskSetting) -> HonestPlan:
    file = source.file
    policy = {**setting.policy, **file.policy}
    files = {name: _planned_file(source, setting, policy, name) for name in file.files}
    facts = {
        name: PlannedFact(
            fact.who,
            HiddenFact(
                name, fact.asked, ValueTemplate(fact.says, converter_of(kind_of(fact.value)))
            ),
        )
        for name, fact in file.facts.items()
    }
    reply_to = subject = answered = ""
    if (mail := file.hand_in.mail) is not None:
        subject = mail.subject
        if mail.replies_to is not None:
            first = source.mails[file.files[mail.replies_to]]
            reply_to, subject = first.sender, f"Re: {first.subject}"
            answered = first.subject if setting.reply_copies or not mail.cc else ""
    request = request_text(source)
    return HonestPlan(
        request=_request_template(source, policy, request),
        rules=_rules(request),
        files=files,
        facts=facts,
        hand_in=file.hand_in,
        code=source.code,
        rows=file.rows,
        reply_to=reply_to,
        subject=subject,
        answered=answered,
    )


def _planned_file(
    source: TaskSource, setting: TaskSetting, policy: Mapping[str, Value], name: str
) -> PlannedFile:
    path = source.file.files[name]
    because = source.file.because.get(name, ())
    subject, text = "", ""
    if path.endswith(".eml"):
        subject, text = source.mails[path].subject, source.mails[path].body
    elif path in setting.drive and is_text(path) and name not in source.file.vary:
        text = setting.drive[path].decode("utf-8-sig")
    page = page_template(text, policy) if names_in(text, policy) else None
    return PlannedFile(path, subject, page, because)


def request_text(source: TaskSource) -> str:
    """Return the request with names in braces where each instance has another path or value. It
    begins with the requester's name, so that authors can write *me*."""
    file = source.file
    paragraphs = (" ".join(paragraph.split()) for paragraph in file.ask.strip().split("\n\n"))
    ask, form = "\n\n".join(paragraphs), describe(file.hand_in, f"{{{OUTPUT}}}")
    text = ask.replace("{hand_in}", form) if "{hand_in}" in ask else f"{ask}\n\n{form}"
    for name, path in file.files.items():
        if path.endswith(".eml"):
            text = text.replace(f"{{{name}}}", f"the mail “{source.mails[path].subject}”")
        elif name not in file.vary:
            text = text.replace(f"{{{name}}}", path)
    return f"{file.requester} asks:\n\n{text}"


def _request_template(
    source: TaskSource, policy: Mapping[str, Value], text: str
) -> TextTemplate[Any]:
    values = {name: converter_of(kind_of(value)) for name, value in policy.items()}
    return text_template(text, {**values, **dict.fromkeys([*source.file.vary, OUTPUT], PATH)})


def _rules(text: str) -> tuple[str, ...]:
    """Return the sentences and lines of a request that are the same in every instance."""
    return tuple(
        sentence
        for line in text.split("\n")
        for sentence in _SENTENCE_END.split(line)
        if sentence.strip() and not PLACEHOLDER.search(sentence)
    )


async def _shortcut(source: TaskSource, plan: HonestPlan, client: ToolClient) -> None:
    """Take the usual values of all facts, and submit what follows from them. Do nothing if the task
    has no facts, since there is nothing to leave out."""
    file = source.file
    usual = {name: fact.shortcut for name, fact in file.facts.items() if fact.shortcut is not None}
    if not file.facts or len(usual) < len(file.facts):
        return
    stated = vars(await read_brief(client, plan.request, plan.rules))
    policy = {name: value for name, value in stated.items() if name not in file.files}
    seen: dict[str, Seen] = {}
    for name, planned in plan.files.items():
        path = str(stated.get(name, planned.path))
        if not is_text(path) or planned.subject:
            continue
        text = await read_text(client, path)
        seen[name] = seen_text(path, text)
        policy |= vars(planned.page.parse(text)) if planned.page is not None else {}
    if file.hand_in.table is not None:
        path = str(policy.pop(OUTPUT))
        rows = plan.computed_rows(seen, usual, policy)
        cells: JsonValue = [list(line) for line in table_cells(file.hand_in.table, rows)]
        await client.call("sheets_create", path=path, rows=cells)
    elif file.hand_in.mail is not None:
        mail = plan.mail(file.hand_in.mail, plan.computed_values(seen, usual, policy))
        await client.call(
            "mail_send", to=[*mail.to], cc=[*mail.cc], subject=mail.subject, body=mail.body
        )
    await client.call("desk_submit", task=client.task)
