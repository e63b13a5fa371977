"""``python -m trainee_bench.harness`` and the program ``trainee-bench``: see `cli`."""

import sys

from trainee_bench.harness.support.start_up import importing


def main() -> None:
    """Run the program. An interrupt while it is still importing itself ends it without a word."""
    with importing():
        if sys.argv[1:2] == ["serve"]:
            # A client waits, and standard output belongs to the protocol: no typer, no console.
            # The server itself says when all is imported.
            from trainee_bench.mcp_servers.__main__ import main as serve_until_closed

            serve_until_closed(sys.argv[2:], "trainee-bench serve")
        from trainee_bench.harness.cli import main as run_command
    run_command()


if __name__ == "__main__":
    main()
