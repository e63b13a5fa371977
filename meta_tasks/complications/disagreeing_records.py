"""Two versions of the records disagree; the handbook says which of them prevails."""

from __future__ import annotations

from typing import ClassVar

from trainee_bench.meta_tasks.authoring.handbook import Handbook
from trainee_bench.meta_tasks.complication import Complicated, Complication, ComplicationKind, Stage
from trainee_bench.meta_tasks.complication_scene import Scene
from trainee_bench.meta_tasks.meta_task import PlannedEvent
from trainee_bench.meta_tasks.scene_features import SceneFeature
from trainee_bench.meta_tasks.tool_client import Solver, ToolClient, ToolFailed, read_text
from trainee_bench.meta_tasks.worker_clients import ReplacedFilesClient, own_task
from trainee_bench.world.apps.files import FileAppears

PAGE = Handbook(
    path="drive:/handbook/versions_of_records.md",
    resource="trainee_bench.meta_tasks.complications/versions_of_records.md",
    topic="versions of records",
    questions=(
        "Which version of a file counts if there are two?",
        "Two files with the same name say different things. Which one do I use?",
        "Is there a rule for corrected records?",
        "Where is it written which records prevail?",
        "What do I do about records that disagree?",
    ),
    referral="Which records prevail if two versions disagree stands in {path}.",
)
RULE = "What lies in drive:/corrections under the same name prevails over the original"
NOTE = (
    "Records may exist in several versions; drive:/handbook/versions_of_records.md says which one "
    "prevails."
)


class DisagreeingRecords(Complication):
    """The file that the task names is outdated, and another one says so by where it lies."""

    name: ClassVar[str] = "disagreeing_records"
    kind: ClassVar[ComplicationKind] = ComplicationKind.SOURCES
    stage: ClassVar[Stage] = Stage.READING
    about: ClassVar[str] = "Two versions of the records disagree; a page says which prevails."
    needs: ClassVar[frozenset[SceneFeature]] = frozenset({SceneFeature.RECORDS})

    def apply(self, scene: Scene) -> Complicated:
        """The original is the earlier version, the correction the right one."""
        records, context = scene.free_records(), scene.context
        for one in records:
            context.claim(f"the file {_corrected(one.path)}")
        corrections = [
            PlannedEvent(
                FileAppears(path=_corrected(one.path), text=one.text), scene.staged_at(one.path)
            )
            for one in records
        ]
        scene = scene.with_earlier_records().with_events(*corrections, *PAGE.events(context))
        originals = tuple(one.path for one in records)
        background = (*scene.instance.background, *originals)
        return Complicated(scene.changed(background=background).with_note(NOTE))

    async def work(self, client: ToolClient, do: Solver) -> None:
        """Read the corrections instead of the originals, where there are any."""
        if NOTE not in (await own_task(client)).notes:
            raise ToolFailed("the task speaks of no versions")
        if RULE not in await read_text(client, PAGE.path):
            raise ToolFailed(f"{PAGE.path} does not say which version prevails")
        there = await _corrections(client)

        async def replacement(path: str) -> str | None:
            corrected = _corrected(path)
            return await read_text(client, corrected) if corrected in there else None

        await do(ReplacedFilesClient(client, replacement))


async def _corrections(client: ToolClient) -> frozenset[str]:
    """The paths of all corrections; the folder comes with the first one."""
    try:
        listed = await client.call("files_list", folder="drive:/corrections")
    except ToolFailed:
        return frozenset()
    return frozenset(str(entry["path"]) for entry in listed.data["entries"])


def _corrected(path: str) -> str:
    """Where the correction of the file at *path* lies."""
    return f"drive:/corrections/{path.rpartition('/')[2]}"
