"""A file of records is corrected after it was given out: what was calculated before is wrong."""

from __future__ import annotations

from typing import ClassVar

from trainee_bench.meta_tasks.complication import (
    Complicated,
    Complication,
    ComplicationKind,
    Scene,
    at,
)
from trainee_bench.meta_tasks.scene_features import SceneFeature
from trainee_bench.meta_tasks.tool_client import Solver, ToolClient
from trainee_bench.meta_tasks.worker_clients import own_task, wait_for_message
from trainee_bench.world.apps.chat import MessageArrives
from trainee_bench.world.apps.files import FileAppears

OPENING = "About “{title}”: what I gave you was not complete."
EARLIEST, LATEST, BEFORE_END = 45, 120, 90


class CorrectedFile(Complication):
    """The records are exchanged for the right ones later, which the requester writes."""

    name: ClassVar[str] = "corrected_file"
    kind: ClassVar[ComplicationKind] = ComplicationKind.CHANGE
    about: ClassVar[str] = "A file of records is exchanged for a corrected one an hour later."
    needs: ClassVar[frozenset[SceneFeature]] = frozenset(
        {SceneFeature.RECORDS, SceneFeature.REPEATABLE}
    )

    def apply(self, scene: Scene) -> Complicated:
        """The earlier versions come with the task, the right ones later."""
        records = scene.free_records()
        moment = scene.moment(self.name, EARLIEST, LATEST, BEFORE_END)
        names = " and ".join(record.path for record in records)
        opening = OPENING.format(title=scene.label)
        message = MessageArrives(
            sender=scene.instance.requester,
            to=scene.context.employee.id,
            text=f"{opening} I have just put the right version in its place: {names}. Please work "
            "with that one.",
        )
        scene = scene.with_earlier_records().with_events(
            *(at(moment, FileAppears(path=one.path, text=one.text)) for one in records),
            at(moment, message),
        )
        return Complicated(scene)

    async def work(self, client: ToolClient, do: Solver) -> None:
        """Do the task, and once more with the right files."""
        opening = OPENING.format(title=(await own_task(client)).label)
        await do(client)
        if await wait_for_message(client, lambda text: text.startswith(opening)):
            await do(client)
