"""The company: its posts, its names, its structure at any size, and finding somebody in it."""

from __future__ import annotations

import random
import subprocess
import sys
from collections import Counter
from datetime import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from trainee_bench.world.company.org_chart import (
    EXECUTIVES,
    apportion,
    build_org_chart,
    position_of_superior,
)
from trainee_bench.world.company.people import MANNERS, Company, Person, create_company
from trainee_bench.world.company.person_names import draw_names
from trainee_bench.world.errors import NotFound
from trainee_bench.world.random_streams import random_stream

HERE = Path(__file__).parents[3]

SIZES = st.integers(10, 500)
SEEDS = st.integers() | st.text(max_size=8)

FIFTY = {
    "Executive": {"CEO": 1, "CTO": 1, "COO": 1, "CFO": 1},
    "Engineering": {
        "Engineering Manager": 3,
        "Senior Software Engineer": 4,
        "Software Engineer": 9,
        "QA Engineer": 2,
        "DevOps Engineer": 1,
    },
    "Sales_1": {"Sales Manager": 1, "Account Executive": 1, "Sales Representative": 1},
    "Sales_2": {"Sales Manager": 1, "Account Executive": 1, "Sales Representative": 1},
    "Sales_3": {"Sales Manager": 1, "Account Executive": 1, "Sales Representative": 1},
    "Marketing": {
        "Marketing Manager": 1,
        "SEO Specialist": 2,
        "Content Specialist": 2,
        "Social Media Specialist": 1,
    },
    "Product": {"Product Manager": 1, "Product Designer": 1, "UX/UI Designer": 3},
    "HR": {"HR Manager": 1, "HR Generalist": 1, "Recruiter": 1},
    "Finance": {"Finance Manager": 1, "Accountant": 2, "Financial Analyst": 1},
}


@pytest.fixture(scope="module")
def company() -> Company:
    return create_company("somewhere")


def chain_of(company: Company, person: Person) -> list[str]:
    """The titles from a person up to the CEO."""
    titles = [person.title]
    while person.manager is not None:
        person = company.person(person.manager)
        titles.append(person.title)
        assert len(titles) < 6
    return titles


@pytest.mark.parametrize("seed", [0, 7, "7", "somewhere"])
def test_fifty_people_are_the_papers_company(seed: str | int) -> None:
    company = create_company(seed)
    assert {
        department.name: dict(Counter(person.title for person in department.people))
        for department in company.departments
    } == FIFTY
    assert len(company.people) == 50
    assert len(company.staff(manager=True)) == 10


@given(SEEDS, SIZES)
def test_a_company_of_any_size_is_whole(seed: str | int, size: int) -> None:
    company = create_company(seed, size)
    assert len(company.people) == size
    assert [department.name for department in company.departments] == list(FIFTY)
    for department in company.departments:
        titles = {person.title for person in department.people}
        assert titles <= set(FIFTY[department.name])
        if department.name != "Executive":
            assert department.people[0].is_manager
    everybody = [*company.people, company.trainee]
    assert len({person.id for person in everybody}) == size + 1
    assert len({person.email for person in everybody}) == size + 1
    for which in (0, 1):
        assert len({person.name.split()[which] for person in everybody}) == size + 1
    for person in everybody:
        assert chain_of(company, person)[-1] == "CEO"


@given(SEEDS, SIZES)
def test_everybody_is_reachable_in_office_hours(seed: str | int, size: int) -> None:
    for person in create_company(seed, size).people:
        first, last = person.name.split()
        assert person.id == f"{first}.{last}".lower()
        assert person.id.replace(".", "").isalpha() and person.id.isascii()
        assert person.email == f"{person.id}@tessel.example"
        assert person.hours.starts <= time(9) and person.hours.ends >= time(17)
        assert person.manner in MANNERS
        assert 1 <= person.delay <= 4
        assert not {"robin", "hale"} & {first.lower(), last.lower()}


