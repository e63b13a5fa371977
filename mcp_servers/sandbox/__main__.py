"""``python -m mcp_servers.sandbox``: show which sandbox works on this machine and why others fail.

Exits with 0 if one works, with 1 if none does.
"""

from __future__ import annotations

from trainee_bench.mcp_servers.sandbox.detection import find_sandbox


def main() -> None:
    """Print the result. Raises SystemExit."""
    found = find_sandbox()
    if found.sandbox is None:
        print(found.missing_requirement)
        raise SystemExit(1)
    print(f"The terminal works in a {found.sandbox.kind} sandbox.")
    for reason in found.reasons:
        print(f"Not usable: {reason}")


if __name__ == "__main__":
    main()
