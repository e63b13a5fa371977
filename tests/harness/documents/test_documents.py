"""One document in three media: the same words, each text escaped once, and nothing added."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markupsafe import Markup
from rich.console import Console

from tests.harness.analysis.report.markup import Page
from tests.harness.analysis.report.rendered import markdown_text
from tests.harness.builders import episode, plan, task
from trainee_bench.harness.documents.console import print_document
from trainee_bench.harness.documents.document import (
    FILES,
    Bullet,
    Bullets,
    Chart,
    Charts,
    Column,
    Document,
    Facts,
    Grid,
    Medium,
    Paragraph,
    Section,
)
from trainee_bench.harness.documents.formatting import pluralize
from trainee_bench.harness.documents.html import render_html
from trainee_bench.harness.documents.markdown import escape_markdown, render_markdown
from trainee_bench.harness.records.plan import AgentConfig
from trainee_bench.harness.records.results import CheckpointResult

FOLDED = frozenset({Medium.HTML})
HARNESS = Path(__file__).resolve().parents[3] / "harness"
RENDERER_AND_ERRORS = {"markdown.py", "execution.py"}
"""The renderer, which writes backticks itself, and errors that appear only in a terminal."""
SVG = "<svg><text>drawn</text></svg>"
DOCUMENT = Document(
    title="Title",
    lead="Lead",
    blocks=(
        Section(
            "First",
            (
                Grid.from_rows([Column("name"), Column("wide", "it is wide", FILES)], [["a", "b"]]),
                Section(
                    "Folded", (Facts((("fact", "value"),)),), folds_in=frozenset({Medium.HTML})
                ),
                Section("Apart", (Paragraph("Set apart."),), aside=True, media=FILES),
            ),
            key="first",
        ),
        Section("Only text", (Bullets((Bullet("one", id="x", items=(Bullet("two"),)),)),)),
        Section("Drawn", (Charts((Chart("figure", "A chart", SVG),)),), media=FILES),
    ),
    footer="Footer",
)
HOSTILE = "<b>b</b> [bold]x[/bold] `c` **d** | e\x1b[31m\u202e"


def console_text(document: Document) -> str:
    console = Console(width=100)
    with console.capture() as captured:
        print_document(document, console)
    return captured.get()


def test_markdown_has_headings_by_depth_tables_asides_and_charts_as_files() -> None:
    text = render_markdown(DOCUMENT)
    for line in (
        "# Title", "## First", "| name | wide |", "### Folded", "- **fact**: value",
        "> ### Apart", "> Set apart.", "- `x`: one", "  - two", "![A chart](figure.svg)",
    ):  # fmt: skip
        assert line in text.splitlines(), line


def test_html_has_a_sound_page_with_contents_folds_and_drawn_charts() -> None:
    text = render_html(DOCUMENT)
    page = Page(text)
    assert page.faults == [] and page.references == ["#first"] and page.ids == ["first"]
    assert '<details class="fold"><summary>Folded</summary>' in text
    assert SVG in text and '<section class="aside">' in text
    assert "Footer" in page.text


def test_the_console_shows_only_what_is_for_it() -> None:
    text = console_text(DOCUMENT)
    assert "name" in text and "wide" not in text
    assert "fact: value" in text and "  x: one\n    two" in text
    assert not re.search("Apart|drawn|A chart|Footer", text)


@pytest.mark.parametrize("block", [
    Paragraph(HOSTILE),
    Facts(((HOSTILE, HOSTILE),)),
    Facts(((HOSTILE, HOSTILE),), layout="list"),
    Grid.from_rows([HOSTILE], [[HOSTILE]], title=HOSTILE),
    Bullets((Bullet(HOSTILE, id=HOSTILE),)),
    Section(HOSTILE, (Paragraph(HOSTILE, "warning"),), folds_in=FILES),
])  # fmt: skip
def test_text_stays_text_in_every_medium(block: Paragraph) -> None:
    document = Document(HOSTILE, (block,), lead=HOSTILE, genre=HOSTILE, footer=HOSTILE)
    page = Page(render_html(document))
    assert page.faults == [] and "b" not in page.tags
    assert "<b>b</b> [bold]x[/bold] `c` **d** | e" in page.text
    markdown = render_markdown(document)
    assert "**d**" not in re.sub("`[^`]*`", "", markdown)
    assert "<b>" not in re.sub("`[^`]*`", "", markdown)
    assert "[bold]x[/bold]" in console_text(document)
    for text in (render_html(document), markdown, console_text(document)):
        assert set("\x1b\u202e").isdisjoint(text)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("# heading", "\\# heading"),
        ("- item", "\\- item"),
        ("+0.3 more", "\\+0.3 more"),
        ("> quote", "&gt; quote"),
        ("12. item", "12\\. item"),
        ("3 of 4", "3 of 4"),
    ],
)
def test_a_paragraph_in_markdown_begins_no_other_block(text: str, line: str) -> None:
    for block in (Paragraph(text), Bullets((Bullet(text),))):
        (written,) = render_markdown(Document("t", (block,))).splitlines()[2:]
        assert written.removeprefix("- ") == line


def test_columns_without_any_value_are_left_out_unless_they_are_always_shown() -> None:
    columns = [(Column(name), values) for name, values in {"a": "–", "b": "–", "c": "1"}.items()]
    assert Grid.from_columns(columns, always=("a",)).titles == ("a", "c")


def test_inserted_html_is_at_the_end_of_its_section() -> None:
    text = render_html(DOCUMENT, {"first": Markup("<p>inserted</p>")})
    assert text.index("Set apart.") < text.index("<p>inserted</p>") < text.index("Only text")


def test_a_narrow_terminal_folds_figures_and_no_names() -> None:
    titles = ["agent", "complete", "score", "success", "steps", "calls", "episodes"]
    figures = ["0.00", "0.24 (0.00-0.50)", "0.14 (0.00-0.50)", "35.0", "39.3", "3"]
    grid = Grid.from_rows(titles, [["scripted-fair", *figures]])
    console = Console(width=80)
    with console.capture() as captured:
        print_document(Document("", (grid,)), console)
    lines = captured.get().splitlines()
    assert any(line.startswith(" scripted-fair ") for line in lines)
    assert sum("(0.00-0.50)" in line for line in lines) == 1
    assert max(map(len, lines)) <= 80


def test_no_text_of_ours_in_a_document_has_backticks_which_a_page_would_show() -> None:
    rooms = [HARNESS / name for name in ("analysis", "documents", "worth")]
    files = [path for room in rooms for path in room.rglob("*.py")]
    marked = [
        f"{path.name}:{line}: {text}"
        for path in [*files, HARNESS / "batch" / "forecast.py"]
        if path.name not in RENDERER_AND_ERRORS
        for line, text in texts(ast.parse(path.read_text(encoding="utf-8")))
        if "`" in text
    ]
    assert not marked, "\n".join(marked)


def texts(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Yield the strings that are not docstrings, each with its line."""
    told = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in told:
            yield node.lineno, node.value


