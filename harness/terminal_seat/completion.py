"""Completion of a typed line by the Tab key, where Python has readline."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Sequence

Candidates = Callable[[str, str], list[str]]
"""From a line and its last word, what the word may become."""
ShownNames = Callable[[str, Sequence[str]], list[str]]
"""From a line and what completes it, how that is shown."""


def offer_completions(candidates: Candidates, shown: ShownNames) -> None:
    """Complete what is typed from now on by *candidates*, listed as *shown* says."""
    if importlib.util.find_spec("readline") is None:  # Windows
        return
    import readline

    def complete(word: str, number: int) -> str | None:
        found = candidates(readline.get_line_buffer()[: readline.get_endidx()], word)
        return found[number] if number < len(found) else None

    def display(word: str, matches: Sequence[str], longest: int) -> None:
        line = readline.get_line_buffer()
        print("\n" + "  ".join(shown(line, matches)))  # noqa: T201 - beneath the line
        print("> " + line, end="", flush=True)  # noqa: T201
        readline.redisplay()

    readline.set_completer(complete)
    readline.set_completer_delims(" ")
    readline.set_completion_display_matches_hook(display)
    readline.parse_and_bind("tab: complete")
