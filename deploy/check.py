"""Check the manifests in deploy/: Kubernetes by its schemas, Compose by its specification.

    pip install kubernetes-validate compose-spec && python deploy/check.py

Both packages bring their schemas along. Exit code 0 if everything is valid, 1 if not.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import compose_spec

FOLDER = Path(__file__).parent
KUBERNETES = ("1.30", "1.37")
"""Versions of Kubernetes, from the oldest one that is claimed to the newest with a schema."""


def check_kubernetes(file: Path) -> bool:
    """Return whether every manifest in *file* is valid in each version."""
    program = (sys.executable, "-m", "kubernetes_validate", "--strict", "--quiet")
    checks = [
        subprocess.run([*program, "-k", version, file], check=False) for version in KUBERNETES
    ]
    return not any(check.returncode for check in checks)


def check_compose(file: Path) -> bool:
    """Return whether *file* is valid and names only secrets and volumes that it defines."""
    options = compose_spec.PyOptions()
    options.apply_merge = True
    try:
        options.from_yaml(file.read_text(encoding="utf-8")).validate()
    except ValueError as error:
        print(f"{file}: {error}")
        return False
    return True


def main() -> None:
    """Check all files."""
    kubernetes = sorted(FOLDER.glob("kubernetes/*.yaml"))
    compose = sorted(FOLDER.glob("compose/*.yaml"))
    valid = [*map(check_kubernetes, kubernetes), *map(check_compose, compose)]
    print(f"{sum(valid)} of {len(valid)} files in deploy/ are valid")
    raise SystemExit(not all(valid))


if __name__ == "__main__":
    main()
