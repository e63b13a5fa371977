"""Files that people write: errors name the file, the line and the remedy.

YAML is read as version 1.2, in which `no` and `12:30` are texts. Anchors are refused, since a few
lines with them can stand for gigabytes.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError
from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.nodes import MappingNode, Node, SequenceNode
from ruamel.yaml.tokens import (
    AliasToken,
    AnchorToken,
    BlockEndToken,
    BlockMappingStartToken,
    BlockSequenceStartToken,
    FlowMappingEndToken,
    FlowMappingStartToken,
    FlowSequenceEndToken,
    FlowSequenceStartToken,
)

Model = TypeVar("Model", bound=BaseModel)
MAX_TEXT_BYTES = 2_000_000
"""The size of the largest text or CSV file that people write."""
MAX_YAML_CHARACTERS = 500_000
MAX_DEPTH = 32
"""The most levels of a YAML file. The time to read it grows with their square."""
_LONGEST_FLAW = 1_500
_OPENING = (
    BlockMappingStartToken, BlockSequenceStartToken, FlowMappingStartToken, FlowSequenceStartToken,
)  # fmt: skip
_CLOSING = (BlockEndToken, FlowMappingEndToken, FlowSequenceEndToken)


class OfficeError(Exception):
    """An office cannot be used. The text names the file, the line if it is known, and the
    remedy."""

    def __init__(self, where: Path | str, flaw: str, line: int | None = None):
        place = f"{where}, line {line}" if line else str(where)
        super().__init__(f"{place}: {flaw if len(flaw) <= _LONGEST_FLAW else flaw[:_LONGEST_FLAW]}")


class FileModel(BaseModel):
    """A part of a file that people write: unknown names are refused."""

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)


def read_bytes(path: Path, most: int) -> bytes:
    """Return the bytes of a file of at most *most* bytes. Raises OfficeError."""
    try:
        if not path.is_file():
            raise OfficeError(path, "it is no file; write one, or put a copy there")
        size = path.stat().st_size
        if size > most:
            raise OfficeError(path, f"it has {size:,} bytes; {most:,} is the most, so shorten it")
        return path.read_bytes()
    except OSError as error:
        raise OfficeError(
            path, f"it cannot be read ({error.strerror}); change its permissions"
        ) from None


def read_text(path: Path) -> str:
    """Return the text of a UTF-8 file, with a byte-order mark or without. Raises OfficeError."""
    data = read_bytes(path, MAX_TEXT_BYTES)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise OfficeError(
            path,
            f"it is not UTF-8 (byte {error.start}); save it as UTF-8, or use office import",
            line,
        ) from None
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        raise OfficeError(path, "it has a NUL character; save it as UTF-8 text", line)
    return text


def read_yaml(path: Path, model: type[Model]) -> Model:
    """Return the content of a YAML file as *model*. Raises OfficeError, with the line."""
    root, data = _parsed(path)
    if data is None:
        raise OfficeError(path, "it is empty; `trainee-bench office guide` shows what it has")
    try:
        return model.model_validate(data)
    except ValidationError as error:
        flaws = error.errors(include_url=False)
        first = next((flaw for flaw in flaws if flaw["type"] == "extra_forbidden"), flaws[0])
        raise OfficeError(path, _flaw_text(first), _line_of(root, first["loc"])) from None


def flaw_at(path: Path, flaw: str, *place: int | str) -> OfficeError:
    """Return the error for an entry of a YAML file that was read already, with its line."""
    try:
        return OfficeError(path, flaw, _line_of(_parsed(path)[0], place))
    except OfficeError:  # it has changed since
        return OfficeError(path, flaw)


def _parsed(path: Path) -> tuple[Node | None, Any]:
    """Return the nodes of a YAML file, which know their lines, and its data. Raises OfficeError."""
    text = read_text(path)
    if len(text) > MAX_YAML_CHARACTERS:
        flaw = f"it has {len(text):,} characters; {MAX_YAML_CHARACTERS:,} is the most"
        raise OfficeError(path, f"{flaw}; put tables into CSV files")
    yaml, root = YAML(typ="safe", pure=True), None
    try:
        _check_tokens(path, text)
        root = yaml.compose(text)
        return root, None if root is None else yaml.constructor.construct_document(root)
    except MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        flaw = " ".join(filter(None, [error.problem, error.context]))
        remedy = "put texts with special characters in quotes"
        raise OfficeError(
            path, f"it is not YAML: {flaw}; {remedy}", mark.line + 1 if mark else None
        ) from None
    except (YAMLError, ValueError, TypeError, LookupError, RecursionError) as error:
        raise OfficeError(
            path,
            f"it is not YAML: {error}; put numbers and dates that are none in quotes",
            _unreadable_line(yaml, root),
        ) from None


def _unreadable_line(yaml: YAML, node: Node | None) -> int | None:
    """Return the line of the first value that cannot be read, such as a 13th month."""
    if isinstance(node, MappingNode | SequenceNode):
        pairs = node.value if isinstance(node, MappingNode) else [(item,) for item in node.value]
        lines = (_unreadable_line(yaml, part) for parts in pairs for part in parts)
        return next((line for line in lines if line), None)
    if node is None:
        return None
    try:
        yaml.constructor.construct_document(node)
    except (YAMLError, ValueError, TypeError, LookupError):
        return int(node.start_mark.line) + 1
    return None


def _check_tokens(path: Path, text: str) -> None:
    """Raise OfficeError for what would make a small file large, or take long to read."""
    depth = 0
    for token in YAML(typ="safe", pure=True).scan(text):
        line = token.start_mark.line + 1
        if isinstance(token, AnchorToken | AliasToken):
            flaw = "anchors (&) and aliases (*) are not read; repeat the text, or put it in quotes"
            raise OfficeError(path, flaw, line)
        if isinstance(token, _OPENING):
            depth += 1
        elif isinstance(token, _CLOSING):
            depth -= 1
        if depth > MAX_DEPTH:
            flaw = f"it has more than {MAX_DEPTH} levels of lists and entries within each other"
            raise OfficeError(path, f"{flaw}; close a bracket, or put the text in quotes", line)


_NO_LIST = "this is no list; write [first, second], or a line that begins with - for each"
_NO_ENTRIES = "it has no entries; write a line such as `name: value` for each"
_PLAIN_WORDS = {
    "missing": "this entry is missing",
    "string_type": "this is no text; put it in quotes",
    "model_type": _NO_ENTRIES,
    "dict_type": _NO_ENTRIES,
    "mapping_type": _NO_ENTRIES,
    "tuple_type": _NO_LIST,
    "list_type": _NO_LIST,
}
"""Words for authors, by the type of a flaw, in place of the usual ones."""


def _flaw_text(flaw: Any) -> str:
    """Return a pydantic error as a phrase that begins with the name of the entry."""
    names = [str(part) for part in flaw["loc"] if not str(part).startswith("function-")]
    words = str(flaw["msg"]).removeprefix("Value error, ")
    if flaw["type"] == "extra_forbidden":
        words = "there is no such entry; check its spelling"
    words = _PLAIN_WORDS.get(flaw["type"], words)
    return f"{'.'.join(names) or 'the file'}: {words}"


def _line_of(node: Node | None, place: Sequence[int | str]) -> int | None:
    """Return the number of the line at which the entry at *place* begins, as far as it exists."""
    line = node.start_mark.line + 1 if node is not None else None
    for part in place:
        found: Node | None = None
        if isinstance(node, MappingNode):
            for key, value in node.value:
                if key.value == str(part):
                    line, found = key.start_mark.line + 1, value
        elif isinstance(node, SequenceNode) and isinstance(part, int) and part < len(node.value):
            found = node.value[part]
            line = found.start_mark.line + 1
        if found is None:
            return line
        node = found
    return line


class CsvLine(NamedTuple):
    """A line of a CSV file: its number in the file, and its cells by column, without spaces at
    their ends."""

    number: int
    cells: Mapping[str, str]


def read_csv(path: Path, required: Sequence[str], optional: Sequence[str] = ()) -> list[CsvLine]:
    """Return the lines of a CSV file whose header has the *required* columns, and perhaps
    *optional* ones. Raises OfficeError."""
    lines = _csv_lines(path, read_text(path))
    header = next(lines, (1, []))[1]
    names = [name.strip().lower() for name in header]
    known = [*required, *optional]
    for name in required:
        if name not in names:
            raise OfficeError(path, f"the column {name} is missing; it has {', '.join(known)}", 1)
    for name in names:
        if name not in known or names.count(name) > 1:
            raise OfficeError(path, f"{name!r} is no column; it has {', '.join(known)}", 1)
    found = []
    for number, cells in lines:
        if not any(cell.strip() for cell in cells):
            continue
        if len(cells) != len(names):
            flaw = f"it has {len(cells)} cells, but the header has {len(names)}"
            raise OfficeError(path, f"{flaw}; put texts with a comma in quotes", number)
        by_name = dict(zip(names, (cell.strip() for cell in cells), strict=True))
        found.append(CsvLine(number, by_name))
    return found


def _csv_lines(path: Path, text: str) -> Iterator[tuple[int, list[str]]]:
    reader = csv.reader(io.StringIO(text), strict=True)
    try:
        for cells in reader:
            yield reader.line_num, cells
    except csv.Error as error:
        raise OfficeError(
            path, f"it is not CSV: {error}; save it anew as CSV", reader.line_num
        ) from None
