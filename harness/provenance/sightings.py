"""Find the result in which an agent first saw a fact.

Reading its own text again is no sighting. So each writing call is followed, and each file that
contains what the agent has put into it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from pydantic import JsonValue

from trainee_bench.harness.provenance.hidden_facts import FactVersion, fold
from trainee_bench.mcp_servers import discover_tools, read_only_tools
from trainee_bench.mcp_servers.serving.toolbox import FileUse
from trainee_bench.world.action_log import LogEntry

_WRITTEN = ("path", "paths", "changed")
"""Fields that name files in the results of writing tools."""


def written_paths(entry: LogEntry) -> frozenset[str]:
    """Return the files that *entry* has written."""
    tool = discover_tools().get(entry.tool)
    writes = tool is None or not (tool.read_only or tool.files is FileUse.DELETES)
    if entry.data is None or not writes:
        return frozenset()
    named = (entry.data.get(name) for name in _WRITTEN)
    listed = (value if isinstance(value, list) else [value] for value in named)
    return frozenset(path for paths in listed for path in paths if isinstance(path, str))


class OwnFiles:
    """The files that the agent has composed, also from pieces."""

    def __init__(self) -> None:
        self._paths: set[str] = set()
        self._mails: set[int] = set()
        """The numbers of the mails to which such files are attached."""

    def add(self, entry: LogEntry) -> None:
        """Add the files that *entry* wrote. A copy of other people's text is not the agent's
        own."""
        made = written_paths(entry)
        tool = discover_tools().get(entry.tool)
        if tool is not None and tool.copies and not self._has_source_of(entry):
            self._paths -= made
        else:
            self._paths |= made
        number = entry.data.get("id") if entry.data else None
        if isinstance(number, int) and (self._is_attached_by(entry) or self._has_mail_of(entry)):
            self._mails.add(number)

    def are_read_by(self, entry: LogEntry, named: Iterable[str]) -> bool:
        """Return whether *entry* only reads, and one of its arguments *named* is an own file."""
        return entry.tool in read_only_tools() and not self._paths.isdisjoint(named)

    def have(self, path: object) -> bool:
        """Return whether *path* is an own file."""
        return path in self._paths

    def _has_mail_of(self, entry: LogEntry) -> bool:
        mail = entry.arguments.get("mail")
        return isinstance(mail, int) and mail in self._mails

    def _is_attached_by(self, entry: LogEntry) -> bool:
        attached = entry.arguments.get("attachments")
        return isinstance(attached, list) and any(
            path in self._paths for path in map(str, attached)
        )

    def _has_source_of(self, entry: LogEntry) -> bool:
        source = entry.arguments.get("source")
        return self._has_mail_of(entry) if source is None else self._has_part_of(str(source))

    def _has_part_of(self, source: str) -> bool:
        inside = f"{source.rstrip('/')}/"
        return any(path == source or path.startswith(inside) for path in self._paths)


@dataclass(frozen=True)
class _Passage:
    """A piece of a result. ``by_others`` means that somebody else is known to have written it."""

    text: str
    by_others: bool = False


def first_sightings(
    log: Sequence[LogEntry], versions: Collection[FactVersion], employee: str
) -> Mapping[FactVersion, LogEntry]:
    """Return the first call of *log* whose result told each of *versions*.

    *log* has the calls of *employee*. Versions that no result told are left out.
    """
    found: dict[FactVersion, LogEntry] = {}
    own, files = _OwnWords(), OwnFiles()
    for entry in log:
        own.add(entry)
        files.add(entry)
        open_ = [version for version in versions if version not in found]
        passages = list(dict.fromkeys(_passages(entry, employee, files)))
        folded = fold("\n".join(passage.text for passage in passages))
        found |= {
            version: entry
            for version in open_
            if _words_are_in(version, folded, passages, own)
            or any(_is_meant_in(version, passage, own) for passage in passages)
        }
    return found


class _OwnWords:
    """The words that the agent has written in the arguments of its calls so far."""

    def __init__(self) -> None:
        self._texts: list[str] = []
        self._folded: list[str] = []

    def add(self, entry: LogEntry) -> None:
        """Add the words of the call *entry*."""
        for leaf in _leaves(entry.arguments):
            self._texts.append(leaf)
            self._folded.append(fold(leaf))

    def have(self, passage: str) -> bool:
        """Return whether the agent has written all of *passage*."""
        folded = fold(passage)
        return any(folded in own for own in self._folded)

    def mean(self, version: FactVersion) -> bool:
        """Return whether the agent has written *version* in other words."""
        return any(version.is_meant_in(own) for own in self._texts)


def _words_are_in(
    version: FactVersion, folded: str, passages: Sequence[_Passage], own: _OwnWords
) -> bool:
    """Return whether *passages* contain the words of *version*, written by somebody else.

    *folded* is the folded text of all passages of a result.
    """
    if not version.is_worded_in(folded):
        return False
    worded = (passage for passage in passages if version.is_worded_in(fold(passage.text)))
    return any(passage.by_others or not own.have(passage.text) for passage in worded)


def _is_meant_in(version: FactVersion, passage: _Passage, own: _OwnWords) -> bool:
    """Return whether somebody else wrote *passage* and it tells *version* in other words."""
    return version.is_meant_in(passage.text) and (
        passage.by_others or not (own.have(passage.text) or own.mean(version))
    )


def _passages(entry: LogEntry, employee: str, files: OwnFiles) -> Iterator[_Passage]:
    """Yield the pieces of the result of *entry* that are not from the agent's *files*, then its
    notices."""
    if not files.are_read_by(entry, _leaves(entry.arguments)):
        yield from _pieces(entry.data, employee, files, by_others=False)
    for notice in entry.notices:
        yield _Passage(notice.text)


def _pieces(
    value: JsonValue, employee: str, files: OwnFiles, *, by_others: bool
) -> Iterator[_Passage]:
    """Yield the texts within *value* line by line, and each row of a table as one text."""
    if isinstance(value, str):
        yield from (_Passage(line, by_others) for line in value.splitlines() if line.strip())
    elif isinstance(value, dict):
        sender = value.get("sender")
        if sender != employee and not files.have(value.get("path")):
            for inner in value.values():
                yield from _pieces(inner, employee, files, by_others=by_others or bool(sender))
    elif isinstance(value, list):
        if value and not any(isinstance(inner, dict | list) for inner in value):
            yield _Passage(" ; ".join(map(str, value)), by_others)
        for inner in value:
            yield from _pieces(inner, employee, files, by_others=by_others)


def _leaves(value: JsonValue) -> Iterator[str]:
    """Yield all texts within *value*."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for inner in value.values():
            yield from _leaves(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _leaves(inner)
