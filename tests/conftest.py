"""What holds for all tests: a busy machine fails none, and properties are tried with few examples
in the quick round and with many under ``-m sweep``."""

from __future__ import annotations

import gc
import os
import signal
import sys
from collections.abc import Generator, Iterator

import pytest
from hypothesis import HealthCheck, is_hypothesis_test, settings
from xdist.remote import Producer
from xdist.scheduler import WorkStealingScheduling

QUICK_EXAMPLES, SWEEP_EXAMPLES = 15, 150
"""How often a property is tried that does not say so itself."""


def pytest_configure(config: pytest.Config) -> None:
    """Settle, before tests are imported, how many examples there are, and heed interrupts.
    A continuous integration has a profile of its own, of which all else is kept."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # in the background of a script
        signal.signal(signal.SIGINT, signal.default_int_handler)
    given = settings.get_current_profile_name()
    patient = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
    parent = patient if given == "default" else settings.get_profile(given)
    examples = SWEEP_EXAMPLES if _sweeps(config) else QUICK_EXAMPLES
    settings.register_profile("this round", parent, max_examples=examples)
    settings.load_profile("this round")


@pytest.hookimpl(wrapper=True)
def pytest_collection(session: pytest.Session) -> Generator[None, object, object]:
    """Collect all tests without looking for garbage: modules and tests stay until the end, and a
    third of the time that every worker needs for them would be spent on looking."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.set_threshold(10_000, 20, 20)  # what tests leave is small, and looking for it is not
        gc.enable()


def pytest_itemcollected(item: pytest.Item) -> None:
    """Under ``-m sweep`` every property is tried once more."""
    if _sweeps(item.config) and is_hypothesis_test(getattr(item, "obj", None)):
        item.add_marker(pytest.mark.sweep)


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """One more worker than there are cores: a fifth of the time, tests wait for processes."""
    return (os.cpu_count() or 1) + 1


def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> WorkStealingScheduling:
    """Let workers take neighbouring tests, which share what a module stages, and in the end take
    from each other, so that none waits."""
    return WorkStealingScheduling(config, log)


@pytest.fixture(autouse=True)
def _no_days_of_patched_families(request: pytest.FixtureRequest) -> Iterator[None]:
    """Around a test that may patch what families make, no composed days are kept."""
    patches = "monkeypatch" in request.fixturenames
    if patches:
        _forget_days()
    yield
    if patches:
        _forget_days()


def _forget_days() -> None:
    known = sys.modules.get("trainee_bench.meta_tasks.kept_days")
    if known is not None:  # else nothing was composed yet
        known.keep_days(known.KEPT_DAYS)


def _sweeps(config: pytest.Config) -> bool:
    return config.getoption("markexpr") == "sweep"
