"""An office offers tools in its own variant, and nobody else sees any of it."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any, get_args

import pytest

from tests.meta_tasks.offices.test_reading_an_office import edit
from trainee_bench.harness.office_check.findings import check_office
from trainee_bench.harness.scaffolding.office_folder import template_folder
from trainee_bench.harness.session.frozen import composed_digests
from trainee_bench.harness.testbench.staged_day import StagedDay, single_task_day, stage_day
from trainee_bench.mcp_servers import default_toolboxes, discover_toolboxes
from trainee_bench.mcp_servers.serving.log_replay import replay_log
from trainee_bench.meta_tasks.offices.office import read_office
from trainee_bench.meta_tasks.offices.office_file import ToolsFile
from trainee_bench.meta_tasks.offices.opened import VARIABLE, open_office
from trainee_bench.meta_tasks.offices.variants import mail_variants
from trainee_bench.meta_tasks.tool_client import ToolFailed
from trainee_bench.world.world import World

REPLY = "nordlicht.customer_reply"
COPIES = "tools: {mail_reply: copies}\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(VARIABLE, os.environ.get(VARIABLE, ""))
    shutil.copytree(template_folder(), tmp_path / "nordlicht")
    return tmp_path / "nordlicht"


async def day_of(folder: Path, rule: str = REPLY) -> StagedDay:
    open_office(folder)
    return await stage_day(single_task_day(rule, 0))


def arguments(day: StagedDay, tool: str) -> dict[str, Any]:
    found: dict[str, Any] = day.seat.tools[tool].input_schema["properties"]
    return found


async def answered(day: StagedDay, **more: Any) -> Any:
    (mail,) = (await day.call("mail_list", {})).data["mails"]
    given = {"mail": mail["id"], "body": "Your sextant is in work.", **more}
    return await day.call("mail_reply", given)


async def test_a_reply_has_copies_where_the_office_names_them(folder: Path) -> None:
    day = await day_of(folder)
    async with day.world:
        assert "cc" in arguments(day, "mail_reply")
        sent = await answered(day, cc=["Nora Weiss", "Nora Weiss"], everybody=True)
        assert sent.data["to"] == ["Astrid Lund <astrid.lund@lund-ship.example>"]
        assert sent.data["cc"] == ["Nora Weiss <nora.weiss@nordlicht.example>"]
        shown = await day.call("mail_read", {"mail": sent.data["id"]})
        assert shown.data["cc"] == sent.data["cc"]
        assert shown.data["replies_to"] is not None
        with pytest.raises(ToolFailed, match="Nobody Atall"):
            await answered(day, cc=["Nobody Atall"])


async def test_a_reply_has_no_copies_elsewhere(folder: Path) -> None:
    edit(folder, "office.yaml", COPIES, "")
    day = await day_of(folder)
    async with day.world:
        assert "cc" not in arguments(day, "mail_reply")
        with pytest.raises(ToolFailed, match="cc"):
            await answered(day, cc=["Nora Weiss"])
    built_in = {tool.name: tool for box in default_toolboxes().values() for tool in box}
    assert "cc" not in built_in["mail_reply"].input_schema["properties"]


async def test_a_replay_repeats_copies(folder: Path) -> None:
    day = await day_of(folder)
    async with day.world:
        await answered(day, cc=["Nora Weiss"])
        log = await day.world.log()
        config, populate = day.composition.world_config(), day.composition.populate
        async with await World.create_inline(config, populate) as again:
            await replay_log(again, log)
            assert await again.digest() == await day.world.digest()


async def test_what_agents_are_shown_has_another_digest_with_copies(folder: Path) -> None:
    open_office(folder)
    with_copies = await composed_digests(single_task_day(REPLY, 0))
    other = folder.parent / "other" / "nordlicht"
    shutil.copytree(folder, other)
    edit(other, "office.yaml", COPIES, "")
    os.environ[VARIABLE] = str(other)
    without = await composed_digests(single_task_day(REPLY, 0))
    assert with_copies.tools != without.tools


@pytest.mark.parametrize("copies", [True, False])
async def test_honest_work_replies_with_copies_or_sends_a_mail_with_them(
    folder: Path, copies: bool
) -> None:
    if not copies:
        edit(folder, "office.yaml", COPIES, "")
    day = await day_of(folder)
    async with day.world:
        assert not await day.work()
        (grade,) = await day.grades()
        log = [entry.tool for entry in await day.world.log()]
    assert grade.success
    assert ("mail_reply" in log, "mail_send" in log) == (copies, not copies)


async def test_a_reply_with_wrong_copies_fails_and_a_new_mail_with_the_right_ones_passes(
    folder: Path,
) -> None:
    day = await day_of(folder)
    await day.world.close()
    task = day.composition.tasks[0]
    found = {}
    for variant in task.meta_task.family_class.solver_variants():
        tried = await stage_day(day.composition)
        async with tried.world:
            await tried.work({task.id: variant.work})
            found[variant.name] = (await tried.grades())[0].success
    assert not found["a copy to somebody else"]
    assert not found["without copy 1"]
    assert found["sent as a new mail"]


def test_the_check_says_how_to_offer_copies_where_a_task_needs_them(folder: Path) -> None:
    edit(folder, "office.yaml", COPIES, "")
    shutil.rmtree(folder / "tasks" / "travel_expenses")
    shutil.rmtree(folder / "tasks" / "meeting_prep")
    texts = [finding.text for finding in check_office(open_office(folder))]
    assert any("tools: {mail_reply: copies}" in text for text in texts)


async def test_booking_names_the_built_in_rooms_only_where_they_are_the_rooms(folder: Path) -> None:
    day = await day_of(folder)
    async with day.world:
        assert "Room_01" not in arguments(day, "calendar_book")["room"]["description"]
    (folder / "rooms.csv").unlink()
    usual = read_office(folder)
    assert "calendar_book" not in usual.tool_variants
    boxes = default_toolboxes(usual.tool_variants)
    (book,) = (tool for tool in boxes["calendar"] if tool.name == "calendar_book")
    assert "Room_01 to Room_10" in str(book.input_schema)


def test_every_variant_that_an_office_can_name_is_declared() -> None:
    declared = {variant for box in discover_toolboxes().values() for variant in box.variants}
    for name, field in ToolsFile.model_fields.items():
        for choice in get_args(field.annotation):
            assert choice == "usual" or (name, choice) in declared
    assert ("calendar_book", "own_rooms") in declared


def test_variants_of_mails_are_named_once(folder: Path) -> None:
    office = read_office(folder)
    family = office.task_classes["customer_reply"]
    mail = family.source.file.hand_in.mail
    assert mail is not None
    names = [v.name for v in mail_variants(family.plan, mail, (), office.company, ())]
    assert len(names) == len(set(names))
