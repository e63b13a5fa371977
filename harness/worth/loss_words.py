"""Descriptions of steps and of what they cost."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime

from pydantic import JsonValue

from trainee_bench.harness.documents.formatting import format_number, pluralize
from trainee_bench.harness.records.worth import EpisodeWorth, LossOrigin, StepLoss, TaskLoss
from trainee_bench.world.action_log import LogEntry
from trainee_bench.world.notes import ALTER_NOTES
from trainee_bench.world.thinking import THINK
from trainee_bench.world.week import END_DAY, NEXT_DAY, name_day, span_weeks

AS_FAR_AS_KNOWN = "as far as is known"
"""Suffix for a loss between values that may be too low."""
_LEAST_SHOWN = 0.005
"""Smaller losses round to 0.00 in words."""
_WHOLE = 1 - 1e-9


def costliest_losses(worth: EpisodeWorth, most: int) -> list[StepLoss]:
    """Return up to *most* steps of an episode, the costliest first: by score, then by successes
    lost."""

    def price(loss: StepLoss) -> tuple[float, int]:
        return round(loss.lost, 9), sum(task.success_lost for task in loss.tasks)

    telling = [loss for loss in worth.losses if loss.lost >= _LEAST_SHOWN or price(loss)[1]]
    return sorted(telling, key=price, reverse=True)[:most]


def loss_in_words(worth: EpisodeWorth, loss: StepLoss) -> str:
    """Describe a step and its cost in one line: "09:25, mail sent to all: success lost on every
    task"."""
    return f"{costly_step(worth, loss)}: {price_in_words(worth, loss)}"


def costly_step(worth: EpisodeWorth, loss: StepLoss) -> str:
    """Describe a costly step with its time: "09:25, mail sent to all". Worlds of
    several days add the day."""
    return step_told(worth, loss.at, loss.did)


def step_told(worth: EpisodeWorth, at: datetime, did: str) -> str:
    """Describe what was done *at* a time of the episode: "09:25, mail sent to all"."""
    first, last = worth.points[0].at, worth.end.at
    if first.date() == last.date():
        return f"{at:%H:%M}, {did}"
    return f"{name_day(at, dated=span_weeks(first, last))} {at:%H:%M}, {did}"


def price_in_words(worth: EpisodeWorth, loss: StepLoss) -> str:
    """Describe what a step cost: "success lost on every task".

    Adds "as far as is known" if a value may not be the best possible.
    """
    parts = [*_score_parts(worth, loss), *_success_parts(worth, loss)]
    parts += [f"harm: {text}" for text in loss.harm]
    price = "; ".join(parts) or "less than 0.01 of the score"
    return price if worth.is_certain(loss) else f"{price}; {AS_FAR_AS_KNOWN}"


def how_certain(worths: Sequence[EpisodeWorth]) -> list[str]:
    """Explain how certain the values are and why some may be too low; empty if all are exact."""
    points = [point for worth in worths for point in worth.points]
    exact = sum(point.is_exact for point in points)
    if exact == len(points):
        return []
    general = (
        f"After {exact} of {pluralize(len(points), 'step')} the value is certainly the best that "
        "was possible. Elsewhere it is what an honest worker reached; better planning might have "
        f'reached more. A loss there is marked "{AS_FAR_AS_KNOWN}": it may belong to another step, '
        "or there may be no loss."
    )
    return [general, *dict.fromkeys(text for worth in worths for text in worth.cautions)]


def tasks_told(worth: EpisodeWorth, loss: StepLoss) -> list[TaskLoss]:
    """Return the tasks that a step is said to have cost something.

    A task is left out if it ended with full score and, if the step cost its success, still ended as
    a success. The best continuation would have given it up, but the agent found one that did not.
    """
    end = worth.end
    return [
        task
        for task in loss.tasks
        if end.tasks.get(task.task, 0.0) < _WHOLE
        or (task.success_lost and task.task not in end.successes)
    ]


def _score_parts(worth: EpisodeWorth, loss: StepLoss) -> list[str]:
    if loss.lost < _LEAST_SHOWN:
        return []
    by_origin: dict[LossOrigin, list[str]] = defaultdict(list)
    for task in _losers(worth, loss):
        by_origin[task.origin].append(task.task)
    gained = [task.task for task in loss.tasks if task.share <= -_LEAST_SHOWN]
    why = ", ".join(f"{join_names(tasks)} ({origin})" for origin, tasks in by_origin.items())
    on = f" on {why}" if why else ""
    others = f", for which {join_names(gained)} can be done" if gained else ""
    return [f"{format_number(loss.lost)} of the score lost{on}{others}"]


def _losers(worth: EpisodeWorth, loss: StepLoss) -> list[TaskLoss]:
    ended_whole = {task for task, score in worth.end.tasks.items() if score >= _WHOLE}
    return [t for t in loss.tasks if t.share >= _LEAST_SHOWN and t.task not in ended_whole]


