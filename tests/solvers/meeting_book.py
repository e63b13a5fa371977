"""Solver of the family meeting_book: asks who is coming, and books a meeting for them."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from tests.solvers.office import ASKED_BACK, Message, Office, Person, Session, find

WAIT_MINUTES = 15
LAST_CALL = timedelta(minutes=20)
"""So long before the meeting it is booked for those who have answered."""
NUMBERS = {"no": 0, "a": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6}


@dataclass
class Answer:
    """What one person said about taking part."""

    coming: bool
    guests: list[str] = field(default_factory=list)
    visitors: int = 0
    needs: list[str] = field(default_factory=list)
    start: str = ""


@dataclass
class Order:
    """What the objective asks for."""

    code: str
    day: str
    start: datetime
    end: datetime
    named: str
    needs_room: bool
    delayer: str
    delay_until: str


def read_order(objective: str) -> Order:
    """Parse the objective's text."""
    head = find(
        r"meeting ([A-Z]+-\d+).*? on (\d{4}-\d\d-\d\d) from (\d\d:\d\d) to (\d\d:\d\d)", objective
    )
    code, day, start, end = head.groups()
    delayer = re.search(
        r"applies to everyone\. (.+?) will also write to you, .*?until (\d\d:\d\d)", objective
    )
    return Order(
        code=code,
        day=day,
        start=datetime.fromisoformat(f"{day}T{start}"),
        end=datetime.fromisoformat(f"{day}T{end}"),
        named=find(r"People to ask: (.*)\.", objective)[1],
        needs_room="smallest free room" in objective,
        delayer=delayer[1] if delayer else "",
        delay_until=delayer[2] if delayer else "",
    )


def choose_people(named: str, people: list[Person]) -> list[Person]:
    """The people whom the objective wants asked."""
    if "Manager in their title" in named:
        return [person for person in people if "Manager" in person.title.split()]
    wanted = re.split(r", | and ", named)
    return [person for person in people if person.name in wanted]


def read_answer(text: str) -> Answer | None:
    """Understand an answer, or return None if it does not say who is coming."""
    if re.search(r"do not invite me to|(not|n't|cannot|can't) (come|attend|make)", text):
        answer = Answer(coming=False)
    elif re.search(r"(am|is) coming to|cannot be held without", text):
        answer = Answer(coming=True)
    else:
        return None
    answer.guests += re.findall(r"[Pp]lease also invite ([^.;]+)\.", text)
    answer.guests += [
        name
        for name in re.findall(r"([A-Z][^.;:,]*?) is coming in (?:my|his|her|their) place", text)
        if not name.startswith(("Nobody", "No one"))
    ]
    if visitors := re.search(r"with (\w+) visitors? ", text):
        word = visitors[1]
        answer.visitors = int(word) if word.isdigit() else NUMBERS[word]
    answer.needs += re.findall(r"room must have an? ([^;.]+)", text)
    if start := re.search(r"has to begin at (\d\d:\d\d)", text):
        answer.start = start[1]
    return answer


