"""What stays open for long is out of the garbage collector's sight, and is freed all the same."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Iterator

import pytest

from tests.harness.environment.test_day import SCENARIO
from trainee_bench.harness.environment.pool import day_worker
from trainee_bench.harness.environment.pool.day_worker import DayWorker
from trainee_bench.harness.environment.pool.requests import (
    BeginDay,
    PackedAnswer,
    StepDay,
    pack_request,
    unpack_answer,
)
from trainee_bench.harness.session.turns import ToolCall
from trainee_bench.harness.support import collector
from trainee_bench.harness.support.collector import BEGUN, LongLivedObjects, collecting_rarely
from trainee_bench.meta_tasks.scenario import ScenarioDay


@pytest.fixture(autouse=True)
def _few_calls(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(collector, "FREEZE_EVERY", BEGUN + 4)
    gc.unfreeze()
    yield
    gc.unfreeze()


class Kept:
    """An object that the collector would visit."""


def seen(kept: Kept) -> bool:
    return any(kept is other for other in gc.get_objects())


def test_after_so_many_calls_the_collector_leaves_alone_what_is_alive() -> None:
    objects = LongLivedObjects()
    kept = Kept()
    objects.grow(BEGUN + 3)
    assert seen(kept)
    objects.grow(1)
    assert not seen(kept)
    later = Kept()
    objects.grow(BEGUN + 3)
    assert seen(later)


def test_what_was_frozen_is_freed_by_its_last_reference() -> None:
    objects = LongLivedObjects()
    kept = Kept()
    alive = weakref.ref(kept)
    objects.grow(BEGUN + 4)
    assert not seen(kept)
    del kept
    assert alive() is None


def test_a_worker_counts_its_new_days_and_its_calls() -> None:
    answers: list[PackedAnswer] = []
    worker = DayWorker(answers.extend)
    day = ScenarioDay(scenario=SCENARIO, day=0)
    worker.work([(0, pack_request(BeginDay(0, day, rewards=False)))])
    worker._composer.submit(int).result()
    before = gc.get_freeze_count()
    look = ToolCall("desk_tasks", {})
    worker.work([(number, pack_request(StepDay(0, (look, look)))) for number in (1, 2)])
    assert gc.get_freeze_count() > before
    assert [unpack_answer(answer).error for answer in answers] == [None] * 3
    worker.close()


def test_a_worker_sends_answers_while_it_works_later_requests(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(day_worker, "_SEND_SECONDS", 0.0)
    sent: list[list[PackedAnswer]] = []
    worker = DayWorker(sent.append)
    worker.work([(0, pack_request(BeginDay(0, ScenarioDay(scenario=SCENARIO, day=0), False)))])
    worker._composer.submit(int).result()
    look = StepDay(0, (ToolCall("desk_tasks", {}),))
    worker.work([(number, pack_request(look)) for number in range(1, 5)])
    assert len(sent) > 2
    assert [unpack_answer(answer).number for some in sent for answer in some] == [*range(5)]
    worker.close()


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # others' garbage
def test_a_serving_process_collects_rarely_only_while_it_serves() -> None:
    before = gc.get_threshold()
    kept = Kept()
    with collecting_rarely():
        assert not seen(kept)
        assert gc.get_threshold() > before
    assert seen(kept)
    assert gc.get_threshold() == before
