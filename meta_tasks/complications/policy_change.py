"""A policy changes at noon: what is filed has to follow the rules that hold when it is due.

the filing rules say where a copy goes ──noon──► they name another folder
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from datetime import datetime, time
from typing import ClassVar

from trainee_bench.meta_tasks.authoring.converters import PATH
from trainee_bench.meta_tasks.authoring.text_template import ValueTemplate
from trainee_bench.meta_tasks.complication import Complicated, Complication, ComplicationKind, Stage
from trainee_bench.meta_tasks.complication_scene import Scene, at
from trainee_bench.meta_tasks.meta_task import GradingContext, PlannedEvent, Verdict, checkpoint
from trainee_bench.meta_tasks.scene_features import SceneFeature
from trainee_bench.meta_tasks.task_context import CompositionError
from trainee_bench.meta_tasks.tool_client import Solver, ToolClient, ToolFailed, read_text
from trainee_bench.meta_tasks.worker_clients import WritingClient, own_task
from trainee_bench.world.apps.files import FileAppears, Files
from trainee_bench.world.apps.mail import MailArrives

PAGE = "drive:/handbook/filing_rules.md"
FOLDERS = ("drive:/filed/2025", "drive:/filed/october", "drive:/filed/results")
NOON = time(12)
LATEST_ARRIVAL, EARLIEST_DEADLINE = time(11, 30), time(13)
RULE = ValueTemplate("Put an exact copy, under the same name, into the folder {value}.", PATH)
NOTE = ValueTemplate(
    "File a copy of each file that you hand in for this, by the filing rules that hold at the "
    "deadline: "
    "{value}.",
    PATH,
)
_TEXT = """# Filing results

Whoever hands in a file also files it, so that others find it later.

{rule}

What counts is the rule that holds when the task is due. {since}
"""
_MAILS = (
    (
        "The filing rules have changed just now. Please read {page} again: it holds for everything "
        "that is due from now on, also for what you have filed already."
    ),
    (
        "As of now we file differently; {page} says how. If something of yours is still due today, "
        "file it by the new rules, even if you have filed it before."
    ),
    (
        "There is a new version of {page}. Whatever is due from now on has to be filed by it. What "
        "you filed this morning for a task that is not due yet has to be filed again."
    ),
)


@dataclass(frozen=True)
class Filed:
    """The files handed in, and where their copies have to be."""

    paths: tuple[str, ...]
    copies: tuple[str, ...]


class PolicyChange(Complication):
    """The filing rules name another folder from noon on, for everything that is due later."""

    name: ClassVar[str] = "policy_change"
    kind: ClassVar[ComplicationKind] = ComplicationKind.CHANGE
    stage: ClassVar[Stage] = Stage.HANDING_IN
    about: ClassVar[str] = "Copies have to be filed by rules that change at noon."
    needs: ClassVar[frozenset[SceneFeature]] = frozenset({SceneFeature.REPEATABLE})

    def apply(self, scene: Scene) -> Complicated:
        """The page is there with the task, and another one from noon on. Raises CompositionError
        for a task that comes too late or is due too early for that."""
        context = scene.context
        noon = datetime.combine(context.day.starts, NOON)
        if context.arrives.time() > LATEST_ARRIVAL or context.deadline.time() < EARLIEST_DEADLINE:
            raise CompositionError(
                f"{context.task} must come by {LATEST_ARRIVAL:%H:%M} and be due at "
                f"{EARLIEST_DEADLINE:%H:%M} or later for {self.name}"
            )
        context.share_path(PAGE)
        before, after = FOLDERS[0], FOLDERS[1 + context.day.starts.day % 2]
        since = f"This rule holds since {NOON:%H:%M} today, also for what was filed before."
        hr = next(iter(context.company.department("HR").managers))
        mail = MailArrives(
            sender=hr.id,
            to=(context.employee.id,),
            subject="New filing rules",
            body=context.stream(self.name).choice(_MAILS).format(page=PAGE),
        )
        told = () if not context.claim_if_free("the mail about filing rules") else (at(noon, mail),)
        paths = scene.instance.deliverable_paths
        copies = tuple(f"{after}/{path.rpartition('/')[2]}" for path in paths)
        filed = {
            f"{folder}/{path.rpartition('/')[2]}"
            for folder in (before, after)
            for path in (*paths, *scene.dropped)
        }
        scene = scene.with_events(
            PlannedEvent(FileAppears(path=PAGE, text=_page(before, ""), once=True)),
            at(noon, FileAppears(path=PAGE, text=_page(after, since))),
            *told,
        ).changed(
            writable_paths=scene.instance.writable_paths | filed,
            background=(*scene.instance.background, *(mail.subject for _ in told)),
        )
        return Complicated(scene.with_note(NOTE.render(PAGE)), Filed(paths, copies))

    @checkpoint(
        "An exact copy of what was handed in is filed as the rules say that hold at the deadline",
        where="The page on filing, as it stands in the afternoon.",
        how="Read drive:/handbook/filing_rules.md again after noon and copy each file that you "
        "handed in, with files_copy, into the folder that it names then.",
    )
    def filed(self, grading: GradingContext[Filed]) -> Verdict:
        """Whether copy and file say the same, however they are laid out."""
        files = Files(grading.tx)
        right = [
            files.exists(path)
            and files.exists(copy)
            and _says(files.content(path).data) == _says(files.content(copy).data)
            for path, copy in zip(grading.truth.paths, grading.truth.copies, strict=True)
        ]
        return Verdict(
            all(right), f"{sum(right)} of {len(right)} files are filed where they belong"
        )

    async def work(self, client: ToolClient, do: Solver) -> None:
        """File by the rules of the hour, and again when they have changed."""
        task = await own_task(client)
        page = NOTE.search(task.notes)
        if page is None:
            raise ToolFailed("the task does not say what the filing rules are")
        morning = RULE.search(await read_text(client, page))
        if morning is None:
            raise ToolFailed(f"{page} does not say where to file")
        writing = WritingClient(client)
        await do(writing)
        noon = datetime.combine(task.deadline, NOON)
        now = (await client.call("desk_now")).time
        if now < noon < task.deadline:
            await client.wait_at_least(int((noon - now).total_seconds() // 60) + 1)
        await _file(client, page, list(writing.written))

    async def ignore(self, client: ToolClient, do: Solver) -> None:
        """File by the rules of the morning."""
        page = NOTE.search((await own_task(client)).notes)
        writing = WritingClient(client)
        await do(writing)
        if page is not None:
            await _file(client, page, list(writing.written), FOLDERS[0])


def _says(data: bytes) -> Counter[str]:
    """The words and numbers of a file."""
    words = re.findall(r"\d+(?:\.\d+)?|\w+", data.decode("utf-8", "replace").casefold())
    return Counter(str(float(word)) if word[0].isdigit() else word for word in words)


async def _file(client: ToolClient, page: str, paths: list[str], folder: str = "") -> None:
    """Copy *paths* into *folder*, or into the one that the rules name now."""
    rule = RULE.search(await read_text(client, page))
    for path in paths:
        name = path.rpartition("/")[2]
        await client.call("files_copy", source=path, target=f"{folder or rule}/{name}")


def _page(folder: str, since: str) -> str:
    return _TEXT.format(rule=RULE.render(folder), since=since).replace(" \n", "\n")
