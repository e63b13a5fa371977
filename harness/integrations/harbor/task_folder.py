"""The files of one exported task, in Harbor's format (task.toml of schema 1.4).

With a container for the agent, one for the office and one for the verifier (`PackageSource`):

task.toml, instruction.md
environment/   Dockerfile             the agent's machine
               docker-compose.yaml    the agent's machine and the office beside it
               office/                image, scenario (with its seed!) and start of the server
tests/         image and script of the verifier, which grades a copy of the world
solution/      calls that solve the day, and a program that makes them

The images of the office and of the verifier also get the files of the day's own office, if any.

With one container for all (`OneContainer`):

task.toml      also gives the day (with its seed!) to the container when it starts
environment/   Dockerfile, the same for all days, and the files of their own office, if any
tests/         script of the verifier, which runs in the same container as root
instruction.md, solution/
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib import metadata, resources
from pathlib import Path
from typing import ClassVar

from jinja2 import Environment, PackageLoader, StrictUndefined

from trainee_bench.harness.integrations.harbor import container
from trainee_bench.harness.integrations.harbor.given_day import GivenDay
from trainee_bench.harness.session.turns import ToolCall
from trainee_bench.mcp_servers.serving.server import package_version
from trainee_bench.meta_tasks.benchmark import Benchmark
from trainee_bench.meta_tasks.offices.opened import VARIABLE
from trainee_bench.meta_tasks.scenario import GENERATOR_VERSION, SCORE_VERSION, Scenario

IMAGE = (
    "python:3.13.5-slim-bookworm@sha256:"
    "4c2cf9917bd1cbacc5e9b07320025bdb7cdf2df7b0ceaccb55e9dd7e30987419"
)
"""The base image of all three machines. Its Python is the newest that we support, since
`constraints` fit it whatever Python they were computed with."""
PACKAGE = "trainee-bench"
_TEMPLATES = "task_files"
_COMMON_TEMPLATES = {"task.toml": "task.toml", "solution/solve.sh": "solve.sh"}
"""The template for each file that all tasks have, by the file's path."""
_IMAGE_FOLDERS = ("environment/office", "tests")
"""The folders from which images with this package are built."""
OWN_OFFICE = "own_office"
"""The folder of a task's own office, beside each Dockerfile that needs it."""
_IMAGE_REFERENCE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._/:@-]*")
_NAME = re.compile(r"[^A-Za-z0-9_.-]+")
_REQUIRED = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


class CannotExportTasks(Exception):
    """Raised if days cannot be exported with these options; says why, and what to do."""


@dataclass(frozen=True)
class PackageSource:
    """The source of this package for the images: the file *wheel*, or the package index."""

    templates: ClassVar[Mapping[str, str]] = {
        "instruction.md": "instruction.md",
        "environment/Dockerfile": "agent.Dockerfile",
        "environment/.dockerignore": "agent.dockerignore",
        "environment/docker-compose.yaml": "docker-compose.yaml",
        "environment/office/Dockerfile": "office.Dockerfile",
        "environment/office/serve.sh": "serve.sh",
        "tests/Dockerfile": "tests.Dockerfile",
        "tests/test.sh": "test.sh",
    }
    """The template for each file of a task with several containers, by the file's path."""
    seed_file: ClassVar[str] = "environment/office/benchmark.json"
    """The file of a task that has the scenario's seed."""
    from_agent: ClassVar[str] = "The agent's container has neither."
    """The way in which a task keeps the seed and the solution from the agent."""
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

    def facts(self, day: TaskDay) -> Mapping[str, object]:
        """Return what the templates need of *day* besides what all tasks need."""
        return {
            "compose": True,
            "image": IMAGE,
            "installed_files": sorted(self.files),
            "requirement": self.requirement,
            "scenario_word": shlex.quote(day.scenario.name),
            "url": "http://office:8000/mcp",
        }

    def further_files(self, day: TaskDay) -> Mapping[str, bytes]:
        """Return the files of the task that have no template."""
        alone = Benchmark(name=_NAME.sub("-", day.benchmark), scenarios=(day.scenario,))
        made = {self.seed_file: f"{alone.model_dump_json(indent=1)}\n".encode()}
        for folder in _IMAGE_FOLDERS:
            made |= {f"{folder}/{name}": content for name, content in self.files.items()}
            made |= day.office_below(folder)
        return made


