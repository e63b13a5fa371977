"""What every company has, whatever the day's tasks: files on the drive, and customs."""

from __future__ import annotations

from trainee_bench.meta_tasks.common_knowledge import referrals
from trainee_bench.meta_tasks.drive_pages import drive_files
from trainee_bench.world.apps.files import FileAppears
from trainee_bench.world.company.people import Company
from trainee_bench.world.transaction import Event


def initial_events(company: Company) -> tuple[Event, ...]:
    """What is so from the start of the day at *company*, in a fixed order."""
    appear = (FileAppears(path=path, text=text) for path, text in drive_files().items())
    return (*appear, *referrals(company))
