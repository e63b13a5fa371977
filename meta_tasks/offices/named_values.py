"""The names in braces in a mail or a meeting: facts, rules' values, and what `answer.py` computes.

A list of values is written with commas. Among people, each of its items is one of them. In `says`,
all are needed; in `never`, none may occur.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from trainee_bench.meta_tasks.offices.placeholders import PLACEHOLDER, fill
from trainee_bench.meta_tasks.offices.spellings import spellings
from trainee_bench.meta_tasks.offices.task_file import HandInFile, TaskFile
from trainee_bench.meta_tasks.offices.values import Listed, Value, parse_value, write_value


def names_in_hand_in(hand_in: HandInFile) -> frozenset[str]:
    """Return the names of values that a mail or a meeting states; none for a table."""
    texts: tuple[str, ...] = ()
    if (mail := hand_in.mail) is not None:
        texts = (mail.text, *mail.to, *mail.cc, *mail.says, *mail.never)
    if (meeting := hand_in.meeting) is not None:
        times = (meeting.not_before, meeting.not_after)
        named = [f"{{{given}}}" for given in times if isinstance(parse_value(given), str)]
        texts = (*meeting.with_, meeting.room, meeting.title, *named)
    return _names(texts)


def computed_names(file: TaskFile, policy: Mapping[str, Value]) -> frozenset[str]:
    """Return the names that a task's code has to compute: those that are neither facts nor rules'
    values. *policy* are the office's."""
    return names_in_hand_in(file.hand_in) - file.facts.keys() - file.policy.keys() - policy.keys()


def hand_checked_names(file: TaskFile, policy: Mapping[str, Value]) -> frozenset[str]:
    """Return the computed names that a right result states: not those that only `never` has."""
    hand_in = file.hand_in
    if hand_in.mail is not None:
        mail = hand_in.mail.model_copy(update={"never": ()})
        hand_in = hand_in.model_copy(update={"mail": mail})
    return computed_names(file, policy) & names_in_hand_in(hand_in)


def needed_names(hand_in: HandInFile) -> frozenset[str]:
    """Return the names without whose values a mail or a meeting would ask for nothing: those in
    what a mail says, and among its recipients or the people of a meeting."""
    texts: tuple[str, ...] = ()
    if hand_in.mail is not None:
        texts = (*hand_in.mail.to, *hand_in.mail.says)
    if hand_in.meeting is not None:
        texts = hand_in.meeting.with_
    return _names(texts)


def _names(texts: Iterable[str]) -> frozenset[str]:
    return frozenset(name for text in texts for name in PLACEHOLDER.findall(text))


def each_value(value: Listed) -> tuple[Value, ...]:
    """Return the values of a list, or the one value."""
    return value if isinstance(value, tuple) else (value,)


def people_named(people: Sequence[str], values: Mapping[str, Listed]) -> tuple[str, ...]:
    """Return the people of a mail or a meeting with values in place of names, each once."""
    found: dict[str, None] = {}
    for who in people:
        named = PLACEHOLDER.fullmatch(who)
        value = values.get(named[1]) if named else None
        items = value if isinstance(value, tuple) else (fill(who, values),)
        found |= dict.fromkeys(map(write_value, items))
    return tuple(found)


def statements(groups: Sequence[str], values: Mapping[str, Listed]) -> tuple[tuple[str, ...], ...]:
    """Return the phrases of each statement in all spellings of the values that they name. A group
    that names a list gives a statement for each of its items."""
    return tuple(
        tuple(text for phrase in group.split("|") for text in spelled(phrase, chosen))
        for group in groups
        for chosen in _each_item(group, values)
    )


def spelled(phrase: str, values: Mapping[str, Listed]) -> list[str]:
    """Return a phrase with each spelling of the value that it names, or that it is."""
    names = PLACEHOLDER.findall(phrase)
    if not names:
        return [*spellings(parse_value(phrase))]
    value = values.get(names[0]) if len(names) == 1 else None
    if value is None or isinstance(value, tuple):
        return [fill(phrase, values).strip()]
    return [phrase.replace(f"{{{names[0]}}}", text).strip() for text in spellings(value)]


def _each_item(group: str, values: Mapping[str, Listed]) -> Iterator[Mapping[str, Listed]]:
    """Yield the values with each item of the first list that a group names in its place."""
    for name in PLACEHOLDER.findall(group):
        value = values.get(name)
        if isinstance(value, tuple):
            yield from ({**values, name: item} for item in value)
            return
    yield values
