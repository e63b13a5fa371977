"""Guessing deliverables without doing the work: file names, fields, likely words.

The cheats use this. It reads what every employee can read (objectives, minutes, replies) and fills
in plausible values for everything a task asks for. It knows no task family.
"""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import AsyncIterator, Collection, Iterator, Sequence
from dataclasses import dataclass

from pydantic import JsonValue

from trainee_bench.harness.session.agent_session import AgentSession
from trainee_bench.harness.testbench.workbook_files import copy_as, is_workbook
from trainee_bench.world.company.name_forms import NAME

_PATH = re.compile(r"(?:drive|workspace):/[^\s`'\",;:()\[\]]*[^\s`'\",;:()\[\].]")
_FIELD = re.compile(r"^(?P<indent> *)- `(?P<name>\w+)` \((?P<words>.*)\)$", re.MULTILINE)
_NUMBER = re.compile(r"(?<![\w.-])\d+(?:\.\d+)?(?![\w-])")
_DATE = re.compile(r"\d{4}-\d\d-\d\d")
_BULLET = re.compile(r"^\s*[-*] (.+)$", re.MULTILINE)
_WORD = re.compile(r"[a-z]{3,}")
_QUOTED = re.compile(r'"([^"]+)"')
_NAME = re.compile(r"\b[A-Z][a-z]+ [A-Z][a-z]+\b")
_ANY_NAME = re.compile(NAME)
_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")
_LONG_WORD = re.compile(r"[^\W\d_]{5,}")


@dataclass(frozen=True)
class DescribedField:
    """A field as an objective describes it; ``inner`` are the fields of the objects in a list."""

    name: str
    words: str
    inner: tuple[DescribedField, ...] = ()


def named_paths(text: str) -> list[str]:
    """Return the paths of files named in *text*, each once, in order."""
    found = dict.fromkeys(match.group() for match in _PATH.finditer(text))
    return [path for path in found if "." in path.rpartition("/")[2]]


def described_fields(text: str) -> tuple[DescribedField, ...]:
    """Return the fields described in *text*, nested as they are indented."""
    found = [(len(m["indent"]), m["name"], m["words"]) for m in _FIELD.finditer(text)]
    return _nested(found, min((indent for indent, _, _ in found), default=0))


def _nested(found: Sequence[tuple[int, str, str]], indent: int) -> tuple[DescribedField, ...]:
    made = []
    for place, (own, name, words) in enumerate(found):
        if own != indent:
            continue
        inner = []
        for deeper in found[place + 1 :]:
            if deeper[0] <= indent:
                break
            inner.append(deeper)
        below = min((entry[0] for entry in inner), default=indent)
        made.append(DescribedField(name, words, _nested(inner, below) if inner else ()))
    return tuple(made)


def bullet_items(text: str) -> list[str]:
    """Return the items of bulleted lists in *text* that describe no field."""
    return [line for line in _BULLET.findall(text) if not line.startswith("`")]


def guess_json(fields: Sequence[DescribedField], material: str) -> str:
    """Return JSON with *fields*; each value comes from the most similar sentence of *material*."""
    material = _FIELD.sub("", material)
    return json.dumps({field.name: _value(field, material) for field in fields}, indent=1)


def table(fields: Sequence[DescribedField], material: str) -> list[JsonValue]:
    """Return a row of titles from *fields*, and a row for each bulleted item in *material*."""
    items = bullet_items(material)
    return [
        [field.name for field in fields],
        *([_value(f, item) for f in fields] for item in items),
    ]


def _value(field: DescribedField, material: str) -> JsonValue:
    if field.inner:
        items = bullet_items(material)
        return [{f.name: _value(f, item) for f in field.inner} for item in items]
    best = _closest(field, material)
    if field.words.startswith(("integer", "number")):
        numbers = _NUMBER.findall(best) or _NUMBER.findall(material)
        value = float(numbers[0]) if numbers else 0.0
        return int(value) if field.words.startswith("integer") else value
    if field.words.startswith("true or false"):
        return True
    if "YYYY-MM-DD" in field.words:
        dates = _DATE.findall(material)
        return dates[0] if dates else "2025-10-01"
    if "list" in field.words:
        return list(bullet_items(material))
    return _text(field, best, material)


def _text(field: DescribedField, best: str, material: str) -> str:
    """Return one of the options, a text of the example's shape, a name, or the closest sentence."""
    quoted: list[str] = _QUOTED.findall(field.words)
    if "one of" in field.words and quoted:
        return max(quoted, key=lambda option: material.casefold().count(option.casefold()))
    if "such as" in field.words and quoted:
        shape = _shape(quoted[-1])
        found: list[str] = re.findall(rf"(?<!\S){shape}\b", f"{best}\n{material}")
        return found[0] if found else quoted[-1]
    texts = f"{best}\n{material}"
    people: list[str] = _NAME.findall(texts)
    if not people:
        people = [name for name in _ANY_NAME.findall(texts) if not name.isascii()]
    return people[0] if "name" in field.words and people else best


def _shape(example: str) -> str:
    """Return a pattern with the kinds of characters that *example* has, in the same order."""
    parts = re.findall(r"[a-z]+|[A-Z]+|\d+|.", example)
    return "".join(
        r"\d+" if part.isdigit()
        else "[a-z]+" if part.islower()
        else "[A-Z]+" if part.isupper()
        else re.escape(part)
        for part in parts
    )  # fmt: skip


