"""What deploy/ says agrees with the programs that it starts, and the array works on one machine."""

from __future__ import annotations

import json
import os
import re
import runpy
import secrets
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.harness.runs import LINKS, config, day, read
from trainee_bench.mcp_servers.__main__ import _parse_arguments
from trainee_bench.mcp_servers.serving.bearer_tokens import read_token

PLACEHOLDER = "<openssl rand -hex 32>"
DEPLOY = Path(__file__).parent.parent / "deploy"
needs_bash = pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed")


def manifests(kind: str) -> list[dict[str, Any]]:
    """Every Kubernetes object of a kind."""
    yaml = pytest.importorskip("yaml", reason="PyYAML is not installed")
    texts = [file.read_text(encoding="utf-8") for file in DEPLOY.glob("kubernetes/*.yaml")]
    found = [made for text in texts for made in yaml.safe_load_all(text)]
    return [made for made in found if made["kind"] == kind]


def services() -> dict[str, Any]:
    """The services of Compose."""
    yaml = pytest.importorskip("yaml", reason="PyYAML is not installed")
    text = (DEPLOY / "compose/compose.yaml").read_text(encoding="utf-8")
    found: dict[str, Any] = yaml.safe_load(text)["services"]
    return found


def pods() -> list[dict[str, Any]]:
    made = [*manifests("Deployment"), *manifests("StatefulSet")]
    return [workload["spec"]["template"]["spec"] for workload in made]


def started_offices() -> list[list[str]]:
    """The options of `serve` in each manifest."""
    given = [container["args"] for pod in pods() for container in pod["containers"]]
    given += [service["command"] for service in services().values()]
    return [args[1:] for args in given if args[0] == "office"]


def test_each_office_is_started_with_options_that_exist() -> None:
    offices = started_offices()
    assert len(offices) == 2
    for options in offices:
        parsed = _parse_arguments(["--http", "0.0.0.0:8000", *options], "serve")
        assert parsed.scenario == "core-50-03" and parsed.token_file is not None


def test_the_start_program_knows_each_server_and_uses_real_options() -> None:
    start = (DEPLOY / "image/start").read_text(encoding="utf-8")
    options = re.search(r"trainee-bench serve (.*) \"\$@\"", start)
    assert options is not None
    _parse_arguments(options[1].replace('"', "").replace("$PORT", "8000").split(), "serve")
    first = {args[0] for pod in pods() for c in pod["containers"] for args in [c["args"]]}
    first |= {service["command"][0] for service in services().values()}
    assert first == {"office", "openenv"}
    assert all(f"\n{name})" in start for name in first)


def test_a_container_without_a_server_is_well() -> None:
    is_server = runpy.run_path(str(DEPLOY / "image/healthcheck"))["is_server"]
    start = (DEPLOY / "image/start").read_text(encoding="utf-8")
    served = re.findall(r"^(\w+)\)$", start, re.MULTILINE)
    entry = ["/usr/bin/tini", "--", "/usr/local/bin/start"]
    assert served and all(is_server([*entry, name, "--option", "x"]) for name in served)
    assert is_server(["/sbin/docker-init", "--", *entry, "office"])
    assert is_server(entry) and is_server(["/pause"])
    assert not is_server([*entry, "run", "--agent", "oracle"])
    assert not is_server(["/sbin/docker-init", "--", *entry, "merge", "office"])


def test_each_openenv_server_has_options_that_it_accepts() -> None:
    pytest.importorskip("openenv", reason="OpenEnv is not installed")
    from trainee_bench.harness.integrations.openenv.options import OpenEnvOptions

    settings = [service.get("environment", {}) for service in services().values()]
    texts = [given["TRAINEE_BENCH_OPENENV"] for given in settings if given]
    texts += [made["stringData"]["options"] for made in manifests("Secret") if "options" in made]
    for text in texts:
        OpenEnvOptions.model_validate_json(text.replace(PLACEHOLDER, secrets.token_hex(32)))


def test_no_server_starts_with_a_placeholder_of_its_manifest(tmp_path: Path) -> None:
    pytest.importorskip("openenv", reason="OpenEnv is not installed")
    from trainee_bench.harness.integrations.openenv.options import (
        InvalidServerOptions,
        OpenEnvOptions,
    )

    given = [made["stringData"] for made in manifests("Secret")]
    (token,) = (data["token"] for data in given if "token" in data)
    (tmp_path / "token").write_text(token)
    with pytest.raises(ValueError, match="a token has at least 16"):
        read_token(tmp_path / "token")
    (options,) = (data["options"] for data in given if "options" in data)
    for text in (options, options.replace(PLACEHOLDER, "REPLACE-THIS-KEY")):
        with pytest.raises(InvalidServerOptions, match="tenants: the key of tenant training: "):
            OpenEnvOptions.from_environment({"TRAINEE_BENCH_OPENENV": text})
    same = {"one": "a-key-of-one-tenant", "two": "a-key-of-one-tenant"}
    with pytest.raises(ValueError, match="the same key"):
        OpenEnvOptions(tenants=same)


def test_no_pod_runs_as_root_or_is_killed_while_it_drains() -> None:
    for pod in pods():
        assert pod["securityContext"]["runAsNonRoot"] and pod["securityContext"]["runAsUser"]
        assert not pod["automountServiceAccountToken"]
        for container in pod["containers"]:
            assert container["securityContext"]["readOnlyRootFilesystem"]
            assert container["securityContext"]["capabilities"] == {"drop": ["ALL"]}
            assert container["readinessProbe"]["httpGet"]["path"] == "/readyz"
            assert container["livenessProbe"]["httpGet"]["path"] == "/healthz"
    for options in started_offices():
        drain = float(options[options.index("--drain-seconds") + 1])
        grace = min(pod["terminationGracePeriodSeconds"] for pod in pods())
        assert drain + 10 < grace


