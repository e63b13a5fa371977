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
import shlex
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
             "--root", "--wdns=/workspace", "setpriv", "--bounding-set", _set(), "--inh-caps", "-all",
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
        subprocess.run(["cp", "-a", self.root, layers], check=True)
        told, telling = os.pipe()
        command = [
            *("bwrap", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-net"),
            *("--bind", str(layers), "/", "--proc", "/proc", "--dev", "/dev", "--tmpfs", "/run"),
            *("--perms", "1777", "--tmpfs", "/tmp", "--as-pid-1", "--die-with-parent"),
            *("--cap-drop", "ALL", *(w for c in CAPABILITIES for w in ("--cap-add", f"CAP_{c}"))),
            *("--info-fd", str(telling)),
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


def _member(archive: tarfile.TarFile, name: str) -> bytes:
    file = archive.extractfile(name)
    assert file is not None, name
    return file.read()


def verified(container: Container, task: Path) -> dict[str, float]:
    """Verify the day as Harbor does in a shared environment; return the rewards."""
    container.must("rm -f -- /logs/verifier/reward.txt /logs/verifier/reward.json")
    container.put(task / "tests", "/tests")
    container.must("chmod +x /tests/test.sh")
    done = container.root("(/tests/test.sh) > /logs/verifier/test-stdout.txt 2>&1")
    print(container.must("cat /logs/verifier/test-stdout.txt").strip(), flush=True)
    assert done.returncode == 0, done
    rewards: dict[str, float] = json.loads(container.must("cat /logs/verifier/reward.json"))
    return rewards


def spy(container: Container, word: str) -> None:
    """Search the day as the agent's user; find nothing."""
    assert container.agent("id -un").strip() == "agent"
    office = container.must("pgrep -u trainee -f mcp_servers").split()
    assert len(office) == 1, office
    for path in (f"{HOME}/day.world", "/opt/trainee-bench/site", "/root"):
        assert "Permission denied" in container.agent(f"ls {path}"), path
        container.must(f"ls {path}")
    found = container.agent(f"python3 -c {shlex.quote(ATTACH)} {office[0]}")
    assert not found.strip(), found
    assert "not permitted" in container.agent(f"kill -9 {office[0]}")
    assert "No module" in container.agent("python3 -c 'import trainee_bench'")
    # The same search finds the seed as root, and so would find it for the agent.
    search = (
        f"grep -rlasE '{SEED}|{word[:60]}' / --exclude-dir=sys --exclude-dir=proc"
        " --exclude-dir=dev;"
        f" cat /proc/[0-9]*/cmdline /proc/[0-9]*/environ 2>/dev/null | grep -a -v grep"
        f" | grep -acE '{SEED}|{word[60:120]}'"
    )
    assert f"{HOME}/day.world" in container.must(f"{search}; true")
    seen = container.agent(search)
    assert seen.strip() == "0", seen
    setuid = container.must("find / -xdev -type f -perm /6000")
    assert not setuid, setuid


def forge(container: Container, task: Path) -> None:
    """Try as the agent's user to replace the rewards, the verifier and what it imports."""
    for command in (
        f"cat > /tmp/forge.py <<'EOF'\n{FORGE}\nEOF",
        "setsid python3 /tmp/forge.py > /dev/null 2>&1 &",
        "mkdir -p trainee_bench",
        "echo 'raise SystemExit(0)' | tee trainee_bench/__init__.py json.py",
        "ln -s /tests/test.sh /logs/verifier/test-stdout.txt",
        "mkdir /tests; echo 'exit 0' > /tests/test.sh",
        f"echo > {HOME}/day.world",
    ):
        container.agent(command)
    time.sleep(1)
    assert container.agent("pgrep -f forge.py").strip(), "the forger does not run"
    # Some providers open the folder to everybody again.
    container.must("chmod 777 /logs/verifier")
    time.sleep(1)
    assert "1.0" in container.must("cat /logs/verifier/reward.json"), "the forger does not forge"


def main() -> None:
    """Let the oracle, nobody and an attacker work the day."""
    archive, folder = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
    folder.mkdir(parents=True)
    (folder / "one.json").write_text(json.dumps({"name": "one", "scenarios": [SCENARIO]}))
    export = (sys.executable, "-m", "trainee_bench.harness", "export", "harbor", "--one-container")
    subprocess.run([*export, folder / "one.json", folder / "tasks"], check=True)
    path = folder / "tasks/one.day_1"
    task = tomllib.loads((path / "task.toml").read_text())
    assert task["agent"]["user"] == "agent" and task["verifier"]["user"] == "root"
    word = task["environment"]["healthcheck"]["command"].split()[1]
    image = Image.unpack(archive, folder)

    with image.running(task) as container:
        container.put(path / "solution", "/solution")
        container.agent("(/solution/solve.sh) > /logs/agent/oracle.txt 2>&1")
        rewards = verified(container, path)
        assert rewards == {"reward": 1.0, "success": 1, "graded": 1.0, "T1": 1.0}, rewards
    with image.running(task) as container:
        rewards = verified(container, path)
        assert rewards == {"reward": 0.0, "success": 0, "graded": 1.0, "T1": 0.0}, rewards
    with image.running(task) as container:
        spy(container, word)
        forge(container, path)
        rewards = verified(container, path)
        assert rewards == {"reward": 0.0, "success": 0, "graded": 1.0, "T1": 0.0}, rewards
        assert not container.agent("pgrep -f forge.py").strip(), "the forger survived"
    print("The task of one container passed: oracle 1, nothing 0, attacker 0.")


if __name__ == "__main__":
    main()
