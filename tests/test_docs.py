"""The documentation says what is so: the catalogue, the picture of the rooms, the examples."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.test_architecture import PACKAGES, needed, sources
from trainee_bench.harness.certification.certificates import CLAIMS
from trainee_bench.harness.cli import COMMANDS
from trainee_bench.harness.generation.catalog_markdown import rendered_pages, replace_table

pytestmark = pytest.mark.every_family
ROOT = Path(__file__).parent.parent
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
ALL_OTHERS = "*.py"
LONGEST_EXAMPLE, LONGEST_README, LONGEST_GLOSSARY = 60, 220, 25

PACKAGE_LINE = re.compile(r"(\w+) ─ .+")
ROOM_LINE = re.compile(r"│ (?P<names>(?:[\w*]+(?:/|\.py) )+) *\S.*")
UPWARD_LINE = re.compile(r"^- `([\w/]+)` → `([\w/]+)`: ", re.MULTILINE)


@dataclass(frozen=True)
class Picture:
    """What docs/architecture.md draws: lines from the top, and imports that it admits go up."""

    lines: tuple[tuple[str, frozenset[str]], ...]
    """The package of each line and the names on it; none for a package without rooms."""
    upward: frozenset[tuple[str, str]]

    @classmethod
    def read(cls) -> Picture:
        text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
        drawn = text.partition("<!-- rooms -->\n```text\n")[2].partition("```")[0]
        lines: list[tuple[str, frozenset[str]]] = []
        for line in filter(None, drawn.splitlines()):
            if found := PACKAGE_LINE.fullmatch(line):
                package = found[1]
                lines.append((package, frozenset()))
            else:
                room = ROOM_LINE.fullmatch(line)
                assert room, f"neither a package nor a room: {line}"
                lines.append((package, frozenset(room["names"].split())))
        return cls(tuple(lines), frozenset(UPWARD_LINE.findall(text)))

    def names(self, package: str) -> set[str]:
        return {name for of, names in self.lines if of == package for name in names}

    def height(self, package: str, name: str) -> int:
        """How far down the line stands on which *name* is drawn."""
        if not self.names(package):
            name = ""
        elif name not in self.names(package):
            name = ALL_OTHERS
        for place, (of, names) in enumerate(self.lines):
            if of == package and (name in names or not name):
                return place
        raise AssertionError(f"the picture has no place for {package}/{name}")


@pytest.fixture(scope="module")
def picture() -> Picture:
    return Picture.read()


def place_of(module: str) -> tuple[str, str]:
    """The package of *module* and the room or file in it, "" for the package itself."""
    package, *rest = module.split(".")
    if not rest:
        return package, ""
    return package, f"{rest[0]}/" if (ROOT / package / rest[0]).is_dir() else f"{rest[0]}.py"


def imports() -> Iterator[tuple[tuple[str, str], tuple[str, str]]]:
    """From where to where modules import when they are loaded, between rooms."""
    trees = dict(sources(*PACKAGES))
    modules = {
        name: name.removesuffix(".py").removesuffix("/__init__").replace("/", ".") for name in trees
    }
    for name, module in modules.items():
        for other in needed(trees[name], set(modules.values())):
            one, another = place_of(module), place_of(other)
            if one != another and one[1] and another[1]:
                yield one, another


def test_the_picture_draws_every_package_and_every_room_once(picture: Picture) -> None:
    assert {package for package, _ in picture.lines} == set(PACKAGES)
    for package in PACKAGES:
        drawn = [name for of, names in picture.lines if of == package for name in names]
        rooms = {
            f"{path.name}/"
            for path in (ROOT / package).iterdir()
            if path.is_dir() and (path / "__init__.py").exists()
        }
        assert {name for name in drawn if name.endswith("/")} == rooms, package
        assert len(drawn) == len(set(drawn)), package
        for name in set(drawn) - rooms - {ALL_OTHERS}:
            assert (ROOT / package / name).is_file(), f"{package} has no {name}"


def test_every_import_goes_down_the_picture_or_is_named_as_an_exception(picture: Picture) -> None:
    upward = set()
    for (package, name), (other, target) in imports():
        start, end = picture.height(package, name), picture.height(other, target)
        both_others = {name, target}.isdisjoint(picture.names(package) - {ALL_OTHERS})
        if start > end or (start == end and not both_others):
            upward.add((f"{package}/{name.strip('/')}", f"{other}/{target.strip('/')}"))
    assert upward == picture.upward, "draw docs/architecture.md anew, or mend the import"


def test_the_readme_and_the_list_of_rules_say_what_the_catalogue_says() -> None:
    for page, text in rendered_pages(ROOT).items():
        assert page.read_text(encoding="utf-8") == text, (
            f"{page.name}: run python -m trainee_bench.harness.generation.catalog_markdown"
        )


def test_a_readme_without_the_marks_is_noticed() -> None:
    with pytest.raises(ValueError, match="catalogue: begin"):
        replace_table("# A readme", "| a |")


def test_the_readme_is_short() -> None:
    lines = (ROOT / "README.md").read_text(encoding="utf-8").splitlines()
    assert len(lines) <= LONGEST_README


def test_the_glossary_has_few_terms_in_order_of_the_alphabet() -> None:
    text = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8")
    terms = re.findall(r"^\*\*(.+?)\*\*.*\n:   ", text, re.MULTILINE)
    assert 0 < len(terms) <= LONGEST_GLOSSARY
    assert terms == sorted(set(terms))


def test_the_readme_has_a_row_for_every_command() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    table = text.partition("\n## Commands\n")[2].partition("\n## ")[0]
    named = re.findall(r"^\| `trainee-bench (\w+)", table, re.MULTILINE)
    assert sorted(named) == sorted([*COMMANDS, "serve"])


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.name)
def test_an_example_is_short_says_how_to_run_it_and_is_in_the_docs(example: Path) -> None:
    text = example.read_text(encoding="utf-8")
    assert len(text.splitlines()) < LONGEST_EXAMPLE
    assert f"\n    python examples/{example.name}\n" in (ast.get_docstring(ast.parse(text)) or "")
    page = (ROOT / "docs" / "examples.md").read_text(encoding="utf-8")
    assert f"| `{example.name}` |" in page


def test_the_code_of_the_family_tutorial_is_that_of_the_example_which_is_certified() -> None:
    code = (ROOT / "examples" / "families" / "freight.py").read_text(encoding="utf-8")
    page = (ROOT / "docs" / "tutorials" / "your_family.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```py\n(.*?)```", page, re.DOTALL)
    assert len(blocks) == 4
    for block in blocks:
        assert "".join(block.split()) in "".join(code.split()), block
    assert "freight.easy" in (ROOT / "examples" / "own_family.py").read_text(encoding="utf-8")


def test_there_is_an_example_for_every_way_in() -> None:
    assert len(EXAMPLES) >= 8


def test_the_family_tutorial_says_what_breaks_each_claim() -> None:
    text = (ROOT / "docs/tutorials/your_family.md").read_text(encoding="utf-8")
    table = text.split("If a claim is broken:", 1)[1].split("\n\n")[1]
    named = [row.split("|")[1].strip() for row in table.splitlines()[2:]]
    assert sorted(named) == sorted(CLAIMS)
