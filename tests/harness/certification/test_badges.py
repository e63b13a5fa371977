"""Badges of own offices say what was certified, count only where they fit, and can be repeated."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from tests.harness.runs import call
from trainee_bench.harness.certification import badges as module
from trainee_bench.harness.certification.badges import (
    FILE,
    Badge,
    badge_text,
    claims_version,
    foreign_badges,
    full_reference,
    keep_badges,
)
from trainee_bench.harness.certification.claim_words import CLAIM_WORDS
from trainee_bench.harness.scaffolding.office_folder import write_office
from trainee_bench.meta_tasks.offices.office import Office, read_office
from trainee_bench.meta_tasks.offices.opened import VARIABLE

pytestmark = pytest.mark.timeout(300)
RULE = "harbour.customer_reply"
GIVEN = ("--seeds", "1", "--claim", "solvable", "--claim", "memory")


@pytest.fixture(autouse=True)
def _no_offices_stay_open(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, os.environ.get(VARIABLE, ""))


@pytest.fixture
def office(tmp_path: Path) -> Office:
    write_office(tmp_path / "harbour")
    return read_office(tmp_path / "harbour")


def badge_for(of: Office, **changes: Any) -> Badge:
    given: dict[str, Any] = {
        "rule": RULE,
        "office": full_reference(of),
        "made_by": claims_version(),
        "kind": "literal",
        "start": 0,
        "seeds": 20,
        "claims": tuple(CLAIM_WORDS),
        "applying": 2,
        "complete": True,
        "waived": True,
    }
    return Badge(**{**given, **changes})


def test_a_badge_claims_only_what_applies_and_names_what_is_waived_or_broken(
    office: Office,
) -> None:
    whole = badge_for(office)
    assert whole.text == "literal · 20 seeds · all 2 claims that apply · guessing waived"
    part = badge_for(office, complete=False, waived=False, broken=("solvable",))
    assert part.text == "literal · 20 seeds · 2 claims · broken: solvable"


def test_a_badge_that_fits_is_shown_in_words(office: Office) -> None:
    keep_badges(office, [badge_for(office)])
    assert badge_text(office, RULE) == badge_for(office).text
    assert badge_text(office, "harbour.meeting_prep") == "not certified"


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"office": "harbour@" + "0" * 64}, "other contents, harbour@0000000000000000"),
        ({"office": "pier@" + "0" * 64}, "another office, pier"),
        ({"kind": "computed"}, "it says computed, but the task is literal"),
        ({"made_by": "generator 6, score 5, claims 0"}, "generator 6"),
    ],
)
def test_a_badge_for_something_else_is_never_shown(
    office: Office, changes: dict[str, str], why: str
) -> None:
    keep_badges(office, [badge_for(office, **changes)])
    said = badge_text(office, RULE)
    assert said.startswith("not certified") and why in said
    assert "all 2 claims" not in said


def test_a_task_with_a_complication_has_a_badge_of_its_own(office: Office) -> None:
    keep_badges(office, [badge_for(office, rule=f"{RULE}+slow_holder")])
    assert badge_text(office, f"{RULE}+slow_holder") == badge_for(office).text
    assert badge_text(office, RULE) == "not certified"
    assert not list(foreign_badges(office))


def test_a_badge_for_no_task_of_the_office_is_named(office: Office) -> None:
    keep_badges(office, [badge_for(office, rule="harbour.gone")])
    (flaw,) = foreign_badges(office)
    assert "harbour.gone" in flaw and "no such task" in flaw


@pytest.mark.parametrize(
    "edit",
    [
        {"applying": 99},
        {"broken": ["beauty"]},
        {"claims": ["solvable", "memory", "guesses"]},
        {"claims": [*CLAIM_WORDS, "solvable"]},
        {"seeds": 0},
        {"kind": "perfect"},
        {"rule": "x\u202ey"},
        {"text": "all claims"},
    ],
)
def test_an_edited_badge_that_contradicts_itself_counts_for_nothing(
    office: Office, edit: dict[str, object]
) -> None:
    keep_badges(office, [badge_for(office)])
    file = office.folder / FILE
    (kept,) = json.loads(file.read_text())["badges"]
    file.write_text(json.dumps({"badges": [{**kept, **edit}]}), encoding="utf-8")
    assert badge_text(office, RULE) == "not certified"
    assert "certify again" in next(foreign_badges(office))


@pytest.mark.parametrize("text", [b"", b"[" * 100_000, b"\xff\xfe", b'{"badges": 1}'])
def test_a_damaged_file_is_named_and_counts_for_nothing(office: Office, text: bytes) -> None:
    (office.folder / FILE).write_bytes(text)
    assert badge_text(office, RULE) == "not certified"
    assert "delete it" in next(foreign_badges(office))


def test_a_link_or_a_folder_is_no_file_of_badges(office: Office, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere.json"
    elsewhere.write_text('{"badges": []}', encoding="utf-8")
    (office.folder / FILE).symlink_to(elsewhere)
    assert "cannot be read" in next(foreign_badges(office))
    assert not keep_badges(office, [badge_for(office)])
    (office.folder / FILE).unlink()
    (office.folder / FILE).mkdir()
    assert "cannot be read" in next(foreign_badges(office))
    assert not keep_badges(office, [badge_for(office)])


def test_new_badges_stand_beside_those_that_still_fit_and_replace_stale_ones(
    office: Office,
) -> None:
    stale = badge_for(office, rule="harbour.meeting_prep", office="harbour@" + "0" * 64)
    keep_badges(office, [badge_for(office), stale])
    keep_badges(office, [badge_for(office, rule="harbour.travel_expenses")])
    kept = json.loads((office.folder / FILE).read_text())["badges"]
    assert [badge["rule"] for badge in kept] == [RULE, "harbour.travel_expenses"]


def test_the_version_of_the_claims_follows_their_code(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def version(code: str, name: str) -> str:
        (tmp_path / name).write_text(code, encoding="utf-8")
        claims_version.cache_clear()
        return claims_version()

    monkeypatch.setattr(module, "__file__", str(tmp_path / "badges.py"))
    first = version("a = 1\n", "grounds.py")
    assert version("a = 1\n", "tables.py") == first
    assert version("a = 2\n", "grounds.py") != first
    grading = tmp_path / "offices"
    grading.mkdir()
    monkeypatch.setattr(module.offices, "__file__", str(grading / "__init__.py"))
    ungraded = version("a = 1\n", "tables.py")
    assert version("a = 1\n", "offices/hand_ins.py") != ungraded
    claims_version.cache_clear()


def test_anybody_can_repeat_a_badge_with_one_command(tmp_path: Path) -> None:
    folder = tmp_path / "harbour"
    call("office", "new", folder)
    call("certify", RULE, "--office", folder, *GIVEN)
    repeated = call("certify", "--office", folder, "--verify-badges")
    assert f"fits {RULE}: literal · 1 seed · 1 claim" in repeated.output
    assert "not certified harbour.meeting_prep" in repeated.output


def test_a_forged_and_a_stale_badge_are_found_by_the_same_command(tmp_path: Path) -> None:
    folder = tmp_path / "harbour"
    call("office", "new", folder)
    call("certify", RULE, "--office", folder, *GIVEN)
    file = folder / FILE
    file.write_text(file.read_text().replace('"waived": false', '"waived": true'))
    forged = call("certify", "--office", folder, "--verify-badges", exits=1)
    assert f"DOES NOT FIT {RULE}" in forged.output
    assert "repeated, it is literal · 1 seed · 1 claim" in forged.output


def test_a_changed_office_makes_its_badges_stale_everywhere(tmp_path: Path) -> None:
    folder = tmp_path / "harbour"
    call("office", "new", folder)
    call("certify", RULE, "--office", folder, *GIVEN)
    with (folder / "rooms.csv").open("a", encoding="utf-8") as rooms:
        rooms.write("Attic,30\n")
    stale = call("certify", "--office", folder, "--verify-badges", exits=1)
    assert "it was made for other contents" in " ".join(stale.output.split())
    run = tmp_path / "run"
    call("run", "--office", folder, "--agent", "nothing", "--out", run)
    report = (run / "report.md").read_text(encoding="utf-8")
    assert "not certified: a badge is kept, but it was made for other contents" in report
    assert "certify --verify-badges" in report
    checked = call("office", "check", folder)
    assert "it was made for other contents" in " ".join(checked.output.split())


def test_badges_are_verified_with_their_own_seeds_and_only_where_there_are_any(
    tmp_path: Path,
) -> None:
    folder = tmp_path / "harbour"
    call("office", "new", folder)
    none = call("certify", "--office", folder, "--verify-badges", exits=2)
    assert "no badge is kept" in " ".join(none.output.split())
    seeds = call("certify", "--office", folder, "--verify-badges", "--seeds", "9", exits=2)
    assert "leave out --seeds" in " ".join(seeds.output.split())
