"""Odd calls of every tool over three transports: no silent failure, no hang, no leak.

    nice python benchmarks/odd_calls.py [--memory N] [--stdio N] [--http N] [--seed N]

The script works days with odd arguments (`odd_arguments.py`). Each answer must come in time and be
a success or a refusal in our own words. A refused call must change nothing. To test
this, a second world replaces all refused calls by plain refusals; at the end of the day it must
have the same digest.
Days that all transports can carry must have the same answers, logs and digests on all of them.
Between calls, stdio and HTTP get invalid messages (`odd_wires.py`). Exit code 1 for a fault.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import re
import resource
import shutil
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import time as clock
from pathlib import Path
from typing import Any

from mcp import Client, MCPError, types
from odd_answers import Answer, Hung, Tally, as_answer, check, comparable, in_time, spelt
from odd_answers import lying_around as around
from odd_arguments import Call, OddCalls
from odd_wires import HttpWire, Silent, StdioWire, Surroundings, Wire

from trainee_bench.mcp_servers import discover_toolboxes
from trainee_bench.mcp_servers.grading.verifier_server import build_verifier
from trainee_bench.mcp_servers.office import build_office_server
from trainee_bench.mcp_servers.serving.dispatcher import ToolDispatcher
from trainee_bench.mcp_servers.serving.log_replay import ReplayDiverged, replay_log
from trainee_bench.mcp_servers.serving.server import render_result
from trainee_bench.meta_tasks.benchmark import find_scenario
from trainee_bench.meta_tasks.composition import ComposedDay, compose_day
from trainee_bench.world.apps.files import PictureAppears
from trainee_bench.world.apps.mail import MailArrives
from trainee_bench.world.email.message import AttachmentFile
from trainee_bench.world.errors import Refused
from trainee_bench.world.filesystem.content import FileKind, drawing_content
from trainee_bench.world.pictures.density_map import DensityMap
from trainee_bench.world.transaction import Transaction
from trainee_bench.world.world import World

SCENARIOS = ("minutes_and_links", "first_day", "core-50-50", "core-50-43", "core-50-18")
CALLS_A_DAY = 1_200
LATEST = clock(23, 30)
"""The end of the days. Refusals take a minute each, other calls none, so a day has many."""
MALFORMED_SHARE = 0.15
"""Invalid messages per call over stdio or HTTP."""
GROWTH_MB = 400
"""The allowed growth of this process's memory after a tenth of its calls."""


# a day in this process ----------------------------------------------------------------------


@asynccontextmanager
async def caller(world: World, number: int) -> AsyncIterator[Callable[..., Any]]:
    """Yield a function that calls *world*: the seat in process, or a client in memory, by turns."""
    if number % 2:
        person = await world.read(lambda tx: tx.employee)
        seat = ToolDispatcher(world, person, discover_toolboxes().values())

        async def seated(name: str, arguments: Any) -> Answer:
            return as_answer(render_result(await seat.call(name, arguments)))

        yield seated
        return
    async with Client(await build_office_server(world)) as client:

        async def called(name: str, arguments: Any) -> Answer:
            parameters = types.CallToolRequestParams(name=name, arguments=arguments)
            asked = types.CallToolRequest(params=parameters)
            return as_answer(await client.session.send_request(asked, types.CallToolResult))

        yield called


@dataclass
class WorkedDay:
    """The calls of a day, their answers, and the state of the world afterwards."""

    calls: list[Call]
    answers: list[Answer]
    digest: str
    log: list[Any]


