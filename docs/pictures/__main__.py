"""Make the pictures of README and docs again, with their figures and captions.

    python -m docs.pictures [--drawings | --load | --reading RUN ATTACK.json CLIMB …]

--drawings makes only the pictures that need no browser. Screenshots of the studio need
``pip install -e .[studio-test]`` and a chromium. --load makes only the picture and the table of the
OpenEnv server under load, from the figures in docs/images/load.json. --reading makes only those of
"Reading a result": see docs/pictures/reading.py.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import anyio

from docs.pictures.drawings import drawn_files, pages
from docs.pictures.load_chart import load_page, load_pictures, read_load_table
from docs.pictures.reading import FIGURES as READING
from docs.pictures.reading import figures_of_page, read_figures, reading_pictures
from docs.pictures.shown_day import work_shown_day

ROOT = Path(__file__).resolve().parents[2]
IMAGES = ROOT / "docs" / "images"
LOAD_PAGE = ROOT / "docs" / "deploy.md"


def main(arguments: list[str]) -> None:
    """Write all pictures, or those of one kind."""
    if arguments[:1] == ["--reading"] and len(arguments) > 3:
        run, attack, *climbs = map(Path, arguments[1:])
        figures = read_figures(run, attack, climbs)
        (IMAGES / READING).write_text(figures.model_dump_json(indent=1) + "\n", encoding="utf-8")
        write_reading()
        return
    if arguments not in ([], ["--drawings"], ["--load"]):
        sys.exit(__doc__)
    write_load()
    write_reading()
    if arguments == ["--load"]:
        return
    with tempfile.TemporaryDirectory() as folder:
        shown = work_shown_day(Path(folder))
        written = {IMAGES / name: text for name, text in drawn_files(shown).items()}
        written |= pages(ROOT, shown)
        for path, text in written.items():
            path.write_text(text, encoding="utf-8")
        if not arguments:
            from docs.pictures.screens import take_screenshots  # needs playwright

            anyio.run(take_screenshots, shown, IMAGES)


def write_reading() -> None:
    """Write the pictures of "Reading a result" from their figures."""
    for name, text in reading_pictures(figures_of_page(IMAGES)).items():
        (IMAGES / name).write_text(text, encoding="utf-8")


def write_load() -> None:
    """Write the picture and the table of the server under load."""
    table = read_load_table(IMAGES)
    for name, text in load_pictures(table).items():
        (IMAGES / name).write_text(text, encoding="utf-8")
    LOAD_PAGE.write_text(load_page(LOAD_PAGE, table), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
