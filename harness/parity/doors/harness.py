"""Our own harness: ``trainee-bench run`` with a model, over each of its three transports."""

from __future__ import annotations

import json
from pathlib import Path
from typing import ClassVar

import anyio
from rich.console import Console

from trainee_bench.harness.batch.options import RunOptions
from trainee_bench.harness.batch.pipeline import create_run, execute
from trainee_bench.harness.batch.plan_builder import build_plan
from trainee_bench.harness.parity.door import Door, DoorFailed, DoorRun, run_in_world
from trainee_bench.harness.parity.script import ParityScript
from trainee_bench.harness.parity.scripted_model import MODEL, ScriptedModelServer, serve_in_thread
from trainee_bench.harness.records.plan import Transport
from trainee_bench.meta_tasks.benchmark import Benchmark

_ALIAS = "parity"


class HarnessMemoryDoor(Door):
    """Server and client in one process."""

    name = "harness-memory"
    transport: ClassVar[Transport] = Transport.MEMORY

    def play(self, script: ParityScript, folder: Path) -> DoorRun:
        """Let a model service and its agent work the day, and write a run folder."""
        model = ScriptedModelServer(script.calls)
        benchmark = Benchmark(name="parity", scenarios=(script.scenario,))
        config, models = folder / "benchmark.json", folder / "api_config.json"
        config.write_text(benchmark.model_dump_json(), encoding="utf-8")
        with serve_in_thread(model) as address:
            endpoint = {
                "model_name": MODEL, "api_key_var": "none", "base_url": f"{address}/v1",
                "proxy_url": "",
            }  # fmt: skip
            models.write_text(json.dumps({_ALIAS: endpoint}), encoding="utf-8")
            options = RunOptions(
                config=config, model=[_ALIAS], api_config=models, transport=self.transport
            )
            run = create_run(build_plan(options), folder / "run")
            (result,) = execute(run, Console(quiet=True)).results
        if result.broken:
            raise DoorFailed(str(result.error or result.agent_error))
        (spec,) = run.plan.episode_specs()
        done = anyio.run(run_in_world, run.folder.world(spec), script)
        return DoorRun(done.digest, result.score, done.refused, model.results, model.pictures)


class HarnessStdioDoor(HarnessMemoryDoor):
    """A server process, connected by its standard input and output."""

    name = "harness-stdio"
    transport = Transport.STDIO


class HarnessHttpDoor(HarnessMemoryDoor):
    """A server on a port of this machine."""

    name = "harness-http"
    transport = Transport.HTTP