async def work(
    tally: Tally, base: Path, number: int, most: int, rng: random.Random, *, carried: bool
) -> WorkedDay:
    """A day of odd calls in this process."""
    async with await World.open(base) as opened:
        start = await opened.fork()
    async with start, await start.fork() as world:
        staged = len(await world.log())
        odd = OddCalls(rng, schemas(), carried=carried, finite=number % 2 == 0)
        calls: list[Call] = []
        answers: list[Answer] = []
        late = 0
        async with caller(world, number) as make:
            while len(calls) < most and late < 3:
                call = odd.call()
                calls.append(call)
                began = time.perf_counter()
                try:
                    with in_time():
                        answer = await make(*call)
                except (Exception, Hung) as error:  # noqa: BLE001
                    said = error.error.message if isinstance(error, MCPError) else repr(error)
                    tally.fault("broke", f"{call[0]} {spelt(call[1])[:400]}: {said[:300]}")
                    tally.calls["memory"] += 1
                    answers.append({})
                    continue
                tally.took(time.perf_counter() - began, f"{call[0]} {spelt(call[1])[:120]}")
                check(tally, "memory", call, answer)
                answers.append(answer)
                odd.learn((answer.get("structuredContent") or {}).get("data"))
                late += "day ended" in answer["content"][0]["text"]
        log = await world.log(staged)
        broken = answers.count({})
        if len(log) != len(calls) - broken:
            tally.fault("log", f"day {number}: {len(log)} entries for {len(calls)} calls")
        digest = await world.digest()
        await check_twin(tally, start, log, digest, number)
        return WorkedDay(calls, answers, digest, log)


async def check_twin(
    tally: Tally, start: World, log: Sequence[Any], digest: str, number: int
) -> None:
    """Check that refused calls changed nothing: in a second world, plain refusals replace them."""
    async with await start.fork() as twin:
        seats: dict[str, ToolDispatcher] = {}
        for entry in log:
            try:
                if entry.ok:
                    await replay_log(twin, [entry])
                    continue
            except ReplayDiverged as error:
                tally.fault("replay", f"day {number}: {error}")
                return
            seat = seats.setdefault(entry.actor, ToolDispatcher(twin, entry.actor, ()))
            await seat.refuse(entry.tool, {}, Refused("no"))
        if await twin.digest() != digest:
            tally.fault("a refusal changes the world", f"day {number}")
    if number % 10 == 0:
        async with await start.fork() as again:
            try:
                await replay_log(again, log)
                if await again.digest() != digest:
                    tally.fault("replay", f"day {number}: another digest")
            except ReplayDiverged as error:
                tally.fault("replay", f"day {number}: {error}")


_SCHEMAS: dict[str, Any] = {}


def schemas() -> dict[str, Any]:
    if not _SCHEMAS:
        for box in discover_toolboxes().values():
            _SCHEMAS.update({tool.name: tool.input_schema for tool in box})
    return _SCHEMAS


# the same day over a wire -------------------------------------------------------------------


def repeat(tally: Tally, wire: Wire, day: WorkedDay, number: int, rng: random.Random) -> int:
    """Make the calls of *day* over *wire* and compare the answers; the server's memory in kB."""
    for call, expected in zip(day.calls, day.answers, strict=True):
        if rng.random() < MALFORMED_SHARE:
            tally.malformed[wire.name] += 1
            for what in wire.malformed(rng):
                tally.fault(f"malformed over {wire.name}", what)
        began = time.perf_counter()
        got = wire.call(*call)
        tally.took(time.perf_counter() - began, f"{wire.name}: {call[0]}")
        if "result" not in got:
            if expected:
                tally.fault(f"{wire.name} differs", f"{call[0]} {spelt(call[1])[:300]}: {got}")
            tally.calls[wire.name] += 1
            continue
        answer = comparable(got["result"])
        check(tally, wire.name, call, answer)
        if answer != expected:
            said = f"{json.dumps(expected)[:500]} but {json.dumps(answer)[:500]}"
            tally.fault(
                f"{wire.name} differs", f"day {number} {call[0]} {spelt(call[1])[:200]}: {said}"
            )
    return resident(wire.process.pid)


def resident(pid: int) -> int:
    """The memory of a process, in kB."""
    found = re.search(r"VmRSS:\s+(\d+)", Path(f"/proc/{pid}/status").read_text())
    return int(found.group(1)) if found else 0


