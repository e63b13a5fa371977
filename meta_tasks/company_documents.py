"""What every company has, whatever the day's tasks: files on the drive, and customs."""

from __future__ import annotations

from collections.abc import Sequence

from trainee_bench.meta_tasks.common_knowledge import referrals
from trainee_bench.meta_tasks.drive_pages import drive_files
from trainee_bench.meta_tasks.scenario import ScenarioDay
from trainee_bench.meta_tasks.small_talk import small_talk
from trainee_bench.world.apps.files import FileAppears
from trainee_bench.world.company.people import Company
from trainee_bench.world.transaction import Event, Transaction, WorkingDay

_MESSAGE = "chat_send_message"


def initial_events(company: Company, *, messages_charged: bool = False) -> tuple[Event, ...]:
    """What is so from the start of the day at *company*, in a fixed order; *messages_charged*: on a
    day on which a message costs what the scenario says."""
    pages = drive_files(messages_charged=messages_charged)
    appear = (FileAppears(path=path, text=text) for path, text in pages.items())
    return (*appear, *referrals(company))


def enqueue_ordinary_events(
    tx: Transaction, company: Company, days: Sequence[WorkingDay], day: ScenarioDay
) -> None:
    """Enqueue what happens on any of the *days* of a world: what is there from the start, and
    small talk."""
    charged = _MESSAGE in day.scenario.minutes
    for event in initial_events(company, messages_charged=charged):
        tx.enqueue(days[0].starts, event)
    for number, bounds in zip(day.scenario.days_in_world(day.day), days, strict=True):
        for at, chat in small_talk(company, bounds, day.model_copy(update={"day": number})):
            tx.enqueue(at, chat)
