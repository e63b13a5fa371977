"""The report of fidelity: what models did as colleagues, and the figures without suspicion."""

from __future__ import annotations

from tests.harness.analysis.report.rendered import html_pages, markdown_text
from tests.harness.builders import episode, plan, task
from trainee_bench.harness.analysis.report.npc_section import (
    npc_fidelity_totals,
    npc_section,
    npc_warning,
    suspicion_grid,
    unsuspected_episodes,
)
from trainee_bench.harness.documents.document import Bullet, Bullets
from trainee_bench.harness.records.npc_fidelity import NpcFidelity
from trainee_bench.harness.records.results import EpisodeResult

GOOD = NpcFidelity(
    model="m",
    decisions={"right": 3, "overreached": 1},
    words={"model": 2, "script": 1, "stand_in": 1},
    flaws={"a name": 1},
    prompt_tokens=100,
    completion_tokens=20,
    cost_usd=0.5,
)
DOUBTFUL = NpcFidelity(
    model="m",
    decisions={"withheld": 2, "right": 1, "unavailable": 1},
    words={"model": 2, "stand_in": 2},
    suspected=("T1/owner",),
    prompt_tokens=50,
    completion_tokens=10,
    cost_usd=0.25,
)
DEAD = NpcFidelity(model="m", decisions={"unavailable": 4}, words={"stand_in": 4})


def result(scenario: str, score: float, played: NpcFidelity | None) -> EpisodeResult:
    return episode("some", scenario, task(score), colleagues=played)


RESULTS = [result("one", 1.0, GOOD), result("two", 0.0, DOUBTFUL)]


def test_replies_are_counted_over_an_agents_episodes() -> None:
    (line,) = npc_fidelity_totals(RESULTS)
    assert (line.agent, line.episodes, line.replies) == ("some", 2, 8)
    decided = (line.right, line.overreached, line.withheld, line.otherwise, line.malformed)
    assert (*decided, line.unavailable) == (4, 1, 2, 0, 0, 1)
    assert (line.corrected, line.in_model_words, line.told_unasked) == (2, 4, 0)
    assert (line.tokens, line.cost_usd) == (180, 0.75)


def test_decisions_add_up_to_all_replies() -> None:
    for results in (RESULTS, [result("one", 1.0, DEAD)]):
        (line,) = npc_fidelity_totals(results)
        kinds = (line.right, line.overreached, line.withheld, line.otherwise, line.malformed)
        assert sum(kinds) + line.unavailable == line.replies


def test_figures_are_given_without_suspected_episodes_too() -> None:
    grid = suspicion_grid(RESULTS, npc_fidelity_totals(RESULTS))
    (row,) = grid.rows
    named = dict(zip(grid.titles, row, strict=True))
    assert (named["episodes"], named["suspected"]) == ("2", "1")
    assert named["score"].startswith("0.50") and named["score without"] == "1.00"
    assert named["success"].startswith("0.50") and named["success without"] == "1.00"
    section = npc_section(RESULTS)
    assert section is not None
    (listed,) = (block for block in section.blocks if isinstance(block, Bullets))
    assert listed.items == (Bullet("T1/owner", id=RESULTS[1].episode),)
    assert unsuspected_episodes(RESULTS) == [RESULTS[0]]


def test_an_agent_whose_every_episode_is_suspected_has_no_figure_without_them() -> None:
    (row,) = suspicion_grid([RESULTS[1]], npc_fidelity_totals([RESULTS[1]])).rows
    assert row[4] == row[6] == "–"


def test_a_model_that_was_never_there_is_said_before_any_figure() -> None:
    dead = [result("one", 1.0, DEAD)]
    for results, warning in ((dead, "for every reply"), (RESULTS, "1 of 8 replies")):
        (paragraph,) = npc_warning(npc_fidelity_totals(results))
        assert warning in paragraph.text and paragraph.tone == "warning"
        section = npc_section(results)
        assert section is not None and section.blocks[0] == paragraph
    assert npc_warning(npc_fidelity_totals([RESULTS[0]])) == ()
    assert npc_fidelity_totals([result("one", 1.0, DEAD)])[0].corrected == 0


def test_what_is_unknown_of_one_episode_is_unknown_of_all() -> None:
    silent = GOOD.model_copy(
        update={"prompt_tokens": None, "completion_tokens": None, "cost_usd": None}
    )
    (line,) = npc_fidelity_totals([RESULTS[0], result("two", 1.0, silent)])
    assert line.tokens is None and line.cost_usd is None
    (line,) = npc_fidelity_totals([RESULTS[0], result("two", 1.0, DEAD)])
    assert (line.tokens, line.cost_usd) == (120, 0.5)


def test_both_reports_tell_it_and_say_nothing_where_no_model_played() -> None:
    asked = plan("one", "two", agents=("some",))
    page = html_pages(asked, RESULTS)["report.html"]
    for text in (markdown_text(asked, RESULTS), page):
        assert "Colleagues played by a model" in text and "T1/owner" in text
        assert "a name × 1" in text
    scripted = [result("one", 1.0, None), result("two", 1.0, None)]
    assert npc_section(scripted) is None
    assert "played by a model" not in markdown_text(asked, scripted)
    assert "played by a model" not in html_pages(asked, scripted)["report.html"]
