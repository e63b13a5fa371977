"""report.md: the same tables as text, in which nobody's words become markup."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from tests.harness.analysis.report.rendered import markdown_text
from tests.harness.builders import episode, plan, task
from trainee_bench.harness.documents.markdown import escape_markdown
from trainee_bench.harness.records.plan import AgentConfig
from trainee_bench.harness.records.results import CheckpointResult

HOSTILE = (
    "</details><script>x</script>\n| a | b |\n|---|---|\n![p](http://evil.example/) `code` **b**"
)


def test_what_agents_write_is_neither_markdown_nor_html() -> None:
    check = CheckpointResult(name="c", sentence="It is", weight=1, passed=False, seen=HOSTILE)
    one = task(0.5, checkpoints=(check,), harm=(HOSTILE,))
    text = markdown_text(plan("s1"), [episode("nothing", "s1", one, agent_error=HOSTILE)])
    assert "<script" not in text and "![p]" not in text and "**b**" not in text
    assert text.count("</details>") == 1
    assert not [line for line in text.splitlines() if line.startswith(("|---|---|", "| a "))]


@given(st.text())
def test_plain_text_is_one_line_and_holds_no_live_mark(text: str) -> None:
    made = escape_markdown(text)
    assert len(made.splitlines()) <= 1
    live = re.sub(r"\\[\\`*\[\]~_]|&(?:lt|gt|amp);", "", made)
    assert not set(live) & set("\\`*[]~<>&")


def test_names_with_bars_stay_in_their_cell() -> None:
    text = markdown_text(plan("s1", agents=("a|b",)), [episode("a|b", "s1", task(1.0))])
    assert "| a\\|b | 1.00 |" in text


def test_how_it_ran_names_models_incidents_and_unknown_prices() -> None:
    thinking = AgentConfig(name="mine", agent="openai", model="some-model")
    of = plan("s1", "s2").model_copy(update={"agents": (thinking,)})
    results = [
        episode("mine", "s1", task(1.0), prompt_tokens=10, completion_tokens=5),
        episode("mine", "s2", task(1.0), incidents={"rate_limit": 2}),
    ]
    text = markdown_text(of, results)
    assert "- **mine**: agent openai, model some-model" in text
    assert (
        "| mine | some-model | at least 10 (1 unknown) | at least 5 (1 unknown) | unknown | 2 |"
        in text
    )
    assert "| rate limit | 2 |" in text
    (row,) = (line for line in text.splitlines() if line.startswith("| mine | 1.00"))
    assert "| unknown |" in row
