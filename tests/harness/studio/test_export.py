"""`trainee-bench studio export` writes one page, small and closed, or says why it does not."""

from __future__ import annotations

import base64
import errno
import gzip
import hashlib
import json
import os
import re
import shutil
from functools import partial
from pathlib import Path

import anyio
import pytest

from tests.harness.runs import call
from tests.harness.studio.hostile import HOSTILE, PICTURE, SCRIPT, make_hostile
from trainee_bench.harness.commands import studio as studio_commands
from trainee_bench.harness.studio.module_bundle import ModuleBundle, UnknownForm
from trainee_bench.harness.support.value_pool import ValuePool
from trainee_bench.mcp_servers import default_toolboxes
from trainee_bench.mcp_servers.serving.dispatcher import ToolDispatcher
from trainee_bench.meta_tasks.benchmark import find_scenario
from trainee_bench.meta_tasks.composition import create_world

ORACLE = "one.day_1.oracle.1"
CALLS, MOST_BYTES = 300, 3_000_000


export = partial(call, "studio", "export")


def packed(page: str) -> str:
    """Return the answers that a page has, as JSON."""
    found = re.search(r'<script type="application/json" id="answers">(.*?)</script>', page)
    assert found is not None
    return gzip.decompress(base64.b64decode(json.loads(found[1])["gzip"])).decode()


