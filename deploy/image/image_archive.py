"""Archives of images, as `docker save` writes them."""

from __future__ import annotations

import json
import subprocess
import tarfile
from pathlib import Path
from typing import Any


def unpack(archive: Path, root: Path) -> dict[str, Any]:
    """Unpack the layers of *archive* into the new folder *root*; return the configuration of its
    containers. Layers are kept beside *root*."""
    root.mkdir(parents=True)
    with tarfile.open(archive) as outer:
        (manifest,) = json.loads(_member(outer, "manifest.json"))
        settings: dict[str, Any] = json.loads(_member(outer, manifest["Config"]))["config"]
        for layer in manifest["Layers"]:
            outer.extract(layer, root.parent, filter="data")
            subprocess.run(["tar", "-xpf", root.parent / layer, "-C", root], check=True)
    return settings


def _member(archive: tarfile.TarFile, name: str) -> bytes:
    file = archive.extractfile(name)
    assert file is not None, name
    return file.read()
