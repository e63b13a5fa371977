"""Opening own offices for a server: they are read only if the command line names one."""

from __future__ import annotations

from collections.abc import Sequence


class OfficeUnusable(Exception):
    """An office cannot be opened; the text names the file, the line and the remedy."""


def open_own_offices(sources: Sequence[str]) -> None:
    """Open the offices in folders or installed packages. Raises OfficeUnusable."""
    if not sources:
        return
    from trainee_bench.meta_tasks.offices.opened import open_source
    from trainee_bench.meta_tasks.offices.source import OfficeError

    try:
        for source in sources:
            open_source(source)
    except OfficeError as error:
        raise OfficeUnusable(f"--office: {error}") from None
