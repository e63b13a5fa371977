"""The studio's modules as one script, for a page without a server.

A browser loads modules by their addresses, but a single file has none. So each module becomes a
function that returns its exports, placed after all modules that it imports. The bundler supports
only the few syntax forms that our modules and the vendored ones use, and rejects others.
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
    """Raised for a module with syntax that cannot be put into one script."""


class ModuleBundle:
    """The modules in the folder *root*. *vendored* maps packages to their paths, and *instead* maps
    modules to the modules that replace them."""

    def __init__(self, root: Path, vendored: Mapping[str, str], instead: Mapping[str, str]):
        self._root = root
        self._vendored = vendored
        self._instead = instead
        self._numbers: dict[str, int] = {}
        self._open: list[str] = []
        self._written: list[str] = []

    def script(self, entry: str) -> str:
        """Return one script that does the same as the module *entry*. Raises UnknownForm."""
        self._add(entry)
        return "\n".join(self._written) + "\n"

    def _add(self, path: str) -> str:
        """Write the module at *path* unless it is written already, and return its name."""
        if path in self._open:
            raise UnknownForm(f"{path} imports itself through {', '.join(self._open)}.")
        if path not in self._numbers:
            self._open.append(path)
            body = self._rewritten(path)
            self._open.pop()
            self._numbers[path] = len(self._numbers)
            self._written.append(f"const m{self._numbers[path]} = (() => {{\n{body}\n}})();")
        return f"m{self._numbers[path]}"

    def _rewritten(self, path: str) -> str:
        """Return the module as the body of a function."""
        text = (self._root / path).read_text(encoding="utf-8")
        exported: list[str] = []

        def imported(found: re.Match[str]) -> str:
            module = self._add(self._path(found["source"], path))
            default = found.groupdict().get("default")
            if default:
                return f"const {default} = {module}.default;"
            return f"const {{ {_renamed(found['names'], ': ')} }} = {module};"

        def passed_on(found: re.Match[str]) -> str:
            module = self._add(self._path(found["source"], path))
            exported.extend(f"{new}: {module}.{old}" for old, new in _pairs(found["names"]))
            return ""

        def listed(found: re.Match[str]) -> str:
            exported.extend(f"{new}: {old}" for old, new in _pairs(found["names"]))
            return ""

        def declared(found: re.Match[str]) -> str:
            exported.append(found["name"])
            return f"{found['kind']} {found['name']}"

        def default(found: re.Match[str]) -> str:
            exported.append("default: theDefault")
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
            raise UnknownForm(
                f"{path} has syntax that cannot be bundled into one script: {unknown}"
            )
        return f"{text}\nreturn {{ {', '.join(exported)} }};"

    def _path(self, source: str, importer: str) -> str:
        """Return the path of the module that *importer* imports from *source*."""
        if source in self._vendored:
            return self._vendored[source]
        if not source.startswith("."):
            raise UnknownForm(f"{importer} imports {source}, which is not vendored.")
        path = posixpath.normpath(posixpath.join(posixpath.dirname(importer), source))
        return self._instead.get(path, path)


def _pairs(names: str) -> list[tuple[str, str]]:
    """Return the names in braces: each in the other module, and here."""
    pairs = []
    for part in filter(None, (part.strip() for part in names.split(","))):
        old, _, new = part.partition(" as ")
        pairs.append((old.strip(), (new or old).strip()))
    return pairs


def _renamed(names: str, between: str) -> str:
    return ", ".join(old if old == new else f"{old}{between}{new}" for old, new in _pairs(names))
