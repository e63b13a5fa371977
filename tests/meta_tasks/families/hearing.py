"""Being told, without the way there: outcomes count only with the hidden fact they need."""

from __future__ import annotations

from pydantic import BaseModel

from trainee_bench.harness.testbench.staged_day import StagedDay
from trainee_bench.world.colleagues.knowledge import Knowledge
from trainee_bench.world.transaction import Result, Transaction


class _Told(BaseModel):
    told: bool = True


async def hear_everything(day: StagedDay) -> None:
    """Let everybody have told the trainee what they know."""

    def tell(tx: Transaction) -> Result[_Told]:
        for task in day.composition.tasks:
            for clue in task.instance.hidden.clues:
                Knowledge(tx).record_disclosure(clue.id, tx.employee, "test")
        return Result("", _Told())

    await day.world.execute(day.composition.company.trainee.id, "test", {}, tell)
