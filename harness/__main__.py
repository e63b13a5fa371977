"""``python -m trainee_bench.harness`` and the program ``trainee-bench``: see `cli`."""

import sys

from trainee_bench.harness.support.start_up import importing


def main() -> None:
    """Run the program. An interrupt during its imports ends it silently."""
    with importing():
        if sys.argv[1:2] == ["serve"]:
            # A client waits, and standard output belongs to the protocol, so this imports no typer
            # and no console. The server itself reports when everything is imported.
            from trainee_bench.mcp_servers.__main__ import main as serve_until_closed

            serve_until_closed(sys.argv[2:], "trainee-bench serve")
        from trainee_bench.harness.cli import main as run_command
    run_command()


if __name__ == "__main__":
    main()
