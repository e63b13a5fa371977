"""A day on which thinking takes time is continued by a model whose thinking takes time, too."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.harness.runs import LINKS, config, day
from tests.harness.studio.acting import acting
from tests.harness.studio.test_guiding import finished, problems, replayed
from tests.harness.test_thinking_runs import (
    PACE,
    Player,
    both,
    log_of,
    run_models,
    thoughts,
)
from tests.scripted_endpoint import scripted_server


@pytest.fixture(name="worked")
def _worked(tmp_path: Path) -> tuple[Player, Path, int]:
    """A terse model, the folder of runs with its run, and the step after its first thinking."""
    made, home = tmp_path / "made", tmp_path / "home"
    made.mkdir()
    home.mkdir()
    path = config(made, one=[day(LINKS)])
    terse = both(path)["terse"]
    run = run_models(made, path, {"terse": terse}, "--thinking", PACE)
    (home / "a-run").symlink_to(run)
    return terse, home, thoughts(log_of(run, "terse"))[0].seq


async def test_a_continued_day_charges_its_own_tokens_alone_and_is_verified(
    worked: tuple[Player, Path, int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    terse, home, step = worked
    monkeypatch.chdir(tmp_path)
    with scripted_server(then=terse) as server:
        (tmp_path / "api_config.json").write_text(json.dumps(server.described("terse")))
        async with acting(home) as person:
            (cell,) = (await person.get("/api/runs/0"))["cells"]
            wanted = {"step": step, "agents": ["openai"], "models": ["terse"], "thinking": PACE}
            await person.post(f"/api/episodes/{cell['episode']}/fork", wanted)
            await person.over()
    folder, result = await finished(next(home.glob("fork-*")))
    assert (result.error, result.score) == (None, 1.0)
    assert result.identity is not None and result.identity.limits.tokens_per_minute == PACE
    assert await replayed(folder) is None
    assert await problems(folder) == ()
