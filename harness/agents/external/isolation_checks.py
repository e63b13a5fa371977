"""Checks before a run begins that a command's isolation works.

A command must see neither this program, which computes all answers from a seed, nor the run's
folder with its worlds. A run whose isolation would fail is refused.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path

from trainee_bench.harness.agents.external.command_line import command_program
from trainee_bench.harness.agents.external.isolation import (
    NO_ISOLATION,
    PASSWD_FILE,
    PASSWD_TEXT,
    PROJECT_ROOT,
    SANDBOX_ISOLATION,
    Isolation,
    isolation_for,
    sandbox_visible_folders,
)
from trainee_bench.harness.agents.external.scratch import scratch_folder
from trainee_bench.harness.records.plan import (
    AgentConfig,
    ExecutorName,
    ModelSettings,
    PlanError,
    RunPlan,
)
from trainee_bench.mcp_servers.llm.api_config import DEFAULT_API_CONFIG

_PROBE_SECONDS = 20
_PROBE_SCRIPT = """\
[ -x "$1" ] || { echo "program"; exit 0; }
shift
for path do [ -r "$path" ] && { printf 'seen %s' "$path"; exit 0; }; done
echo "good"
"""
"""A script that prints whether the first path can be run, and which other path can be read."""
_COPIES = ("meta_tasks", "*/meta_tasks", "lib/python3*/site-packages/trainee_bench")
_NOT_FILES = ("/proc", "/sys", "/dev", "/run")


def check_commands_runnable(
    agents: Iterable[AgentConfig],
    model_settings: ModelSettings,
    seed_files: Sequence[Path] = (),
) -> None:
    """Raise PlanError if a command cannot be run with its settings, or its isolation would fail.

    *seed_files* are further files that the command must not read, because they contain seeds.
    """
    for agent in agents:
        if agent.command is None:
            continue
        for name in agent.environment:
            if name not in os.environ:
                raise PlanError(
                    f"--agent-env {name}: the environment has no such variable; export it, or "
                    "leave the option out."
                )
        isolation = isolation_for(agent)
        if agent.isolation == NO_ISOLATION:
            continue
        secrets = _secrets(model_settings, seed_files)
        if agent.isolation == SANDBOX_ISOLATION:
            _check_allowed(agent.allowed)
        else:
            secrets.append(f"/proc/{os.getpid()}/environ")
        _probe(agent, isolation, secrets)


def check_run_hidden(folder: Path, plan: RunPlan) -> None:
    """Raise PlanError if a command of *plan* would see the run in *folder*.

    Raises it as well if the command could reach the run through the executor.
    """
    where = folder.resolve()
    for agent in plan.agents:
        if agent.isolation != NO_ISOLATION and plan.executor is ExecutorName.RAY:
            raise PlanError(
                f"--agent-isolation {agent.isolation} would not hold with --executor ray: the "
                "command shares the network, and a Ray cluster obeys everybody who reaches it. Use "
                "--executor processes."
            )
        if agent.isolation == SANDBOX_ISOLATION:
            for path in map(_resolved, sandbox_visible_folders(agent.allowed)):
                if where.is_relative_to(path) or path.is_relative_to(where):
                    raise PlanError(
                        f"The run would be in {folder}, and the command sees {path}: give --out "
                        "another folder, or allow less."
                    )


def _check_allowed(allowed: Sequence[str]) -> None:
    for given in allowed:
        path = _resolved(given)
        copies = [copy for pattern in _COPIES for copy in path.glob(pattern)]
        if PROJECT_ROOT.is_relative_to(path) or path.is_relative_to(PROJECT_ROOT) or copies:
            raise PlanError(
                f"--agent-allow {given} would show the agent this program, from which answers can "
                "be computed: give the agent a separate environment, and allow that."
            )
        temporary = Path(tempfile.gettempdir()).resolve()
        if temporary.is_relative_to(path) or any(map(path.is_relative_to, _NOT_FILES)):
            raise PlanError(
                f"--agent-allow {given} would show the agent what other programs are doing: allow "
                "the folder it needs."
            )


def _secrets(model_settings: ModelSettings, seed_files: Sequence[Path]) -> list[str]:
    """Return the files that a command can read only if its isolation fails."""
    packages = [
        str(PROJECT_ROOT / "trainee_bench" / name / "__init__.py")
        for name in ("meta_tasks", "world", "harness")
    ]
    keys = Path(model_settings.api_config or DEFAULT_API_CONFIG).absolute()
    return [*packages, *(str(path.absolute()) for path in seed_files), str(keys)]


def _probe(agent: AgentConfig, isolation: Isolation, secrets: Sequence[str]) -> None:
    """Test the isolation with a shell. Raises PlanError if it does not work or does not protect."""
    assert agent.command is not None
    program = command_program(agent.command)
    option = f"--agent-isolation {agent.isolation}"
    probe = ["/bin/sh", "-c", _PROBE_SCRIPT, "sh", program, *secrets]
    with scratch_folder(isolation.owner) as scratch:
        scratch.write_private(PASSWD_FILE, PASSWD_TEXT)
        try:
            done = subprocess.run(  # noqa: S603 -- a shell of this machine, with our script
                isolation.command_words(probe, scratch.path),
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                errors="replace",
                env={"PATH": isolation.path},
                cwd="/",
                user=isolation.user,
                group=isolation.group,
                extra_groups=isolation.groups,
                timeout=_PROBE_SECONDS,
                check=False,
            )
        except (OSError, subprocess.SubprocessError) as error:
            raise PlanError(f"{option} does not work here: {error}") from None
    if done.stdout == "program\n":
        raise PlanError(
            f"{option}: {program} cannot be run there. {_help(agent, Path(program).resolve())}"
        )
    if done.stdout.startswith("seen "):
        mend = (
            "allow less"
            if agent.isolation == SANDBOX_ISOLATION
            else "make that unreadable for others, or use --agent-isolation sandbox"
        )
        raise PlanError(
            f"{option} does not hold: the command could read {done.stdout[5:]}; {mend}."
        )
    if done.stdout != "good\n":
        output = " ".join(done.stderr.split())[-300:]
        raise PlanError(f"{option} does not work here: {output or 'no answer'}")


def _help(agent: AgentConfig, target: Path) -> str:
    if agent.isolation == SANDBOX_ISOLATION:
        return (
            "Allow its folder with --agent-allow, and if it is a link, the folder of "
            f"{target}; all folders above must be open to others where this runs as root."
        )
    return f"Its user must be able to run {target} and to enter all folders above."


def _resolved(path: str) -> Path:
    return Path(path).resolve()
