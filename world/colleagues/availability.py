"""Working hours and absences: when a colleague reads and answers messages."""

from __future__ import annotations

from datetime import date, datetime, timedelta

from pydantic import BaseModel

from trainee_bench.world.colleagues.phrasing import sentences
from trainee_bench.world.company.directory import Directory
from trainee_bench.world.company.people import Person
from trainee_bench.world.transaction import Event, Transaction
from trainee_bench.world.week import later_days, next_day_name

SCHEMA = """
CREATE TABLE absence (
    person TEXT PRIMARY KEY, until TEXT NOT NULL, note TEXT NOT NULL, deputy TEXT NOT NULL,
    public INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE slowness (
    person TEXT PRIMARY KEY, minutes INTEGER NOT NULL, note TEXT NOT NULL
) STRICT, WITHOUT ROWID;
"""


class Absence(BaseModel, frozen=True):
    """Absence of a person until a time; ``deputy`` is a person's id, or "".

    The people directory shows a public absence. Only an automatic reply mentions other absences.
    """

    person: str
    until: datetime
    note: str
    deputy: str
    public: bool


class Availability:
    """Availability of all colleagues within one transaction."""

    def __init__(self, tx: Transaction):
        self._tx = tx

    def record_absence(self, absence: Absence) -> None:
        """Store an absence that begins now. It replaces an earlier absence of the same person."""
        self._tx.run(
            "INSERT OR REPLACE INTO absence VALUES (?, ?, ?, ?, ?)",
            absence.person,
            absence.until.isoformat(),
            absence.note,
            absence.deputy,
            int(absence.public),
        )

    def absence(self, person: str) -> Absence | None:
        """Return the current absence of *person*, or None."""
        row = self._tx.row(
            "SELECT * FROM absence WHERE person = ? AND until > ?",
            person,
            self._tx.now.isoformat(),
        )
        return Absence.model_validate({**row}) if row is not None else None

    def record_slowness(self, person: str, minutes: int, note: str) -> None:
        """Let *person* take *minutes* for each answer today; their automatic reply says *note*."""
        self._tx.run("INSERT OR REPLACE INTO slowness VALUES (?, ?, ?)", person, minutes, note)

    def reply_time(self, person: Person, *, awaited: bool = False) -> datetime | None:
        """Return when *person* answers a message that arrives now, or None for never.

        That is today or on their next working day in this world. An *awaited* message is answered
        as fast as usual, even if answers take longer today."""
        today = self.reply_time_today(person, awaited=awaited)
        if today is not None:
            return today
        days = (self._tx.day.starts, *(day.starts for day in later_days(self._tx)))
        dates = [day.date() for day in days if day.date() > self._tx.now.date()]
        times = (self._reply_time_on(date, person, person.delay) for date in dates)
        return next((time for time in times if time is not None), None)

    def reply_time_today(self, person: Person, *, awaited: bool = False) -> datetime | None:
        """Return when *person* answers a message today that arrives now and may be *awaited*.

        Return None if they do not answer it today."""
        slow = self._slowness(person, awaited)
        delay = max(person.delay, slow[0]) if slow is not None else person.delay
        return self._reply_time_on(self._tx.now.date(), person, delay)

    def _reply_time_on(self, day: date, person: Person, delay: int) -> datetime | None:
        """Return when *person* answers on *day*, within *delay* minutes, a message of now."""
        now, away = self._tx.now, self.absence(person.id)
        starts = datetime.combine(day, person.hours.starts)
        ends = datetime.combine(day, person.hours.ends)
        answers = max(now, starts, away.until if away else now) + timedelta(minutes=delay)
        return answers if answers <= ends else None

    def forget_slowness(self, person: str) -> None:
        """Let *person* answer at the usual speed again."""
        self._tx.run("DELETE FROM slowness WHERE person = ?", person)

    def is_slow(self, person: Person) -> bool:
        """Return whether *person* answers slowly today."""
        return self._slowness(person, awaited=False) is not None

    def _slowness(self, person: Person, awaited: bool) -> tuple[int, str] | None:
        """Return the minutes that *person* takes for an answer today, and the note about it.

        Return None at the usual speed, and for a message that is *awaited*."""
        if awaited:
            return None
        slow = self._tx.row("SELECT minutes, note FROM slowness WHERE person = ?", person.id)
        return None if slow is None else (slow["minutes"], slow["note"])

    def automatic_reply(self, person: Person, *, awaited: bool = False) -> str | None:
        """Return the automatic reply of *person*'s mailbox to a message that may be *awaited*.

        Return None if *person* answers the message today themselves."""
        away = self.absence(person.id)
        if away is not None:
            return self._out_of_office(away)
        slow, says = self._slowness(person, awaited), sentences().automatic
        if self.reply_time_today(person, awaited=awaited) is not None:
            return None if slow is None else says.slow.format(note=slow[1])
        template = says.off_work if slow is None else says.slow_and_off_work
        return template.format(
            starts=person.hours.starts,
            ends=person.hours.ends,
            note="" if slow is None else slow[1],
            when=next_day_name(self._tx),
        )

    def _out_of_office(self, away: Absence) -> str:
        says = sentences().automatic
        today = away.until.date() == self._tx.now.date()
        back = (says.back_today if today else says.back_later).format(until=away.until)
        said = [says.away.format(back=back), away.note]
        if away.deputy:
            deputy = Directory(self._tx).person(away.deputy)
            said.append(says.deputy.format(name=deputy.name, title=deputy.title))
        return " ".join(part for part in said if part)


class AbsenceBegins(Event):
    """Departure of a colleague until a time; ``deputy`` is the id of their deputy, or ""."""

    person: str
    until: datetime
    note: str = ""
    deputy: str = ""
    public: bool = True

    def fire(self, tx: Transaction) -> None:
        """Store the absence."""
        Availability(tx).record_absence(Absence(**self.model_dump()))


class SlowAnswersBegin(Event):
    """Slow answers of a colleague: *minutes* for each today; the automatic reply says *note*."""

    person: str
    minutes: int
    note: str

    def fire(self, tx: Transaction) -> None:
        """Store the slowness."""
        Availability(tx).record_slowness(self.person, self.minutes, self.note)
        if later_days(tx):
            tx.enqueue(tx.day.ends, SlowAnswersEnd(person=self.person))


class SlowAnswersEnd(Event):
    """End of the day on which a colleague answered slowly."""

    person: str

    def fire(self, tx: Transaction) -> None:
        """Let them answer at the usual speed again."""
        Availability(tx).forget_slowness(self.person)