MARKUP = (
    "</details><script>x</script>\n| a | b |\n|---|---|\n![p](http://evil.example/) `code` **b**"
)


def test_texts_of_agents_are_neither_markdown_nor_html() -> None:
    check = CheckpointResult(name="c", sentence="It is", weight=1, passed=False, seen=MARKUP)
    marked = task(0.5, checkpoints=(check,), harm=(MARKUP,))
    text = markdown_text(plan("s1"), [episode("nothing", "s1", marked, agent_error=MARKUP)])
    assert "<script" not in text and "![p]" not in text and "**b**" not in text
    assert text.count("</details>") == 1
    assert not [line for line in text.splitlines() if line.startswith(("|---|---|", "| a "))]


@given(st.text())
def test_plain_text_is_one_line_and_holds_no_live_mark(text: str) -> None:
    made = escape_markdown(text)
    assert len(made.splitlines()) <= 1
    live = re.sub(r"\\[\\`*\[\]~_]|&(?:lt|gt|amp);", "", made)
    assert not set(live) & set("\\`*[]~<>&")


def test_names_with_bars_stay_in_their_cell() -> None:
    text = markdown_text(plan("s1", agents=("a|b",)), [episode("a|b", "s1", task(1.0))])
    assert "| a\\|b | 1.00 |" in text


def test_how_it_ran_names_models_incidents_and_unknown_prices() -> None:
    thinking = AgentConfig(name="mine", agent="openai", model="some-model")
    of = plan("s1", "s2").model_copy(update={"agents": (thinking,)})
    results = [
        episode("mine", "s1", task(1.0), prompt_tokens=10, completion_tokens=5),
        episode("mine", "s2", task(1.0), incidents={"rate_limit": 2}),
    ]
    text = markdown_text(of, results)
    assert "- **mine**: agent openai, model some-model" in text
    assert (
        "| mine | some-model | at least 10 (1 unknown) | at least 5 (1 unknown) | unknown | 2 |"
        in text
    )
    assert "| rate limit | 2 |" in text
    (row,) = (line for line in text.splitlines() if line.startswith("| mine | 1.00"))
    assert "| unknown |" in row


COUNTED = re.compile(
    r" (?:actions|agents|attempts|calls|cells|days|episodes|families|files|forks|meetings|messages"
    r"|minutes|people|pictures|points|questions|rules|runs|scenarios|seeds|steps|switches|tasks"
    r"|times|tools|tries|turns|weeks|worlds)\b"
)
NEVER_ONE = re.compile(
    r"[A-Z_]{2,}$"  # a constant
    r"|len\((?:names|plan\.agents|told|runs)\)$|(?:attempts|graded|families)$"
    r"|calls_per_turn$|spec\.slack\[1\]$|len\(lines\) - 2$"
    r"|^_list\(steps\)$|^days$"  # of a week
    r"|^count$"  # 1 has separate words
)
"""Expressions that are not numbers, or are more than 1 wherever a text counts with them."""


@pytest.mark.parametrize(("number", "said"), [(0, "0 calls"), (1, "1 call"), (2, "2 calls")])
def test_only_one_is_singular(number: int, said: str) -> None:
    assert pluralize(number, "call") == said


def test_no_text_of_ours_counts_one_of_something_as_several() -> None:
    bare = [
        f"{path.relative_to(HARNESS)}:{text.lineno}: {{{counted}}}{said.value[:20]}"
        for path in sorted(HARNESS.rglob("*.py"))
        for text in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(text, ast.JoinedStr)
        for value, said in zip(text.values, text.values[1:], strict=False)
        if isinstance(value, ast.FormattedValue)
        and isinstance(said, ast.Constant)
        and COUNTED.match(str(said.value))
        and not NEVER_ONE.search(counted := ast.unparse(value.value))
    ]
    assert not bare, "\n".join(bare)
