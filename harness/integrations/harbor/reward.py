"""What a verifier writes: ``python -m …integrations.harbor.reward WORLD FOLDER``.

    FOLDER/reward.json    numbers: reward (the score), success (1 or 0), and the score of each task
    FOLDER/grade.json     the grades with every checkpoint

An exported task's verifier calls it. Exit code 0, or 2 if the world cannot be graded; then there is
no reward, since nothing is known of the agent's work.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import anyio

from trainee_bench.harness.episodes.grading import grade_summary, grade_world_file
from trainee_bench.mcp_servers.verifier import DayGrade
from trainee_bench.world.errors import WorldFileError

REWARD_FILE, GRADE_FILE = "reward.json", "grade.json"
_TIER = 1


class NothingGraded(Exception):
    """The day has no task that could be graded."""


def rewards(grade: DayGrade) -> dict[str, float]:
    """*grade* as Harbor takes it: finite numbers by name, one for every task. Raises NothingGraded
    for a day without tasks."""
    if grade.score is None:
        raise NothingGraded("the day has no task that could be graded")
    tasks = {task.task: task.score for task in grade.tasks}
    return {"reward": grade.score, "success": int(grade.success), **tasks}


def write_rewards(world: Path, folder: Path) -> str:
    """Grade the file *world*, and write both files into *folder*; what is to be said of the work.

    Raises WorldFileError for a file that cannot be graded, and NothingGraded.
    """
    graded = anyio.run(grade_world_file, world, _TIER)
    given = rewards(graded.day)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / GRADE_FILE).write_text(graded.day.model_dump_json(indent=1), encoding="utf-8")
    (folder / REWARD_FILE).write_text(json.dumps(given), encoding="utf-8")
    said = [*graded.feedback.values(), grade_summary(graded.day)]
    return "\n".join([graded.remark, *said] if graded.remark else said)


def main(world: str, folder: str) -> None:
    """Write the files, and print what was missed."""
    try:
        said = write_rewards(Path(world), Path(folder))
    except (WorldFileError, NothingGraded) as error:
        sys.stderr.write(f"{world}: {error}\n")
        raise SystemExit(2) from None
    sys.stdout.write(f"{said}\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
