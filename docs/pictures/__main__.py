"""Make the pictures of README and docs again, with their figures and captions.

    python -m docs.pictures [--drawings]

--drawings makes only the pictures that need no browser. Screenshots of the studio need
``pip install -e .[studio-test]`` and a chromium.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import anyio

from docs.pictures.drawings import drawn_files, pages
from docs.pictures.shown_day import work_shown_day

ROOT = Path(__file__).resolve().parents[2]
IMAGES = ROOT / "docs" / "images"


def main(arguments: list[str]) -> None:
    """Write all pictures, or the drawings alone."""
    if arguments not in ([], ["--drawings"]):
        sys.exit(__doc__)
    with tempfile.TemporaryDirectory() as folder:
        shown = work_shown_day(Path(folder))
        written = {IMAGES / name: text for name, text in drawn_files(shown).items()}
        written |= pages(ROOT, shown)
        for path, text in written.items():
            path.write_text(text, encoding="utf-8")
        if not arguments:
            from docs.pictures.screens import take_screenshots  # needs playwright

            anyio.run(take_screenshots, shown, IMAGES)


if __name__ == "__main__":
    main(sys.argv[1:])
