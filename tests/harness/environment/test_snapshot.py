"""A snapshot goes on with a day in another process, and nothing else passes for one."""

from __future__ import annotations

import hashlib
import lzma
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from threading import Event, Thread

import anyio
import pytest

from tests.harness.environment.test_day import SCENARIO, WAIT, begun, calls, oracle
from trainee_bench.harness.agents.runtime.in_process_episode import run_in_process
from trainee_bench.harness.environment import snapshot
from trainee_bench.harness.environment.day import Day, DayInUse, InvalidSnapshot
from trainee_bench.harness.environment.snapshot import pack_day
from trainee_bench.harness.integrations.training.episode import Episode
from trainee_bench.meta_tasks.benchmark import find_scenario, load_shipped_benchmark
from trainee_bench.meta_tasks.composition import compose_day
from trainee_bench.meta_tasks.scenario import ScenarioDay
from trainee_bench.world.world import World

OTHER_PROCESS = """
import sys
from pathlib import Path
from trainee_bench.harness.environment.day import Day
from trainee_bench.harness.session.turns import ToolCall

day = Day.from_snapshot(Path(sys.argv[1]).read_bytes())
turn = day.step([ToolCall("desk_wait", {"minutes": 60})])
print(day.digest(), day.grade().score, turn.reward)
"""


def test_another_process_goes_on_as_this_one_does(tmp_path: Path) -> None:
    day = begun(rewards=True)
    day.step(calls(oracle().log)[:30])
    kept = tmp_path / "kept"
    kept.write_bytes(day.snapshot())
    turn = day.step([WAIT])
    words = [sys.executable, "-c", OTHER_PROCESS, str(kept)]
    there = subprocess.run(words, capture_output=True, text=True, check=True).stdout
    assert there.split() == [day.digest(), str(day.grade().score), str(turn.reward)]


def test_a_worked_day_of_core_50_takes_less_than_100_kb() -> None:
    largest = max(load_shipped_benchmark("core-50").scenarios, key=lambda s: len(s.days[0].tasks))
    done = anyio.run(run_in_process, "oracle", compose_day(largest))
    day = begun(largest)
    day.step(calls(done.log))
    assert len(day.snapshot()) < 100_000


def test_a_day_is_restored_into_itself_with_its_time_and_score() -> None:
    made = calls(oracle().log)
    day = begun(rewards=True)
    day.step(made[:30])
    kept, digest, now = day.snapshot(), day.digest(), day.now
    day.step([WAIT, WAIT])
    day.restore(kept)
    assert (day.digest(), day.now) == (digest, now)
    day.step(made[30:])
    assert day.grade() == oracle().grade


@pytest.mark.parametrize("world", [b"", b"no database" * 1000], ids=["empty", "nonsense"])
def test_a_day_that_cannot_be_restored_stays_as_it_was(world: bytes) -> None:
    day = begun(rewards=True)
    day.step([WAIT])
    forged = pack_day(day.composition, replace(day.state(), world=world), rewarded=True)
    digest, now, grade = day.digest(), day.now, day.grade()
    with pytest.raises(InvalidSnapshot, match="cannot be read"):
        day.restore(forged)
    with pytest.raises(InvalidSnapshot, match="cannot be read"):
        Day.from_snapshot(forged)
    with pytest.raises(InvalidSnapshot, match="cannot be read"):
        Episode.from_snapshot(forged)
    assert (day.digest(), day.now, day.grade()) == (digest, now, grade)
    day.step([WAIT])


def test_a_day_that_cannot_be_staged_again_stays_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise MemoryError

    day = begun(rewards=True)
    day.step([WAIT])
    digest = day.digest()
    with monkeypatch.context() as memory:
        memory.setattr(World, "create_inline", full)
        with pytest.raises(MemoryError):
            day.reset()
    assert day.digest() == digest
    day.step([WAIT])


