"""Whom a mail is meant for."""

from __future__ import annotations

from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.world.office import COMPANY, MARA, do, office
from trainee_bench.world.company.directory import Directory
from trainee_bench.world.company.people import Person
from trainee_bench.world.email.message import (
    MailMessage,
    address_of,
    resolve_address,
    resolve_addresses,
)
from trainee_bench.world.email.rfc5322 import to_rfc5322
from trainee_bench.world.errors import Invalid, NotFound

PERSON: Person = COMPANY.person(MARA)


@pytest.mark.parametrize(
    "who",
    [
        PERSON.id,
        PERSON.name,
        PERSON.name.upper(),
        PERSON.email,
        PERSON.email.upper(),
        f"{PERSON.name} <{PERSON.email}>",
        f"Somebody Else <{PERSON.email}>",
        f"  {PERSON.email} ",
    ],
)
async def test_a_colleague_has_one_address_however_named(who: str) -> None:
    async with await office() as world:
        found = await do(world, lambda t: resolve_address(Directory(t), who))
    assert found == address_of(PERSON)
    assert (found.short, found.colleague) == (PERSON.name, PERSON.id)


@pytest.mark.parametrize(
    ("who", "text"),
    [
        ("billing@vendor.example.org", "billing@vendor.example.org"),
        ("Bill  Payne <billing@vendor.co>", "Bill Payne <billing@vendor.co>"),
        ("x.y+z@a-b.example.org", "x.y+z@a-b.example.org"),
        ("mara@nottessel.example", "mara@nottessel.example"),
    ],
)
async def test_outsiders_are_reached_by_their_full_address(who: str, text: str) -> None:
    async with await office() as world:
        found = await do(world, lambda t: resolve_address(Directory(t), who))
    assert str(found) == text
    assert found.colleague == ""


@pytest.mark.parametrize(
    "who",
    [
        "a@b",
        "@b.org",
        "a@.org",
        "a@b..org",
        "a@b.o",
        "a,b@c.org",
        "a@b.org, c@d.org",
        "ä@b.org",
        ".a@b.org",
        "a.@b.org",
        "a..b@c.org",
        "a@-b.org",
        f"{'a' * 65}@b.org",
    ],
)
async def test_what_is_no_address_is_said_to_be_none(who: str) -> None:
    async with await office() as world:
        with pytest.raises((Invalid, NotFound)):
            await do(world, lambda t: resolve_address(Directory(t), who))


async def test_a_hundred_people_and_no_more() -> None:
    async with await office() as world:
        many = [f"a{number}@b.org" for number in range(100)]
        found = await do(world, lambda t: resolve_addresses(Directory(t), [*many, "A0@b.org"]))
        assert len(found) == 100
        with pytest.raises(Invalid, match="100 people at most, not 101"):
            await do(world, lambda t: resolve_addresses(Directory(t), [*many, "c@b.org"]))


async def test_one_text_is_not_taken_for_a_list_of_letters() -> None:
    async with await office() as world:
        with pytest.raises(TypeError, match="not one"):
            await do(world, lambda t: resolve_addresses(Directory(t), MARA))


def _exported(who: str) -> bytes:
    """A mail to *who*, in the standard form; NotFound or Invalid if there is no such address."""

    class Nobody(Directory):
        def __init__(self) -> None: ...

        def find(self, who: str) -> Person:
            raise NotFound(who)

    to = resolve_address(Nobody(), who)
    mail = MailMessage(
        id=1, message_id="1@tessel.example", sender=address_of(PERSON), to=(to,), cc=(),
        at=datetime(2025, 10, 1, 9), subject="s", body="b", replies_to=None, attachments=(),
    )  # fmt: skip
    return to_rfc5322(mail, ())


@given(
    st.text("ab.-_@+=?!'<>\"\\, é\x01", max_size=14), st.sampled_from(["", "a@b.org>", "@b.org"])
)
def test_whatever_is_taken_for_an_address_can_be_exported(text: str, ending: str) -> None:
    try:
        written = _exported(f"{text}{ending}")
    except (Invalid, NotFound):
        return
    assert written.startswith(b"From: ")


async def test_a_name_that_nobody_bears_is_quoted_no_longer_than_it_helps() -> None:
    async with await office() as world:
        with pytest.raises(NotFound) as refused:
            await do(world, lambda t: Directory(t).find("x" * 20_000))
    assert len(str(refused.value)) < 300
