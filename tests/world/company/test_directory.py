"""Who works here is found by id, address or name, and a slip is answered with near names."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable

import pytest

from tests.world.toy import OPENING
from trainee_bench.world.company.directory import Directory
from trainee_bench.world.company.people import Person, create_company
from trainee_bench.world.errors import NotFound
from trainee_bench.world.transaction import Transaction
from trainee_bench.world.world import World

COMPANY = create_company("directory", 50)
PEOPLE = (*COMPANY.people, COMPANY.trainee)


def stage(tx: Transaction) -> None:
    Directory(tx).add(PEOPLE)


@pytest.fixture
async def office() -> AsyncIterator[World]:
    async with await World.create_inline(OPENING, stage) as world:
        yield world


def find(who: str) -> Callable[[Transaction], Person | str]:
    """What the directory says to *who*: a person, or words."""

    def see(tx: Transaction) -> Person | str:
        try:
            return Directory(tx).find(who)
        except NotFound as error:
            return str(error)

    return see


async def test_everybody_is_found_by_id_address_and_name_however_written(office: World) -> None:
    for person in PEOPLE:
        for who in (
            person.id,
            person.email,
            person.email.upper(),
            person.name,
            person.name.upper(),
            f"{person.name} <{person.email}>",
            f'"{person.name}" <{person.email.upper()}>',
            f"  {person.name.replace(' ', '   ')} ",
        ):
            assert await office.read(find(who)) == person


async def test_a_slip_is_answered_with_the_nearest_names_and_where_all_are_listed(
    office: World,
) -> None:
    person = PEOPLE[7]
    said = await office.read(find(person.name[:-1] + "x"))
    assert f"Did you mean {person.name}" in str(said)
    assert str(said).endswith("chat_list_people lists everyone.")


@pytest.mark.parametrize("who", ["", " ", "%", "_", "'; DROP TABLE person; --", "x" * 100_000])
async def test_nobody_is_nobody(office: World, who: str) -> None:
    said = str(await office.read(find(who)))
    assert said.startswith("Nobody here is called") and len(said) < 300


async def test_an_id_is_exact_and_everybody_is_listed_by_name(office: World) -> None:
    def see(tx: Transaction) -> list[Person]:
        directory = Directory(tx)
        assert directory.person(PEOPLE[3].id) == PEOPLE[3]
        with pytest.raises(NotFound, match="Nobody has the id"):
            directory.person(PEOPLE[3].name)
        return directory.everybody()

    listed = await office.read(see)
    assert listed == sorted(PEOPLE, key=lambda person: person.name)
