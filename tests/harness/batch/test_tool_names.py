"""Apps, tools and variants that do not exist are refused as soon as a benchmark is read."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from pydantic import JsonValue

from tests.harness.runs import LINKS, call, day
from trainee_bench.harness.integrations.training.splits import SplitOptions, UnknownSplit

FLAWS: tuple[tuple[dict[str, JsonValue], str], ...] = (
    ({"tools": ["desk", "filse"]}, "there is no app 'filse': try files"),
    ({"variants": {"desk_submit": "certain"}}, "has no variant 'certain'; there are"),
    ({"minutes": {"desk_sumbit": 3}}, "there is no tool 'desk_sumbit': try desk_submit"),
)


def benchmark(folder: Path, more: dict[str, JsonValue]) -> Path:
    path = folder / "mine.json"
    scenario = {"name": "one", "seed": 1, "days": [day(LINKS)], **more}
    path.write_text(json.dumps({"name": "mine", "scenarios": [scenario]}))
    return path


@pytest.mark.parametrize(("more", "says"), FLAWS)
@pytest.mark.parametrize("command", ["stage", "attack", "export", "explain", "play", "run"])
def test_every_command_refuses_names_that_do_not_exist(
    tmp_path: Path, command: str, more: dict[str, JsonValue], says: str
) -> None:
    path, out = benchmark(tmp_path, more), tmp_path / "out"
    words: dict[str, tuple[object, ...]] = {
        "stage": (path, "one", out),
        "attack": (path, "--seeds", 1),
        "export": ("harbor", path, out),
        "explain": ("one", "--config", path),
        "play": ("one", "--config", path, "--out", out),
        "run": ("--config", path, "--agent", "oracle", "--out", out),
    }
    done = call(command, *words[command], exits=2)
    assert says in " ".join(done.output.split())
    assert not out.exists()


@pytest.mark.parametrize(("more", "says"), FLAWS)
def test_a_split_for_training_refuses_them_too(
    tmp_path: Path, more: dict[str, JsonValue], says: str
) -> None:
    with pytest.raises(UnknownSplit, match=says):
        SplitOptions(split=str(benchmark(tmp_path, more))).open()
