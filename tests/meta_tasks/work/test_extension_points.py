"""Everything that habits wrap is exported and documented, so that an author finds it in one
place."""

from __future__ import annotations

import re

from tests.printed_samples import ROOT
from trainee_bench.meta_tasks import needs
from trainee_bench.meta_tasks.complications import careful_habits
from trainee_bench.meta_tasks.work.need import ExtensionPoint

PAGE = ROOT / "docs" / "how_it_works" / "complications.md"


def extension_points() -> set[str]:
    return {kind.__name__ for kind in ExtensionPoint.__subclasses__()}


def test_the_page_on_complications_lists_every_need_that_waits_for_habits() -> None:
    table = PAGE.read_text().split("come to nothing by themselves")[1]
    assert set(re.findall(r"^\| `(\w+)` \|", table, re.M)) == extension_points()


def test_all_that_habits_go_around_can_be_imported_from_one_module() -> None:
    kinds = {kind.__name__ for habit in careful_habits() for kind in habit.ways()}
    assert kinds | extension_points() <= set(needs.__all__)
