"""The doors of Inspect, if it is installed."""

from __future__ import annotations

import pytest

from trainee_bench.harness.parity.check import ShownText, check_script
from trainee_bench.harness.parity.door import find_doors
from trainee_bench.harness.parity.script import parity_scripts

pytest.importorskip("inspect_ai", reason="Inspect is not installed")
pytestmark = [
    # Inspect itself uses deprecated features and leaves streams to the garbage collector.
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
]


@pytest.mark.parametrize(("door", "refused"), [("inspect", 0), ("inspect-react", 5)])
def test_malformed_calls_reach_the_office_through_our_own_loop_and_not_through_native_tools(
    door: str, refused: int
) -> None:
    (opened,) = [found for found in find_doors(["inspect"]) if found.name == door]
    malformed = parity_scripts()[1]
    outcome = check_script(opened, malformed)
    assert outcome.problem == ""
    assert len(outcome.refused) == refused
    assert outcome.shown is ShownText.AS_IT_IS
