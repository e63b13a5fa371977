"""The studio answers only the page that it served itself; all its files are our own."""

from __future__ import annotations

import hashlib
import json
import re
import zlib
from pathlib import Path

import anyio
import pytest

from tests.harness.studio.shown import HERE, KEY, application, served, visitor

PORT = KEY.port
REFUSED: dict[str, tuple[str, str, dict[str, str]]] = {
    "another name for this machine": ("GET", "/api/runs", {"host": f"evil.example:{PORT}"}),
    "this machine without the port": ("GET", "/api/runs", {"host": "127.0.0.1"}),
    "another port of this machine": ("GET", "/api/runs", {"host": "127.0.0.1:80"}),
    "an origin elsewhere": ("GET", "/api/runs", {"origin": "https://evil.example"}),
    "an origin on another port": ("GET", "/api/runs", {"origin": "http://127.0.0.1:80"}),
    "an origin without a name": ("GET", "/api/runs", {"origin": "null"}),
    "an origin by its other name": ("GET", "/api/runs", {"origin": f"http://localhost:{PORT}"}),
    "a picture in another page": ("GET", "/api/runs", {"sec-fetch-site": "cross-site"}),
    "a page on another port": ("GET", "/api/runs", {"sec-fetch-site": "same-site"}),
    "a script of ours in another page": ("GET", "/static/app.mjs", {"sec-fetch-site": "same-site"}),
    "a POST without an origin": ("POST", "/api/runs", {"content-type": "application/json"}),
    "a form": (
        "POST",
        "/api/runs",
        {"origin": HERE, "content-type": "application/x-www-form-urlencoded"},
    ),
    "a POST as text": ("POST", "/api/runs", {"origin": HERE, "content-type": "text/plain"}),
    "a POST to the entrance from elsewhere": (
        "POST",
        "/",
        {"sec-fetch-site": "cross-site", "origin": HERE, "content-type": "application/json"},
    ),
    "a picture in another page that names the entrance": (
        "GET",
        "/",
        {"sec-fetch-site": "cross-site", "sec-fetch-dest": "image"},
    ),
    "a frame of another page": (
        "GET",
        "/",
        {"sec-fetch-site": "same-site", "sec-fetch-dest": "iframe"},
    ),
    "a number of thousands of digits": ("GET", f"/api/runs/{'9' * 5_000}", {}),
    "a query of thousands of digits": (
        "GET",
        f"/api/episodes/0-0/state/1/mail?item={'9' * 5_000}",
        {},
    ),
    "a body of unsaid length": (
        "POST",
        "/api/runs",
        {
            "origin": HERE,
            "content-type": "application/json",
            "transfer-encoding": "chunked",
            "content-length": "2",
        },
    ),
    "a body of thousands of digits' length": (
        "POST",
        "/api/runs",
        {
            "origin": HERE,
            "content-type": "application/json",
            "content-length": "9" * 5_000,
        },
    ),
    "another method": ("PUT", "/api/runs", {}),
    "a question about methods": ("OPTIONS", "/api/runs", {"origin": "https://evil.example"}),
    "a cookie of another studio": ("GET", "/api/runs", {"cookie": "studio-1234=the-session"}),
    "a wrong cookie": ("GET", "/api/runs", {"cookie": f"{KEY.cookie}=the-token"}),
    "a cookie that is none": ("GET", "/api/runs", {"cookie": "\x01=;;;=,"}),
}


@pytest.mark.parametrize("request_", REFUSED.values(), ids=REFUSED)
async def test_a_hostile_request_is_refused(
    request_: tuple[str, str, dict[str, str]], ran: Path
) -> None:
    method, path, headers = request_
    async with visitor(ran) as client:
        answer = await client.request(method, path, headers=headers)
    assert 400 <= answer.status_code < 500 and answer.status_code != 404
    assert "a-run" not in answer.text
    assert "access-control-allow-origin" not in answer.headers


async def test_too_large_a_post_is_refused_before_it_is_read(ran: Path) -> None:
    headers = {"origin": HERE, "content-type": "application/json"}
    async with visitor(ran) as client:
        large = await client.post("/api/runs", headers=headers, content=b" " * 1_000_001)
        fits = await client.post("/api/runs", headers=headers, content=b"{}")
    assert large.status_code == 413
    assert fits.status_code == 404, "no endpoint takes it, and the guard let it pass"


async def test_a_client_without_the_cookie_sees_only_how_to_enter(ran: Path) -> None:
    async with visitor(ran, let_in=False) as client:
        for path in (
            *("/", "/api/runs", "/static/app.mjs", "/api/live/events", "/nothing"),
            *("/api/episodes/0-1/honest", "/documents/0/report.html"),
        ):
            answer = await client.get(path)
            assert answer.status_code == 403, path
            assert "trainee-bench studio printed" in answer.text and "a-run" not in answer.text
        for token in ("", "wrong", "the-session", "ä"):
            assert (await client.get("/", params={"token": token})).status_code == 403
        assert (await client.get("/api/runs", params={"token": KEY.token})).status_code == 403


