"""Small talk: now and then a colleague writes of their own accord, and wants nothing.

It tells nothing that any task is about, needs no answer and ends no wait. Who writes depends on
the day alone, never on its tasks or secrets.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, time, timedelta

from trainee_bench.meta_tasks.scenario import ScenarioDay
from trainee_bench.world.apps.chat import SmallTalk
from trainee_bench.world.company.org_chart import EXECUTIVE
from trainee_bench.world.company.people import Company, Manner
from trainee_bench.world.random_streams import random_stream
from trainee_bench.world.transaction import WorkingDay

_SPANS = ((time(10, 0), 80), (time(13, 30), 150))
"""From when on the first and the second may come, and for how many minutes."""
_SAID: dict[Manner, tuple[str, ...]] = {
    "brisk": (
        "There is cake in the kitchen. Be quick.",
        "Coffee machine works again, just so you know.",
        "Somebody left a blue umbrella at the front door. Not mine.",
        "If you take the lift: it is slow today.",
    ),
    "warm": (
        "Hello! There are biscuits in the kitchen, do help yourself!",
        "I hope your day is going well! No need to answer.",
        "If you need a break: the sun is out, and the bench behind the house is free!",
        "It is my birthday and there is far too much cake. Please take a piece!",
    ),
    "formal": (
        "Good day. I only wanted to wish you a pleasant day with us.",
        "Should you look for a quiet place at lunch: the bench in the garden is dry again.",
        "A grey scarf was found in the corridor. Should it be yours, it hangs by the door.",
        "I have put a bowl of apples in the kitchen. Please feel free to take one.",
    ),
    "dry": (
        "The coffee machine has been repaired. Its coffee has not.",
        "Somebody has watered the plastic plant again. I say no names.",
        "It is raining. I thought somebody should say so.",
        "The kitchen has cake. It will not have it for long.",
    ),
}


def small_talk(
    company: Company, bounds: WorkingDay, day: ScenarioDay
) -> Iterator[tuple[datetime, SmallTalk]]:
    """What colleagues write on a scenario's day, within its *bounds*, in order of time. Each
    message comes from somebody else, during their hours."""
    scenario = day.scenario
    draws = random_stream(scenario.stream_seed, scenario.name, day.day, "small talk")
    people = draws.sample([p for p in company.people if p.department != EXECUTIVE], len(_SPANS))
    for number, (person, (first, minutes)) in enumerate(zip(people, _SPANS, strict=True)):
        later = timedelta(minutes=draws.randrange(minutes))
        at = datetime.combine(bounds.starts.date(), first) + later
        text = draws.choice(_SAID[person.manner])
        at_work = person.hours.starts <= at.time() < person.hours.ends
        if number < scenario.small_talk and at_work and bounds.starts < at < bounds.ends:
            yield at, SmallTalk(sender=person.id, to=company.trainee.id, text=text)
