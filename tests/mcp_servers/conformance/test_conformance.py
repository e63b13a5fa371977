"""The protocol's own conformance suite, for both revisions: what fails is known, and why.

The suite is a program for Node 22, which not every machine has. CONTRIBUTING.md says how to get it
and to name it in MCP_CONFORMANCE; without it this test is skipped.
"""

from __future__ import annotations

import os
import re
import shlex
from pathlib import Path

import anyio
import pytest

from tests.mcp_servers.conformance.fixture_server import serve_fixtures

SUITE = os.environ.get("MCP_CONFORMANCE", "")
NOT_OFFERED = {
    "resources: what there is to read lies in the office's files": {
        "resources-list", "resources-read-text", "resources-read-binary",
        "resources-templates-read", "resources-subscribe", "resources-unsubscribe",
        "tools-call-embedded-resource", "tools-call-mixed-content", "caching",
    },
    "prompts: an employee begins with desk_tasks": {
        "prompts-list", "prompts-get-simple", "prompts-get-with-args",
        "prompts-get-embedded-resource", "prompts-get-with-image",
    },
    "requests to the client: an office asks nothing of a model": {
        "tools-call-sampling", "tools-call-elicitation", "elicitation-sep1034-defaults",
        "elicitation-sep1330-enums", "server-stateless", "input-required-result-basic-elicitation",
        "input-required-result-basic-sampling", "input-required-result-basic-list-roots",
        "input-required-result-request-state", "input-required-result-multiple-input-requests",
        "input-required-result-multi-round", "input-required-result-non-tool-request",
        "input-required-result-result-type", "input-required-result-tampered-state",
        "input-required-result-capability-check",
    },
    "logging, progress and completion: a call is one transaction, done at once": {
        "logging-set-level", "tools-call-with-logging", "tools-call-with-progress",
        "completion-complete",
    },
    "sound: nothing in the office can be heard": {"tools-call-audio"},
    "schemas and headers written by hand: ours are made from functions": {
        "json-schema-2020-12", "http-custom-header-server-validation",
    },
    "the tasks extension: a call that returns is done": {
        "tasks-lifecycle", "tasks-capability-negotiation", "tasks-wire-fields",
        "tasks-request-state-removal", "tasks-mrtr-input", "tasks-request-headers",
        "tasks-dispatch-and-envelope", "tasks-required-task-error", "tasks-mrtr-composition",
    },
}  # fmt: skip
"""What the servers do not offer, and the scenarios that ask for it."""


@pytest.mark.skipif(not SUITE, reason="MCP_CONFORMANCE does not name the suite")
@pytest.mark.timeout(300)
@pytest.mark.parametrize("revision", ["2025-11-25", "2026-07-28"])
async def test_only_what_is_not_offered_fails(tmp_path: Path, revision: str) -> None:
    async with serve_fixtures() as url:
        options = ["--url", url, "--requirements", revision, "-o", str(tmp_path)]
        done = await anyio.run_process([*shlex.split(SUITE), "server", *options], check=False)
    marks = re.findall(r"^([✓✗]) ([\w-]+): \d+ passed", done.stdout.decode(), re.MULTILINE)
    assert marks, done.stdout + done.stderr
    asked = {name for _, name in marks}
    failed = {name for mark, name in marks if mark == "✗"}
    assert failed == set().union(*NOT_OFFERED.values()) & asked
    assert {"tools-list", "tools-call-simple-text", "tools-call-image", "tools-call-error",
            "dns-rebinding-protection"} <= asked - failed  # fmt: skip
