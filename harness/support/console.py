"""Where commands print tables: a terminal, or a file or pipe of ample width."""

from __future__ import annotations

import os
import sys

from rich.console import Console

_WIDE = 200
"""Columns of what is written to a file or a pipe."""


class _PipeSafeConsole(Console):
    def on_broken_pipe(self) -> None:
        """Go on without a reader: what has been begun is worth more than its lines."""
        self.quiet = True
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # else exit complains, too


def output_console() -> Console:
    """A console for standard output, whose reader may leave before the end."""
    console = _PipeSafeConsole(highlight=False)
    return console if console.is_terminal else _PipeSafeConsole(highlight=False, width=_WIDE)
