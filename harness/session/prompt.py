"""The prompt of a day; it has the tasks word for word as the desk app lists them."""

from __future__ import annotations

from trainee_bench.harness.documents.formatting import pluralize
from trainee_bench.harness.session.limits import EpisodeLimits
from trainee_bench.mcp_servers.office import BEGIN_HINT
from trainee_bench.world.apps.desk import Desk, further_tasks_sentence
from trainee_bench.world.company.directory import Directory
from trainee_bench.world.company.people import COMPANY_NAME
from trainee_bench.world.desk_records import DeskTask, format_clock, worth_sentence
from trainee_bench.world.notes import NOTES_FOLDER
from trainee_bench.world.transaction import Transaction
from trainee_bench.world.week import is_week, later_days

_RULES = """\
{begin} You work through the tools of your office and nothing else. Each call takes the \
simulated minutes that its description names, none if it names none, and one if it fails; no other \
time passes. {turns}Deadlines count as they stand on your desk.

Nobody tells you everything you need. What is missing lies in files and mails, or colleagues \
know it: look, and ask those who would know. Never make up what you could find out. When a task \
is done, hand it in with desk_submit. {further_tasks} When all tasks are done, end the day with \
desk_finish_day."""
_PEOPLE_RULES = """\
Whatever you ask of your office takes simulated minutes, which you see beforehand, and one minute \
if it fails. No other time passes: take as long as you like to think. Each thing you ask is a \
step, and you have {steps} of them today. Deadlines count as they stand on your desk.

Nobody tells you everything you need. What is missing lies in files and mails, or colleagues \
know it: look, and ask those who would know. Do not make up what you could find out. Hand each \
task in at your desk once it is done. {further_tasks} When all tasks are done, finish the day."""
_WEEK = """\
{until} You begin each morning without any memory of the days before. What you still know of them \
is what you left in your office (notes, files, mails, the calendar), and your own memory if you \
have one.{keep}"""
_PEOPLE_WEEK = """\
{until} Each morning your office is as you left it. What you learn today may matter on a later \
day.{keep}"""


def build_prompt(tx: Transaction, limits: EpisodeLimits | None) -> str:
    """Return the prompt of an agent: the employee, the date, the rules of work, until when tasks
    may come, and the published tasks that are still to be done. Without *limits* it does not
    mention turns."""
    rules = _RULES.format(
        begin=BEGIN_HINT, turns=_turns(limits), further_tasks=further_tasks_sentence(tx)
    )
    return _morning(tx, _WEEK, rules, "desk_wait ends when one is, and desk_tasks lists it.")


def build_people_prompt(tx: Transaction, limits: EpisodeLimits) -> str:
    """The same for a person, who works at a page or in a terminal: it names no tool, and has
    nothing that only a model needs to be told."""
    rules = _PEOPLE_RULES.format(steps=limits.steps, further_tasks=further_tasks_sentence(tx))
    return _morning(tx, _PEOPLE_WEEK, rules, "wait for news, and list your tasks then.")


def _morning(tx: Transaction, week: str, rules: str, none_yet: str) -> str:
    """Return the prompt: the employee, *rules*, and the open tasks, or *none_yet* without any."""
    me = Directory(tx).person(tx.employee)
    opening = (
        f"You are {me.name}, {me.title.lower()} at {COMPANY_NAME} ({me.department}). It is "
        f"{tx.now:%A, %Y-%m-%d %H:%M}; your working day ends at {tx.day.ends:%H:%M}."
    )
    tasks = Desk(tx).tasks()
    there = "No open task is there" if tasks else "No task has been published yet"
    listed = [_task(tx, t) for t in tasks if t.submitted is None and tx.now < t.deadline] or [
        f"{there}; {none_yet}"
    ]
    worth = [worth_sentence(tx)] if tx.worth_counts else []
    until = [_week(tx, week)] if is_week(tx) else []
    return "\n\n".join([opening, *until, rules, *worth, "Your tasks:", *listed])


def _week(tx: Transaction, said: str) -> str:
    """How long the week goes on, and what is left of its days on the next morning, as *said*."""
    later = later_days(tx)
    if not later:
        return said.format(until="Today is the last day of your working week.", keep="")
    last = later[-1].ends
    return said.format(
        until=f"Your working week goes on until {last:%A, %Y-%m-%d}.",
        keep=" So write down before the end of the day what you will need later, in files under "
        f"{NOTES_FOLDER}.",
    )


def _turns(limits: EpisodeLimits | None) -> str:
    if limits is None:
        return ""
    if limits.calls_per_turn == 1:
        return f"You may make {pluralize(limits.steps, 'call')}, one after the other. "
    return (
        f"You may make up to {limits.calls_per_turn} calls in one turn, and you have "
        f"{pluralize(limits.steps, 'turn')}. "
    )


def _task(tx: Transaction, task: DeskTask) -> str:
    worth = f", worth {task.worth}" if task.worth else ""
    return (
        f"{task.id}: {task.title} (due {format_clock(tx, task.deadline)}{worth})\n{task.objective}"
    )