def test_autoscaling_looks_at_a_figure_that_the_server_has() -> None:
    pytest.importorskip("prometheus_client", reason="the extra serving is not installed")
    from trainee_bench.harness.integrations.training.serving.metrics import ServingMetrics

    (scaler,) = manifests("HorizontalPodAutoscaler")
    (metric,) = scaler["spec"]["metrics"]
    named = metric["pods"]["metric"]["name"]
    assert f"\n{named} " in ServingMetrics(256).text().decode()
    (secret,) = (made for made in manifests("Secret") if "options" in made["stringData"])
    room = json.loads(secret["stringData"]["options"])["max_sessions"]
    assert int(metric["pods"]["target"]["averageValue"]) < room


# the array of Slurm on one machine -----------------------------------------------------------


@pytest.fixture
def cluster(tmp_path: Path) -> dict[str, str]:
    """The variables of a node on which the program is found."""
    program = tmp_path / "bin/trainee-bench"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m trainee_bench.harness "$@"\n')
    program.chmod(0o755)
    root = str(Path(__file__).parent.parent)
    path = f"{program.parent}{os.pathsep}{os.environ['PATH']}"
    plain = {name: text for name, text in os.environ.items() if not name.startswith("SLURM")}
    return {**plain, "PATH": path, "PYTHONPATH": root, "RUN": str(tmp_path / "run")}


def batch(
    script: str, node: dict[str, str], *options: object, exits: int = 0, **variables: object
) -> str:
    """What a script prints on a node."""
    done = subprocess.run(
        ["bash", DEPLOY / "slurm" / script, *map(str, options)],
        env=node | {name: str(value) for name, value in variables.items()},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == exits, done.stdout + done.stderr
    return done.stdout + done.stderr


@needs_bash
@pytest.mark.timeout(400)
@pytest.mark.sweep
def test_an_array_of_jobs_makes_one_verified_run(cluster: dict[str, str], tmp_path: Path) -> None:
    options = ("--config", config(tmp_path, a=[day(LINKS)], b=[day(LINKS)]), "--agent", "in_order")
    for number in (1, 2):
        batch("array.sh", cluster, *options, PARTS=2, SLURM_ARRAY_TASK_ID=number)
    batch("array.sh", cluster, *options, PARTS=2, SLURM_ARRAY_TASK_ID=2)  # sent again
    report = (tmp_path / "run/parts/00002/report.md").read_text(encoding="utf-8")
    assert "1 of 1 episode" in report and "part 2/2" in report
    for _ in range(2):  # sent again
        assert "2 agree, 0 differ, 0 have no result" in batch("merge.sh", cluster)
    assert len(read(tmp_path / "run/merged")) == 2


@pytest.fixture
def noted(cluster: dict[str, str], tmp_path: Path) -> dict[str, str]:
    """A node whose program only prints its arguments, and makes the folder of a run."""
    program = tmp_path / "bin/trainee-bench"
    program.write_text(
        '#!/bin/sh\necho "called: $*"\n'
        'while [ $# -gt 0 ]; do [ "$1" != --out ] || { mkdir -p "$2" && touch "$2/run.json"; }; '
        "shift; done\n"
    )
    return cluster


@needs_bash
def test_a_part_sent_again_with_other_options_is_refused_and_names_them(
    noted: dict[str, str], tmp_path: Path
) -> None:
    task: dict[str, Any] = {"PARTS": 2, "SLURM_ARRAY_TASK_ID": 2}
    first = ("--config", "core 50", "--agent", "in_order")
    assert "--part 2/2" in batch("array.sh", noted, *first, **task)
    assert "--resume" in batch("array.sh", noted, *first, **task)
    said = batch("array.sh", noted, *first, "--max-concurrency", 3, **task)
    assert "--resume" in said and said.strip().endswith("--max-concurrency 3")
    said = batch("array.sh", noted, *first[:-1], "oracle", exits=2, **task)
    assert "< in_order" in said and "> oracle" in said and "called" not in said
    said = batch("array.sh", noted, *first, exits=2, **task | {"PARTS": 3})
    assert "< PARTS=2" in said and "> PARTS=3" in said
    (tmp_path / "run/parts/00002.options").unlink()
    assert "00002.options is missing" in batch("array.sh", noted, *first, exits=2, **task)


@needs_bash
@pytest.mark.parametrize(
    ("variables", "said"),
    [
        ({"PARTS": 3}, "sbatch --array=1-3"),
        ({"SLURM_ARRAY_TASK_ID": 1}, "set PARTS to the number of parts"),
        ({"PARTS": 3, "SLURM_ARRAY_TASK_ID": 4}, "give --array=1-3"),
        ({"PARTS": 3, "SLURM_ARRAY_TASK_ID": 0}, "give --array=1-3"),
    ],
)
def test_a_wrong_array_is_refused(
    cluster: dict[str, str], tmp_path: Path, variables: dict[str, object], said: str
) -> None:
    assert said in batch("array.sh", cluster, exits=_exit(variables), **variables)
    assert not (tmp_path / "run").exists()


def _exit(variables: dict[str, object]) -> int:
    return 2 if len(variables) == 2 else 1
