"""The documentation site in a browser: accessible in light and dark, and nothing from elsewhere."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from tests.harness.studio.browser.window import overflow, violations, windows_on

pytest.importorskip("mkdocs", reason="the site needs pip install -e .[docs]")
pytestmark = [pytest.mark.browser, pytest.mark.asyncio]

ROOT = Path(__file__).parent.parent
PAGES = ("index.html", "tour.html", "decisions/index.html", "rules.html", "reference/tools.html")


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        """Print nothing."""


def build(folder: Path) -> Path:
    subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", folder],
        cwd=ROOT,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        check=True,
        timeout=300,
    )
    return folder


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of the site in the folder BUILT_SITE, or else of one built from the docs."""
    built = os.environ.get("BUILT_SITE") or str(build(tmp_path_factory.mktemp("site")))
    handler = partial(_Quiet, directory=built)
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


@pytest.mark.parametrize("scheme", ["light", "dark"])
async def test_pages_of_the_site_are_accessible_and_load_nothing_from_elsewhere(
    site: str, scheme: str
) -> None:
    async with windows_on() as windows:
        for name in PAGES:
            async with windows.open_site(site, name, scheme=scheme) as page:
                await page.locator("h1").first.wait_for()
                assert await page.locator("body").get_attribute("data-md-color-scheme") == (
                    "slate" if scheme == "dark" else "default"
                )
                assert await violations(page) == [], name
                await page.set_viewport_size({"width": 360, "height": 900})
                assert await overflow(page) <= 0, name
