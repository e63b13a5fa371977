"""The prompt of a day. It contains each task's text exactly as the desk app lists it."""

from __future__ import annotations

from trainee_bench.harness.documents.formatting import pluralize
from trainee_bench.harness.session.limits import EpisodeLimits
from trainee_bench.mcp_servers.office import BEGIN_HINT
from trainee_bench.world.apps.desk import Desk, further_tasks_sentence, may_change_sentence
from trainee_bench.world.company.directory import Directory
from trainee_bench.world.desk_records import DeskTask, format_clock, worth_sentence
from trainee_bench.world.notes import NOTES_FOLDER
from trainee_bench.world.transaction import Transaction
from trainee_bench.world.week import is_week, later_days, several_weeks

_RULES = """\
{begin} Work only through the tools of your office. Time is simulated: each tool's description \
says how long a call takes, and a failed call takes one minute. \
{thinking}No other time passes. {turns}Only the deadlines shown by desk_tasks count.

Nobody tells you everything you need. The rest is in files and mails, or colleagues know it, so \
look it up or ask the people who would know. Never make up what you can find out. When a task is \
done, hand it in with desk_submit. {further_tasks} End the day with desk_finish_day when all tasks \
are done and nothing can change any more. If you end it earlier, you miss later changes."""
_PEOPLE_RULES = """\
Time is simulated: each action shows beforehand how long it takes, and a failed action takes one \
minute. No other time passes, so take as long as you like to think. Each action is a step, \
and you have {steps} steps today. Only the deadlines on your desk count.

Nobody tells you everything you need. The rest is in files and mails, or colleagues know it, so \
look it up or ask the people who would know. Do not make up what you can find out. Hand in each \
task at your desk when it is done. {further_tasks} Finish the day when all tasks are done and \
nothing can change any more. If you finish it earlier, you miss later changes."""
_WEEK = """\
{until} You begin each morning without any memory of the days before. All you still have of them \
is what you left in your office (notes, files, mails, the calendar), and your own memory if you \
have one.{keep}"""
_PEOPLE_WEEK = """\
{until} Each morning your office is as you left it. What you learn today may matter on a later \
day.{keep}"""


def build_prompt(
    tx: Transaction, limits: EpisodeLimits | None, tokens_per_minute: int | None = None
) -> str:
    """Return the prompt of an agent. Without *limits* it does not mention turns.

    If thinking takes time, by the limits or by *tokens_per_minute*, it says how much.

    It names the employee and the date. Then come the rules of work, the time until which tasks may
    come, and the published tasks that are still open.
    """
    if tokens_per_minute is None and limits is not None:
        tokens_per_minute = limits.tokens_per_minute
    rules = _RULES.format(
        begin=BEGIN_HINT,
        turns=_turns(limits),
        thinking=_thinking(tokens_per_minute),
        further_tasks=_further_tasks(tx),
    )
    return _morning(
        tx, _WEEK, rules, "desk_wait ends when a task comes, and desk_tasks then shows it."
    )


def build_people_prompt(tx: Transaction, limits: EpisodeLimits) -> str:
    """Return the prompt of a person, who works in a browser or a terminal.

    It names no tool and leaves out what only a model needs to be told.
    """
    rules = _PEOPLE_RULES.format(steps=limits.steps, further_tasks=_further_tasks(tx))
    return _morning(tx, _PEOPLE_WEEK, rules, "wait for news, then list your tasks.")


def _further_tasks(tx: Transaction) -> str:
    """Say until when new tasks may come, and that tasks may change until their deadlines."""
    return " ".join(filter(None, [further_tasks_sentence(tx), may_change_sentence(tx)]))


def _morning(tx: Transaction, week: str, rules: str, none_yet: str) -> str:
    """Return the prompt: the employee, *rules*, and the open tasks, or *none_yet* without any."""
    directory = Directory(tx)
    me = directory.person(tx.employee)
    company = f"{directory.company_name} ({me.department})"
    opening = (
        f"You are {me.name}, {me.title.lower()} at {company}. It is "
        f"{tx.now:%A, %Y-%m-%d %H:%M}; your working day ends at {tx.day.ends:%H:%M}."
    )
    tasks = Desk(tx).tasks()
    none_open = "You have no open tasks" if tasks else "You have no tasks yet"
    listed = [_task(tx, t) for t in tasks if t.submitted is None and tx.now < t.deadline] or [
        f"{none_open}; {none_yet}"
    ]
    worth = [worth_sentence(tx)] if tx.worth_counts else []
    until = [_week(tx, week)] if is_week(tx) else []
    return "\n\n".join([opening, *until, rules, *worth, "Your tasks:", *listed])


def _week(tx: Transaction, wording: str) -> str:
    """Return *wording* with the last day of this world and, if days follow, how to keep notes."""
    later, weeks = later_days(tx), several_weeks(tx)
    if not later:
        last_day = "your last working day" if weeks else "the last day of your working week"
        return wording.format(until=f"Today is {last_day}.", keep="")
    last, lasts = later[-1].ends, "You work here" if weeks else "Your working week lasts"
    return wording.format(
        until=f"{lasts} until {last:%A, %Y-%m-%d}.",
        keep=" So before the day ends, write down what you will need later in files under "
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


def _thinking(tokens_per_minute: int | None) -> str:
    """Say how much time thinking takes; "" if it takes none."""
    if tokens_per_minute is None:
        return ""
    written = pluralize(tokens_per_minute, "token")
    return (
        f"Thinking takes time, too: one minute for every {written} that you write, your reasoning "
        "included. "
    )


def _task(tx: Transaction, task: DeskTask) -> str:
    worth = f", worth {task.worth}" if task.worth else ""
    return (
        f"{task.id}: {task.title} (due {format_clock(tx, task.deadline)}{worth})\n{task.objective}"
    )
