"""The guard in front of all endpoints: the studio acts, so it answers only this person's browser.

The guard refuses, with the reason:

- a `Host` that is not this address: another name that points to this machine (DNS rebinding)
- an `Origin` or a `Sec-Fetch-Site` of another page: requests that it makes the browser send
- a request without the cookie, which the browser gets for the token in the printed address
- a POST that is not JSON from this page: forms and images can send other types
- an address or a body that is longer than any of the page's own
"""

from __future__ import annotations

import hmac
import secrets
from dataclasses import dataclass, field
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qs

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse, PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_METHODS = frozenset({"GET", "HEAD", "POST"})
_FOREIGN = frozenset({"cross-site", "same-site"})
"""The browser calls another port of this machine the same site, but it is another page."""
_ENTRANCE = "/"
"""The only address that other pages may open: it answers with the page or a redirect."""
_LONGEST_ADDRESS = 4_000
"""Characters of a path and of a query, so that numbers in them stay short enough to parse."""
_GREATEST_BODY = 1_000_000
"""The maximum size of a request's body in bytes."""
_POLICY = "content-security-policy"
_HOW_TO_ENTER = "Open the address that trainee-bench studio printed; it begins with this one.\n"


@dataclass(frozen=True)
class StudioKey:
    """The secrets that admit a browser: first a token in the address, then the cookie. The
    *single_use* token is for a command line, which other users of the machine can read."""

    port: int
    token: str = field(default_factory=lambda: secrets.token_urlsafe(32))
    single_use: str = field(default_factory=lambda: secrets.token_urlsafe(32))
    session: str = field(default_factory=lambda: secrets.token_urlsafe(32))

    @property
    def address(self) -> str:
        """The address to open."""
        return f"http://127.0.0.1:{self.port}/?token={self.token}"

    @property
    def single_use_address(self) -> str:
        """The address to start a browser with; its token works once."""
        return f"http://127.0.0.1:{self.port}/?token={self.single_use}"

    @property
    def cookie(self) -> str:
        """The cookie's name. It contains the port because cookies do not depend on ports."""
        return f"studio-{self.port}"

    @property
    def hosts(self) -> frozenset[str]:
        """The values of `Host` that requests may use for this server."""
        return frozenset({f"127.0.0.1:{self.port}", f"localhost:{self.port}"})


class StudioGuard:
    """A guard that passes on to *app* only requests of the page itself; *policy* is the page's
    content security policy."""

    def __init__(self, app: ASGIApp, key: StudioKey, policy: str):
        self._app = app
        self._key = key
        self._tokens = {key.token, key.single_use}
        self._headers = {
            _POLICY: policy,
            "x-content-type-options": "nosniff",
            "referrer-policy": "no-referrer",
            "cache-control": "no-store",
            "cross-origin-opener-policy": "same-origin",
            "cross-origin-resource-policy": "same-origin",
        }

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, refuse, or pass on the request."""
        if scope["type"] != "http":  # no websockets, and nothing to do at startup or shutdown
            return

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                own = headers.get(_POLICY)  # a document's own policy is stricter
                headers.update(self._headers | ({_POLICY: own} if own is not None else {}))
            await send(message)

        answer = self._answer(scope)
        await (answer or self._app)(scope, receive, send_guarded)

    def _answer(self, scope: Scope) -> Response | None:
        """Return the answer to a request that is not passed on, None for the others."""
        headers, method, path = Headers(scope=scope), scope["method"], scope["path"]
        flaw = self._flaw(headers, method, path) or _too_long(scope)
        if flaw is not None:
            return flaw
        if path == _ENTRANCE:
            given = parse_qs(scope["query_string"].decode("latin-1")).get("token", [""])[0]
            if self._admits(given):
                return self._let_in()
        if not _equal(_cookie(headers, self._key.cookie), self._key.session):
            return PlainTextResponse(_HOW_TO_ENTER, 403)
        return None

    def _admits(self, given: str) -> bool:
        """Return whether *given* is a valid token; the single-use one is valid once."""
        found = next((token for token in self._tokens if _equal(given, token)), None)
        if found == self._key.single_use:
            self._tokens.remove(found)
        return found is not None

    def _flaw(self, headers: Headers, method: str, path: str) -> Response | None:
        """Return the refusal of a request that another page may have caused, with or without the
        cookie."""
        host, origin = headers.get("host", ""), headers.get("origin")
        if method not in _METHODS:
            return _refused("Only GET, HEAD and POST are allowed.", 405)
        if host not in self._key.hosts:
            return _refused("This is not the address of the studio.", 421)
        if origin is not None and origin != f"http://{host}":
            return _refused("Another page may not use the studio.")
        opened = headers.get("sec-fetch-dest", "document") == "document"
        entering = path == _ENTRANCE and method == "GET" and opened
        if headers.get("sec-fetch-site") in _FOREIGN and not entering:
            return _refused("Another page may not use the studio.")
        if method != "POST":
            return None
        if origin is None:
            return _refused("A POST needs an Origin header.")
        if headers.get("content-type", "").partition(";")[0].strip() != "application/json":
            return _refused("A POST must be JSON.", 415)
        length = headers.get("content-length", "")
        says = length.isdecimal() and len(length) < 10 and "transfer-encoding" not in headers
        if not says or int(length) > _GREATEST_BODY:
            return _refused(
                f"A POST needs a Content-Length of at most {_GREATEST_BODY:,} bytes.", 413
            )
        return None

    def _let_in(self) -> Response:
        """Exchange the token for the cookie, so that the browser's history does not keep the
        token."""
        answer = RedirectResponse(_ENTRANCE, 303)
        answer.set_cookie(
            self._key.cookie, self._key.session, httponly=True, samesite="lax", path="/"
        )
        return answer


def _too_long(scope: Scope) -> Response | None:
    if max(len(scope["path"]), len(scope["query_string"])) <= _LONGEST_ADDRESS:
        return None
    return _refused(f"An address may have at most {_LONGEST_ADDRESS:,} characters.", 414)


def _cookie(headers: Headers, name: str) -> str:
    try:
        found = SimpleCookie(headers.get("cookie", "")).get(name)
    except CookieError:
        return ""
    return found.value if found is not None else ""


def _equal(given: str, wanted: str) -> bool:
    return hmac.compare_digest(given.encode("utf-8", "replace"), wanted.encode())


def _refused(why: str, status: int = 403) -> Response:
    return JSONResponse({"error": why}, status)
