"""A door is the same only if every call that is in order reached the office as it was."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar

import pytest

from trainee_bench.harness import parity
from trainee_bench.harness.environment.day import Day
from trainee_bench.harness.parity.check import (
    ShownText,
    check_doors,
    check_script,
    parity_document,
)
from trainee_bench.harness.parity.door import Door, DoorRun, UnknownDoor, find_doors
from trainee_bench.harness.parity.script import ChangedCalls, ParityScript, parity_scripts
from trainee_bench.harness.session.turns import ToolCall

VALID, MALFORMED, PICTURE = parity_scripts()


@dataclass
class Losing(Door):
    """A door that answers some calls itself."""

    loses: tuple[int, ...] = ()
    tells: bool = True
    name: ClassVar[str] = "losing"

    def play(self, script: ParityScript, folder: Path) -> DoorRun:
        reached = [call for place, call in enumerate(script.calls) if place not in self.loses]
        day = Day(script.scenario)
        day.reset()
        day.step(reached)
        told = script.refused(reached) if self.tells else ()
        return DoorRun(day.digest(), day.grade().score, told)


class Missing(Door):
    """A door to what nobody has."""

    name: ClassVar[str] = "missing"
    packages: ClassVar[tuple[str, ...]] = ("trainee-bench", "no-such-package")

    def play(self, script: ParityScript, folder: Path) -> DoorRun:
        raise AssertionError


class Broken(Door):
    """A door that falls shut."""

    name: ClassVar[str] = "broken"

    def play(self, script: ParityScript, folder: Path) -> DoorRun:
        raise RuntimeError("the client has ended")


def test_the_valid_script_is_a_whole_day_and_the_malformed_one_costs_time_at_the_seat() -> None:
    assert VALID.at_the_seat().score == 1
    assert len(MALFORMED.malformed) == 5
    without = MALFORMED.at_the_seat(without=MALFORMED.malformed)
    assert without != MALFORMED.at_the_seat()


def test_our_own_loop_brings_every_call_to_the_office_and_shows_the_model_text_and_picture() -> (
    None
):
    (door,) = find_doors(["harness-memory"])
    (report,) = check_doors([door], [MALFORMED, PICTURE])
    assert report.same, report
    malformed, picture = report.scripts.values()
    assert malformed.refused == ()
    assert malformed.shown is ShownText.AS_IT_IS
    assert picture.pictures_seen == 1


@pytest.mark.sweep
@pytest.mark.parametrize("name", ["seat", "harness"])
def test_so_do_the_seat_and_all_transports_with_all_scripts(name: str) -> None:
    for report in check_doors(find_doors([name]), parity_scripts()):
        assert report.same, report


def test_a_door_may_refuse_malformed_calls_if_it_says_so() -> None:
    outcome = check_script(Losing(loses=(0, 3)), MALFORMED)
    assert (outcome.problem, outcome.refused) == ("", (0, 3))
    assert outcome.digest != MALFORMED.at_the_seat().digest
    assert "digest" in check_script(Losing(loses=(0, 3), tells=False), MALFORMED).problem


def test_a_door_that_loses_a_call_in_order_is_not_the_same() -> None:
    outcome = check_script(Losing(loses=(5,)), MALFORMED)
    assert outcome.problem == "calls that are in order were lost: 1, from call 6 on"


def test_a_call_that_was_changed_on_its_way_is_named() -> None:
    first = replace(VALID.calls[0], arguments={"wake": True})
    with pytest.raises(ChangedCalls, match=f"call 1 that .*{first.name} .*wake"):
        VALID.refused([first, *VALID.calls[1:]])
    with pytest.raises(ChangedCalls, match=f"call {len(VALID.calls) + 1} that .*desk_wait"):
        VALID.refused([*VALID.calls, ToolCall("desk_wait", {"minutes": 1})])


def test_what_cannot_be_run_is_said_and_never_passes() -> None:
    missing, broken = check_doors([Missing(), Broken()], [VALID])
    assert not missing.same
    assert not broken.same
    assert missing.not_run == "no-such-package is not installed"
    assert broken.scripts["valid"].problem == "RuntimeError: the client has ended"
    (grid, *notes) = parity_document([missing, broken]).blocks
    assert "not run" in str(grid)
    assert "differs" in str(grid)
    assert len(notes) == 2


def test_doors_are_found_by_their_own_name_and_by_that_of_their_file() -> None:
    assert [door.name for door in find_doors(["harness"])] == [
        "harness-http", "harness-memory", "harness-stdio",
    ]  # fmt: skip
    with pytest.raises(UnknownDoor, match="try harness"):
        find_doors(["harnes"])
    for door in find_doors():
        assert door.name.startswith(door.file())


def test_what_is_installed_for_a_door_has_a_floor_and_a_door() -> None:
    requirements = Path(*parity.__path__) / "requirements"
    files = {door.file() for door in find_doors()}
    for path in requirements.glob("*.txt"):
        assert path.stem in files, path
        for line in path.read_text(encoding="utf-8").splitlines():
            named = line.removeprefix("#: ") if line.startswith("#: ") else line.partition("#")[0]
            bound = any(sign in named for sign in (">=", "=="))
            no_package = named.startswith(("python ", "tests "))
            assert not named or bound or no_package, (path, line)
