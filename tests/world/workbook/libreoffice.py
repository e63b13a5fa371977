"""Lets LibreOffice calculate a workbook without a window, and reads its files. Needs `soffice`."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from xml.etree import ElementTree

Value = float | str | bool | None
NAMESPACES = {
    "office": "urn:oasis:names:tc:opendocument:xmlns:office:1.0",
    "table": "urn:oasis:names:tc:opendocument:xmlns:table:1.0",
    "text": "urn:oasis:names:tc:opendocument:xmlns:text:1.0",
    "calcext": "urn:org:documentfoundation:names:experimental:calc:xmlns:calcext:1.0",
    "msoxl": "http://schemas.microsoft.com/office/excel/formula",
}
_LATER_FUNCTIONS = re.compile(
    r"(?<![\w.])((?:[A-Z]+[.](?:S|P|INC|EXC|EQ|AVG|SNGL|DIST|INV|2T|RT|NORM|T|MATH|LINEAR|INTL)"
    r"(?:[.]\w+)?)|IFNA|IFS|SWITCH|XOR|CONCAT|TEXTJOIN|MAXIFS|MINIFS|DAYS|ISOWEEKNUM|ISFORMULA"
    r"|NUMBERVALUE|UNICHAR|UNICODE|BASE|DECIMAL|ARABIC|MUNIT|RRI|PDURATION|COMBINA)(?=\()"
)
_NOT_LATER = re.compile(r"_xlfn\.((?:NETWORKDAYS|WORKDAY)\.INTL)")


def calculate(source: Path, folder: Path) -> ElementTree.ElementTree:
    """The workbook *source* with its formulas calculated, as flat OpenDocument; *folder* takes
    files on the way."""
    subprocess.run(
        ["soffice", f"-env:UserInstallation=file://{folder}/profile", "--headless",
         "--convert-to", "fods", "--outdir", f"{folder}/out", str(source)],
        check=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )  # fmt: skip
    return ElementTree.parse(folder / "out" / f"{source.stem}.fods")


def named(prefix: str, name: str) -> str:
    """A name of an element or attribute, in the namespace of *prefix*."""
    return f"{{{NAMESPACES[prefix]}}}{name}"


def for_file(formula: str) -> str:
    """*formula* as files have it: functions that came later have a prefix."""
    pieces = re.split(r'("(?:[^"]|"")*")', formula)
    pieces[::2] = [
        _NOT_LATER.sub(r"\1", _LATER_FUNCTIONS.sub(r"_xlfn.\1", piece)) for piece in pieces[::2]
    ]
    return "".join(pieces)
