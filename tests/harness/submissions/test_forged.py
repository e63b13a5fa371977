"""A forged submission is refused in a sentence. Verifying it neither breaks nor takes for ever, and
opens nothing that it names."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import zipfile
from collections.abc import Callable, Mapping
from contextlib import closing
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from tests.harness.own_agents import POLITE
from tests.harness.runs import call, run_day
from trainee_bench.harness.records.begun_episodes import result_digest
from trainee_bench.harness.records.plan import RunPlan
from trainee_bench.harness.records.results import EpisodeResult
from trainee_bench.harness.session.turns import Thought, sanitize_thought

EPISODE = "one.day_1.tests-harness-own_agents-Polite.1"
WORLD, TOLD = f"worlds/{EPISODE}.world", f"trajectories/{EPISODE}.json"
SLOW = "instr(hex(zeroblob(2000000)), hex(zeroblob(1000000)) || char(49))"
Entries = dict[str, bytes]
Change = Callable[[Entries], None]


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a run of one small day, beside its benchmark file."""
    folder = tmp_path_factory.mktemp("forged")
    run_day(folder, "--agent", POLITE, out="run")
    submit("prepare", folder / "run", folder / "mine.zip", "--name", "Mine", exits=0)
    return folder / "run"


def submit(command: str, *arguments: object, exits: int | None = None) -> Result:
    folder = Path(str(arguments[0])).parent
    benchmark = next(
        parent for parent in (folder, *folder.parents) if (parent / "mine.json").exists()
    )
    given = (*map(str, arguments), "--config", str(benchmark / "mine.json"))
    return call("submit", command, *given, exits=exits)


def entries_of(ran: Path) -> Entries:
    with zipfile.ZipFile(ran.parent / "mine.zip") as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def verified(ran: Path, change: Change) -> Result:
    """Return the result of verifying the genuine submission after *change*."""
    entries = entries_of(ran)
    change(entries)
    forged = ran.parent / "forged.zip"
    with zipfile.ZipFile(forged, "w") as archive:
        for name, data in entries.items():
            archive.writestr(name, data)
    return submit("verify", forged)


def ends(done: Result, code: int, says: str) -> None:
    """Assert that *done* ended deliberately, with this message."""
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    assert (done.exit_code, says in done.output) == (code, True), done.output


def lines(entries: Entries, name: str) -> list[Any]:
    return [json.loads(line) for line in entries[name].splitlines()]


def chained(events: list[dict[str, Any]]) -> bytes:
    """Return a record of begun episodes with a new chain, which anybody can write."""
    previous, written = "", b""
    for event in events:
        line = json.dumps(event | {"previous": previous}).encode()
        previous, written = sha256(line).hexdigest(), written + line + b"\n"
    return written


def with_line(changes: Mapping[str, object]) -> Change:
    """Return a change to the line with *changes*, and to the record of begun episodes so that it
    agrees."""

    def change(entries: Entries) -> None:
        line = lines(entries, "results.jsonl")[0] | changes
        begun, ended = lines(entries, "begun.jsonl")
        entries["results.jsonl"] = json.dumps(line).encode() + b"\n"
        digest = result_digest(EpisodeResult.model_validate(line))
        entries["begun.jsonl"] = chained([begun, ended | {"digest": digest}])

    return change


def with_events(change: Callable[[dict[str, Any], dict[str, Any]], list[dict[str, Any]]]) -> Change:
    def changed(entries: Entries) -> None:
        entries["begun.jsonl"] = chained(change(*lines(entries, "begun.jsonl")))

    return changed


def with_world(*statements: str) -> Change:
    """Return a change to the world by *statements*."""

    def change(entries: Entries) -> None:
        content = bytearray(entries[WORLD])
        content[18:20] = b"\1\1"  # a database in memory has no separate log file
        with closing(sqlite3.connect(":memory:", isolation_level=None)) as db:
            db.deserialize(bytes(content))
            for statement in statements:
                db.execute(statement)
            entries[WORLD] = db.serialize()

    return change


def with_plan(changes: Mapping[str, object]) -> Change:
    """Return a change to the plan by *changes*, sealed if possible as if the run had begun with
    it."""

    def change(entries: Entries) -> None:
        plan = json.loads(entries["run.json"]) | changes
        if plan["epochs"] == 1 and plan.get("only_day") is None:
            plan = RunPlan.model_validate(plan).sealed().model_dump(mode="json")
        entries["run.json"] = json.dumps(plan).encode()

    return change


def test_the_genuine_submission_is_verified(ran: Path) -> None:
    ends(verified(ran, lambda entries: None), 0, "mine, tests.harness.own_agents:Polite: complete ")


def without_info(entries: Entries) -> None:
    del entries["submission.json"]


def of_another_format(entries: Entries) -> None:
    entries["submission.json"] = entries["submission.json"].replace(b": 1,", b": 2,", 1)


