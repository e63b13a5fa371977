"""The program ``trainee-bench``. Each command is a module, too: ``trainee_bench.harness.NAME``.

run         run agents on a benchmark and report their scores
experiment  run one of the paper's experiments
compare     compare runs, or the agents of one run
replay      repeat a run's recorded actions and compare every result
verify      repeat and grade a whole run, and compare with its results
grade       grade a world, for example one that an MCP client worked in
certify     verify that rules are sound
catalog     list all rules, or the days of a benchmark
generate    generate a benchmark
new         write the skeleton of a new family or app
serve       serve a world to an MCP client
"""

from __future__ import annotations

import sys

import typer

from trainee_bench.harness import (
    catalog,
    certify,
    compare,
    experiment,
    generate,
    grade,
    new,
    replay,
    run,
    verify,
)
from trainee_bench.harness.support.terminal import guarded_output
from trainee_bench.mcp_servers.__main__ import main as serve_until_closed

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="A simulated company in which an AI agent works its first days.",
)
app.command("run")(run.command)
app.command("experiment")(experiment.command)
app.command("compare")(compare.command)
app.command("replay")(replay.command)
app.command("verify")(verify.command)
app.command("grade")(grade.command)
app.command("certify")(certify.command)
app.command("catalog")(catalog.command)
app.command("generate")(generate.command)
app.add_typer(new.app, name="new")


@app.command(
    "serve",
    context_settings={
        "allow_extra_args": True,
        "ignore_unknown_options": True,
        "help_option_names": [],
    },
)
def serve(context: typer.Context) -> None:
    """Serve all apps of a world, or one of them, to an MCP client."""
    serve_until_closed(context.args, "trainee-bench serve")


def main() -> None:
    """Run the program. Exit codes: 0 success, 1 an error or a difference, 2 wrong use."""
    if sys.argv[1:2] == ["serve"]:  # standard output belongs to the protocol
        app()
    with guarded_output():
        app()


if __name__ == "__main__":
    main()
