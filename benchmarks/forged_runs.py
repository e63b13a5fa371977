"""Forged folders of runs, which must not lead `submit prepare` out of them."""

from __future__ import annotations

import json
import os
import shutil
import zipfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from random import Random

from forged_days import Genuine
from forged_values import forge, written
from forged_verdicts import Verified

SECRET = b"-----BEGIN PRIVATE KEY-----"
Call = Callable[..., Verified]


def prepare_forged_run(
    random: Random, base: Genuine, folder: Path, bait: str, call: Call
) -> tuple[str, str, list[str]]:
    """Forge a copy of the run of *base* and prepare a submission of it.

    Return the changes made to the copy, how preparing it ended, and the faults.
    """
    run, made = folder / "forged-run", folder / "made.zip"
    shutil.rmtree(run, ignore_errors=True)
    made.unlink(missing_ok=True)
    shutil.copytree(base.run, run)
    outside = folder / "outside"
    shutil.rmtree(outside, ignore_errors=True)
    outside.mkdir()
    done = _spoil(random, run, outside, bait)
    with suppress(ValueError, RecursionError, OSError):  # the first one was too much for another
        done += f"; {_spoil(random, run, outside, bait)}" if random.random() < 0.4 else ""
    before = _content(outside)
    now = call("prepare", str(run), str(made), "--name", "Mine", "--config", str(base.config))
    faults = _faults(now, made, run)
    if _content(outside) != before:
        faults.append("something outside was changed")
    return done, "packed" if made.exists() else "refused", faults


def _faults(now: Verified, made: Path, run: Path) -> list[str]:
    faults = [f"crash: {now.crash}"] if now.crash else []
    if any(c != "\n" and not c.isprintable() for c in now.output):
        faults.append("control characters")
    if made.exists() != (now.code == 0):
        faults.append(f"exit code {now.code}, and the file is there: {made.exists()}")
    if list(made.parent.glob(".made.zip*")):
        faults.append("a draft is left")
    if made.exists():
        with zipfile.ZipFile(made) as archive:
            for name in archive.namelist():
                data = archive.read(name)
                if SECRET in data:
                    faults.append(f"packed from outside: {name.partition('/')[0]}")
                own = run / name
                if name != "submission.json" and own.read_bytes() != data:
                    faults.append(f"packed with different content: {name.partition('/')[0]}")
    return faults


def _content(folder: Path) -> dict[str, bytes]:
    return {str(f): f.read_bytes() for f in sorted(folder.rglob("*")) if f.is_file()}


def _spoil(random: Random, run: Path, outside: Path, bait: str) -> str:
    """Change the *run* so that it could lead `prepare` to a file *outside*; return the change."""
    files = sorted(f for f in run.rglob("*") if f.is_file() and not f.is_symlink())
    packed = [f for f in files if f.suffix in (".json", ".jsonl", ".world", ".md")]
    file = random.choice(packed)
    secret = outside / f"secret{random.randrange(10**6)}"
    kinds = (_link, _hard_link, _link_folder, _line, _line, _pipe, _inner_link, _plan, _extra)
    kind = random.choice(kinds)
    kind(random, run, file, secret, bait)
    return f"{kind.__name__.strip('_')} {file.relative_to(run)}"


def _link(random: Random, run: Path, file: Path, secret: Path, bait: str) -> None:
    secret.write_bytes(_with_secret(file))
    file.unlink()
    there = random.choice((secret, Path(os.path.relpath(secret, file.parent)), Path(bait)))
    file.symlink_to(there)


def _with_secret(file: Path) -> bytes:
    """The content of *file* with a secret in it, such that it may still be read."""
    data = file.read_bytes()
    if file.suffix == ".json":
        return data.replace(b"{", b'{"key": "%s",' % SECRET, 1)
    return data + (SECRET if file.suffix in (".md", ".world") else b"")


def _hard_link(random: Random, run: Path, file: Path, secret: Path, bait: str) -> None:
    secret.write_bytes(_with_secret(file))
    file.unlink()
    file.hardlink_to(secret)


def _link_folder(random: Random, run: Path, file: Path, secret: Path, bait: str) -> None:
    folder = run / random.choice(("worlds", "trajectories", "memories"))
    if not folder.is_symlink() and folder.exists():
        shutil.copytree(folder, secret)
        for inner in secret.iterdir():
            inner.write_bytes(_with_secret(inner))
        shutil.rmtree(folder)
        folder.symlink_to(secret)


def _line(random: Random, run: Path, file: Path, secret: Path, bait: str) -> None:
    path = run / "results.jsonl"
    if path.is_symlink() or not path.is_file():
        return
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    secret.write_bytes(SECRET)
    line = random.choice(lines)
    named = random.choice((bait, f"../outside/{secret.name}", str(secret), "..", "", "\x1b[2J"))
    if random.random() < 0.7:
        line[random.choice(("world", "trajectory", "episode", "remembers", "agent"))] = named
    else:
        forge(random, line, (named,))
    path.write_text("".join(f"{written(line)}\n" for line in lines), encoding="utf-8")


def _pipe(random: Random, run: Path, file: Path, secret: Path, bait: str) -> None:
    if file.exists():
        file.unlink()
        os.mkfifo(file)


def _inner_link(random: Random, run: Path, file: Path, secret: Path, bait: str) -> None:
    """A link within the run, or to itself."""
    others = [f for f in run.rglob("*") if f.is_file() and f != file]
    file.unlink()
    file.symlink_to(random.choice((random.choice(others), file, run, Path("..") / run.name)))


def _plan(random: Random, run: Path, file: Path, secret: Path, bait: str) -> None:
    path = run / "run.json"
    if path.is_symlink() or not path.is_file():
        return
    plan = json.loads(path.read_text(encoding="utf-8"))
    secret.write_bytes(SECRET)
    texts = (bait, f"../outside/{secret.name}", "..", "\x1b[2J")
    forge(random, random.choice((plan, plan["agents"][0], plan["scenarios"][0])), texts)
    path.write_text(written(plan), encoding="utf-8")


def _extra(random: Random, run: Path, file: Path, secret: Path, bait: str) -> None:
    """Files of others in the run's folder."""
    secret.write_bytes(SECRET)
    (run / random.choice(("id_rsa", "worlds/x.world", "trajectories/x.json"))).write_bytes(SECRET)
    (run / "inner").mkdir(exist_ok=True)
    if not (run / "inner" / "out").is_symlink():
        (run / "inner" / "out").symlink_to(random.choice((secret, run / "run.json")))
