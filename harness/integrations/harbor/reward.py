"""Write the rewards of a world: ``python -m …integrations.harbor.reward WORLD FOLDER``.

    FOLDER/reward.json    numbers: reward (the score), success and graded (1 or 0), and the score
                          of each task
    FOLDER/grade.json     the grades with every checkpoint

An exported task's verifier calls it. No day is left out: a world that cannot be graded has a reward
of 0, and `graded` tells it from worthless work. So the mean of `reward` divided by the mean of
`graded` is the mean without such worlds. The exit code is 0 even if the world cannot be graded.
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
NOT_GRADED = {"reward": 0.0, "success": 0, "graded": 0.0}
"""The rewards of a world that cannot be graded."""
_TIER = 1


def rewards(grade: DayGrade) -> dict[str, float]:
    """Return *grade* in Harbor's form: finite numbers by name, one for every task."""
    return {
        "reward": grade.score or 0.0,
        "success": int(grade.success),
        "graded": 1.0,
        **{task.task: task.score for task in grade.tasks},
    }


def write_rewards(world: Path, folder: Path) -> str:
    """Grade the file *world*, write both files into *folder*, and return the feedback on the work.

    Raises WorldFileError for a file that cannot be graded, after writing its rewards.
    """
    folder.mkdir(parents=True, exist_ok=True)
    try:
        graded = anyio.run(grade_world_file, world, _TIER)
    except WorldFileError:
        (folder / REWARD_FILE).write_text(json.dumps(NOT_GRADED), encoding="utf-8")
        raise
    given = rewards(graded.day)
    (folder / GRADE_FILE).write_text(graded.day.model_dump_json(indent=1), encoding="utf-8")
    (folder / REWARD_FILE).write_text(json.dumps(given), encoding="utf-8")
    lines = [*graded.feedback.values(), grade_summary(graded.day)]
    return "\n".join([graded.remark, *lines] if graded.remark else lines)


def main(world: str, folder: str) -> None:
    """Write the files, and print what was missed, or why nothing could be graded."""
    try:
        feedback = write_rewards(Path(world), Path(folder))
    except WorldFileError as error:
        sys.stderr.write(f"{world}: {error}\n")
    else:
        sys.stdout.write(f"{feedback}\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
