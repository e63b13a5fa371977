"""The agent that plays a recorded run by rote, with the names that the new tasks show."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import ClassVar

from trainee_bench.harness.agents.builtin.rote import DayMatch, Rote
from trainee_bench.harness.agents.repeatable_days import TimedCall
from trainee_bench.harness.session.agent_session import AgentSession
from trainee_bench.harness.testbench.renaming import (
    names_by_role,
    replaced_names,
    replaced_single_names,
    with_ids,
    with_names,
)
from trainee_bench.meta_tasks.composition import ComposedDay

_WAITING = "desk_wait"


class RoteRenamed(Rote):
    """Agent like ``rote`` that puts the names in the new tasks' texts in place of the old ones.

    These are people, files, times and numbers, and the tasks' ids. ``by_role`` means that people in
    no text are replaced by those with their department and title, as the directory lists them. It
    reads nothing else, and makes each call at the recorded time.
    """

    name = "rote_renamed"
    by_role: ClassVar[bool] = True

    @classmethod
    def prepared(cls, match: DayMatch, composition: ComposedDay, place: int) -> Sequence[TimedCall]:
        """Return the calls with the names of the new day."""
        names = new_names(match, composition)
        if cls.by_role:
            old, new = match.worked.company, composition.company
            names = {**with_ids(names_by_role(old, new), old, new), **names}
        return [_renamed(call, names) for call in super().prepared(match, composition, place)]

    async def make(self, session: AgentSession, call: TimedCall) -> None:
        """Make one of the calls; leave out a wait that is over."""
        over = call.tool == _WAITING and str(call.arguments["until"]) <= f"{session.now:%H:%M}"
        if not over:
            await super().make(session, call)


def _renamed(call: TimedCall, names: Mapping[str, str]) -> TimedCall:
    """Return *call* with the new *names*. A wait ends at the time that it names if that time is a
    new one, or else when the recorded wait ended: news may come at another time."""
    if call.tool == _WAITING:
        until = names.get(str(call.arguments.get("until")), f"{call.until:%H:%M}")
        return replace(call, arguments={"until": until, "wake": False})
    given = call.arguments.items()
    return replace(call, arguments={key: with_names(value, names) for key, value in given})


def new_names(match: DayMatch, composition: ComposedDay) -> Mapping[str, str]:
    """Return the names of the new day for those of the old one: first ids of tasks, then single
    words, and longer runs of words before both."""
    names = {old.id: new.id for old, new in match.pairs}
    for find in (replaced_single_names, replaced_names):
        for old, new in match.pairs:
            names |= find(old.text, new.instance.told.objective)
    return with_ids(names, match.worked.company, composition.company)
