"""The console script ``trainee-bench``: the commands of the ``python -m`` forms as one program.

run      a batch of episodes                 python -m harness.run
replay   a run once more, compared           python -m harness.replay
experiment  the paper's, a command each      python -m harness.experiment
compare  runs against each other             python -m harness.compare
grade    a world that was worked by hand     python -m harness.grade
certify  proof that a rule is sound          python -m harness.certify
catalog  all rules                           python -m harness.catalog
generate scenarios without end               python -m harness.generate
new      the skeleton of a family or an app  python -m harness.new
serve    the MCP servers                     python -m mcp_servers
"""

from __future__ import annotations

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
)
from trainee_bench.mcp_servers.__main__ import main as serve_until_closed

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="A simulated company in which an AI agent spends its first working days.",
)
app.command("run")(run.command)
app.command("replay")(replay.command)
app.command("experiment")(experiment.command)
app.command("compare")(compare.command)
app.command("grade")(grade.command)
app.command("certify")(certify.main)
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
    """Serve the office, or one app, to an MCP client; --help says how."""
    serve_until_closed(context.args)


def main() -> None:
    """Run the program; exit codes are 0 done, 1 something broke or differs, 2 wrong use."""
    app()


if __name__ == "__main__":
    main()