def _closest(field: DescribedField, material: str) -> str:
    """Return the sentence of *material* that shares most words with the field's description."""
    wanted = _words(f"{field.name} {field.words}".replace("_", " "))
    sentences = [sentence.strip() for sentence in _SENTENCE.split(material) if sentence.strip()]
    return max(sentences, key=lambda s: len(wanted & _words(s)), default="")


def _words(text: str) -> set[str]:
    return set(_WORD.findall(text.casefold()))


def fitting_sentences(text: str, material: str, most_words: int) -> Iterator[str]:
    """Yield the sentences of *material* that share a long word with *text*.

    It ends after *most_words* words of *material*.
    """
    wanted, words = {word.lower() for word in _LONG_WORD.findall(text)}, 0
    for sentence in _SENTENCE.split(material):
        words += len(sentence.split())
        if words > most_words:
            return
        if wanted & {word.lower() for word in _LONG_WORD.findall(sentence)}:
            yield sentence.strip(" -#")


async def write_guesses(session: AgentSession, objective: str, material: str) -> None:
    """Write every file that *objective* asks for.

    JSON files and workbooks get values from *material*. Other files are copies of the drive file
    with the most similar name.
    """
    named = named_paths(objective)
    for path in named:
        if not path.startswith("workspace:/"):
            continue
        if path.endswith(".json"):
            await session.call(
                "files_write", path=path, text=guess_json(described_fields(objective), material)
            )
        elif source := most_similar_path(path, [p for p in named if p.startswith("drive:/")]):
            await copy_as(session.call, source, path)
        elif is_workbook(path):
            await session.call(
                "sheets_create", path=path, rows=table(described_fields(objective), material)
            )


def most_similar_path(path: str, others: Sequence[str]) -> str | None:
    """Return the path among *others* most similar to *path*, with the same suffix if possible."""
    ending = path.rpartition(".")[2]
    same = [name for name in others if name.rpartition(".")[2] == ending] or list(others)
    found: list[str] = difflib.get_close_matches(path, same, n=1, cutoff=0.0)
    return found[0] if found else None


# what any employee can read ----------------------------------------------


async def read_desk(session: AgentSession) -> list[str]:
    """Return the objective and assignments of each task that is not submitted.

    Returns nothing if there is no desk app.
    """
    listed = await session.call("desk_tasks")
    tasks = [task for task in listed.data["tasks"] if not task["submitted"]] if listed.data else []
    for place, task in enumerate(tasks):
        if task["objective"] is None:  # the list has no room for this task's text
            alone = await session.call("desk_tasks", task=task["id"])
            tasks[place : place + 1] = alone.data["tasks"] if alone.data else []
    return ["\n".join([task["objective"], *task["assignments"]]) for task in tasks]


async def todays_meetings(session: AgentSession) -> list[tuple[int, str, str]]:
    """Return id, start and end (ISO) of the meetings in the calendar, by start."""
    found: list[tuple[int, str, str]] = []
    while True:
        page = await session.call("calendar_list", offset=len(found))
        if page.data is None or not page.data["meetings"]:
            return found
        found += [(m["id"], m["starts"], m["ends"]) for m in page.data["meetings"]]


async def all_files(session: AgentSession) -> list[str]:
    """Return the paths of all files on the shared drive."""
    files, folders = [], ["drive:/"]
    while folders:
        folder = folders.pop()
        async for entry in _entries(session, folder):
            if entry["kind"] == "folder":
                folders.append(str(entry["path"]))
            else:
                files.append(str(entry["path"]))
    return sorted(files)


async def _entries(session: AgentSession, folder: str) -> AsyncIterator[dict[str, JsonValue]]:
    cursor: int | None = 0
    while cursor is not None:
        page = await session.call("files_list", folder=folder, cursor=cursor)
        if page.data is None:
            return
        for entry in page.data["entries"]:
            yield entry
        cursor = page.data["next_cursor"]


async def all_people(session: AgentSession) -> list[dict[str, str]]:
    """Return everybody in the company: id, name, title, department."""
    found: list[dict[str, str]] = []
    cursor: JsonValue = 0
    while True:
        page = await session.call("chat_list_people", cursor=cursor)
        if page.data is None:
            return found
        found += page.data["people"]
        cursor = page.data["next_cursor"]
        if cursor is None:
            return found


async def read_monitor(session: AgentSession) -> list[str]:
    """Return the paths of the website's pages and the names of its servers."""
    services = await session.call("monitor_list_services")
    if services.data is None:
        return []
    pages = [str(page["path"]) for page in services.data["pages"]]
    return [*pages, *(str(server["name"]) for server in services.data["servers"])]


async def read_history(session: AgentSession, colleagues: Collection[str]) -> list[str]:
    """Return the messages of *colleagues* (ids) in all chats, oldest first."""
    texts: list[str] = []
    last = 0
    while True:
        page = await session.call("chat_read_history", after=last, limit=100)
        if page.data is None or not page.data["messages"]:
            return texts
        texts += [m["text"] for m in page.data["messages"] if m["sender"] in colleagues]
        last = page.data["messages"][-1]["id"]
