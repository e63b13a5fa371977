"""The studio's modules as one script, for a page that no server stands behind.

A browser loads modules by their addresses, and a single file has none. So each module becomes a
function that gives what it exports, in an order in which all that it imports stands before it. It
knows the few forms that our modules and the vendored ones are written in, and refuses others.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping
from pathlib import Path

_FROM = r'from\s*"(?P<source>[^"]+)";?'
_NAMES = r"\{(?P<names>[^{}]*)\}"
_IMPORT = re.compile(rf"^import\s*(?:{_NAMES}|(?P<default>\w+))\s*{_FROM}", re.MULTILINE)
_MINIFIED_IMPORT = re.compile(rf"(?<![^;]);?import\s*{_NAMES}\s*{_FROM}")
_PASSED_ON = re.compile(rf"(?:^|(?<=[;}}]))export\s*{_NAMES}\s*{_FROM}", re.MULTILINE)
_LISTED = re.compile(rf"(?:^|(?<=[;}}]))export\s*{_NAMES};?", re.MULTILINE)
_DECLARED = re.compile(
    r"^export (?P<kind>(?:async )?function|class|const) (?P<name>\w+)", re.MULTILINE
)
_DEFAULT = re.compile(r"(?:^|(?<=[;}]))export default(?= )", re.MULTILINE)
_LEFT = re.compile(r"(?:^|[;}])\s*(?:import|export)\b(?!\()", re.MULTILINE)
_FORBIDDEN = ("</script", "<!--", "import(", "import.meta")


class UnknownForm(ValueError):
    """A module is written in a way that cannot be put into one script."""


class ModuleBundle:
    """The modules in the folder *root*. *vendored* has the paths of packages by their names, and
    *instead* those of modules that take the place of others."""

    def __init__(self, root: Path, vendored: Mapping[str, str], instead: Mapping[str, str]):
        self._root = root
        self._vendored = vendored
        self._instead = instead
        self._numbers: dict[str, int] = {}
        self._open: list[str] = []
        self._written: list[str] = []

    def script(self, entry: str) -> str:
        """One script that does what the module *entry* does. Raises UnknownForm."""
        self._add(entry)
        return "\n".join(self._written) + "\n"

    def _add(self, path: str) -> str:
        """The name of the module at *path*, which is written if it is not yet."""
        if path in self._open:
            raise UnknownForm(f"{path} imports itself by way of {', '.join(self._open)}.")
        if path not in self._numbers:
            self._open.append(path)
            body = self._rewritten(path)
            self._open.pop()
            self._numbers[path] = len(self._numbers)
            self._written.append(f"const m{self._numbers[path]} = (() => {{\n{body}\n}})();")
        return f"m{self._numbers[path]}"

    def _rewritten(self, path: str) -> str:
        """The module as the body of a function."""
        text = (self._root / path).read_text(encoding="utf-8")
        given: list[str] = []

        def imported(found: re.Match[str]) -> str:
            module = self._add(self._path(found["source"], path))
            default = found.groupdict().get("default")
            if default:
                return f"const {default} = {module}.default;"
            return f"const {{ {_renamed(found['names'], ': ')} }} = {module};"

        def passed_on(found: re.Match[str]) -> str:
            module = self._add(self._path(found["source"], path))
            given.extend(f"{new}: {module}.{old}" for old, new in _pairs(found["names"]))
            return ""

        def listed(found: re.Match[str]) -> str:
            given.extend(f"{new}: {old}" for old, new in _pairs(found["names"]))
            return ""

        def declared(found: re.Match[str]) -> str:
            given.append(found["name"])
            return f"{found['kind']} {found['name']}"

        def default(found: re.Match[str]) -> str:
            given.append("default: theDefault")
            return "const theDefault ="

        for form, rewrite in (
            (_IMPORT, imported),
            (_MINIFIED_IMPORT, imported),
            (_PASSED_ON, passed_on),
            (_LISTED, listed),
            (_DECLARED, declared),
            (_DEFAULT, default),
        ):
            text = form.sub(rewrite, text)
        left = _LEFT.search(text)
        unknown = left[0].strip() if left else next((t for t in _FORBIDDEN if t in text), None)
        if unknown is not None:
            raise UnknownForm(f"{path} has a form that one script cannot have: {unknown}")
        return f"{text}\nreturn {{ {', '.join(given)} }};"

    def _path(self, source: str, importer: str) -> str:
        """The path of what *importer* imports from *source*."""
        if source in self._vendored:
            return self._vendored[source]
        if not source.startswith("."):
            raise UnknownForm(f"{importer} imports {source}, which is not vendored.")
        path = posixpath.normpath(posixpath.join(posixpath.dirname(importer), source))
        return self._instead.get(path, path)


def _pairs(names: str) -> list[tuple[str, str]]:
    """The names in braces: each as it is called there, and here."""
    pairs = []
    for part in filter(None, (part.strip() for part in names.split(","))):
        old, _, new = part.partition(" as ")
        pairs.append((old.strip(), (new or old).strip()))
    return pairs


def _renamed(names: str, between: str) -> str:
    return ", ".join(old if old == new else f"{old}{between}{new}" for old, new in _pairs(names))
