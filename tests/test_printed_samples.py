"""Samples in the documentation are compared with the output of their commands."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.printed_samples import ROOT, printed

OUTPUT = (
    "[1/3] oracle · one · day_1: 1.00 (complete)\n"
    "[2/3] nothing · one · day_1: 0.00\n"
    "[3/3] sprayer · one · day_1: 0.00\n"
    "\n"
    " agent    score   \n"
    " ─────────────── \n"
    " oracle    1.00   \n"
    "Report: first/report.html\n"
)
OTHER_ORDER = (
    "[1/3] sprayer · one · day_1: 0.00\n"
    "[2/3] nothing · one · day_1: 0.00\n"
    "[3/3] oracle · one · day_1: 1.00 (complete)\n"
    "…\n"
    "Report: first/report.html\n"
)
LOOKS_PRINTED = re.compile(
    r"^\[\d+/\d+\] |^ ?─{10}|^Report: |^Next: |^Costliest |: \d\.\d\d to \d\.\d\d$|^ *- missed: "
    r"|^Begun: |^wrote |^holds  ",
    re.MULTILINE,
)
ELSEWHERE = {
    "submissions.md": "a run of fifty days by a language model, which nobody has here",
    "your_app.md": "written into a clone: tests/harness/test_new.py compares it",
    "your_family.md": "written into a clone: tests/harness/test_new.py compares it",
}
"""Pages with samples that need more than a command, and what compares them."""


@pytest.mark.parametrize(
    "sample",
    [
        OUTPUT,
        " agent    score\n ───────────────\n oracle    1.00\n",
        "…\n oracle    1.00\nReport: first/report.html\n",
        OTHER_ORDER,
    ],
    ids=["all of it", "a part", "with lines left out", "episodes that ended in another order"],
)
def test_a_sample_of_what_is_printed_is_one(sample: str) -> None:
    assert printed.find_difference(sample, OUTPUT) is None


@pytest.mark.parametrize(
    ("sample", "says"),
    [
        (" oracle    0.99\n", "oracle    0.99"),
        (" agent    score\n oracle    1.00\n", "agent    score"),
        ("Report: first/report.html\n…\n oracle    1.00\n", "oracle    1.00"),
        ("[1/4] oracle · one · day_1: 1.00 (complete)\n", "[n/4] oracle"),
        ("[1/3] oracle · one · day_1: 1.00\n", "[n/3] oracle"),
        ("agent    score\n", "agent    score"),
    ],
    ids=["a figure", "a line left out unsaid", "an order", "a count", "an ending", "an indent"],
)
def test_a_sample_that_differs_is_told_by_its_line(sample: str, says: str) -> None:
    difference = printed.find_difference(sample, OUTPUT)
    assert difference is not None and says in difference


def blocks(document: Path) -> list[re.Match[str]]:
    return list(printed.BLOCK.finditer(document.read_text(encoding="utf-8")))


@pytest.mark.parametrize("document", printed.documents(), ids=lambda path: path.stem)
def test_what_looks_printed_is_marked_so_that_it_is_compared(document: Path) -> None:
    unmarked = [
        block["body"]
        for block in blocks(document)
        if block["kind"] in ("", "text")
        and LOOKS_PRINTED.search(block["body"])
        and not printed.is_sample(block["name"])
    ]
    assert bool(unmarked) == (document.name in ELSEWHERE), "\n".join(unmarked)


def test_a_sample_without_a_command_follows_a_block_that_is_run() -> None:
    for document in printed.documents():
        before = ""
        for block in blocks(document):
            if printed.is_sample(block["name"]) and printed.command_of(block["name"]) is None:
                assert before == "sh", f"{document.name}: {block['body']}"
            before = block["kind"]


def test_the_readme_the_tour_and_the_page_on_worth_have_samples_that_are_compared() -> None:
    marked = {
        document.relative_to(ROOT).as_posix()
        for document in printed.documents()
        for block in blocks(document)
        if printed.is_sample(block["name"])
    }
    assert {"README.md", "docs/tour.md", "docs/how_it_works/worth.md"} <= marked