async def compare_end(tally: Tally, path: Path, day: WorkedDay, what: str) -> None:
    async with await World.open(path) as world:
        if await world.digest() != day.digest:
            tally.fault("another digest", what)
        log = (await world.log())[-len(day.log) :]
    told, wanted = (
        repr([(entry.tool, entry.arguments, entry.ok, entry.text, entry.at) for entry in entries])
        for entries in (log, day.log)  # as texts, since NaN is not itself
    )
    if told != wanted:
        tally.fault("another log", f"{what}: {len(log)} entries, {len(day.log)} wanted")


def over_wires(
    tally: Tally, folder: Path, base: Path, day: WorkedDay, number: int, args: Any
) -> None:
    """Work *day* over stdio and over HTTP, until their calls are used up."""
    kinds: dict[str, tuple[int, Callable[[Surroundings], Wire]]] = {
        "stdio": (args.stdio, StdioWire),
        "http": (args.http, lambda where: HttpWire(where, modern=number % 4 < 2)),
    }
    for name, (wanted, start) in kinds.items():
        if tally.calls[name] >= wanted:
            continue
        world = folder / "world"
        world.mkdir(exist_ok=True)
        path = world / f"{name}.world"
        shutil.copyfile(base, path)
        where = Surroundings(path, folder / "home", folder / "tmp")
        try:
            wire = start(where)
        except Silent as error:
            tally.fault("silent", f"the start of {name}, day {number}: {error}")
            continue
        try:
            memory = repeat(tally, wire, day, number, random.Random(f"{args.seed}/{number}/{name}"))
            if memory > 700_000:
                tally.fault("memory", f"{name}, day {number}: {memory} kB")
            for what in wire.close():
                tally.fault(f"the end of {name}", f"day {number}: {what}")
            asyncio.run(compare_end(tally, path, day, f"{name}, day {number}"))
        except (Silent, ValueError, ConnectionError) as error:
            tally.fault("silent", f"{name}, day {number}: {error!r}")
        finally:
            wire.process.kill()
            wire.process.wait()
        if left := [file.name for file in world.iterdir() if file != path]:
            tally.fault("outside", f"{name}, day {number}: {left}")
        path.unlink()


# the verifier, and the rest ------------------------------------------------------------------


async def verify(tally: Tally, base: Path, calls: int, rng: random.Random) -> None:
    """Odd calls of the verifier; one of them grades."""
    async with await World.open(base) as world, Client(build_verifier(world)) as client:
        listed = {tool.name: tool.input_schema for tool in (await client.list_tools()).tools}
        odd = OddCalls(rng, listed, carried=True, finite=True)
        while calls:
            name, arguments = odd.call()
            sound = not arguments or arguments.get("tier") in (1, 2, 3)
            if sound and set(arguments) <= {"tier"} and rng.random() > 0.01:
                continue  # to grade takes long
            calls -= 1
            parameters = types.CallToolRequestParams(name=name, arguments=arguments)
            asked = types.CallToolRequest(params=parameters)
            try:
                with in_time():
                    done = await client.session.send_request(asked, types.CallToolResult)
                check(tally, "memory", (name, arguments), as_answer(done))
            except (Exception, Hung) as error:  # noqa: BLE001
                tally.fault("broke", f"{name} {spelt(arguments)[:300]}: {error!r}")


async def stage(folder: Path) -> list[Path]:
    """Days with all apps, in which the examples of the apps were made."""
    found = []
    for name in SCENARIOS:
        changes: dict[str, Any] = {
            "tools": tuple(discover_toolboxes()),
            "minutes": dict.fromkeys(schemas(), 0),
        }
        changes["ends"] = LATEST
        path = folder / f"{name}.world"
        composition = compose_day(find_scenario(name).model_copy(update=changes))

        def furnish(tx: Transaction, composition: ComposedDay = composition) -> None:
            composition.populate(tx)
            drawing = DensityMap(title="A map", levels=((0, 1), (4, 5)))
            data = drawing_content(drawing).data
            enclosed = AttachmentFile(name="m.png", kind=FileKind.PICTURE, data=data)
            mail = MailArrives(
                sender="Shop <shop@vendor.example.org>",
                to=(tx.employee,),
                subject="Map",
                body="Here.\n" * 2_000,
                attachments=(enclosed,),
            )
            tx.enqueue(tx.now, PictureAppears(path="drive:/odd/map.png", drawing=drawing))
            tx.enqueue(tx.now, mail)

        async with await World.create(path, composition.world_config(), furnish) as world:
            person = await world.read(lambda tx: tx.employee)
            seat = ToolDispatcher(world, person, discover_toolboxes().values())
            people = await seat.call("chat_list_people", {})
            assert people.result is not None
            colleague = people.result.data.model_dump()["people"][0]["id"]
            for box in discover_toolboxes().values():
                for tool, arguments in box.examples:
                    said = json.dumps(arguments).replace("{colleague}", colleague)
                    await seat.call(tool, json.loads(said.replace("{me}", person)))
        found.append(path)
    return found


