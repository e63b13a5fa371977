"""The page itself: one HTML document, the modules and styles that it loads, and its policy.

Modules are served unchanged from the package; an import map names the vendored ones. The map is
inline, so the policy lists its hash, and no other inline script can run.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response

STATIC = Path(__file__).parent / "static"
EXPORTED = "exported"
"""The folder of the modules that only exported pages have."""
_TYPES = {".mjs": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}
"""The types of the files that the page loads; no others are served."""
VENDORED = {
    "preact": "preact-11.2.0.mjs",
    "preact/hooks": "preact-hooks-11.2.0.mjs",
    "htm": "htm-3.1.1.mjs",
    "@preact/signals": "preact-signals-2.11.4.mjs",
    "@preact/signals-core": "preact-signals-core-1.14.5.mjs",
}
STYLES = (
    "ground.css",
    "pages.css",
    "episodes.css",
    "episode.css",
    "worth.css",
    "needs.css",
    "conversation.css",
    "difference.css",
    "overview.css",
    "apps.css",
    "guide.css",
    "seat.css",
    "office.css",
    "narrow.css",
)
"""In loading order: later styles override earlier ones."""

_MAP = json.dumps(
    {"imports": {name: f"/static/vendor/{file}" for name, file in VENDORED.items()}},
    separators=(",", ":"),
)


def source_of(text: str) -> str:
    """Return the hash by which a policy allows the script or style *text*."""
    digest = hashlib.sha256(text.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"


POLICY = "; ".join(
    (
        "default-src 'none'",
        f"script-src 'self' {source_of(_MAP)}",
        "style-src 'self'",
        "connect-src 'self'",
        "img-src 'self' data:",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
    )
)
"""The content security policy: only scripts of the package, no evaluated text, no other origin."""


@cache
def static_files() -> Mapping[str, Path]:
    """Return the files served under ``/static/``, by their path there."""
    return {
        path.relative_to(STATIC).as_posix(): path
        for path in sorted(STATIC.rglob("*"))
        if path.suffix in _TYPES and path.is_file()
    }


def index(request: Request) -> Response:
    """Return the page."""
    return HTMLResponse(_document())


def static_file(request: Request) -> Response:
    """Return a module or a style."""
    found = static_files().get(request.path_params["path"])
    if found is None:
        return JSONResponse({"error": "There is no such file."}, 404)
    return Response(found.read_bytes(), media_type=_TYPES[found.suffix])


@cache
def _document() -> str:
    ours = [
        name
        for name in static_files()
        if name.endswith(".mjs") and not name.startswith(f"{EXPORTED}/")
    ]
    lines = [
        "<!DOCTYPE html>",
        '<html lang="en">',
        "<head>",
        '<meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        "<title>Studio · Trainee-Bench</title>",
        '<link rel="icon" href="/static/icon.svg">',
        *(f'<link rel="stylesheet" href="/static/style/{name}">' for name in STYLES),
        f'<script type="importmap">{_MAP}</script>',
        *(f'<link rel="modulepreload" href="/static/{name}">' for name in ours),
        '<script type="module" src="/static/app.mjs"></script>',
        "</head>",
        '<body><div id="studio"></div></body>',
        "</html>",
    ]
    return "\n".join(lines) + "\n"
