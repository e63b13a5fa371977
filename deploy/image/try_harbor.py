"""Work a Harbor task of one container in its image, without a daemon, and attack it.

    python deploy/image/try_harbor.py IMAGE.tar FOLDER     needs root, bubblewrap, trainee-bench

The container is made by bubblewrap, with Docker's capabilities. Each command runs as Harbor runs it
with most providers: the health check and the verifier as root, the agent by `su`. The oracle's
solution has to earn 1 and doing nothing 0. An agent that spies and forges has to find nothing, and
to earn 0.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tarfile
import time
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

SEED = "7310158842"
SCENARIO = {"name": "one", "seed": int(SEED), "days": [{"tasks": [{"rule": "kb_fix.easy"}]}]}
CAPABILITIES = (
    *("CHOWN", "DAC_OVERRIDE", "FOWNER", "FSETID", "KILL", "SETGID", "SETUID", "SETPCAP"),
    *("NET_BIND_SERVICE", "SYS_CHROOT", "AUDIT_WRITE", "SETFCAP"),
)
"""The capabilities of a container's root by Docker's default, without those for devices and raw
sockets. SYS_PTRACE is not among them."""
HOME = "/var/lib/trainee-bench"
ATTACH = """
import ctypes, os, sys
libc = ctypes.CDLL(None, use_errno=True)
if libc.ptrace(16, int(sys.argv[1]), None, None) == 0:
    print("attached")
for name in ("mem", "environ", "maps", "fd", "cwd", "root"):
    path = f"/proc/{sys.argv[1]}/{name}"
    try:
        os.listdir(path) if name in ("fd", "cwd", "root") else open(path, "rb").read(1)
        print("read", path)
    except OSError:
        pass
"""
FORGE = """
import json, os, time
os.chdir("/logs/verifier")
while True:
    for name in ("reward.json", "reward.txt"):
        try:
            with open(name + ".new", "w") as file:
                file.write(json.dumps({"reward": 1.0}) if name.endswith("json") else "1.0")
            os.rename(name + ".new", name)
        except OSError:
            time.sleep(0.001)
"""


@dataclass(frozen=True)
class Container:
    """A running container, by the number of its first process on this machine."""

    first: int
    variables: dict[str, str]

    def root(self, command: str, given: bytes = b"") -> subprocess.CompletedProcess[bytes]:
        """Run *command* as root in the image's working directory."""
        return subprocess.run(
            ["nsenter", "--target", str(self.first), "--mount", "--pid", "--net", "--ipc", "--uts",
             "--root", "--wd=/workspace", "setpriv", "--bounding-set", _set(), "--inh-caps", "-all",
             "/bin/bash", "-c", command],
            env=self.variables, input=given, capture_output=True, check=False, timeout=300,
        )  # fmt: skip

    def must(self, command: str, given: bytes = b"") -> str:
        """Run *command* as root; return its output."""
        done = self.root(command, given)
        assert done.returncode == 0, (command[:100], done.stdout, done.stderr)
        return done.stdout.decode(errors="replace")

    def agent(self, command: str) -> str:
        """Run *command* as the agent's user, as Daytona's and Modal's environments do; return its
        output, whether it fails or not."""
        import shlex

        done = self.root(f"su agent -s /bin/bash -c {shlex.quote(command)}")
        return (done.stdout + done.stderr).decode(errors="replace")

    def put(self, folder: Path, target: str) -> None:
        """Copy the contents of *folder* to *target*, owned by root."""
        packed = subprocess.run(
            ["tar", "-c", "-C", folder, "--owner=0", "--group=0", "."],
            capture_output=True,
            check=True,
        )
        self.must(f"mkdir -p {target} && tar -x -C {target}", packed.stdout)


def _set() -> str:
    return ",".join(["-all", *(f"+{name.lower()}" for name in CAPABILITIES)])


@dataclass(frozen=True)
class Image:
    """The unpacked image and its configuration."""

    root: Path
    config: dict[str, Any]

    @classmethod
    def unpack(cls, archive: Path, folder: Path) -> Image:
        """Unpack *archive*, as `docker save` writes it, into *folder*."""
        root = folder / "root"
        root.mkdir(parents=True)
        with tarfile.open(archive) as outer:
            (manifest,) = json.loads(_member(outer, "manifest.json"))
            config = json.loads(_member(outer, manifest["Config"]))
            for layer in manifest["Layers"]:
                outer.extract(layer, folder, filter="data")
                subprocess.run(["tar", "-xpf", folder / layer, "-C", root], check=True)
        return cls(root, config["config"])

    @contextmanager
    def running(self, task: dict[str, Any]) -> Iterator[Container]:
        """Run a container as Harbor makes it: it sleeps, has the log folders, and passes the health
        check of *task*."""
        assert not self.config.get("Entrypoint"), "Harbor's command would be its argument"
        assert self.config["User"].split(":")[0] in ("0", "root"), "nobody could start the office"
        layers = self.root.parent / f"layer-{time.monotonic_ns()}"
        shutil.copytree(self.root, layers, symlinks=True, copy_function=_link)
        told, telling = os.pipe()
        command = [
            *("bwrap", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-net"),
            *("--overlay-src" if False else "--bind", str(layers), "/"),
            *("--proc", "/proc", "--dev", "/dev", "--tmpfs", "/run", "--perms", "1777"),
            *("--tmpfs", "/tmp", "--as-pid-1", "--die-with-parent", "--info-fd", str(telling)),
            *("sleep", "infinity"),
        ]
        with subprocess.Popen(command, pass_fds=[telling]) as process:
            os.close(telling)
            with os.fdopen(told) as information:
                first = json.load(information)["child-pid"]
            variables = dict(pair.split("=", 1) for pair in self.config["Env"])
            container = Container(first, variables)
            try:
                folders = "/logs/agent /logs/verifier /logs/artifacts"
                container.must(f"mkdir -p {folders} && chmod 777 {folders}")
                began = time.monotonic()
                container.must(task["environment"]["healthcheck"]["command"])
                print(f"healthy after {time.monotonic() - began:.1f} s", flush=True)
                container.must(task["environment"]["healthcheck"]["command"])
                yield container
            finally:
                process.kill()
        shutil.rmtree(layers)
