"""What the page loads lies in the package, unchanged, small, and names no other place."""

from __future__ import annotations

import hashlib
import json
import re
import zlib
from pathlib import Path

STATIC = Path(__file__).parents[3] / "harness" / "studio" / "static"
VENDOR = STATIC / "vendor"
AXE = Path(__file__).parent / "browser"
NAMESPACE = re.compile(r"http://www\.w3\.org/(2000/svg|1998/Math/MathML|1999/xhtml|1999/xlink)")


def test_every_vendored_file_is_listed_with_its_sum_its_source_and_its_licence() -> None:
    listed = json.loads((VENDOR / "vendor.json").read_text(encoding="utf-8"))
    files = {"vendor.json"}
    for package in listed:
        assert re.fullmatch(r"\d+\.\d+\.\d+", package["version"])
        assert re.fullmatch(r"sha512-[A-Za-z0-9+/]{86}==", package["integrity"])
        assert package["licence"] in ("MIT", "Apache-2.0")
        assert (VENDOR / package["licence_file"]).stat().st_size > 500
        files.add(package["licence_file"])
        for name, sum in package["files"].items():
            assert hashlib.sha256((VENDOR / name).read_bytes()).hexdigest() == sum, name
            assert package["version"] in name
            files.add(name)
    assert files == {path.name for path in VENDOR.iterdir()}


def test_nothing_that_the_page_loads_names_an_address() -> None:
    for path in STATIC.rglob("*"):
        if path.is_file() and not path.name.endswith(".LICENSE"):
            text = NAMESPACE.sub("", path.read_text(encoding="utf-8"))
            assert "://" not in text, path.name
            assert "sourceMappingURL" not in text, path.name


def test_our_own_files_are_short_and_all_of_it_is_small() -> None:
    ours = [path for path in STATIC.rglob("*") if path.suffix in (".mjs", ".css")]
    for path in ours:
        if path.parent != VENDOR:
            text = path.read_text(encoding="utf-8")
            assert len(text.splitlines()) <= 300, path.name
    # what a wheel holds is compressed; Python files of the studio are in it, too
    files = [path for path in STATIC.parent.rglob("*") if path.suffix not in ("", ".pyc")]
    assert sum(len(zlib.compress(path.read_bytes())) for path in files if path.is_file()) < 300_000


def test_axe_is_kept_for_tests_alone_with_its_licence() -> None:
    assert (AXE / "axe.min.js").is_file() and (AXE / "axe.LICENSE").is_file()
    assert not list(STATIC.rglob("*axe*"))
