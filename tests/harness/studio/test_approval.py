"""Approval of calls: the first rule that matches a call's effects decides."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass

import pytest
from pydantic import BaseModel, JsonValue, ValidationError

from trainee_bench.harness.studio.approval import (
    ALLOW_ALL,
    DEFAULT_POLICY,
    NO_EFFECTS,
    ApprovalAction,
    ApprovalPolicy,
    ApprovalRule,
    ForeseenEffects,
    foresee,
    matching_rule,
    refusal_text,
)
from trainee_bench.harness.studio.guidance import EpisodeControl
from trainee_bench.mcp_servers import discover_toolboxes
from trainee_bench.mcp_servers.serving.dispatcher import ToolDispatcher
from trainee_bench.meta_tasks.benchmark import find_scenario
from trainee_bench.meta_tasks.composition import create_world
from trainee_bench.world.apps.mail import Mail
from trainee_bench.world.company.directory import Directory
from trainee_bench.world.company.people import DOMAIN
from trainee_bench.world.transaction import Result, Transaction
from trainee_bench.world.world import World

TOOLS = {tool.name: tool for box in discover_toolboxes().values() for tool in box}
OUTSIDE, OTHER_OUTSIDE = "somebody@elsewhere.example", "else@elsewhere.example"
STANDING = ("drive:/team.xlsx", "workspace:/own.xlsx")
ALLOW, ASK, REFUSE = ApprovalAction


class Arrived(BaseModel):
    """The number of a mail."""

    mail: int


def rule(pattern: str, action: ApprovalAction = ApprovalAction.ASK) -> ApprovalRule:
    return ApprovalRule(pattern=pattern, action=action)


@dataclass(frozen=True)
class Office:
    """An office with two workbooks, and people to write to. The mail ``from_outside`` came from
    outside the company; ``inside`` went to two colleagues; ``meeting`` is the employee's."""

    world: World
    me: str
    colleague: str
    from_outside: int = 0
    inside: int = 0
    meeting: int = 0

    async def effects(self, name: str, *outside: str, **arguments: JsonValue) -> ForeseenEffects:
        tool = TOOLS[name]
        return await foresee(self.world, self.me, tool, tool.parse(arguments), outside)

    async def stopped(self, policy: ApprovalPolicy, name: str, **arguments: JsonValue) -> str:
        """Return the pattern of the rule that stops the call; "" if none does."""
        found = matching_rule(policy, TOOLS[name], await self.effects(name, **arguments))
        return found.pattern if found is not None and found.action is not ALLOW else ""

    async def do(self, name: str, **arguments: JsonValue) -> Mapping[str, JsonValue]:
        calls = ToolDispatcher(self.world, self.me, discover_toolboxes().values())
        done = await calls.call(name, arguments)
        assert done.result is not None, done.error
        return done.result.data.model_dump(mode="json")


@asynccontextmanager
async def office() -> AsyncIterator[Office]:
    async with await create_world(None, find_scenario()) as world:
        me = await world.read(lambda tx: tx.employee)
        people = await world.read(lambda tx: [person.email for person in Directory(tx).everybody()])
        colleague = next(address for address in people if not address.startswith(f"{me}@"))
        made = Office(world, me, colleague)

        def arrive(tx: Transaction) -> Result[Arrived]:
            mail = Mail(tx).deliver(f"Jo <{OUTSIDE}>", [me], "An offer", "Buy it.")
            return Result("", Arrived(mail=mail.id))

        came = await world.execute("", "arrive", {}, arrive)
        assert came.result is not None
        for path in STANDING:
            await made.do("sheets_create", path=path, rows=[["a", "b"]])
        sent = await made.do("mail_send", to=[colleague], subject="Hello", body="Hello")
        now = await world.now()
        day = f"{now.date()}T"
        rooms = await made.do("calendar_find_rooms", starts=f"{day}15:00", ends=f"{day}15:30")
        booked = await made.do(
            "calendar_book",
            title="A talk",
            room=next(iter(rooms["rooms"])),  # type: ignore[arg-type]
            starts=f"{day}15:00",
            ends=f"{day}15:30",
            attendees=[],
        )
        numbers = {"from_outside": came.result.data.mail, "inside": sent["id"]}
        yield Office(world, me, colleague, **numbers, meeting=booked["id"])  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "to, cc, expected",
    [
        (["INSIDE"], [], ""),
        (["INSIDE", OUTSIDE], [], "@outsiders"),
        (["INSIDE"], [OUTSIDE], "@outsiders"),
        ([f"Jo <{OUTSIDE}>"], [], "@outsiders"),
        ([f"x@{DOMAIN}.elsewhere.example"], [], "@outsiders"),
    ],
)
async def test_mail_needs_approval_by_default_if_it_leaves_the_company(
    to: list[str], cc: list[str], expected: str
) -> None:
    async with office() as here:
        named = [
            [here.colleague if address == "INSIDE" else address for address in part]
            for part in (to, cc)
        ]
        given = {"to": named[0], "cc": named[1], "subject": "Hello", "body": "Hello"}
        assert await here.stopped(DEFAULT_POLICY, "mail_send", **given) == expected  # type: ignore[arg-type]