async def work_long(path: Path) -> None:
    """Work a day of 300 calls that write texts, tables, mails and notes."""
    minutes = dict.fromkeys((tool.name for box in default_toolboxes().values() for tool in box), 0)
    scenario = find_scenario().model_copy(update={"minutes": minutes})
    async with await create_world(path, scenario) as world:
        me = await world.read(lambda tx: tx.employee)
        calls = ToolDispatcher(world, me, default_toolboxes().values())
        table = "\n".join(f"{row},{row * 7 % 997},{row * row % 991}" for row in range(2_000))
        for n in range(CALLS // 5):
            text = "\n".join(f"line {line} as written {n % 7}" for line in range(60))
            for tool, given in (
                ("files_write", {"path": "workspace:/table.csv", "text": f"{n},1,2\n{table}"}),
                ("files_write", {"path": f"workspace:/notes_{n % 9}.md", "text": text}),
                ("mail_send", {"to": [me], "subject": f"Note {n}", "body": text}),
                ("desk_write_note", {"text": f"Looked at it again, {n}."}),
                ("monitor_get_summary", {}),
            ):
                done = await calls.call(tool, given)
                assert done.error is None, (tool, done.error)


@pytest.mark.timeout(300)  # half a minute on a busy machine
def test_a_day_of_300_calls_takes_less_than_3_mb(tmp_path: Path) -> None:
    anyio.run(work_long, tmp_path / "day.world")
    assert "shows 1 day" in export(tmp_path / "day.world", tmp_path / "day.html").output
    page = tmp_path / "day.html"
    assert page.stat().st_size < MOST_BYTES
    assert packed(page.read_text(encoding="utf-8")).count('"line 59 as written 6"') == 1


def test_the_policy_allows_the_page_its_own_script_and_style_and_no_other(
    ran: Path, tmp_path: Path
) -> None:
    export(ran, tmp_path / "a.html", "--episode", ORACLE)
    page = (tmp_path / "a.html").read_text(encoding="utf-8")
    policy = re.findall(r'<meta http-equiv="Content-Security-Policy" content="([^"]*)">', page)
    allowed = dict(part.split(" ", 1) for part in policy[0].split("; "))
    script, style = '<script type="module">(.*?)</script>', "<style>(.*?)</style>"
    for name, kind in (("script-src", script), ("style-src", style)):
        (text,) = re.findall(kind, page, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert allowed.pop(name) == f"'sha256-{digest}'"
    assert allowed == {
        "default-src": "'none'",
        "img-src": "data:",
        "base-uri": "'none'",
        "form-action": "'none'",
    }
    assert len(re.findall("<script", page)) == 2


def test_no_text_of_a_world_or_a_run_is_markup_in_the_page(
    ran: Path, hostile_world: Path, tmp_path: Path
) -> None:
    for number, run in enumerate((hostile_world, make_hostile(ran, tmp_path))):
        file = tmp_path / f"{number}.html"
        export(run, file)
        page = file.read_text(encoding="utf-8")
        for text in (SCRIPT, PICTURE, HOSTILE):
            assert text not in page
            assert json.dumps(text)[1:-1] in packed(page)


def test_keys_of_models_are_masked(
    copied: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run, key = copied, "sk-very-secret-0123456789"
    results = run / "results.jsonl"
    lines = [json.loads(line) for line in results.read_text(encoding="utf-8").splitlines()]
    for line in lines:
        line["agent_error"] = f"The server refused {key}."
    results.write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    export(run, "a.html", "--episode", ORACLE)
    assert key in packed(Path("a.html").read_text(encoding="utf-8"))
    model = {"model_name": "m", "api_key_var": key, "base_url": "http://127.0.0.1:9/v1"}
    Path("api_config.json").write_text(json.dumps({"a-model": model}), encoding="utf-8")
    run = run.rename(tmp_path / f"run-{key}")
    export(run, "b.html", "--episode", ORACLE)
    assert key not in Path("b.html").read_text(encoding="utf-8")
    told = packed(Path("b.html").read_text(encoding="utf-8"))
    assert key not in told and f"refused {'*' * len(key)}." in told


def test_an_impossible_export_is_reported_with_the_next_step(ran: Path, tmp_path: Path) -> None:
    there, fresh = tmp_path / "there.html", tmp_path / "fresh.html"
    there.write_text("mine", encoding="utf-8")
    for arguments, said in (
        ((tmp_path / "none", fresh), "There is no run in"),
        ((ran, fresh, "--episode", "nobody.1"), f"has no episode nobody.1. It has: {ORACLE}"),
        ((ran, there), "exists already. Remove it, or name another file."),
        ((ran, tmp_path / "no" / "page.html"), "No such file or directory"),
    ):
        done = export(*arguments, exits=2)
        assert said in " ".join(done.stderr.split())
    assert there.read_text(encoding="utf-8") == "mine" and not fresh.exists()


def test_a_page_that_cannot_be_written_whole_is_not_left_behind(
    ran: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = tmp_path / "page.html"
    for raised, code, said in (
        (OSError(errno.ENOSPC, "No space left"), 2, "page.html: No space left."),
        (KeyboardInterrupt(), 130, "No page was written."),
    ):

        async def fail(*_: object, raised: BaseException = raised) -> str:
            assert page.exists()  # so that a missing folder is reported at once
            raise raised

        monkeypatch.setattr(studio_commands, "export_page", fail)
        done = export(ran, page, "--episode", ORACLE, exits=code)
        assert not page.exists()
        assert said in " ".join(done.stderr.split())


def test_a_link_to_nothing_is_there_already(ran: Path, tmp_path: Path) -> None:
    (tmp_path / "link.html").symlink_to(tmp_path / "nowhere.html")
    done = export(ran, tmp_path / "link.html", exits=2)
    assert "exists already" in " ".join(done.stderr.split())
    assert not (tmp_path / "nowhere.html").exists()


@pytest.mark.skipif(os.name == "nt", reason="names are text there")
def test_a_run_whose_name_is_not_text_is_exported(ran: Path, tmp_path: Path) -> None:
    run = tmp_path / os.fsdecode(b"odd\xff")
    shutil.copytree(ran, run)
    assert f"[1/1] {ORACLE}" in export(run, tmp_path / "page.html", "--episode", ORACLE).stderr
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "<title>odd\\udcff · Trainee-Bench</title>" in page


def test_a_week_is_exported_day_after_day(worked_week: Path, tmp_path: Path) -> None:
    assert "shows 1 day" in export(worked_week, tmp_path / "week.html").output


def test_a_folder_called_export_is_still_opened_by_its_path(tmp_path: Path) -> None:
    done = call("studio", tmp_path / "export", "--no-browser", exits=2)
    assert "There is no run in" in done.stderr


def test_a_pool_keeps_equal_values_once_and_values_that_only_look_equal_apart() -> None:
    pool = ValuePool()
    long = "a text that is longer than most"
    assert pool.add({"a": [1, long]}) == pool.add({"a": [1, long]})
    assert len({pool.add([value]).number for value in (1, 1.0, True, "1", None)}) == 5
    assert pool.written(pool.add([long])).count(long) == 1


@pytest.mark.parametrize(
    "text",
    [
        'const a = await import("./b.mjs");',
        'import * as all from "./b.mjs";',
        'import "./b.mjs";',
        "export let a = 1;",
        'import { a } from "unknown";',
        'const a = "</script>";',
    ],
)
def test_a_module_with_other_syntax_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "a.mjs").write_text(text, encoding="utf-8")
    (tmp_path / "b.mjs").write_text("export const a = 1;", encoding="utf-8")
    with pytest.raises(UnknownForm):
        ModuleBundle(tmp_path, {}, {}).script("a.mjs")


def test_modules_that_import_each_other_are_refused(tmp_path: Path) -> None:
    for name, other in (("a", "b"), ("b", "a")):
        text = f'import {{ {other} }} from "./{other}.mjs";\nexport const {name} = 1;'
        (tmp_path / f"{name}.mjs").write_text(text, encoding="utf-8")
    with pytest.raises(UnknownForm, match="imports itself"):
        ModuleBundle(tmp_path, {}, {}).script("a.mjs")
