"""Installed packages offer offices, families and apps by entry points."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from trainee_bench.harness.scaffolding.office_folder import template_folder

EXAMPLES = Path(__file__).parents[2] / "examples"
APP = """
SCHEMA = "CREATE TABLE ticket (id INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT;"
"""
TOOLS = """
from trainee_bench.mcp_servers.serving.toolbox import Toolbox
TOOLS = Toolbox("tickets", "tickets of customers", opt_in=True)
"""
ENTRY_POINTS = """[trainee_bench.offices]
nordlicht = acme_offices.nordlicht
[trainee_bench.families]
freight = acme_offices.freight
[trainee_bench.apps]
tickets = acme_offices.tickets
[trainee_bench.toolboxes]
tickets = acme_offices.ticket_tools
"""


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A folder with a package as pip installs it."""
    package, info = tmp_path / "acme_offices", tmp_path / "acme_offices-1.2.dist-info"
    package.mkdir()
    (package / "__init__.py").touch()
    shutil.copytree(template_folder(), package / "nordlicht")
    shutil.copy(EXAMPLES / "families" / "freight.py", package / "freight.py")
    (package / "tickets.py").write_text(APP)
    (package / "ticket_tools.py").write_text(TOOLS)
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: acme-offices\nVersion: 1.2\n")
    (info / "entry_points.txt").write_text(ENTRY_POINTS)
    return tmp_path


def said(site: Path, code: str) -> str:
    """What *code* prints in a process that finds the package."""
    program = f"import sys; sys.path.insert(0, {str(site)!r})\n{code}"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_an_office_is_opened_by_its_name_and_is_no_part_of_the_clone(site: Path) -> None:
    code = (
        "from trainee_bench.meta_tasks.offices.opened import open_source; "
        "office = open_source('nordlicht'); print(office.folder, *office.rules)"
    )
    assert said(site, code).split() == [
        str(site / "acme_offices" / "nordlicht"),
        "nordlicht.customer_reply",
        "nordlicht.meeting_prep",
        "nordlicht.travel_expenses",
    ]


def test_the_catalog_lists_a_family_with_the_package_it_comes_from(site: Path) -> None:
    code = "from trainee_bench.harness.cli import app; app(['catalog'])"
    (line,) = [line for line in said(site, code).splitlines() if line.startswith("freight.easy")]
    assert line.endswith("from acme-offices 1.2")


def test_an_app_brings_its_tables_and_its_tools_to_the_days_that_name_it(site: Path) -> None:
    code = (
        "from trainee_bench.world.layout import create_tables; import sqlite3; "
        "from trainee_bench.mcp_servers import default_toolboxes, select_toolboxes; "
        "db = sqlite3.connect(':memory:'); create_tables(db); "
        "print(db.execute('SELECT count(*) FROM ticket').fetchone()[0], "
        "'tickets' in default_toolboxes(), *select_toolboxes(['desk', 'tickets']))"
    )
    assert said(site, code).split() == ["0", "False", "desk", "tickets"]


def test_an_office_has_the_same_contents_in_a_package_as_in_its_folder(
    site: Path, tmp_path: Path
) -> None:
    alone = tmp_path / "elsewhere" / "nordlicht"
    shutil.copytree(template_folder(), alone)
    (site / "acme_offices" / "nordlicht" / "__init__.py").touch()
    opens = "from trainee_bench.meta_tasks.offices.opened import open_source; "
    offered = said(site, f"{opens}print(open_source('nordlicht').reference)")
    assert said(site, f"{opens}print(open_source({str(alone)!r}).reference)") == offered


def test_a_folder_that_is_no_office_does_not_hide_an_offered_office_of_its_name(
    site: Path, tmp_path: Path
) -> None:
    (tmp_path / "here" / "nordlicht").mkdir(parents=True)
    code = (
        f"import os; os.chdir({str(tmp_path / 'here')!r}); "
        "from trainee_bench.meta_tasks.offices.opened import open_source; "
        "print(open_source('nordlicht').folder)"
    )
    assert Path(said(site, code).strip()) == site / "acme_offices" / "nordlicht"


def test_a_package_whose_office_is_missing_disturbs_no_other_office(site: Path) -> None:
    names = site / "acme_offices-1.2.dist-info" / "entry_points.txt"
    names.write_text(
        ENTRY_POINTS.replace(
            "[trainee_bench.families]", "lost = acme.lost\n[trainee_bench.families]"
        )
    )
    code = (
        "from trainee_bench.meta_tasks.offices.opened import open_source\n"
        "print(open_source('nordlicht').name)\n"
        "try: open_source('lost')\n"
        "except Exception as error: print(error)"
    )
    name, error = said(site, code).splitlines()
    assert name == "nordlicht"
    assert error == "lost: the package that offers it has no such folder; install it anew"
