"""Whether a command's place keeps from it what it must not see, tried out before a run begins.

What must stay hidden is this program, with which and a seed all answers can be worked out, and
the run's folder with the worlds. Whoever promises isolation is refused where it would not hold.
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
    USER_ISOLATION_PREFIX,
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

_SECONDS = 20
_LOOK = """\
[ -x "$1" ] || { echo "program"; exit 0; }
shift
for path do [ -r "$path" ] && { printf 'seen %s' "$path"; exit 0; }; done
echo "good"
"""
"""Tells whether the first path can be run, and which of the others can be read."""
_COPIES = ("meta_tasks", "*/meta_tasks", "lib/python3*/site-packages/trainee_bench/meta_tasks")
_NOT_FILES = ("/proc", "/sys", "/dev", "/run")


def check_commands_runnable(
    candidates: Iterable[AgentConfig], backing: ModelSettings, told: Sequence[Path] = ()
) -> None:
    """Raise PlanError if a command cannot be run as it asks to be, or its isolation would not
    hold. *told* are further files that say what a scenario's seeds are."""
    for candidate in candidates:
        if candidate.command is None:
            continue
        for name in candidate.environment:
            if name not in os.environ:
                raise PlanError(
                    f"--agent-env {name}: the environment has no such variable; export it, or "
                    "leave the option out."
                )
        place = isolation_for(candidate)
        if candidate.isolation == NO_ISOLATION:
            continue
        secrets = _secrets(backing, told)
        if candidate.isolation == SANDBOX_ISOLATION:
            _refuse_too_much(candidate.allowed)
        else:
            secrets.append(f"/proc/{os.getpid()}/environ")
        _try(candidate, place, secrets)


def check_run_hidden(folder: Path, plan: RunPlan) -> None:
    """Raise PlanError if a command of *plan* would see its run in *folder*, or could reach it by
    what carries it out."""
    where = folder.resolve()
    for candidate in plan.candidates:
        if candidate.isolation != NO_ISOLATION and plan.executor is ExecutorName.RAY:
            raise PlanError(
                f"--agent-isolation {candidate.isolation} would not hold with --executor ray: the "
                "command shares the network, and a Ray cluster obeys whoever reaches it. Use "
                "--executor processes."
            )
        if candidate.isolation == SANDBOX_ISOLATION:
            for path in map(_resolved, sandbox_visible_folders(candidate.allowed)):
                if where.is_relative_to(path) or path.is_relative_to(where):
                    raise PlanError(
                        f"The run would lie in {folder}, and the command sees {path}: give --out "
                        "another folder, or allow less."
                    )


def restrict_run_folder(folder: Path, plan: RunPlan) -> None:
    """Let nobody else enter the run in *folder*, where a command of *plan* is somebody else's.

    Raises OSError if the folder is not ours.
    """
    if any(candidate.isolation.startswith(USER_ISOLATION_PREFIX) for candidate in plan.candidates):
        folder.chmod(0o700)


def _refuse_too_much(allowed: Sequence[str]) -> None:
    for given in allowed:
        path = _resolved(given)
        copies = [found for pattern in _COPIES for found in path.glob(pattern)]
        if PROJECT_ROOT.is_relative_to(path) or path.is_relative_to(PROJECT_ROOT) or copies:
            raise PlanError(
                f"--agent-allow {given} would show the agent this program, from which answers can "
                "be worked out: give the agent an environment of its own, and allow that."
            )
        temporary = Path(tempfile.gettempdir()).resolve()
        if temporary.is_relative_to(path) or any(map(path.is_relative_to, _NOT_FILES)):
            raise PlanError(
                f"--agent-allow {given} would show the agent what other programs are doing: allow "
                "the folder it needs."
            )


def _secrets(backing: ModelSettings, told: Sequence[Path]) -> list[str]:
    """The files by which one can tell whether something that must be hidden is seen."""
    packages = [
        str(PROJECT_ROOT / "trainee_bench" / name / "__init__.py")
        for name in ("meta_tasks", "world", "harness")
    ]
    keys = Path(backing.api_config or DEFAULT_API_CONFIG).absolute()
    return [*packages, *(str(path.absolute()) for path in told), str(keys)]


def _try(candidate: AgentConfig, place: Isolation, secrets: Sequence[str]) -> None:
    """Look around from the place with a shell. Raises PlanError for what is wrong there."""
    assert candidate.command is not None
    program = command_program(candidate.command)
    asked = f"--agent-isolation {candidate.isolation}"
    look = ["/bin/sh", "-c", _LOOK, "sh", program, *secrets]
    with scratch_folder(place.owner) as scratch:
        scratch.write_private(PASSWD_FILE, PASSWD_TEXT)
        try:
            done = subprocess.run(  # noqa: S603 -- a shell of this machine, with our script
                place.command_words(look, scratch.path),
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                errors="replace",
                env={"PATH": place.path},
                cwd="/",
                user=place.user,
                group=place.group,
                extra_groups=place.groups,
                timeout=_SECONDS,
                check=False,
            )
        except (OSError, subprocess.SubprocessError) as error:
            raise PlanError(f"{asked} does not work here: {error}") from None
    if done.stdout == "program\n":
        raise PlanError(
            f"{asked}: {program} cannot be run there. {_help(candidate, Path(program).resolve())}"
        )
    if done.stdout.startswith("seen "):
        mend = (
            "allow less"
            if candidate.isolation == SANDBOX_ISOLATION
            else "make that unreadable for others, or use --agent-isolation sandbox"
        )
        raise PlanError(f"{asked} does not hold: the command could read {done.stdout[5:]}; {mend}.")
    if done.stdout != "good\n":
        said = " ".join(done.stderr.split())[-300:]
        raise PlanError(f"{asked} does not work here: {said or 'it gives no answer'}")


def _help(candidate: AgentConfig, target: Path) -> str:
    if candidate.isolation == SANDBOX_ISOLATION:
        return (
            "Allow the folder it lies in by --agent-allow, and where it is a link that of "
            f"{target}; all folders above must be open to others where this runs as root."
        )
    return f"Its user must be able to run {target} and to enter all folders above."


def _resolved(path: str) -> Path:
    return Path(path).resolve()