def named_in_other_capitals(entries: Entries) -> None:
    entries[WORLD.replace("Polite", "POLITE")] = b""


def named_alike(entries: Entries) -> None:
    entries["worlds/\u043ene.world"] = b""


def with_huge_info(entries: Entries) -> None:
    entries["submission.json"] += b" " * 200_000


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (without_info, "it contains no submission.json"),
        (of_another_format, "submission.json, format: Input should be 1"),
        (named_in_other_capitals, "it contains a file twice"),
        (named_alike, "it contains worlds/\u043ene.world"),
        (with_huge_info, "submission.json has 200,0"),
    ],
)
def test_an_archive_that_is_not_a_submission_is_refused(
    ran: Path, change: Change, says: str
) -> None:
    ends(verified(ran, change), 2, says)


def with_a_name_in_no_encoding(data: bytes) -> bytes:
    place = data.rindex(b"submission.json")
    flags = data.rindex(b"PK\1\2", 0, place) + 8
    return data[:flags] + b"\0\x08" + data[flags + 2 : place] + b"\xff" + data[place + 1 :]


def damaged_within(data: bytes) -> bytes:
    place = data.index(b"results.jsonl") + 40
    return data[:place] + bytes(60) + data[place + 60 :]


@pytest.mark.parametrize("change", [with_a_name_in_no_encoding, damaged_within])
def test_an_archive_that_was_tampered_with_is_refused(
    ran: Path, change: Callable[[bytes], bytes]
) -> None:
    forged = ran.parent / "forged.zip"
    forged.write_bytes(change((ran.parent / "mine.zip").read_bytes()))
    ends(submit("verify", forged), 2, "is not a submission: ")


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_an_archive_with_a_costly_compression_is_not_unpacked(ran: Path, method: int) -> None:
    forged = ran.parent / "forged.zip"
    with zipfile.ZipFile(forged, "w", method) as archive:
        archive.writestr("submission.json", "{}")
    ends(submit("verify", forged), 2, "uses a compression method that is not allowed")


def test_a_file_of_no_episode_is_named(ran: Path) -> None:
    def change(entries: Entries) -> None:
        entries["memories/another.md"] = b"Anything."

    ends(verified(ran, change), 1, "it contains memories/another.md, which belongs to no episode")


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-1", "1e999", "9" * 4_300, "9" * 5_000])
@pytest.mark.parametrize("field", ["wall_seconds", "steps", "cost_usd"])
def test_a_number_that_no_run_has_is_refused_or_named(ran: Path, field: str, number: str) -> None:
    def change(entries: Entries) -> None:
        line = lines(entries, "results.jsonl")[0] | {field: "number"}
        text = json.dumps(line).replace('"number"', number)
        entries["results.jsonl"] = f"{text}\n".encode()

    done = verified(ran, change)
    ends(done, done.exit_code, "")
    assert done.exit_code in (1, 2)


@pytest.mark.parametrize(
    ("changes", "code", "says"),
    [
        ({"epochs": 10**9}, 2, "a run has at most 100,000 episodes"),
        ({"schema_version": 99}, 1, "its files have layout 99, but this version uses 3"),
        ({"only_day": 7}, 2, "one has no day number 7"),
        ({"only_day": -1}, 2, "one has no day number -1"),
    ],
)
def test_a_plan_that_no_run_has_is_refused_at_once(
    ran: Path, changes: Mapping[str, object], code: int, says: str
) -> None:
    ends(verified(ran, with_plan(changes)), code, says)


def test_a_scenario_that_is_not_the_boards_is_not_staged(ran: Path) -> None:
    def change(entries: Entries) -> None:
        plan = json.loads(entries["run.json"])
        plan["scenarios"][0]["days"][0]["tasks"][0]["parameters"] = {"no_such": 1}
        with_plan({"scenarios": plan["scenarios"]})(entries)

    done = verified(ran, change)
    ends(done, 1, "its scenarios and days are not exactly those of mine")
    assert "not replayed" not in done.output


def test_the_file_of_models_that_a_plan_names_is_not_opened(ran: Path, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "models.yaml")  # opening it would wait for ever
    settings = {"api_config": str(tmp_path / "models.yaml"), "npc_model": "mine"}
    done = verified(ran, with_plan({"model_settings": settings}))
    ends(done, 1, "the line's identity says npc_brain scripted, the spec model:mine")


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (
            with_events(lambda begun, ended: [begun, ended | {"score": 0.75}]),
            "ended with score 0.75 and tries 1, its line says 0.0 and 1",
        ),
        (
            with_events(lambda begun, ended: [begun, ended | {"tries": 2}]),
            "ended with score 0.0 and tries 2, its line says 0.0 and 1",
        ),
        (
            with_events(lambda begun, ended: [ended, begun]),
            "did not end after it was begun last",
        ),
    ],
)
def test_a_record_of_begun_episodes_agrees_with_the_lines(
    ran: Path, change: Change, says: str
) -> None:
    ends(verified(ran, change), 1, says)


