"""How commands end: mistakes of the user as one line and exit code 2, interrupts as 130."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import typer

from trainee_bench.harness.records.plan import PlanError
from trainee_bench.harness.records.results import ResultFileError
from trainee_bench.harness.support.signals import sigterm_as_interrupt


@contextmanager
def exit_on_errors(program: str, interrupted: str) -> Iterator[None]:
    """End the command *program* with a message where the block raises what users can mend.

    *interrupted* is printed on Ctrl-C and SIGTERM.
    """
    try:
        with sigterm_as_interrupt():
            yield
    except (PlanError, ResultFileError) as error:
        typer.echo(f"trainee-bench {program}: {error}", err=True)
        raise typer.Exit(2) from None
    except KeyboardInterrupt:
        typer.echo(interrupted, err=True)
        raise typer.Exit(130) from None