async def test_an_answer_and_a_forward_are_judged_by_their_recipients_not_their_arguments() -> None:
    async with office() as here:
        for name, mail, more, expected in [
            ("mail_reply", here.from_outside, {}, (OUTSIDE,)),
            ("mail_reply", here.inside, {}, ()),
            ("mail_forward", here.from_outside, {"to": [here.colleague]}, ()),
            (
                "mail_forward",
                here.inside,
                {"to": [here.colleague, OTHER_OUTSIDE]},
                (OTHER_OUTSIDE,),
            ),
        ]:
            call = {"mail": mail, "body": "Yes.", **more}
            found = await here.effects(name, **call)  # type: ignore[arg-type]
            assert (found.mailed_outside, found.overwritten) == (expected, ()), (name, mail)
            pattern = "@outsiders" if expected else ""
            assert await here.stopped(DEFAULT_POLICY, name, **call) == pattern  # type: ignore[arg-type]


async def test_every_change_of_a_company_file_or_a_meeting_counts_as_overwriting() -> None:
    async with office() as here:
        rows: list[JsonValue] = [["c", "d"]]
        for name, call, overwritten in [
            ("sheets_append", {"path": STANDING[0], "rows": rows}, (STANDING[0],)),
            ("sheets_append", {"path": STANDING[1], "rows": rows}, ()),
            ("sheets_append", {"path": "drive:/none.xlsx", "rows": rows}, ()),
            ("sheets_create", {"path": "drive:/new.xlsx", "rows": rows}, ()),
            ("files_copy", {"source": STANDING[0], "target": "workspace:/copy.xlsx"}, ()),
            ("files_delete", {"path": STANDING[0]}, (STANDING[0],)),
            ("files_move", {"source": STANDING[0], "target": "drive:/b.xlsx"}, (STANDING[0],)),
            ("calendar_cancel", {"meeting": here.meeting}, (f"meeting {here.meeting}",)),
        ]:
            found = await here.effects(name, **call)  # type: ignore[arg-type]
            assert (found.overwritten, found.mailed_outside) == (overwritten, ()), (name, call)
        append = await here.stopped(DEFAULT_POLICY, "sheets_append", path=STANDING[0], rows=rows)
        own = await here.stopped(DEFAULT_POLICY, "sheets_append", path=STANDING[1], rows=rows)
        assert (append, own) == ("@destructive", "")


async def test_a_call_that_is_tried_out_is_undone_and_costs_nothing() -> None:
    async with office() as here:
        before = await here.world.digest(), await here.world.log(), await here.world.now()
        await here.effects("mail_reply", mail=here.from_outside, body="Yes.")
        await here.effects("files_delete", path=STANDING[0])
        await here.effects("desk_finish_day")
        after = await here.world.digest(), await here.world.log(), await here.world.now()
        assert after == before


async def test_an_answer_to_somebody_outside_waits_and_is_not_sent_if_it_is_refused() -> None:
    async with office() as here:
        control = EpisodeControl(DEFAULT_POLICY)
        boxes = discover_toolboxes().values()
        async with control.attending(here.world, here.me):
            calls = ToolDispatcher(here.world, here.me, boxes, gate=control)
            reply: dict[str, JsonValue] = {"mail": here.from_outside, "body": "Yes."}
            replying = asyncio.create_task(calls.call("mail_reply", reply))
            for _ in range(1000):
                if control.snapshot().asks:
                    break
                await asyncio.sleep(0.01)
            (asked,) = control.snapshot().asks
            assert (asked.tool, asked.reason) == (
                "mail_reply",
                f"it sends mail outside the company: {OUTSIDE}",
            )
            await control.answer(asked.ask, allow=False, why="Ask the owner")
            done = await replying
        assert str(done.error) == "Not approved: Ask the owner."
        sent = await here.world.read(lambda tx: Mail(tx).sent_by(here.me))
        assert [mail.id for mail in sent] == [here.inside]