@dataclass(frozen=True)
class OneContainer:
    """One container from *image* for agent, office and verifier, for providers without Docker
    Compose. ``deploy/image/build --harbor`` builds such an image."""

    templates: ClassVar[Mapping[str, str]] = {
        "instruction.md": "one-container.instruction.md",
        "environment/Dockerfile": "one-container.Dockerfile",
        "tests/test.sh": "one-container.test.sh",
    }
    """The template for each file of such a task, by the file's path."""
    seed_file: ClassVar[str] = "task.toml"
    """The file of a task that has the scenario's seed."""
    from_agent: ClassVar[str] = (
        "The agent's user can read neither, but an agent that runs as root can read the seed."
    )
    """The protection of the seed and the solution from the agent."""
    DEFAULT_IMAGE: ClassVar[str] = "trainee-bench-harbor:latest"
    image: str = DEFAULT_IMAGE

    @classmethod
    def of(cls, image: str) -> OneContainer:
        """Return the container of *image*. Raises CannotExportTasks if that is no image's name."""
        if not _IMAGE_REFERENCE.fullmatch(image):
            raise CannotExportTasks(
                f"--image {image!r}: this is not the name of an image; write it as in docker pull, "
                "such as registry.example/trainee-bench-harbor:1."
            )
        return cls(image)

    def facts(self, day: TaskDay) -> Mapping[str, object]:
        """Return what the templates need of *day* besides what all tasks need."""
        return {
            "agent_user": container.AGENT,
            "compose": False,
            "given_day": GivenDay.of(day.scenario, day.number).encode(),
            "image": self.image,
            "office_folder": container.OWN_OFFICE,
            "office_user": container.OFFICE,
            "program": container.PROGRAM,
            "url": container.URL,
        }

    def further_files(self, day: TaskDay) -> Mapping[str, bytes]:
        """Return the files of the task that have no template: those of its own office."""
        return day.office_below("environment")


Containers = PackageSource | OneContainer
"""How a task is divided into containers."""


@dataclass(frozen=True)
class TaskDay:
    """A day to export: day number *number* of *scenario* in *benchmark*, the prompt for its agent,
    calls that solve it, and the files of its own office, if it is in one."""

    benchmark: str
    scenario: Scenario
    number: int
    prompt: str
    calls: Sequence[ToolCall]
    office: Mapping[str, bytes] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The name of the task and of its folder."""
        return task_name(self.scenario, self.number)

    def office_below(self, folder: str) -> dict[str, bytes]:
        """Return the files of the day's own office by path, for an image built from *folder*."""
        return {f"{folder}/{OWN_OFFICE}/{path}": data for path, data in self.office.items()}


def task_name(scenario: Scenario, number: int) -> str:
    """Return the task name of day number *number*: letters, digits, and ``_.-``."""
    name = _NAME.sub("-", f"{scenario.name}.{scenario.days[number].name}")
    return name.lstrip("._-") or "day"


def task_files(day: TaskDay, containers: Containers, agent_minutes: int) -> dict[str, bytes]:
    """Return all files of the task by path. The agent may take *agent_minutes* of real time."""
    calls = [json.dumps({"tool": call.name, "args": dict(call.arguments)}) for call in day.calls]
    facts = {**_facts(day, agent_minutes), **containers.facts(day)}
    files = {
        path: render(f"{template}.jinja", facts).encode()
        for path, template in {**_COMMON_TEMPLATES, **containers.templates}.items()
    }
    return {
        **files,
        **containers.further_files(day),
        "solution/calls.jsonl": "".join(f"{call}\n" for call in calls).encode(),
        "solution/play.py": (resources.files(__package__) / "play.py").read_bytes(),
    }


def render(template: str, facts: Mapping[str, object]) -> str:
    """Return the text of *template* with *facts*."""
    environment = Environment(  # noqa: S701 -- none of these files is HTML
        loader=PackageLoader(__package__, _TEMPLATES),
        undefined=StrictUndefined,
        keep_trailing_newline=True,
        trim_blocks=True,
    )
    environment.policies["json.dumps_kwargs"] = {"ensure_ascii": False}
    return environment.get_template(template).render(**facts)


def _facts(day: TaskDay, agent_minutes: int) -> dict[str, object]:
    scenario = day.scenario
    rules = [task.rule for task in scenario.days[day.number].tasks]
    return {
        "agent_minutes": agent_minutes,
        "benchmark": day.benchmark,
        "day": day.number + 1,
        "description": f"A working day in a simulated company: {', '.join(rules)}",
        "generator_version": GENERATOR_VERSION,
        "guidance": scenario.guidance,
        "modality": scenario.modality.value,
        "name": day.name,
        "office_variable": VARIABLE,
        "own_office": OWN_OFFICE if day.office else "",
        "prompt": day.prompt,
        "rules": rules,
        "scenario": scenario.name,
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
