"""A saved session has one holder and one history, and a number of a day is handed out once."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.harness.environment.test_day import SCENARIO
from trainee_bench.harness.integrations.training.serving.day_store import (
    DayStore,
    Hold,
    SessionTakenOver,
)
from trainee_bench.harness.integrations.training.serving.saved_session import (
    NotSavable,
    SavedSession,
    UnreadableSession,
    sealed,
    session_line,
    step_line,
)
from trainee_bench.harness.integrations.training.serving.store_files import (
    StoreFiles,
    UnsuitableStore,
)
from trainee_bench.harness.integrations.training.splits import describe_day
from trainee_bench.harness.session.turns import ToolCall
from trainee_bench.meta_tasks.scenario import ScenarioDay

pytest.importorskip("fsspec", reason="the extra serving is not installed")

GIVEN = ScenarioDay(scenario=SCENARIO, day=0)
MORNING = session_line(GIVEN, describe_day("quickstart", 0, GIVEN), "mine")
_NAMES = count()

Opened = Callable[[], DayStore]


@pytest.fixture(params=["folder", "memory"])
def opened(request: pytest.FixtureRequest, tmp_path: Path) -> Opened:
    """Opens the same store as another worker would."""
    url = str(tmp_path) if request.param == "folder" else f"memory://day-store-{next(_NAMES)}"
    return lambda: DayStore(url)


def after(*tools: str) -> bytes:
    """Return a session whose steps are calls of *tools*."""
    return sealed([MORNING, *(step_line([ToolCall(tool)]) for tool in tools)])


def taken(store: DayStore) -> tuple[Hold, list[str]]:
    """Take the session over; return the hold, and the tools of its steps."""
    found = store.take_over("", "token")
    assert found is not None
    return found[0], tools_of(found[1])


def tools_of(saved: SavedSession) -> list[str]:
    return [call.name for step in saved.steps for call in step]


class TestOneHistory:
    def test_who_takes_a_session_over_has_all_that_was_saved(self, opened: Opened) -> None:
        hold = opened().begin("", "token", after())
        opened().save(hold, after("a"))
        assert taken(opened())[1] == ["a"]

    def test_nothing_that_an_earlier_holder_saves_counts(self, opened: Opened) -> None:
        first = opened().begin("", "token", after("a"))
        second, _ = taken(opened())
        with pytest.raises(SessionTakenOver):
            opened().save(first, after("a", "stale"))
        opened().save(second, after("a", "b"))
        with pytest.raises(SessionTakenOver):
            opened().check_held(first)
        assert taken(opened())[1] == ["a", "b"]

    def test_it_does_not_count_even_if_the_new_holder_never_saved_a_step(
        self, opened: Opened
    ) -> None:
        first = opened().begin("", "token", after("a"))
        taken(opened())
        with pytest.raises(SessionTakenOver):
            opened().save(first, after("a", "stale"))
        assert taken(opened())[1] == ["a"]

    def test_of_many_that_take_it_over_at_once_one_holds_it(self, opened: Opened) -> None:
        opened().begin("", "token", after("a"))
        stores = [opened() for _ in range(8)]

        def try_to_hold(store: DayStore) -> bool:
            try:
                hold, steps = taken(store)
                store.save(hold, after(*steps, "b"))
                store.check_held(hold)
            except SessionTakenOver:
                return False
            return True

        with ThreadPoolExecutor(8) as threads:
            held = sum(threads.map(try_to_hold, stores))
        last, steps = taken(opened())
        # Each that held it in turn went on from where the one before had saved.
        assert 1 <= held <= len(steps) - 1
        assert last.number == 10
        assert steps == ["a", *["b"] * (len(steps) - 1)]

    def test_a_worker_that_died_between_claim_and_save_loses_nothing(
        self, opened: Opened, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        opened().begin("", "token", after("a"))
        with monkeypatch.context() as dying:
            dying.setattr(StoreFiles, "replace", _fail)
            with pytest.raises(OSError, match="No space"):
                opened().take_over("", "token")
        assert taken(opened())[1] == ["a"]

    def test_a_session_that_could_not_be_begun_leaves_nothing(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        store = DayStore(str(tmp_path))
        monkeypatch.setattr(StoreFiles, "replace", _fail)
        with pytest.raises(OSError, match="No space"):
            store.begin("", "token", after())
        assert not [path for path in tmp_path.rglob("*") if path.is_file()]

    def test_names_of_tenants_and_tokens_never_mix(self, opened: Opened) -> None:
        opened().begin("one", "token", after())
        for tenant, token in (("", "one\0token"), ("onetoken", ""), ("one\0", "token")):
            assert opened().take_over(tenant, token) is None


class TestDeletion:
    def test_a_session_that_was_forgotten_is_gone(self, tmp_path: Path) -> None:
        store = DayStore(str(tmp_path))
        store.forget(store.begin("", "token", after("a")))
        assert store.take_over("", "token") is None
        assert not [path for path in tmp_path.rglob("*") if path.is_file()]

    def test_nobody_forgets_what_another_goes_on_with(self, opened: Opened) -> None:
        first = opened().begin("", "token", after("a"))
        taken(opened())
        with pytest.raises(SessionTakenOver):
            opened().forget(first)
        assert taken(opened())[1] == ["a"]

    def test_an_earlier_holder_does_not_bring_it_back(self, opened: Opened) -> None:
        first = opened().begin("", "token", after("a"))
        second, _ = taken(opened())
        opened().forget(second)
        with pytest.raises(SessionTakenOver):
            opened().save(first, after("stale"))
        assert opened().take_over("", "token") is None

    def test_only_sessions_older_than_stated_are_deleted(self, tmp_path: Path) -> None:
        store = DayStore(str(tmp_path))
        store.begin("", "old", after())
        for path in tmp_path.glob("sessions/*/*"):
            os.utime(path, (time.time() - 1_000, time.time() - 1_000))
        store.begin("", "new", after())
        assert store.forget_older(500) == 1
        assert store.take_over("", "old") is None
        assert store.take_over("", "new") is not None

    def test_the_age_of_a_session_counts_from_its_last_save_or_takeover(
        self, opened: Opened
    ) -> None:
        opened().begin("", "token", after())
        assert opened().forget_older(3_600) == 0
        assert opened().forget_older(-10) == 1
        assert opened().take_over("", "token") is None

    def test_one_that_cannot_be_deleted_does_not_keep_the_others(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        store = DayStore(str(tmp_path))
        for token in ("a", "b", "c"):
            store.begin("", token, after())
        fails_once = iter([True])
        replace = StoreFiles.replace

        def failing(files: StoreFiles, path: str, content: bytes) -> None:
            if next(fails_once, False):
                raise OSError("No space left on device")
            replace(files, path, content)

        monkeypatch.setattr(StoreFiles, "replace", failing)
        with pytest.raises(ExceptionGroup, match="1 old sessions could not be deleted"):
            store.forget_older(-10)
        assert sum(store.take_over("", token) is None for token in ("a", "b", "c")) == 2


class TestNumbers:
    def test_workers_that_share_a_store_never_get_the_same_number(self, opened: Opened) -> None:
        stores = [opened() for _ in range(3)]
        with ThreadPoolExecutor(6) as threads:
            numbers = list(threads.map(lambda at: stores[at % 3].next_number(), range(240)))
        assert len(set(numbers)) == 240
        assert max(numbers) < 240 + 3 * 16

    def test_a_failed_claim_is_raised_and_the_next_one_succeeds(
        self, opened: Opened, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        store, other = opened(), opened()
        with monkeypatch.context() as disk:
            disk.setattr(StoreFiles, "create", _fail)
            for _ in range(3):
                with pytest.raises(OSError, match="No space"):
                    store.next_number()
        numbers = [one.next_number() for one in (store, other) for _ in range(20)]
        assert sorted(numbers) == sorted(set(numbers))
        assert numbers[0] == 0

    def test_a_new_worker_goes_on_after_all_that_were_claimed(self, opened: Opened) -> None:
        before = [opened().next_number() for _ in range(3)]
        assert before == [0, 16, 32]
        assert opened().next_number() == 48


def test_a_store_that_cannot_create_a_file_only_once_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from fsspec.implementations.memory import MemoryFileSystem

    pipe_file = MemoryFileSystem.pipe_file
    monkeypatch.setattr(
        MemoryFileSystem,
        "pipe_file",
        lambda self, path, value, mode="": pipe_file(self, path, value),
    )
    with pytest.raises(UnsuitableStore, match="use a folder"):
        DayStore("memory://twice")


def _nested(depth: int) -> list[object]:
    value: list[object] = []
    for _ in range(depth):
        value = [value]
    return value


@pytest.mark.parametrize(
    "value",
    ["\ud800", {"\udfff": 1}, float("nan"), float("inf"), 10**5_000, _nested(300), _nested(5_000),
     (1, 2), b"x"],
    ids=lambda value: type(value).__name__,
)  # fmt: skip
def test_what_would_not_come_back_as_it_was_cannot_be_saved(value: object) -> None:
    with pytest.raises(NotSavable, match="was not made"):
        step_line([ToolCall("chat_send_message", {"text": value})])  # type: ignore[dict-item]


def test_what_is_saved_comes_back_as_it_was() -> None:
    odd = {"text": "é\0\n\u2028😀", "list": [1.0, True, None, 2**70, -5e-324], "deep": _nested(60)}
    call = ToolCall("no such tool\n", odd)  # type: ignore[arg-type]
    saved = SavedSession.read(sealed([MORNING, step_line([call, call])]))
    assert saved.steps == [(call, call)]


@given(st.data())
def test_a_session_with_any_changed_or_missing_byte_is_refused(data: st.DataObject) -> None:
    content = after("desk_tasks", "mail_list")
    place = data.draw(st.integers(0, len(content) - 1))
    other = data.draw(st.integers(0, 255).filter(lambda byte: byte != content[place]))
    changed = content[:place] + bytes([other]) + content[place + 1 :]
    for damaged in (changed, content[:place], content[:place] + content[place + 1 :]):
        with pytest.raises(UnreadableSession, match="damaged"):
            SavedSession.read(damaged)


def _fail(*_: object) -> bool:
    raise OSError("No space left on device")
