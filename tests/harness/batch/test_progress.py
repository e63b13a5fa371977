"""How a run goes is shown: bars on a terminal, plain lines elsewhere."""

from __future__ import annotations

import io

from rich.console import Console

from tests.harness.builders import episode, plan, task
from trainee_bench.harness.batch.pipeline import show_progress


def shown(terminal: bool, finished: int = 0) -> str:
    out = io.StringIO()
    console = Console(file=out, force_terminal=terminal, width=100, color_system=None)
    orders = list(plan("one", "two", agents=("good", "bad")).episode_specs())
    with show_progress(console, orders, finished) as watch:
        watch.done(episode("good", "one", task(1.0)))
        watch.done(episode("bad", "one", task(0.25), attempt=2))
        watch.done(episode("bad", "two", task(None), error="the line is dead"))
    return out.getvalue()


def test_elsewhere_each_episode_is_a_plain_line_with_its_place() -> None:
    assert shown(terminal=False, finished=3).splitlines() == [
        "[4/7] good · one · day_1: 1.00 (complete)",
        "[5/7] bad · one · day_1 · attempt 2: 0.25",
        "[6/7] bad · two · day_1: broken (the line is dead)",
    ]


def test_on_a_terminal_each_agent_has_a_bar() -> None:
    out = shown(terminal=True)
    assert "good" in out and "1/2" in out
    assert "bad" in out and "2/2" in out