async def test_the_token_is_exchanged_for_a_cookie_and_leaves_the_address(ran: Path) -> None:
    async with visitor(ran, let_in=False) as client:
        elsewhere = {"sec-fetch-site": "cross-site"}  # the link is in a terminal or a mail
        answer = await client.get("/", params={"token": KEY.token}, headers=elsewhere)
        assert (answer.status_code, answer.headers["location"]) == (303, "/")
        cookie = answer.headers["set-cookie"].lower()
        assert cookie.startswith(f"studio-{PORT}=") and KEY.token not in cookie
        assert "httponly" in cookie and "samesite=lax" in cookie
        page = await client.get("/")
        assert page.status_code == 200 and KEY.token not in page.text


async def test_the_token_on_a_command_line_lets_in_once(ran: Path) -> None:
    async with visitor(ran, let_in=False) as client:
        first = await client.get("/", params={"token": KEY.single_use})
        assert first.status_code == 303
        client.cookies.clear()
        again = await client.get("/", params={"token": KEY.single_use})
        assert again.status_code == 403 and KEY.single_use not in again.text
        assert (await client.get("/", params={"token": KEY.token})).status_code == 303
        client.cookies.clear()
        assert (await client.get("/", params={"token": KEY.token})).status_code == 303


RAW: dict[str, str] = {
    "a body that is longer than it says": "Content-Length: 2\r\nTransfer-Encoding: chunked\r\n",
    "two lengths": "Content-Length: 2\r\nContent-Length: 1000\r\n",
    "two names of this server": "Host: evil.example\r\nContent-Length: 2\r\n",
}


@pytest.mark.parametrize("headers", RAW.values(), ids=RAW)
async def test_a_contradictory_request_is_refused(headers: str, ran: Path) -> None:
    async with served(ran) as (studio, client):
        sent = (
            f"POST /api/seats HTTP/1.1\r\nHost: {client.base_url.netloc.decode()}\r\n"
            f"Origin: {str(client.base_url).rstrip('/')}\r\nContent-Type: application/json\r\n"
            f"Cookie: {studio.key.cookie}={studio.key.session}\r\n{headers}\r\n"
            "2\r\n{}\r\n0\r\n\r\n"
        )
        async with await anyio.connect_tcp("127.0.0.1", studio.key.port) as stream:
            await stream.send(sent.encode())
            with anyio.fail_after(30):
                answer = (await stream.receive()).decode()
        assert answer.split()[1] in ("400", "413", "421"), answer


async def test_every_answer_carries_the_policy_that_no_other_script_may_run(ran: Path) -> None:
    async with visitor(ran) as client:
        for path in ("/", "/api/runs", "/static/app.mjs", "/nothing"):
            headers = (await client.get(path)).headers
            policy = headers["content-security-policy"]
            assert "default-src 'none'" in policy and "form-action 'none'" in policy
            assert "frame-ancestors 'none'" in policy and "unsafe" not in policy
            assert headers["x-content-type-options"] == "nosniff"
            assert headers["referrer-policy"] == "no-referrer"
            assert headers["cache-control"] == "no-store"
            assert headers["cross-origin-resource-policy"] == "same-origin"


async def test_only_files_of_the_page_are_served(ran: Path) -> None:
    async with visitor(ran) as client:
        assert (
            (await client.get("/static/app.mjs"))
            .headers["content-type"]
            .startswith("text/javascript")
        )
        for path in (
            "/static/../guard.py",
            "/static/%2e%2e/guard.py",
            "/static/..%2fguard.py",
            "/static//etc/passwd",
            "/static/vendor/vendor.json",
            "/static/",
        ):
            answer = await client.get(path)
            assert answer.status_code == 404, path


async def test_a_websocket_is_not_answered(ran: Path) -> None:
    sent: list[object] = []

    async def receive() -> dict[str, str]:
        return {"type": "websocket.connect"}

    async def send(message: object) -> None:
        sent.append(message)

    await application(ran)({"type": "websocket", "path": "/", "headers": []}, receive, send)
    assert sent == []


def test_no_module_of_the_page_sets_html_or_evaluates_text() -> None:
    static = Path(__file__).parents[3] / "harness" / "studio" / "static"
    banned = re.compile(
        r"dangerouslySetInnerHTML|innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|"
        r"new Function|DOMParser|srcdoc"
    )
    ours = [path for path in static.rglob("*.mjs") if path.parent.name != "vendor"]
    assert len(ours) > 20
    for path in ours:
        assert not banned.search(path.read_text(encoding="utf-8")), path.name


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
    # files in a wheel are compressed; the studio's Python files are also in it
    files = [path for path in STATIC.parent.rglob("*") if path.suffix not in ("", ".pyc")]
    assert sum(len(zlib.compress(path.read_bytes())) for path in files if path.is_file()) < 300_000


def test_axe_is_kept_for_tests_alone_with_its_licence() -> None:
    assert (AXE / "axe.min.js").is_file() and (AXE / "axe.LICENSE").is_file()
    assert not list(STATIC.rglob("*axe*"))