class Booking:
    """The booking of one meeting."""

    def __init__(self, office: Office, order: Order, people: list[Person]) -> None:
        self.office = office
        self.order = order
        self.people = {person.id: person for person in people}
        self.asked: dict[str, str] = {}
        self.answers: dict[str, Answer] = {}
        self.delays = timedelta()

    @property
    def now(self) -> datetime:
        """The simulated time."""
        return self.office.session.now

    async def ask(self, to: str, about: str) -> None:
        """Ask one person about somebody, mostly about themselves."""
        code = self.order.code
        when = f"{self.order.start:%H:%M} to {self.order.end:%H:%M}"
        text = f"Can you attend meeting {code} today from {when}, and whom else should I invite?"
        if to != about:
            name = self.people[about].name
            text = f"Can {name} attend meeting {code} today, and whom else to invite?"
        self.asked[to] = about
        await self.office.send(to, text)

    async def read_messages(self) -> None:
        """Read what is new and act on it."""
        for message in await self.office.news():
            await self.take(message)

    async def take(self, message: Message) -> None:
        """Understand one message, and answer it if need be."""
        text, sender = message.text, self.people[message.sender]
        delay = re.search(r"(\d+)[ -]minutes?", text)
        if delay and sender.name == self.order.delayer:
            self.delays += timedelta(minutes=int(delay[1]))
            return
        about = self.asked[sender.id]
        if answer := read_answer(text):
            self.answers.setdefault(about, answer)
            return
        others = [one for one in self.people.values() if one.name in text and one != sender]
        if others:
            await self.ask(others[0].id, about)
        elif ASKED_BACK.search(text):
            await self.office.send(sender.id, "Yes, exactly.")
        else:
            raise ValueError(f"what does {sender.name} mean: {text}")

    async def work(self) -> None:
        """Ask, book, attend."""
        wanted = choose_people(self.order.named, list(self.people.values()))
        for person in wanted:
            await self.ask(person.id, person.id)
        await self.read_messages()
        while not all(person.id in self.answers for person in wanted):
            if self.now > self.order.start - LAST_CALL:
                break
            await self.office.wait(WAIT_MINUTES)
            await self.read_messages()
        if self.order.delay_until:
            hour, minute = self.order.delay_until.split(":")
            until = f"{hour}:{int(minute) + 1:02d}"
            if f"{self.now:%H:%M}" < until:
                await self.office.call("desk_wait", until=until, wake=False)
            await self.read_messages()
        await self.book_and_attend()

    async def book_and_attend(self) -> None:
        """Book the meeting at its final time, and go there."""
        start, end = self.final_time()
        coming = {who: answer for who, answer in self.answers.items() if answer.coming}
        invited = [self.people[who].name for who in coming]
        invited += [guest for answer in self.answers.values() for guest in answer.guests]
        invited = list(dict.fromkeys(invited))
        visitors = sum(answer.visitors for answer in coming.values())
        booked = await self.office.call(
            "calendar_book",
            title=f"Meeting {self.order.code}",
            room=await self.find_room(start, end, len(invited) + visitors + 1),
            starts=f"{start:%Y-%m-%dT%H:%M}",
            ends=f"{end:%Y-%m-%dT%H:%M}",
            attendees=invited,
        )
        if self.now < start:
            await self.office.call("desk_wait", until=f"{start:%H:%M}", wake=False)
        await self.office.call("calendar_attend", meeting=booked["id"])

    def final_time(self) -> tuple[datetime, datetime]:
        """When the meeting begins and ends, by what was said about it."""
        starts = [answer.start for answer in self.answers.values() if answer.start]
        start = self.order.start
        if starts:
            start = datetime.fromisoformat(f"{self.order.day}T{max(starts)}")
        start += self.delays
        return start, start + (self.order.end - self.order.start)

    async def find_room(self, start: datetime, end: datetime, seats: int) -> str:
        """The smallest free room that has what is needed."""
        needs = {need.lower() for answer in self.answers.values() for need in answer.needs}
        found = await self.office.call(
            "calendar_find_rooms",
            starts=f"{start:%Y-%m-%dT%H:%M}",
            ends=f"{end:%Y-%m-%dT%H:%M}",
            people=seats,
        )
        seats_of: dict[str, int] = found["rooms"]
        rooms = sorted(seats_of, key=lambda room: seats_of[room])
        if self.order.needs_room and needs:
            listed = await self.office.read("drive:/handbook/meeting_rooms.csv")
            has = dict(re.findall(r"^(Room_\d+),(.*)$", listed, re.MULTILINE))
            rooms = [
                room
                for room in rooms
                if needs <= {item.strip().lower() for item in has[room].split(";")}
            ]
        return rooms[0]


async def solve(session: Session) -> None:
    """Book the meeting of every task."""
    office = Office(session)
    tasks = await office.tasks()
    people = await office.people()
    for task in tasks:
        await Booking(office, read_order(task.objective), people).work()
        await office.submit(task)
    await office.finish_day()
