"""Runs whose colleagues a model plays: over every transport, replayed and graded without it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import anyio
import pytest
from anyio.from_thread import start_blocking_portal

from tests.harness.runs import read, run_day
from tests.harness.test_replay import repeat
from tests.models_at_play import Player, able, doubting, gullible, prattling, secretive
from tests.scripted_endpoint import ScriptedEndpoint, closed_port, fails, scripted_endpoint
from trainee_bench.harness.episodes import npcs
from trainee_bench.harness.episodes.npcs import npc_brain, server_process_environment
from trainee_bench.harness.records.plan import ModelSettings, PlanError, Transport
from trainee_bench.harness.records.results import EpisodeResult
from trainee_bench.mcp_servers.__main__ import main as serve
from trainee_bench.mcp_servers.llm_colleagues.drafting import DRAFT_USAGE_EFFECT
from trainee_bench.mcp_servers.verifier import grade_world
from trainee_bench.world.world import World

RULES = ("website_analysis.slow_page", "meeting_attend.check_sum.u1")
KEY_VARIABLE, KEY = "NPC_TEST_API_KEY", "sk-very-secret-4711"


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(KEY_VARIABLE, KEY)


@contextmanager
def serving(player: Player) -> Iterator[ScriptedEndpoint]:
    """The model's server, in a thread of its own."""
    with (
        start_blocking_portal() as portal,
        portal.wrap_async_context_manager(scripted_endpoint(then=player)) as server,
    ):
        yield server


def described(folder: Path, url: str) -> Path:
    entry = {
        "model_name": "npc-7", "api_key_var": KEY_VARIABLE, "base_url": url, "proxy_url": ""
    }  # fmt: skip
    path = folder / "api.json"
    path.write_text(json.dumps({"npc": entry}), encoding="utf-8")
    return path


def run(folder: Path, api: Path, *options: object) -> EpisodeResult:
    """The oracle's result on a day that takes a talk with colleagues."""
    model = ("--npc-model", "npc", "--api-config", api)
    run_day(folder, "--agent", "oracle", *model, *options, rules=RULES)
    (result,) = read(folder / "out")
    return result


@pytest.mark.parametrize(
    "transports",
    [
        (Transport.MEMORY, Transport.HTTP),
        pytest.param(tuple(Transport), marks=pytest.mark.sweep),
    ],
)
def test_a_model_plays_over_every_transport_and_no_key_is_left_anywhere(
    tmp_path: Path, transports: tuple[Transport, ...]
) -> None:
    seen = set()
    for transport in transports:
        folder = tmp_path / transport
        folder.mkdir()
        with serving(able) as server:
            result = run(folder, described(folder, server.url), "--transport", transport)
            assert server.asked and set(server.keys) == {KEY}
        assert (result.score, result.success) == (1, True)
        assert result.identity is not None and result.identity.npc_brain == "model:npc-7"
        played = result.colleagues
        assert played is not None and played.replies == len(server.asked)
        assert played.words["model"] > 0 and played.suspected == ()
        assert played.decisions.get("unavailable", 0) == played.told_unasked == 0
        assert played.prompt_tokens == 100 * played.replies
        assert (result.prompt_tokens, played.cost_usd) == (None, None)
        seen.add((result.digest, played.model_dump_json()))
        left = [path.read_bytes() for path in (folder / "out").rglob("*") if path.is_file()]
        assert left and not any(KEY.encode() in data for data in left)
    assert len(seen) == 1