def main(args: argparse.Namespace) -> Tally:
    tally = Tally()
    began = time.monotonic()
    folder = Path(tempfile.mkdtemp(prefix="odd-calls-"))
    for part in ("home", "tmp"):
        (folder / part).mkdir()
    os.environ |= {"HOME": str(folder / "home"), "TMPDIR": str(folder / "tmp")}
    tempfile.tempdir = None
    os.chdir(folder / "home")
    bases = asyncio.run(stage(folder))
    before = around(folder)
    asyncio.run(verify(tally, bases[0], args.memory // 300, random.Random(f"{args.seed}/verifier")))
    number, settled = args.first, 0
    while tally.calls["memory"] < args.memory or any(
        tally.calls[name] < wanted for name, wanted in (("stdio", args.stdio), ("http", args.http))
    ):
        base = bases[number % len(bases)]
        wired = tally.calls["stdio"] < args.stdio or tally.calls["http"] < args.http
        rng = random.Random(f"{args.seed}/{number}")
        day = asyncio.run(
            work(tally, base, number, CALLS_A_DAY, rng, carried=wired or not number % 2)
        )
        if wired:
            over_wires(tally, folder, base, day, number, args)
        number += 1
        if not settled and tally.calls["memory"] > args.memory / 10:
            settled = resident(os.getpid())
        if number % (5 if wired else 20) == 0:
            spent = time.monotonic() - began
            print(f"{spent:.0f} s, day {number}: {dict(tally.calls)}", flush=True)
    grown = (resident(os.getpid()) - settled) // 1024
    if settled and grown > GROWTH_MB:
        tally.fault("memory", f"this process has grown by {grown} MB")
    if new := around(folder) - before:
        tally.fault("outside", f"{sorted(new)[:20]}")
    report(tally, number - args.first, grown, time.monotonic() - began)
    if args.texts:
        args.texts.write_text(
            "\n".join(f"{key}\n    {tally.texts[key]}" for key in sorted(tally.texts))
        )
    shutil.rmtree(folder)
    return tally


def report(tally: Tally, days: int, grown: int, seconds: float) -> None:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(f"{days} days in {seconds:.0f} s; peak {peak} MB, grown by {grown} MB after a tenth")
    for name, calls in tally.calls.items():
        no = f"{tally.malformed[name]} malformed messages beside"
        print(f"{name:8} {calls:8} calls, {tally.refused[name]} refused, {no}")
    never = sorted(set(schemas()) - set(tally.succeeded))
    print(f"kinds of refusals: {len(tally.texts)}; never succeeded: {', '.join(never) or 'none'}")
    for seconds, what in tally.slowest:
        print(f"slowest {seconds:6.2f} s {what}")
    for kind, found in tally.faults.items():
        print(f"FAULTS {kind}: {len(found)}")
    print("no fault" if not tally.faults else "there are faults")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    for name, calls in (("memory", 150_000), ("stdio", 25_000), ("http", 25_000), ("seed", 1)):
        parser.add_argument(f"--{name}", type=int, default=calls)
    parser.add_argument("--first", type=int, default=0, help="number of the first day")
    parser.add_argument("--texts", type=Path, help="write the kinds of refusals to this file")
    given = parser.parse_args()
    given.texts = given.texts and given.texts.absolute()
    raise SystemExit(bool(main(given).faults))