async def test_the_person_is_told_whom_a_call_reaches_and_what_it_overwrites() -> None:
    async with office() as here:
        for name, call, reason in [
            (
                "mail_reply",
                {"mail": here.from_outside, "body": "Yes."},
                f"it sends mail outside the company: {OUTSIDE}",
            ),
            (
                "sheets_append",
                {"path": STANDING[0], "rows": [["c", "d"]]},
                f"it overwrites or removes: {STANDING[0]}",
            ),
            ("desk_finish_day", {}, "it overwrites or removes"),
        ]:
            found = await here.effects(name, **call)  # type: ignore[arg-type]
            fitting = matching_rule(DEFAULT_POLICY, TOOLS[name], found)
            assert fitting is not None and fitting.reason(found) == reason


async def test_a_call_acting_outside_the_office_needs_approval_unless_a_rule_by_name_decides() -> (
    None
):
    async with office() as here:
        chat = {"to": here.colleague, "text": "Hello"}
        asked = TOOLS["chat_send_message"]
        assert await here.effects("chat_send_message", **chat) == NO_EFFECTS
        by_model = await here.effects("chat_send_message", "chat_send_message", **chat)
        command = await here.effects("terminal_run_shell", command="true")
        assert not by_model.foreseeable and not command.foreseeable

        def verdict(*rules: ApprovalRule) -> ApprovalAction | None:
            found = matching_rule(rules, asked, by_model)
            return found.action if found is not None else None

        assert verdict(*DEFAULT_POLICY) is ASK
        assert verdict(rule("mail_*")) is ASK
        assert verdict(rule("@outsiders", REFUSE)) is ASK
        assert verdict(rule("@outsiders", ALLOW)) is ASK
        assert verdict(rule("chat_*", ALLOW), *DEFAULT_POLICY) is ALLOW
        assert verdict(rule("chat_*", REFUSE), *DEFAULT_POLICY) is REFUSE
        assert verdict(*ALLOW_ALL) is None
        terminal = TOOLS["terminal_run_shell"]
        found = matching_rule((rule("mail_*"),), terminal, command)
        assert found is not None and found.action is ASK
        assert found.reason(command) == (
            "it acts outside the office, so its effects cannot be foreseen"
        )


async def test_the_default_asks_for_destructive_tools_and_for_no_read_only_tool() -> None:
    ask = {name for name, tool in TOOLS.items() if tool.destructive or tool.app == "terminal"}
    assert any(TOOLS[name].destructive for name in ask)
    for name, tool in TOOLS.items():
        fitting = next((r for r in DEFAULT_POLICY if r.fits(tool, NO_EFFECTS)), None)
        assert (fitting is not None) == (name in ask), name


async def test_the_first_rule_that_matches_decides() -> None:
    policy = (rule("mail_list*", ALLOW), rule("mail_*", REFUSE))
    async with office() as here:
        sent = {"to": [here.colleague], "subject": "Hello", "body": "Hello"}
        assert await here.stopped(policy, "mail_send", **sent) == "mail_*"  # type: ignore[arg-type]
        assert await here.stopped(policy, "mail_list") == ""
        assert await here.stopped(policy, "desk_now") == ""


@pytest.mark.parametrize("pattern", ["", "@nobody", "[a-z]*", "mail send", "a" * 65])
def test_a_pattern_is_a_tools_name_with_stars_or_one_of_two_words(pattern: str) -> None:
    with pytest.raises(ValidationError):
        ApprovalRule(pattern=pattern, action=ApprovalAction.ASK)


def test_a_refusal_says_its_reason_or_that_there_is_none() -> None:
    assert refusal_text("Ask  the owner") == "Not approved: Ask the owner."
    assert refusal_text("Why?") == "Not approved: Why?"
    assert "person" in refusal_text("  ")
