"""The names of one day in place of another's, as far as the texts of both show them."""

from __future__ import annotations

from tests.harness.days import composed_day
from trainee_bench.harness.testbench.renaming import (
    names_by_role,
    replaced_names,
    replaced_single_names,
    with_ids,
    with_names,
)

OLD = "Ask Ann Lee for drive:/stock/a.csv and tell Zoe Fox by 14:30 at the latest."
NEW = "Ask Bo Kim for drive:/stock/b.csv and tell Zoe Fox by 15:00 at the latest."


def test_what_stands_in_the_same_place_replaces_the_old_name() -> None:
    names = replaced_names(OLD, NEW)
    assert names == {"Ann Lee": "Bo Kim", "drive:/stock/a.csv": "drive:/stock/b.csv",
                     "14:30": "15:00"}  # fmt: skip


def test_single_words_are_paired_only_where_as_many_words_replace_them() -> None:
    assert replaced_single_names(OLD, NEW)["Ann"] == "Bo"
    assert replaced_single_names("tell Ann Lee now", "tell Bo now") == {}


def test_only_whole_names_are_replaced_also_within_lists_and_objects() -> None:
    given = {"to": ["Ann", "Annex"], "text": "Dear Ann, see a.csv.", "minutes": 5}
    assert with_names(given, {"Ann": "Bo"}) == {
        "to": ["Bo", "Annex"],
        "text": "Dear Bo, see a.csv.",
        "minutes": 5,
    }


def test_names_are_exchanged_at_once_and_the_longest_first() -> None:
    names = {"Ann": "Bo", "Bo": "Ann", "Ann Lee": "Cy Ray"}
    assert with_names("Ann, Bo and Ann Lee", names) == "Bo, Ann and Cy Ray"


def test_the_ids_of_people_follow_their_names() -> None:
    old, new = (composed_day("kb_fix.easy", seed=seed).company for seed in (1, 2))
    names = with_ids({old.people[0].name: new.people[3].name}, old, new)
    assert names[old.people[0].id] == new.people[3].id
    assert old.people[1].id not in names


def test_people_are_replaced_by_those_with_their_role_and_each_one_once() -> None:
    old, new = (composed_day("kb_fix.easy", seed=seed).company for seed in (1, 2))
    names, here = names_by_role(old, new), {person.name: person for person in new.people}
    assert len(names) == len(set(names.values())) > 30
    for person in old.people:
        if person.name in names:
            same = here[names[person.name]]
            assert (same.department, same.title) == (person.department, person.title)
    assert names_by_role(old, old) == {person.name: person.name for person in old.people}
