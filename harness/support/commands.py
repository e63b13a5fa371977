"""Parts that all commands share: options from a dataclass, errors as exit codes."""

from __future__ import annotations

import inspect
import tempfile
import typing
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import fields
from pathlib import Path
from typing import Any

import typer

from trainee_bench.harness.support.office_option import office_flaw
from trainee_bench.harness.support.text import one_line
from trainee_bench.harness.support.worker_processes import ProcessLost

_LONGEST_MESSAGE = 4_000
_SHOWN_CHARS = 200
"""Characters of a file's name in a message."""


def make_command(
    handler: Callable[..., None],
    options: type[Any],
    *leading: inspect.Parameter,
    without: Collection[str] = (),
) -> Callable[..., None]:
    """Return a function that typer turns into a command with one option per field of *options*.

    *options* is a dataclass whose fields are annotated with ``typer.Option``; their order is the
    order of ``--help``. The function calls *handler* with the values of *leading* by name, and
    ``options``. Fields named in *without* are not offered and keep their defaults.
    """
    # typer reads annotations, which are strings if they are postponed.
    hints = typing.get_type_hints(options, include_extras=True)
    offered = [
        inspect.Parameter(
            field.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=field.default,
            annotation=hints[field.name],
        )
        for field in fields(options)
        if field.name not in without
    ]

    def command(**values: Any) -> None:
        first = {parameter.name: values.pop(parameter.name) for parameter in leading}
        handler(**first, options=options(**values))

    signature = inspect.Signature([*leading, *offered])
    command.__name__, command.__doc__ = handler.__name__, handler.__doc__
    command.__annotations__ = {
        name: parameter.annotation for name, parameter in signature.parameters.items()
    }
    command.__dict__["__signature__"] = signature
    return command


@contextmanager
def exit_on_error(
    command: str,
    *errors: type[Exception],
    interrupted: str | Callable[[], str] | None = None,
) -> Iterator[None]:
    """End the program with a message and exit code 2 if the block raises one of *errors*.

    The same holds if the system refuses to read or write a file, if a worker process ends, and for
    an own office that is not open or has changed. An error's own ``exit_code`` replaces the 2. With
    *interrupted*, an interrupt prints that text, or what it returns, and ends the program with exit
    code 130.
    """
    told: tuple[type[Exception], ...] = (*errors, ProcessLost)
    try:
        yield
    except told as error:
        # the error may quote text that others wrote
        message = one_line(str(error), _LONGEST_MESSAGE)
        typer.echo(f"trainee-bench {command}: {message}", err=True)
        raise typer.Exit(getattr(error, "exit_code", 2)) from None
    except OSError as error:
        if error.errno is None:  # a timeout, for which no file is to blame
            raise
        named = f"{one_line(str(error.filename), _SHOWN_CHARS)}: " if error.filename else ""
        why = error.strerror or type(error).__name__
        typer.echo(f"trainee-bench {command}: {named}{why}.", err=True)
        raise typer.Exit(2) from None
    except KeyboardInterrupt:
        if interrupted is None:
            raise
        typer.echo(interrupted if isinstance(interrupted, str) else interrupted(), err=True)
        raise typer.Exit(130) from None
    except typer.Exit:
        raise
    except Exception as error:
        flaw = office_flaw(error)
        if flaw is None:
            raise
        typer.echo(f"trainee-bench {command}: {one_line(flaw, _LONGEST_MESSAGE)}", err=True)
        raise typer.Exit(2) from None


class CannotWriteOutput(Exception):
    """A file cannot be written; the message says why, and what to do or where its text is."""


def check_output(path: Path, option: str) -> None:
    """Raise CannotWriteOutput unless a file could be written at *path*, the value of *option*.

    An existing file stays unchanged.
    """
    try:
        if path.is_dir():
            raise CannotWriteOutput(f"{option} {path}: this is a folder; name a file.")
        if not path.parent.is_dir():
            raise CannotWriteOutput(
                f"{option} {path}: there is no folder {path.parent}; create it or name another."
            )
        existed = path.exists()
        with path.open("ab"):
            pass
        if not existed:
            path.unlink()
    except (OSError, ValueError) as error:
        raise CannotWriteOutput(_flaw(option, path, error)) from None


def write_output(path: Path, text: str, option: str) -> None:
    """Write *text* to *path*, completely or not at all.

    If that fails although `check_output` passed, *text* is written to a temporary file, and
    CannotWriteOutput names it.
    """
    draft = path.with_name(f".{path.name[:100]}.draft")
    try:
        if path.exists() and not path.is_file():  # a device or a pipe
            path.write_text(text, encoding="utf-8")
            return
        draft.write_text(text, encoding="utf-8")
        draft.replace(path)
    except OSError as error:
        draft.unlink(missing_ok=True)
        raise CannotWriteOutput(f"{_flaw(option, path, error)} {_kept(text)}") from None


def _kept(text: str) -> str:
    """Write *text* to a temporary file; return a sentence that names it."""
    try:
        with tempfile.NamedTemporaryFile(
            "w", encoding="utf-8", prefix="trainee-bench-", suffix=".json", delete=False
        ) as file:
            file.write(text)
    except OSError:
        return "There is no room in the temporary folder either."
    return f"The output is in {file.name}."


def _flaw(option: str, path: Path, error: OSError | ValueError) -> str:
    why = error.strerror if isinstance(error, OSError) else "this is not a path"
    return f"{option} {path}: it cannot be written ({why}); name another file."
