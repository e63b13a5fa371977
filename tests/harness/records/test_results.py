"""The result file is the truth: nothing written is lost, nothing torn is read."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.harness.builders import episode, task
from trainee_bench.harness.records.results import (
    EpisodeResult,
    ResultFile,
    ResultFileError,
    ResultIdentity,
)
from trainee_bench.harness.session.limits import EpisodeLimits
from trainee_bench.mcp_servers.serving.result_text import ResultView

RESULTS = [episode("oracle", f"s{number}", task(1.0)) for number in range(3)]


def test_what_is_appended_is_read_back_in_order(tmp_path: Path) -> None:
    ledger = ResultFile(tmp_path / "results.jsonl")
    assert ledger.read() == []
    for result in RESULTS:
        ledger.append(result)
    assert ledger.read() == RESULTS


@given(cut=st.integers(min_value=0))
def test_a_torn_last_line_is_cut_off_and_every_whole_line_stays(
    tmp_path_factory: pytest.TempPathFactory, cut: int
) -> None:
    ledger = ResultFile(tmp_path_factory.mktemp("run") / "results.jsonl")
    for result in RESULTS:
        ledger.append(result)
    whole = ledger.path.read_bytes()
    torn = whole[: cut % (len(whole) + 1)]
    ledger.path.write_bytes(torn)
    ledger.repair()
    kept = ledger.read()
    assert kept == RESULTS[: torn.count(b"\n")]
    ledger.append(RESULTS[0])
    assert ledger.lines() == [*kept, RESULTS[0]]


def test_a_damaged_line_is_named_and_not_passed_over(tmp_path: Path) -> None:
    ledger = ResultFile(tmp_path / "results.jsonl")
    ledger.append(RESULTS[0])
    with ledger.path.open("ab") as file:
        file.write(b'{"episode": 3}\n')
    with pytest.raises(ResultFileError, match="line 2"):
        ledger.read()


def test_keeping_some_results_leaves_exactly_them(tmp_path: Path) -> None:
    ledger = ResultFile(tmp_path / "results.jsonl")
    for result in RESULTS:
        ledger.append(result)
    ledger.rewrite(RESULTS[1:])
    assert ledger.read() == RESULTS[1:]
    assert [file.name for file in tmp_path.iterdir()] == ["results.jsonl"]


@pytest.mark.parametrize(
    ("agent", "isolation", "tokens", "view"),
    [
        ("oracle", "insider", None, ResultView.TEXT),
        ("my_agents:mine", "none", None, ResultView.TEXT),
        ("command-r", "none", 1_200, ResultView.TEXT),
        ("command-2", "none", None, ResultView.STRUCTURED),
        ("mine", "sandbox", None, ResultView.STRUCTURED),
    ],
)
def test_a_line_from_before_views_were_recorded_is_read_as_what_it_was(
    agent: str, isolation: str, tokens: int | None, view: ResultView
) -> None:
    identity = ResultIdentity(
        score_version=1, generator=1, tools=("desk",), npc_brain="scripted", modality="pictures",
        limits=EpisodeLimits(), isolation=isolation,
    )  # fmt: skip
    line = episode(agent, "s0", task(1.0), identity=identity, prompt_tokens=tokens).model_dump(
        mode="json"
    )
    del line["identity"]["results"]
    read = EpisodeResult.model_validate(line)
    assert read.identity is not None and read.identity.results is view
