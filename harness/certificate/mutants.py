"""Claim 6: wrong deliverables fail and harmless differences pass.

The oracle's own files are the right deliverable. Each mutant changes one thing in one of
them, in a copy of the finished world, and the day is graded again. What is no file is
worked in other ways that the family names.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

from harness.certificate.claim import Claim
from harness.in_process import Workday, outputs, single_task, stage_day
from meta_tasks.composition import Composition
from meta_tasks.meta_task import Variant

ENOUGH = 5
"""Mutants of each sort that a rule needs."""
_NUMBER = re.compile(r"\d+")


@dataclass(frozen=True)
class Mutant:
    """Another text for one file: what was done to it. ``draft`` is written first."""

    name: str
    text: str
    draft: str | None = None


async def certify_mutants(rule: str, seeds: range) -> Claim:
    """At least five wrong mutants each fail, at least five harmless ones each pass.

    Facts: ``wrong`` and ``harmless``, how many different mutants were tried.
    """
    claim = Claim("mutants")
    names: dict[bool, Counter[str]] = {True: Counter(), False: Counter()}
    for seed in seeds:
        composition = single_task(rule, seed)
        for variant in composition.tasks[0].meta_task.variants():
            names[variant.harmless][variant.name] += 1
            claim.expect(
                await _worked_as(composition, variant) is variant.harmless,
                f"seed {seed}: {variant.name} {'fails' if variant.harmless else 'passes'}",
            )
        if not composition.outputs:
            continue
        day = await stage_day(composition)
        async with day.world:
            await day.run_oracles()
            texts = await day.world.look(partial(outputs, composition=composition))
            for path, text in zip(composition.outputs, texts, strict=True):
                for harmless, make in ((True, harmless_mutants), (False, wrong_mutants)):
                    for mutant in make(text):
                        success = await _succeeds(day, path, mutant)
                        names[harmless][mutant.name] += 1
                        claim.expect(
                            success is harmless,
                            f"seed {seed}: {path} with {mutant.name} "
                            f"{'passes' if success else 'fails'}",
                        )
    for harmless, sort in ((True, "harmless"), (False, "wrong")):
        claim.facts[sort] = len(names[harmless])
        claim.expect(
            len(names[harmless]) >= ENOUGH,
            f"only {len(names[harmless])} {sort} mutants exist: {sorted(names[harmless])}",
        )
    return claim


async def _worked_as(composition: Composition, variant: Variant) -> bool:
    """Whether the day is a success if its task is worked in another way."""
    day = await stage_day(composition)
    async with day.world:
        await day.run_oracles({composition.tasks[0].id: variant.work})
        return (await day.grades())[0].success


async def _succeeds(day: Workday, path: str, mutant: Mutant) -> bool:
    """Whether the day is still a success with *mutant* in place of the file at *path*."""
    copy = await day.fork()
    async with copy.world:
        if mutant.draft is not None:
            await copy.call("files_write", {"path": path, "text": mutant.draft})
        await copy.call("files_write", {"path": path, "text": mutant.text})
        return (await copy.grades())[0].success


def harmless_mutants(text: str) -> Iterator[Mutant]:
    """Differences that mean nothing: white space, and for JSON key order and formats."""
    yield Mutant("Windows line ends", text.replace("\n", "\r\n"))
    yield Mutant("a blank line at the end", text.rstrip("\n") + "\n\n")
    yield Mutant("no line end at the end", text.rstrip("\n"))
    yield Mutant("a wrong draft first", text, draft="to be done")
    data = _json(text)
    if data is None:
        yield Mutant("a byte-order mark", "\ufeff" + text)
        return
    yield Mutant("keys in reverse order", json.dumps(_reversed_keys(data)))
    yield Mutant("indentation", json.dumps(data, indent=7))
    yield Mutant("escaped letters", json.dumps(data, ensure_ascii=True, separators=(",", ":")))
    yield Mutant("integers as 12.0", json.dumps(_as_floats(data)))


def wrong_mutants(text: str) -> Iterator[Mutant]:
    """Wrong values, things added, dropped and swapped, a wrong shape, nothing at all."""
    yield Mutant("nothing", "")
    yield Mutant("half of the text", text[: len(text) // 2])
    data = _json(text)
    if data is None:
        yield from _wrong_texts(text)
        return
    for name, change in _CHANGES.items():
        changed = json.loads(text)
        if change(changed):
            yield Mutant(name, json.dumps(changed))
    yield Mutant("wrapped in a list", json.dumps([data]))


def _wrong_texts(text: str) -> Iterator[Mutant]:
    lines = text.splitlines(keepends=True)
    full = [number for number, line in enumerate(lines) if line.strip()]
    middle = full[len(full) // 2]
    yield Mutant("a line dropped", "".join(lines[:middle] + lines[middle + 1 :]))
    yield Mutant("a line twice", "".join([*lines[:middle], lines[middle], *lines[middle:]]))
    yield Mutant("a sentence added", text.rstrip("\n") + "\n\nEverything was checked.\n")
    yield Mutant("upper case", text.upper())
    numbers = list(_NUMBER.finditer(text))
    longest = max(numbers, key=lambda match: len(match.group()), default=None)
    if longest is not None:
        other = str(int(longest.group()) + 1).zfill(len(longest.group()))
        yield Mutant("another number", text[: longest.start()] + other + text[longest.end() :])


# changes of JSON, in place; each says whether there was anything to change ------------------


def _leaves(data: Any, kinds: tuple[type, ...]) -> list[tuple[Any, Any]]:
    """Every (container, key) in *data* whose value is of one of *kinds*."""
    found = []
    pending = [data]
    while pending:
        node = pending.pop()
        items = node.items() if isinstance(node, dict) else enumerate(node)
        for key, value in items:
            if isinstance(value, (dict, list)):
                pending.append(value)
            if type(value) in kinds:
                found.append((node, key))
    return found


def _number_off(data: Any) -> bool:
    leaves = _leaves(data, (int, float))
    for node, key in leaves[:1]:
        node[key] = round(node[key] + 1, 4)
    return bool(leaves)


def _wrong_unit(data: Any) -> bool:
    leaves = [(node, key) for node, key in _leaves(data, (int, float)) if node[key]]
    for node, key in leaves[-1:]:
        node[key] = node[key] * 1000
    return bool(leaves)


def _text_off(data: Any) -> bool:
    leaves = [(node, key) for node, key in _leaves(data, (str,)) if node[key]]
    for node, key in leaves[:1]:
        node[key] = node[key][:-1] + ("x" if node[key][-1] != "x" else "y")
    return bool(leaves)


def _key_dropped(data: Any) -> bool:
    if isinstance(data, dict) and data:
        del data[next(iter(data))]
        return True
    return False


def _key_added(data: Any) -> bool:
    if isinstance(data, dict):
        data["comment"] = "done"
        return True
    return False


def _item_dropped(data: Any) -> bool:
    lists = _leaves(data, (list,))
    for node, key in lists[:1]:
        if node[key]:
            node[key].pop()
            return True
    return False


def _item_twice(data: Any) -> bool:
    lists = _leaves(data, (list,))
    for node, key in lists[:1]:
        if node[key]:
            node[key].append(node[key][0])
            return True
    return False


def _values_swapped(data: Any) -> bool:
    """Exchange two different values of one kind that stand under different names; the order of
    a list may mean nothing."""
    for kinds in ((str,), (int, float)):
        leaves = _leaves(data, kinds)
        for one, key in leaves:
            for other, other_key in leaves:
                names = isinstance(key, str) and isinstance(other_key, str)
                if names and key != other_key and one[key] != other[other_key]:
                    one[key], other[other_key] = other[other_key], one[key]
                    return True
    return False


def _emptied(data: Any) -> bool:
    leaves = _leaves(data, (str,))
    for node, key in leaves:
        node[key] = ""
    return bool(leaves)


_CHANGES: dict[str, Callable[[Any], bool]] = {
    "a number off by one": _number_off,
    "a number in a wrong unit": _wrong_unit,
    "a letter of a text changed": _text_off,
    "a field dropped": _key_dropped,
    "a field added": _key_added,
    "an item dropped": _item_dropped,
    "an item twice": _item_twice,
    "two values swapped": _values_swapped,
    "empty texts": _emptied,
}


def _json(text: str) -> Any | None:
    try:
        return json.loads(text)
    except ValueError:
        return None


def _reversed_keys(data: Any) -> Any:
    if isinstance(data, dict):
        return {key: _reversed_keys(data[key]) for key in reversed(data)}
    return [_reversed_keys(item) for item in data] if isinstance(data, list) else data


def _as_floats(data: Any) -> Any:
    if isinstance(data, dict):
        return {key: _as_floats(value) for key, value in data.items()}
    if isinstance(data, list):
        return [_as_floats(item) for item in data]
    return float(data) if type(data) is int else data