def test_replay_and_late_grading_need_no_model(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving(able) as server:
        result = run(tmp_path, described(tmp_path, server.url))
    monkeypatch.delenv(KEY_VARIABLE)
    (tmp_path / "api.json").unlink()
    assert "all the same" in repeat(tmp_path / "out").output

    async def graded() -> float | None:
        assert result.world is not None
        async with await World.open(tmp_path / "out" / result.world) as world:
            log = await world.log()
            assert any(DRAFT_USAGE_EFFECT in entry.effects for entry in log)
            return (await grade_world(world)).score

    assert anyio.run(graded) == result.score == 1


@pytest.mark.parametrize("player", [gullible, secretive, prattling])
def test_a_day_can_be_mastered_whatever_model_plays(tmp_path: Path, player: Player) -> None:
    with serving(player) as server:
        result = run(tmp_path, described(tmp_path, server.url))
    assert (result.score, result.success) == (1, True)
    assert result.colleagues is not None and result.colleagues.suspected == ()
    assert result.colleagues.told_unasked == 0


def test_a_colleague_who_keeps_asking_back_is_a_suspected_fault(tmp_path: Path) -> None:
    with serving(doubting) as server:
        result = run(tmp_path, described(tmp_path, server.url))
    assert result.score is not None and result.score < 1
    assert result.colleagues is not None and result.colleagues.suspected
    report = (tmp_path / "out" / "report.md").read_text(encoding="utf-8")
    assert result.colleagues.suspected[0] in report


def test_a_model_that_is_not_there_leaves_the_script_and_the_report_says_so(tmp_path: Path) -> None:
    with serving(lambda asked: fails(401, f"Incorrect key {KEY}.")) as server:
        result = run(tmp_path, described(tmp_path, server.url))
    played = result.colleagues
    assert (result.score, result.error) == (1, None)
    assert played is not None and played.unavailable == played.replies > 0
    assert (played.corrected, played.prompt_tokens) == (0, None)
    report = (tmp_path / "out" / "report.md").read_text(encoding="utf-8")
    assert "for every reply" in report and KEY not in report


def test_without_a_model_nothing_is_said_of_one(tmp_path: Path) -> None:
    run_day(tmp_path, rules=(RULES[1],))
    for result in read(tmp_path / "out"):
        assert result.colleagues is None
        assert result.identity is not None and result.identity.npc_brain == "scripted"


def test_a_server_process_gets_the_models_key_and_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OTHER_API_KEY", "sk-other")
    model_settings = ModelSettings(
        api_config=str(described(tmp_path, closed_port())), npc_model="npc"
    )
    environment = server_process_environment(model_settings)
    assert environment is not None
    assert environment[KEY_VARIABLE] == KEY and "OTHER_API_KEY" not in environment
    assert server_process_environment(ModelSettings()) is None
    assert KEY not in " ".join(npcs.server_process_options(model_settings))


def test_a_model_that_is_described_no_more_is_named_with_its_file(tmp_path: Path) -> None:
    api = described(tmp_path, closed_port())
    with pytest.raises(PlanError, match="defines no model 'other'; available: npc"):
        npc_brain(ModelSettings(api_config=str(api), npc_model="other"))
    api.unlink()
    with pytest.raises(PlanError, match="no model file"):
        npc_brain(ModelSettings(api_config=str(api), npc_model="npc"))


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (("--npc-model", "other"), "defines no model 'other'; available: npc"),
        (("--api-config", "api.json"), "needs --npc-model"),
        (("--npc-model", "npc", "--api-config", "nowhere.json"), "nowhere.json"),
    ],
)
def test_a_server_that_cannot_have_its_colleagues_says_why(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    options: tuple[str, ...],
    says: str,
) -> None:
    described(tmp_path, closed_port()).rename(tmp_path / "api_config.json")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as ended:
        serve([*options, "--world", str(tmp_path / "a.world")])
    assert ended.value.code == 2
    assert says in capsys.readouterr().err
    assert not (tmp_path / "a.world").exists()


def test_a_server_without_its_models_key_names_the_variable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    api = described(tmp_path, closed_port())
    monkeypatch.delenv(KEY_VARIABLE)
    with pytest.raises(SystemExit) as ended:
        serve(["--npc-model", "npc", "--api-config", str(api)])
    assert ended.value.code == 2 and KEY_VARIABLE in capsys.readouterr().err
