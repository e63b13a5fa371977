"""report.html: sound, complete, self-contained, and unaffected by texts of agents."""

from __future__ import annotations

from io import StringIO
from pathlib import Path

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from tests.harness.analysis.report.markup import Page
from tests.harness.analysis.report.rendered import html_pages, markdown_text
from tests.harness.builders import episode, plan, task
from trainee_bench.harness.analysis.report.publish import print_and_publish, publish_report
from trainee_bench.harness.analysis.report.run_document import MAX_EMBEDDED_EPISODES
from trainee_bench.harness.batch.pipeline import Run, execute
from trainee_bench.harness.records.plan import AgentConfig, RunPlan
from trainee_bench.harness.records.results import (
    UNSUPPORTED,
    CheckpointResult,
    EpisodeResult,
    ResultIdentity,
)
from trainee_bench.harness.records.run_folder import RunFolder
from trainee_bench.harness.session.limits import EndReason, EpisodeLimits

HOSTILE = (
    "</details></span><script>alert(1)</script><img src=http://evil.example/x onerror=go()>"
    " {{ 7*7 }}"
)
RESULTS = [
    episode("good", "s1", task(1.0), task(0.5, "b.hard", label="hard"), ended=EndReason.AGENT),
    episode("good", "s2", task(1.0), ended=EndReason.STEP_LIMIT, incidents={"rate_limit": 2}),
    episode("bad", "s1", task(0.0), agent_error="KeyError: 'x'"),
    episode("bad", "s2", task(None, "Sales Analysis", error=UNSUPPORTED), error="the line is dead"),
]
PLAN = plan("s1", "s2", agents=("good", "bad"))


def report(results: list[EpisodeResult] = RESULTS, of: RunPlan = PLAN) -> str:
    return html_pages(of, results)["report.html"]


def check(passed: bool, seen: str) -> CheckpointResult:
    return CheckpointResult(name="c", sentence="It is so", weight=1, passed=passed, seen=seen)


def test_the_page_is_sound_and_needs_nothing_but_itself() -> None:
    page = Page(report())
    assert page.faults == []
    assert len(page.ids) == len(set(page.ids))
    assert {ref for ref in page.references if not ref.startswith("#")} == set()
    assert {ref.removeprefix("#") for ref in page.references} <= set(page.ids)
    assert {"script", "link", "img", "iframe"}.isdisjoint(page.tags)
    assert "@import" not in report() and "url(" not in report()


def test_every_episode_is_on_the_page_with_its_score_and_its_end() -> None:
    page = Page(report())
    for result in RESULTS:
        assert result.episode in page.ids
    for said in ("0.75", "step limit", "KeyError: 'x'", "the line is dead", "Sales Analysis"):
        assert said in page.text
    assert "rate limit × 2" in page.text


def test_only_missed_checkpoints_tell_what_was_seen() -> None:
    checks = (check(True, "the right answer"), check(False, "a wrong answer"))
    text = Page(report([episode("good", "s1", task(0.5, checkpoints=checks))])).text
    assert "a wrong answer" in text
    assert "the right answer" not in text


def test_the_same_results_give_the_same_page_in_any_order() -> None:
    more = [episode("bad", f"s{n}", task(None), error="down", attempt=2) for n in (1, 2)]
    assert report([*RESULTS, *more]) == report([*reversed(more), *reversed(RESULTS)])


@pytest.mark.parametrize("where", ["seen", "harm", "agent_error", "error", "incidents", "agent"])
def test_texts_of_agents_stay_text(where: str) -> None:
    seen = HOSTILE if where == "seen" else "nothing"
    harm = (HOSTILE,) if where == "harm" else ()
    seen_task = task(0.5, checkpoints=(check(False, seen),), harm=harm)
    name = HOSTILE if where == "agent" else "good"
    more: dict[str, object] = {"incidents": {HOSTILE: 1}} if where == "incidents" else {}
    more |= {where: HOSTILE} if where.endswith("error") else {}
    result = episode(name, "s1", seen_task, episode="s1.day_1.x.1", **more)
    page = Page(report([result], plan("s1", agents=(name,))))
    assert page.faults == [] and page.handlers == []
    assert {"script", "img"}.isdisjoint(page.tags)
    assert "<script>alert(1)</script>" in page.text
    assert "{{ 7*7 }}" in page.text


@given(st.text(max_size=200))
def test_no_text_breaks_the_page(text: str) -> None:
    odd_task = task(0.5, checkpoints=(check(False, text),), harm=(text,), error=None)
    page = Page(report([episode("good", "s1", odd_task, agent_error=text or "x")]))
    assert page.faults == []


