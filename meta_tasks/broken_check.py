"""How a check broke over what an agent handed in."""

from __future__ import annotations

import traceback

_LONGEST = 500
"""Characters of an error: it may quote what an agent wrote, which may be a megabyte."""


def how_it_broke(bug: Exception) -> tuple[str, str]:
    """Two texts on the *bug* that a check raised: one for the agent, one that helps to mend it.

    The error's own text may quote the right answer. Line numbers are left out, so that a grade
    stays the same where code is only moved.
    """
    kind = type(bug).__name__
    where = traceback.extract_tb(bug.__traceback__, limit=-1)[-1].name
    text = f"{bug}".encode(errors="replace").decode()[:_LONGEST]
    return f"the check broke over what was handed in ({kind})", f"{kind}: {text} (in {where})"