@pytest.mark.parametrize("name", ["results.jsonl", "begun.jsonl"])
def test_a_file_that_ends_within_a_line_is_named(ran: Path, name: str) -> None:
    def change(entries: Entries) -> None:
        entries[name] += b'{"episode": "'

    ends(verified(ran, change), 1, f"{name} ends within a line")


def put_in(table: str, text: str) -> tuple[str, str]:
    """Return SQL that puts *text* into the layout of *table* instead of 4321, without computing
    it."""
    return (
        "PRAGMA writable_schema = 1",
        f"UPDATE sqlite_schema SET sql = replace(sql, '4321', '{text}') WHERE name = '{table}'",
    )


CHECKED = "CREATE TABLE t (x CHECK (x < 4321))"
COMPUTED = "CREATE TABLE t (x, y AS (x + 4321) VIRTUAL NOT NULL)"
MANY_ACTIONS = """
INSERT INTO action
SELECT i + 10, at, until, actor, tool, arguments, ok, text, data, notices, effects FROM action, (
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 20001) SELECT i FROM n
)
"""
ROW = "INSERT INTO t (x) VALUES (1)"


@pytest.mark.parametrize(
    ("statements", "says"),
    [
        (("CREATE VIEW v AS SELECT 1",), "has the view v, which no world has"),
        (
            ("CREATE TRIGGER t AFTER INSERT ON action BEGIN SELECT 1; END",),
            "has the trigger t, which no world has",
        ),
        (
            ("CREATE INDEX i ON action (length(text) + 4321)", *put_in("i", SLOW)),
            "has the index i, which no world has",
        ),
        (("CREATE TABLE t (x)",), "its world has a table t, which no day makes"),
        ((CHECKED, ROW, *put_in("t", SLOW)), "its world has a table t, which no day makes"),
        ((COMPUTED, ROW, *put_in("t", SLOW)), "its world has a table t, which no day makes"),
        (("UPDATE action SET seq = seq + 1",), "its number was '2', is '1'"),
        (("UPDATE action SET notices = '[{\"more\": 1}]'",), "is damaged (ValidationError"),
        (("UPDATE action SET ok = 0",), "whether it succeeded was 'False', is 'True'"),
        ((f"UPDATE action SET arguments = '{'[' * 100_000}'",), "is damaged (RecursionError"),
        (
            ("UPDATE action SET tool = 'x', effects = '{\"unlisted\": 7}'",),
            "a tool is not listed, or it is",
        ),
        (("UPDATE fact SET value = '{}' WHERE name = 'scenario'",), "is damaged"),
        (
            (MANY_ACTIONS,),
            "has a log of 20,002 actions; at most 20,000 are repeated",
        ),
    ],
)
def test_a_world_that_was_changed_is_named_and_nothing_of_it_is_computed(
    ran: Path, statements: tuple[str, ...], says: str
) -> None:
    ends(verified(ran, with_world(*statements)), 1, says)


def test_the_scenario_that_a_world_tells_of_is_not_staged(ran: Path) -> None:
    def change(entries: Entries) -> None:
        # A scenario that cannot be staged, so that staging it would be reported.
        with_world(
            "UPDATE fact SET value = replace(value, 'kb_fix.easy', 'no_such.rule') "
            "WHERE name = 'scenario'"
        )(entries)

    ends(verified(ran, change), 1, "the world is that of another day than the plan's")


def test_calls_that_only_the_trajectory_has_are_named(ran: Path) -> None:
    def change(entries: Entries) -> None:
        with_line({"tool_calls": 4})(entries)
        told = json.loads(entries[TOLD])
        told["steps"][-1]["tool_calls"] *= 4
        entries[TOLD] = json.dumps(told).encode()

    ends(verified(ran, change), 1, "the trajectory has 4 calls that were made, the log 1")


@pytest.mark.parametrize("name", ["results.jsonl", "begun.jsonl", TOLD, WORLD])
def test_a_pipe_in_a_run_is_refused_and_not_waited_for(
    ran: Path, tmp_path: Path, name: str
) -> None:
    shutil.copy(ran.parent / "mine.json", tmp_path)
    spoiled = Path(shutil.copytree(ran, tmp_path / "run"))
    (spoiled / name).unlink()
    os.mkfifo(spoiled / name)
    done = submit("prepare", spoiled, tmp_path / "made.zip", "--name", "Mine")
    ends(done, 2, "is neither a file nor a folder; remove it")


def test_the_costs_that_an_agent_reports_have_a_finite_sum() -> None:
    impossible = Thought(prompt_tokens=10**5_000, completion_tokens=-1, cost_usd=1e308)
    assert sanitize_thought(impossible) == Thought()