def test_no_text_of_agents_reverses_or_hides_the_text_beside_it() -> None:
    odd_task = task(
        0.5, checkpoints=(check(False, "seen\u202edesrever"),), harm=("a\x1b[31m\x00b",)
    )
    results = [episode("good", "s1", odd_task, agent_error="half \ud800 of one\u2066")]
    for text in (report(results), markdown_text(PLAN, results)):
        assert "seen desrever" in text and "[31m" in text
        assert set("\u202e\u2066\x00\x1b\ud800").isdisjoint(text)


def test_brackets_are_explained_only_where_there_are_intervals() -> None:
    alike = [episode("good", name, task(1.0)) for name in ("s1", "s2")]
    assert "In brackets" in report() and "In brackets" in markdown_text(PLAN, RESULTS)
    assert "In brackets" not in report(alike) + markdown_text(PLAN, alike)


def test_limits_are_those_that_held_for_each_agent() -> None:
    def of(calls: int) -> EpisodeResult:
        known = ResultIdentity(
            score_version=1, generator=2, tools=("desk",), npc_brain="scripted",
            modality="pictures", limits=EpisodeLimits(steps=150, calls_per_turn=calls),
            isolation="none",
        )  # fmt: skip
        return episode("good", f"s{calls}", task(1.0), identity=known)

    assert "150 steps, 1 call per turn" in report([of(1)])
    assert "150 steps, 1 or 3 calls per turn" in report([of(3), of(1)])


def test_many_episodes_have_separate_pages_that_the_report_leads_to() -> None:
    names = [f"s{n}" for n in range(MAX_EMBEDDED_EPISODES // 2 + 1)]
    results = [episode(who, name, task(1.0)) for name in names for who in ("good", "bad")]
    made = html_pages(plan(*names, agents=("good", "bad")), results)
    first = Page(made["report.html"])
    assert first.faults == []
    led = [ref for ref in first.references if not ref.startswith("#")]
    assert sorted(led) == sorted(name for name in made if name != "report.html")
    assert len(led) == len(results)
    day = Page(made["days/s0.day_1.good.1.html"])
    assert day.faults == []
    assert set(day.references) == {"../report.html#day-s0-1", "s0.day_1.bad.1.html"}
    assert day.references[0].partition("#")[2] in first.ids


def test_models_tokens_and_unknown_prices_are_shown_as_such() -> None:
    thinking = AgentConfig(name="good", agent="openai", model="some-model")
    results = [
        episode("good", "s1", task(1.0), prompt_tokens=1000, completion_tokens=50, cost_usd=0.5),
        episode("good", "s2", task(1.0), prompt_tokens=2000, completion_tokens=70),
    ]
    of = plan("s1", "s2").model_copy(update={"agents": (thinking,)})
    text = Page(report(results, of)).text
    assert "some-model" in text
    for said in ("3,000", "at least 0.50", "cost: unknown", "cost: $0.5000", "1,000 prompt"):
        assert said in text


def test_a_command_is_not_repeated_on_the_page() -> None:
    theirs = AgentConfig(name="good", agent="command", command="run --key sk-secret {prompt_file}")
    of = plan("s1").model_copy(update={"agents": (theirs,)})
    assert "sk-secret" not in report([episode("good", "s1", task(1.0))], of)


def test_a_day_without_its_world_is_listed_and_says_so(tmp_path: Path) -> None:
    of = plan("s1", agents=("good",))
    folder = RunFolder.create(tmp_path / "run", of)
    (folder.path / "worlds").mkdir()
    (folder.path / "days").mkdir()
    (folder.path / "days" / "old.html").write_text("stale")
    results = [episode("good", "s1", task(1.0), world="worlds/s1.day_1.good.1.world")]
    anyio.run(publish_report, folder, of, results)
    text = Page((folder.path / "report.html").read_text(encoding="utf-8")).text
    assert "There is no world file s1.day_1.good.1.world" in text
    assert list((folder.path / "days").iterdir()) == []


def test_a_run_leaves_its_page_with_every_day_drawn(tmp_path: Path) -> None:
    of = plan("s1", agents=("nothing", "oracle"))
    folder = RunFolder.create(tmp_path / "run", of)
    console = Console(file=StringIO())
    run = Run(of, folder, 1)
    results = execute(run, console).results
    print_and_publish(run, results, console)
    text = (folder.path / "report.html").read_text(encoding="utf-8")
    assert len(results) == 2
    assert text.count('<svg class="day" role="img"') == 2
    assert "Not drawn" not in text
    assert Page(text).faults == []


def test_a_run_without_any_result_has_a_page() -> None:
    page = Page(report([]))
    assert page.faults == [] and "No task could be graded" in page.text
    assert "No episode has ended" in page.text and "Open a row" not in page.text
    assert "Nothing." not in markdown_text(PLAN, [])
