"""The files of one exported task, in Harbor's format (task.toml of schema 1.4).

task.toml, instruction.md
environment/   Dockerfile             the agent's machine
               docker-compose.yaml    the agent's machine and the office beside it
               office/                image, scenario (with its seed!) and start of the server
tests/         image and script of the verifier, which grades a copy of the world
solution/      calls that solve the day, and a program that makes them
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import metadata, resources
from pathlib import Path

from jinja2 import Environment, PackageLoader, StrictUndefined

from trainee_bench.harness.session.turns import ToolCall
from trainee_bench.mcp_servers.serving.server import package_version
from trainee_bench.meta_tasks.benchmark import Benchmark
from trainee_bench.meta_tasks.scenario import GENERATOR_VERSION, SCORE_VERSION, Scenario

IMAGE = (
    "python:3.13.5-slim-bookworm@sha256:"
    "4c2cf9917bd1cbacc5e9b07320025bdb7cdf2df7b0ceaccb55e9dd7e30987419"
)
"""The base image of all three machines. Its Python is the newest that we support, since
`constraints` fit it whatever Python they were computed with."""
PACKAGE = "trainee-bench"
_TEMPLATES = "task_files"
_TEMPLATE_OF = {
    "task.toml": "task.toml",
    "instruction.md": "instruction.md",
    "environment/Dockerfile": "agent.Dockerfile",
    "environment/.dockerignore": "agent.dockerignore",
    "environment/docker-compose.yaml": "docker-compose.yaml",
    "environment/office/Dockerfile": "office.Dockerfile",
    "environment/office/serve.sh": "serve.sh",
    "tests/Dockerfile": "tests.Dockerfile",
    "tests/test.sh": "test.sh",
    "solution/solve.sh": "solve.sh",
}
"""The template for each file that has one, by the file's path."""
_IMAGE_FOLDERS = ("environment/office", "tests")
"""The folders from which images with this package are built."""
_NAME = re.compile(r"[^A-Za-z0-9_.-]+")
_REQUIRED = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


class CannotExportTasks(Exception):
    """Raised if days cannot be exported with these options; says why, and what to do."""


@dataclass(frozen=True)
class PackageSource:
    """The source of this package for the images: the file *wheel*, or the package index."""

    wheel: Path | None = None

    @classmethod
    def of(cls, wheel: Path | None) -> PackageSource:
        """Return the source *wheel*. Raises CannotExportTasks if it is not a wheel of this
        version."""
        name = f"{PACKAGE.replace('-', '_')}-{package_version()}-py3-none-any.whl"
        if wheel is not None and wheel.name != name:
            raise CannotExportTasks(
                f"--wheel {wheel}: this is not {name}. Images with another version would make "
                "different worlds; build the wheel here (pip wheel --no-deps .)."
            )
        return cls(wheel)

    @property
    def requirement(self) -> str:
        """The requirement for pip to install."""
        return f"./{self.wheel.name}" if self.wheel else f"{PACKAGE}=={package_version()}"

    @property
    def files(self) -> dict[str, bytes]:
        """The files that pip needs to install it."""
        files = {"constraints.txt": constraints().encode()}
        return files | ({self.wheel.name: self.wheel.read_bytes()} if self.wheel else {})


@dataclass(frozen=True)
class TaskDay:
    """A day to export: day number *number* of *scenario* in *benchmark*, the prompt for its agent,
    and calls that solve it."""

    benchmark: str
    scenario: Scenario
    number: int
    prompt: str
    calls: Sequence[ToolCall]

    @property
    def name(self) -> str:
        """The name of the task and of its folder."""
        return task_name(self.scenario, self.number)


def task_name(scenario: Scenario, number: int) -> str:
    """Return the task name of day number *number*: letters, digits, and ``_.-``."""
    name = _NAME.sub("-", f"{scenario.name}.{scenario.days[number].name}")
    return name.lstrip("._-") or "day"


def task_files(day: TaskDay, source: PackageSource, agent_minutes: int) -> dict[str, bytes]:
    """Return all files of the task by path. The agent may take *agent_minutes* of real time."""
    alone = Benchmark(name=_NAME.sub("-", day.benchmark), scenarios=(day.scenario,))
    calls = [json.dumps({"tool": call.name, "args": dict(call.arguments)}) for call in day.calls]
    files = {
        path: render(f"{template}.jinja", _facts(day, source, agent_minutes)).encode()
        for path, template in _TEMPLATE_OF.items()
    }
    files |= {
        "environment/office/benchmark.json": f"{alone.model_dump_json(indent=1)}\n".encode(),
        "solution/calls.jsonl": "".join(f"{call}\n" for call in calls).encode(),
        "solution/play.py": (resources.files(__package__) / "play.py").read_bytes(),
    }
    for folder in _IMAGE_FOLDERS:
        files |= {f"{folder}/{name}": content for name, content in source.files.items()}
    return files


def render(template: str, facts: Mapping[str, object]) -> str:
    """Return the text of *template* with *facts*."""
    environment = Environment(  # noqa: S701 -- none of these files is HTML
        loader=PackageLoader(__package__, _TEMPLATES),
        undefined=StrictUndefined,
        keep_trailing_newline=True,
    )
    environment.policies["json.dumps_kwargs"] = {"ensure_ascii": False}
    return environment.get_template(template).render(**facts)


def _facts(day: TaskDay, source: PackageSource, agent_minutes: int) -> dict[str, object]:
    scenario = day.scenario
    rules = [task.rule for task in scenario.days[day.number].tasks]
    return {
        "agent_minutes": agent_minutes,
        "benchmark": day.benchmark,
        "day": day.number + 1,
        "description": f"A working day in a simulated company: {', '.join(rules)}",
        "generator_version": GENERATOR_VERSION,
        "guidance": scenario.guidance,
        "image": IMAGE,
        "installed_files": sorted(source.files),
        "modality": scenario.modality.value,
        "name": day.name,
        "prompt": day.prompt,
        "requirement": source.requirement,
        "rules": rules,
        "scenario": scenario.name,
        "scenario_word": shlex.quote(scenario.name),
        "score_version": SCORE_VERSION,
        "version": package_version(),
    }


def constraints() -> str:
    """Return the exact versions, one per line, of all installed distributions that this package
    needs. So an image is built with the versions that the export was tried with."""
    found: dict[str, str] = {}
    wanted = _requirements(PACKAGE)
    while wanted:
        name = wanted.pop()
        try:
            distribution = metadata.distribution(name)
        except metadata.PackageNotFoundError:  # for another system or Python
            continue
        key = _NAME.sub("-", distribution.metadata["Name"]).lower()
        if key not in found:
            found[key] = distribution.version
            wanted += _requirements(name)
    return "".join(f"{name}=={found[name]}\n" for name in sorted(found))


def _requirements(name: str) -> list[str]:
    """Return the names of the distributions that *name* requires without any extra."""
    required = metadata.requires(name) or []
    names = (_REQUIRED.match(line) for line in required if "extra ==" not in line)
    return [found.group() for found in names if found]