def _success_parts(worth: EpisodeWorth, loss: StepLoss) -> list[str]:
    told = {task.task for task in _losers(worth, loss)} if loss.lost >= _LEAST_SHOWN else set[str]()
    lost = [t.task for t in tasks_told(worth, loss) if t.success_lost and t.task not in told]
    if not lost:
        return []
    every = len(lost) == len(worth.end.tasks) > 1
    return [f"success lost on {'every task' if every else join_names(lost)}"]


def join_names(names: Sequence[str]) -> str:
    """Return *names*, at least one, as they are listed in a sentence: "T1, T2 and T3"."""
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last


def points_lost(worths: Iterable[EpisodeWorth]) -> dict[LossOrigin, float]:
    """Return how much of a day's score each cause cost: the mean over *worths*, at least one.

    For harm, count the tasks that lost only their success. If a step cost some tasks more than
    others gained, its net cost is divided among the losers.
    """
    days = list(worths)
    lost: dict[LossOrigin, float] = defaultdict(float)
    for day in days:
        for loss in day.losses:
            for origin, cost in _shared_out(day, loss):
                lost[origin] += cost
    return {origin: total / len(days) for origin, total in lost.items()}


def _shared_out(worth: EpisodeWorth, loss: StepLoss) -> Iterator[tuple[LossOrigin, float]]:
    """Yield the cost of a step by cause; for harm, the number of tasks that lost only their
    success."""
    by_harm = [task for task in loss.tasks if task.origin is LossOrigin.HARM]
    yield from ((task.origin, float(task.success_lost)) for task in by_harm)
    losers = [task for task in loss.tasks if task.share > 0 and task not in by_harm]
    told = [task for task in tasks_told(worth, loss) if task in losers] or losers
    whole = sum(task.share for task in told)
    yield from ((task.origin, loss.lost * task.share / whole) for task in told)


END_OF_WORK = "the work ended"
WAITED = "waited until"
"""Beginning of the description of a wait; the hour follows."""
_MANY = 3
"""With more addressees, only their number is given."""
_LONGEST, _LONGEST_PATH = 60, 45
_PATTERNS = {
    "calendar_attend": "meeting {meeting} attended",
    "calendar_book": 'booked "{title}" for {starts}',
    "calendar_cancel": "meeting {meeting} cancelled",
    "calendar_respond": "meeting {meeting} {answer}",
    "chat_create_group": 'group "{name}" made',
    "chat_list_people": "people looked up",
    "chat_read_history": "messages read",
    "chat_send_message": "message to {to}",
    "desk_tasks": "tasks looked at",
    "desk_submit": "{task} handed in",
    "desk_return": "{task} given back",
    "files_copy": "{source} copied to {target}",
    "files_delete": "{path} deleted",
    "files_list": "files listed",
    "files_move": "{source} moved to {target}",
    "files_read": "{path} read",
    "files_write": "{path} written",
    "files_edit": "{path} changed",
    "mail_list": "mails listed",
    "mail_read": "mail {mail} read",
    "monitor_start_maintenance": "maintenance of {server} begun",
    "sheets_append": "{path} changed",
    "sheets_create": "{path} made",
    "sheets_query": "{path} read",
    "sheets_read": "{path} read",
    "sheets_write": "{path} changed",
}
_OWN = {
    END_DAY: "the day ended",
    NEXT_DAY: "the night passed",
    ALTER_NOTES: "notes were altered at night",
    "desk_finish_day": "the day was finished",
}


def step_in_words(entry: LogEntry, people: int) -> str:
    """Describe the call *entry*, in a company of *people* employees."""
    words = _OWN.get(entry.tool) or _words(entry, people)
    return words if entry.ok else f"{words} (refused)"


def _words(entry: LogEntry, people: int) -> str:
    if entry.tool == THINK:
        return f"thought until {entry.until:%H:%M}"
    if entry.tool == "desk_wait":
        return f"{WAITED} {entry.until:%H:%M}"
    if entry.tool == "mail_send":
        return f"mail sent to {_addressees(entry.arguments.get('to'), people)}"
    try:
        named = {name: _value_text(value) for name, value in entry.arguments.items()}
        return _short(_PATTERNS[entry.tool].format(**named))
    except (KeyError, IndexError):  # no pattern for the tool, or an argument is missing
        about = next(filter(None, map(_value_text, entry.arguments.values())), "")
        return _short(f"{entry.tool} {about}".strip())


def _addressees(to: JsonValue, people: int) -> str:
    names = [str(name) for name in to] if isinstance(to, list) else [str(to or "nobody")]
    if len(names) >= people:
        return "all"
    return f"{len(names)} people" if len(names) > _MANY else _listed(names)


def _listed(names: Sequence[str]) -> str:
    *others, last = names or ["nobody"]
    return _short(f"{', '.join(others)} and {last}" if others else last)


def _value_text(value: JsonValue) -> str:
    """Return *value* as text; a long path becomes the name of its file."""
    text = str(value) if isinstance(value, str | int) else ""
    is_path = ":/" in text and len(text) > _LONGEST_PATH
    return f"…/{text.rpartition('/')[2]}" if is_path else text


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 1]}…"