def test_an_episode_goes_on_with_its_rewards() -> None:
    made = calls(oracle().log)
    episode = Episode.begin(ScenarioDay(scenario=SCENARIO, day=0))
    for call in made[:40]:
        episode.call(call.name, call.arguments)
    again = Episode.from_snapshot(episode.snapshot())
    assert again.rewards == episode.rewards
    assert again.start == episode.start
    for call in made[40:]:
        again.call(call.name, call.arguments)
    assert again.score == pytest.approx(1.0)


def repacked(change: Callable[[bytes], bytes]) -> Callable[[bytes], bytes]:
    """Change the compressed part, with a digest that fits."""

    def changed(data: bytes) -> bytes:

        start = len(snapshot.MAGIC) + 32
        packed = change(data[start:])
        return snapshot.MAGIC + hashlib.sha256(packed).digest() + packed

    return changed


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda data: b"", "no snapshot of a day"),
        (lambda data: b"SQLite format 3\x00" + data, "no snapshot of a day"),
        (lambda data: data[:-1], "damaged or incomplete"),
        (lambda data: data[:400] + bytes([data[400] ^ 1]) + data[401:], "damaged or incomplete"),
        (lambda data: data.replace(snapshot.MAGIC, snapshot.MAGIC[:-1] + b"\x09"), "layout 09"),
        (repacked(lambda packed: b"nothing compressed"), "cannot be unpacked"),
        (repacked(lambda packed: packed[:-30]), "incomplete"),
        (repacked(lambda packed: packed + packed), "incomplete, or unpacks to more"),
        (repacked(lambda packed: lzma.compress(b"\0\0\0\2{}")), "header is invalid"),
        (
            repacked(
                lambda packed: lzma.compress(
                    lzma.decompress(packed).replace(b'"generator":', b'"generator":9')
                )
            ),
            "header is invalid|made by generator 9",
        ),
    ],
)
def test_bytes_that_are_no_snapshot_of_this_version_are_refused_and_the_day_is_unchanged(
    change: Callable[[bytes], bytes], says: str
) -> None:
    day = begun()
    day.step([WAIT])
    digest = day.digest()
    with pytest.raises(InvalidSnapshot, match=says):
        day.restore(change(day.snapshot()))
    assert day.digest() == digest


def test_a_snapshot_of_another_day_is_refused_and_says_what_restores_it() -> None:
    other = begun(find_scenario("core-50-01"))
    day = begun()
    with pytest.raises(InvalidSnapshot, match=r"of another day \(core-50-01\).*from_snapshot"):
        day.restore(other.snapshot())
    assert Day.from_snapshot(other.snapshot()).digest() == other.digest()


def test_a_small_file_cannot_fill_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(snapshot, "_MOST_BYTES", 100_000)
    day = begun()
    bomb = repacked(lambda packed: lzma.compress(bytes(10_000_000)))
    with pytest.raises(InvalidSnapshot, match="unpacks to more than a day has"):
        day.restore(bomb(day.snapshot()))


def test_a_second_thread_on_a_day_gets_an_error_and_the_first_one_its_result(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    day = begun()
    entered, leave = Event(), Event()
    transport = day._transport
    assert transport is not None
    call = transport.call

    async def slow(*words: object) -> object:
        entered.set()
        leave.wait(10)
        return await call(*words)  # type: ignore[arg-type]

    monkeypatch.setattr(transport, "call", slow)
    done: list[object] = []
    first = Thread(target=lambda: done.append(day.step([WAIT])))
    first.start()
    assert entered.wait(10)
    for use in (day.digest, day.grade, day.snapshot, day.close):
        with pytest.raises(DayInUse, match="give each thread a day of its own"):
            use()
    leave.set()
    first.join()
    assert len(done) == 1
    assert day.digest()


def test_a_day_with_another_pace_of_thinking_does_not_take_the_snapshot() -> None:
    slow = Day(SCENARIO, tokens_per_minute=300)
    slow.reset()
    slow.step([WAIT], 500)
    kept = slow.snapshot()
    with pytest.raises(InvalidSnapshot, match="thinking takes another time"):
        begun().restore(kept)
    again = Day.from_snapshot(kept)
    assert again.step([WAIT], 100).answers == slow.step([WAIT], 100).answers
    assert again.now == slow.now