@pytest.mark.parametrize("size", [10, 11, 23, 24, 47, 48, 50, 51, 100, 499, 500])
def test_departments_keep_their_shares(size: int) -> None:
    company = create_company(1, size)
    executives = len(company.staff("Executive"))
    assert executives == max(1, min(4, size // 12))
    shares = {"Engineering": 0.41, "Marketing": 0.14, "Product": 0.11, "HR": 0.07, "Finance": 0.09}
    for name, share in shares.items():
        heads = len(company.staff(name))
        exact = share * (size - executives)
        # Below 20 people the largest department gives up posts so that none stays empty.
        assert heads >= 1 and abs(heads - exact) < (1 if size > 20 else 2)


def test_managers_grow_with_their_departments() -> None:
    company = create_company(1, 500)
    engineers = company.staff("Engineering")
    managers = company.staff("Engineering", manager=True)
    assert len(managers) == -(-len(engineers) // 9)
    teams = Counter(person.manager for person in engineers if not person.is_manager)
    assert set(teams) == {person.id for person in managers}
    assert max(teams.values()) <= 8


def test_reporting_lines(company: Company) -> None:
    def lines(title: str) -> set[tuple[str, ...]]:
        return {tuple(chain_of(company, person)) for person in company.staff(title=title)}

    assert lines("QA Engineer") == {("QA Engineer", "Engineering Manager", "CTO", "CEO")}
    assert lines("Recruiter") == {("Recruiter", "HR Manager", "COO", "CEO")}
    assert lines("Accountant") == {("Accountant", "Finance Manager", "CFO", "CEO")}
    assert chain_of(company, company.trainee) == ["Trainee", "COO", "CEO"]


def test_the_ceo_stands_in_for_missing_executives() -> None:
    company = create_company(3, 10)
    ceo = company.staff(title="CEO")[0]
    assert company.trainee.manager == ceo.id
    assert {person.manager for person in company.staff(manager=True)} == {ceo.id}


@pytest.mark.parametrize("size", [9, 501, 0, -50])
def test_sizes_out_of_bounds_are_refused(size: int) -> None:
    with pytest.raises(ValueError, match="10 to 500 people"):
        create_company(1, size)


def test_the_trainee_is_robin_hale_and_not_counted(company: Company) -> None:
    trainee = company.trainee
    assert (trainee.id, trainee.name, trainee.title) == ("robin.hale", "Robin Hale", "Trainee")
    assert trainee not in company.people
    assert trainee not in company.staff()
    assert company.person("Robin") == trainee


def test_a_person_is_found_by_handle_name_address_or_one_name(company: Company) -> None:
    for person in company.people:
        first, last = person.name.split()
        for key in (person.id, person.name, person.email, first, last, f" {first.upper()}  {last}"):
            assert company.person(key) == person


def test_a_misspelt_name_is_answered_with_who_comes_near(company: Company) -> None:
    person = company.people[7]
    with pytest.raises(NotFound, match=rf"Did you mean .*{person.name} \({person.id}\)"):
        company.person(person.name[:-2] + person.name[-1])


def test_a_strange_name_is_answered_with_where_to_look(company: Company) -> None:
    with pytest.raises(NotFound, match="Nobody here is called 'Zzyzx Qqq'.*directory"):
        company.person("Zzyzx Qqq")
    with pytest.raises(NotFound):
        company.person("")


def test_a_name_that_two_bear_is_not_guessed(company: Company) -> None:
    one, other = company.people[:2]
    namesake = other.model_copy(
        update={"name": f"{one.first_name} Other", "id": "a", "email": "a@b"}
    )
    both = Company(
        name=company.name, domain=company.domain, people=(one, namesake), trainee=company.trainee
    )
    with pytest.raises(NotFound) as error:
        both.person(one.first_name)
    assert one.id in str(error.value) and "(a)" in str(error.value)


def test_staff_narrows_by_all_that_is_given_in_a_fixed_order(company: Company) -> None:
    assert company.staff() == company.people
    assert [p.title for p in company.staff("Sales_2", manager=False)] == [
        "Account Executive",
        "Sales Representative",
    ]
    assert len(company.staff(title="Sales Manager")) == 3
    assert company.staff("HR", title="Accountant") == ()


def test_a_department_is_found_by_name_and_an_unknown_one_is_not(company: Company) -> None:
    assert company.department(" hr ").people == company.staff("HR")
    assert company.department("Engineering").managers == company.staff(title="Engineering Manager")
    assert company.department("Executive").managers == company.staff("Executive")
    with pytest.raises(NotFound, match="Executive, Engineering, Sales_1"):
        company.department("Legal")


def test_people_cannot_be_changed(company: Company) -> None:
    with pytest.raises(ValidationError, match="frozen"):
        company.people[0].name = "Somebody Else"  # type: ignore[misc]


def test_a_company_survives_the_way_through_json(company: Company) -> None:
    assert Company.model_validate_json(company.model_dump_json()) == company


def test_seeds_and_their_types_make_other_people() -> None:
    names = [{p.name for p in create_company(seed).people} for seed in (1, "1", 2)]
    assert not names[0] & names[1] or len(names[0] & names[1]) < 3
    assert not names[0] & names[2] or len(names[0] & names[2]) < 3


def test_the_pinned_names_are_what_they_were() -> None:
    """Goes red when Faker's lists or our draws change: then worlds differ from older ones."""
    assert [person.name for person in create_company(1).people[:3]] == [
        "Zoraida Campillo",
        "Maggie Weiss",
        "Luciana Ortega",
    ]


def run(code: str, hash_seed: str = "0") -> str:
    return subprocess.run(
        [sys.executable, "-c", code],
        env={"PYTHONHASHSEED": hash_seed},
        cwd=HERE,
        capture_output=True,
        text=True,
        check=True,
    ).stdout


def test_importing_people_does_not_load_faker() -> None:
    code = "import sys, trainee_bench.world.company.people; print('faker' in sys.modules)"
    assert run(code) == "False\n"


# posts and shares -------------------------------------------------------------------------


@given(st.integers(0, 1_000), st.lists(st.integers(1, 100), min_size=1, max_size=12))
def test_a_split_is_whole_and_within_one_of_the_exact_share(total: int, weights: list[int]) -> None:
    parts = apportion(total, weights)
    assert sum(parts) == total
    for part, weight in zip(parts, weights, strict=True):
        assert abs(part - total * weight / sum(weights)) < 1


def test_a_split_by_hand() -> None:
    # 46 people: 18.86, 2.76 three times, 6.44, 5.06, 3.22, 4.14; four heads are left over.
    assert apportion(46, [41, 6, 6, 6, 14, 11, 7, 9]) == [19, 3, 3, 3, 6, 5, 3, 4]


def test_the_earlier_of_equal_remainders_wins() -> None:
    assert apportion(2, [1, 1, 1]) == [1, 1, 0]
    assert apportion(0, [1, 2]) == [0, 0]


@given(st.integers(10, 500))
def test_everybody_reports_to_somebody_before_them_but_the_first(size: int) -> None:
    posts = build_org_chart(size)
    assert len(posts) == size
    assert posts[0].title == "CEO" and posts[0].superior is None
    for position, post in enumerate(posts[1:], 1):
        assert post.superior is not None and post.superior < position
        boss = posts[post.superior]
        assert boss.leads or boss.title in EXECUTIVES
        if not post.leads and post.title not in EXECUTIVES:
            assert boss.department == post.department


@given(st.integers(10, 500))
def test_teams_of_one_department_differ_by_one_head_at_most(size: int) -> None:
    posts = build_org_chart(size)
    for department in {post.department for post in posts} - {"Executive"}:
        mine = [i for i, post in enumerate(posts) if post.department == department]
        managers = [i for i in mine if posts[i].leads]
        teams = [sum(posts[i].superior == boss for i in mine) for boss in managers]
        assert max(teams) - min(teams) <= 1


@pytest.mark.parametrize(("size", "titles"), [(10, 1), (24, 2), (36, 3), (48, 4), (500, 4)])
def test_executives_by_size(size: int, titles: int) -> None:
    posts = build_org_chart(size)
    assert tuple(p.title for p in posts if p.department == "Executive") == EXECUTIVES[:titles]
    assert position_of_superior("CFO", posts) == (3 if titles == 4 else 0)


# names: plain, distinct, and never words of the language ----------------------------------


def drawn(seed: int, count: int, taken: tuple[str, ...] = ()) -> tuple[str, ...]:
    return draw_names(random_stream("names", seed), count, taken=taken)


@given(st.integers(), st.integers(0, 500))
def test_no_part_of_a_name_occurs_twice(seed: int, count: int) -> None:
    names = drawn(seed, count)
    parts = [part.lower() for name in names for part in name.split()]
    assert len(names) == count
    assert len(parts) == len(set(parts)) == 2 * count
    for part in (part for name in names for part in name.split()):
        assert part.isascii() and part.isalpha() and part.istitle() and 3 <= len(part) <= 11


def test_names_that_are_taken_are_left_out_in_any_case() -> None:
    first, last = drawn(1, 1)[0].split()
    again = drawn(1, 300, (first.upper(), last.lower()))
    assert not {first, last} & {part for name in again for part in name.split()}


@pytest.mark.parametrize("word", ["Will", "May", "Mark", "Price", "Page", "Monday"])
def test_no_name_is_a_word_one_might_say(word: str) -> None:
    said = {part for seed in range(8) for name in drawn(seed, 500) for part in name.split()}
    assert word not in said


def test_the_draws_are_ours_and_nobody_elses() -> None:
    expected = drawn(7, 50)
    random.seed(1)
    assert drawn(7, 50) == expected != drawn(8, 50)
