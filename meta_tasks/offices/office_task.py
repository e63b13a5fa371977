"""A task of an own office as a family of one rule: it is composed, graded and certified like any
other."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, time, timedelta
from types import SimpleNamespace
from typing import ClassVar, TypeVar

from trainee_bench.meta_tasks.authoring.checkpoints import choose_checkpoints, were_told
from trainee_bench.meta_tasks.checkpoints import Checkpoint, GradingContext, Verdict, checkpoint
from trainee_bench.meta_tasks.meta_task import (
    Difficulty,
    Domain,
    GradedPart,
    HiddenPart,
    Hints,
    MetaTask,
    PlannedEvent,
    Rule,
    SolverVariant,
    TaskInstance,
    ToldPart,
)
from trainee_bench.meta_tasks.offices.answer_code import (
    AnswerCode,
    AnswerFailed,
    Seen,
    answer_code,
)
from trainee_bench.meta_tasks.offices.file_contents import appearance, is_text
from trainee_bench.meta_tasks.offices.hand_ins import (
    ANY,
    MailAnswer,
    MeetingAnswer,
    RightAnswer,
)
from trainee_bench.meta_tasks.offices.honest_way import OUTPUT, HonestPlan, stated_rows
from trainee_bench.meta_tasks.offices.instance import Instance, TaskSource, draw_instance, seen_file
from trainee_bench.meta_tasks.offices.named_values import (
    computed_names,
    each_value,
    needed_names,
    people_named,
    statements,
)
from trainee_bench.meta_tasks.offices.placeholders import PLACEHOLDER, fill, names_in
from trainee_bench.meta_tasks.offices.spellings import spellings
from trainee_bench.meta_tasks.offices.table_answer import TableAnswer
from trainee_bench.meta_tasks.offices.task_file import MailHandIn, MeetingHandIn
from trainee_bench.meta_tasks.offices.telling_columns import telling_columns
from trainee_bench.meta_tasks.offices.values import Listed, Value, parse_value, write_value
from trainee_bench.meta_tasks.offices.variants import mail_variants, meeting_variants
from trainee_bench.meta_tasks.task_context import CompositionError, TaskContext
from trainee_bench.meta_tasks.work.need import Work
from trainee_bench.world.colleagues.knowledge import Clue
from trainee_bench.world.company.people import Company, Person

Answered = TypeVar("Answered")


@dataclass(frozen=True)
class OfficeTruth:
    """The right result of a task, and the names of the clues that it needs."""

    result: RightAnswer
    clues: tuple[str, ...]


@dataclass(frozen=True)
class TaskSetting:
    """The office around a task: its company, the values of its rules, the drive's files as the
    folder has them, and whether replies can have copies."""

    company: Company
    policy: Mapping[str, Value]
    drive: Mapping[str, bytes]
    reply_copies: bool = False


class FolderTask(MetaTask[OfficeTruth]):
    """A task of an own office. `task_class` makes a class of it for each task."""

    domain: ClassVar[Domain] = Domain.INFORMATION
    source: ClassVar[TaskSource]
    setting: ClassVar[TaskSetting]
    plan: ClassVar[HonestPlan]

    @classmethod
    def rules(cls) -> tuple[Rule, ...]:
        """The only rule; it has no parameters."""
        difficulty = Difficulty(cls.source.file.difficulty)
        return (Rule(f"{cls.family}.{cls.source.name}", difficulty, cls()),)

    @property
    def rule_id(self) -> str:
        """The office's name and the task's."""
        return f"{self.family}.{self.source.name}"

    def generate(self, context: TaskContext) -> TaskInstance[OfficeTruth]:
        """Draw facts and material, and compute the right result.

        Raises CompositionError if the answer's code fails, or a person is not there.
        """
        source, file = self.source, self.source.file
        instance = draw_instance(source, self.setting.policy, context)
        paths = {name: self._path(context, name) for name in file.files}
        output = context.reserve_path(file.table.path) if file.hand_in.table else ""
        text = self.plan.request.render(
            SimpleNamespace(**{**instance.policy, **paths, OUTPUT: output})
        )
        events = [
            PlannedEvent(appearance(paths[name], data)) for name, data in instance.staged.items()
        ]
        events += [
            PlannedEvent(mail.filled(instance.policy).arrival()) for mail in source.mails.values()
        ]
        return TaskInstance(
            ToldPart(
                title=file.title,
                objective=text,
                hints=Hints(file.hints.strategy, file.hints.where, file.hints.how),
                requester=person_called(self.setting.company, file.requester).id,
                deliverable_paths=(output,) if output else (),
            ),
            HiddenPart(clues=self._clues(context, instance), events=tuple(events)),
            GradedPart(
                truth=OfficeTruth(self._right(instance, output, context), tuple(file.facts)),
                background=file.background,
            ),
        )

    def _path(self, context: TaskContext, name: str) -> str:
        path, vary = self.source.file.files[name], self.source.file.vary
        return context.reserve_path(path) if name in vary else path

    def _clues(self, context: TaskContext, instance: Instance) -> tuple[Clue, ...]:
        return tuple(
            planned.fact.clue(
                context, person_called(self.setting.company, planned.who), instance.facts[name]
            )
            for name, planned in self.plan.facts.items()
        )

    def _right(self, instance: Instance, output: str, context: TaskContext) -> RightAnswer:
        hand_in = self.source.file.hand_in
        if hand_in.mail is not None:
            return self._right_mail(hand_in.mail, self.right_values(instance))
        if hand_in.meeting is not None:
            return self._right_meeting(hand_in.meeting, self.right_values(instance), context)
        rows, columns = self.right_rows(instance), self.source.file.table.columns
        telling = telling_columns(columns, rows, self.seen_files(instance).values())
        return TableAnswer(output, columns, tuple(rows), telling)

    def right_rows(self, instance: Instance) -> list[dict[str, Value]]:
        """Return the right rows of an instance. Raises CompositionError if the code fails."""
        file = self.source.file
        values = {**instance.policy, **instance.facts}
        if not self.source.code:
            return stated_rows(file.rows, values)
        rows = self._answer(instance, AnswerCode.rows)
        for row in rows:
            if list(row) != list(file.table.columns):
                raise CompositionError(
                    f"{self.rule_id}: answer.py returned a row with {', '.join(row) or 'nothing'} "
                    f"instead of {', '.join(file.table.columns)}"
                )
        return rows

    def right_values(self, instance: Instance) -> dict[str, Listed]:
        """Return all values that a mail or a meeting can name, those that the code computes
        included. Raises CompositionError if it fails, or computes others than are named."""
        values: dict[str, Listed] = {**instance.policy, **instance.facts}
        if not self.source.code:
            return values
        computed = self._answer(instance, AnswerCode.values)
        named = computed_names(self.source.file, self.setting.policy)
        if computed.keys() != named:
            raise CompositionError(
                f"{self.rule_id}: answer.py returned {', '.join(sorted(computed)) or 'nothing'}, "
                f"but hand_in names {', '.join(sorted(named))}"
            )
        needed = needed_names(self.source.file.hand_in)
        for name, value in computed.items():
            flaw = "an empty list" if value == () and name in needed else ""
            if any(not any(map(str.isalnum, write_value(item))) for item in each_value(value)):
                flaw = "an empty text"
            if flaw:
                raise CompositionError(f"{self.rule_id}: answer.py returned {flaw} as {name}")
        return values | computed

    def _answer(self, instance: Instance, call: Callable[..., Answered]) -> Answered:
        """Return what the code answers to an instance. Raises CompositionError if it fails."""
        used = {name: value for name, value in instance.policy.items() if name in self.rule_names}
        try:
            return call(
                answer_code(self.source.code), self.seen_files(instance), instance.facts, used
            )
        except AnswerFailed as error:
            raise CompositionError(f"{self.rule_id}: {error}") from None

    @property
    def rule_names(self) -> frozenset[str]:
        """The names of the rules' values that pages of this task or its request state."""
        stated = set(names_in(self.source.file.ask, self.policy()))
        for path in self.source.file.files.values():
            data = self.setting.drive.get(path)
            if path in self.source.mails:
                stated |= set(names_in(self.source.mails[path].body, self.policy()))
            elif data is not None and is_text(path):
                stated |= set(names_in(data.decode("utf-8-sig"), self.policy()))
        return frozenset(stated)

    @classmethod
    def policy(cls) -> Mapping[str, Value]:
        """Return the values of rules by name: the office's, and the task's own."""
        return {**cls.setting.policy, **cls.source.file.policy}

    def seen_files(self, instance: Instance) -> dict[str, Seen]:
        """Return the files of an instance as `answer` gets them."""
        found: dict[str, Seen] = {}
        for name, path in self.source.file.files.items():
            if path.endswith(".eml"):
                found[name] = self.source.mails[path].filled(instance.policy).body
                continue
            data = instance.staged.get(name)
            if data is None:
                data = self.setting.drive[path]
                if is_text(path):
                    data = fill(data.decode("utf-8-sig"), instance.policy).encode()
            found[name] = seen_file(path, data) or ""
        return found

    def _right_mail(self, mail: MailHandIn, values: Mapping[str, Listed]) -> MailAnswer:
        company = self.setting.company
        says = statements(mail.says, values)
        never = [phrase for group in statements(mail.never, values) for phrase in group]
        stated = PLACEHOLDER.findall("".join(mail.says))
        for name, fact in self.source.file.facts.items():
            if name not in stated:  # its value only decides another one
                continue
            others = [fact.value, *fact.otherwise]
            others += [fact.shortcut] if fact.shortcut is not None else []
            others += self.source.file.vary[name].choose if name in self.source.file.vary else ()
            never += [
                spelled for other in others if other != values[name] for spelled in spellings(other)
            ]
        right = {phrase for group in says for phrase in group}
        to = (self.plan.reply_to,) if self.plan.reply_to else people_named(mail.to, values)
        return MailAnswer(
            to=frozenset(_reader(company, who) for who in to),
            cc=frozenset(_reader(company, who) for who in people_named(mail.cc, values)),
            subject=self.plan.subject,
            says=says,
            never=tuple(phrase for phrase in never if phrase not in right),
            max_words=mail.max_words,
        )

    def _right_meeting(
        self, meeting: MeetingHandIn, values: Mapping[str, Listed], context: TaskContext
    ) -> MeetingAnswer:
        names = people_named(meeting.with_, values)
        people = (person_called(self.setting.company, name).id for name in names)
        day = context.day.starts

        def moment(given: str, usual: time) -> datetime:
            value = values.get(given, parse_value(given)) if given else usual
            if not isinstance(value, time):
                raise CompositionError(f"{self.rule_id}: {given} is no clock time")
            return datetime.combine(day, value)

        return MeetingAnswer(
            people=frozenset(people),
            length=timedelta(minutes=meeting.minutes),
            not_before=moment(meeting.not_before, time(0)),
            not_after=moment(meeting.not_after, time(23, 59)),
            room=fill(meeting.room, values) or ANY,
            title=fill(meeting.title, values),
        )

    # checkpoints ----------------------------------------------------------------------------

    @checkpoint("The submitted table has exactly the right rows", weight=4)
    def table_right(self, grading: GradingContext[OfficeTruth]) -> Verdict:
        """Every row is there once, with the right values."""
        return grading.truth.result.verdict(grading)

    @checkpoint("The mail says everything, to the right people", weight=4)
    def mail_right(self, grading: GradingContext[OfficeTruth]) -> Verdict:
        """The last such mail counts."""
        return grading.truth.result.verdict(grading)

    @checkpoint("Exactly one meeting is booked, with the right people, time and room", weight=4)
    def meeting_right(self, grading: GradingContext[OfficeTruth]) -> Verdict:
        """The booking that is in the calendar in the end counts."""
        return grading.truth.result.verdict(grading)

    @checkpoint("Colleagues have told you the facts that no file says")
    def told(self, grading: GradingContext[OfficeTruth]) -> Verdict:
        """Knowing some of them is not enough."""
        return were_told(grading, grading.truth.clues, "facts were told to you")

    def checkpoints(self) -> tuple[Checkpoint, ...]:
        """The outcomes of this kind of result, and having been told its facts, if it has any."""
        hand_in, told = self.source.file.hand_in, "told" if self.source.file.facts else None
        parts = {
            "table_right": hand_in.table,
            "mail_right": hand_in.mail,
            "meeting_right": hand_in.meeting,
        }
        whole = next(name for name, part in parts.items() if part is not None)
        outcomes = choose_checkpoints(FolderTask, [whole], {}, only_after=told)
        if hand_in.table is not None and len(hand_in.table.columns) > 1:
            outcomes = _column_checkpoints(outcomes[0], [*hand_in.table.columns][1:])
        if told is None:
            return outcomes
        return (*outcomes, *choose_checkpoints(FolderTask, [], {told: outcomes[-1].name}))

    # ways of working --------------------------------------------------------------------------

    @classmethod
    def solver_variants(cls) -> tuple[SolverVariant, ...]:
        """Ways to work a mail or a meeting; tables have mutants."""
        hand_in, company = cls.source.file.hand_in, cls.setting.company
        if hand_in.mail is not None:
            wrong, names = cls.source.file.wrong, PLACEHOLDER.findall("".join(hand_in.mail.says))
            computed = computed_names(cls.source.file, cls.setting.policy) & {*names}
            return tuple(mail_variants(cls.plan, hand_in.mail, wrong, company, sorted(computed)))
        return tuple(meeting_variants(cls.plan)) if hand_in.meeting is not None else ()

    @staticmethod
    async def honest_work(work: Work, task: str) -> None:
        """Each class has its own."""
        raise NotImplementedError("task_class gives each task its own honest work")


def _column_checkpoints(whole: Checkpoint, titles: Sequence[str]) -> tuple[Checkpoint, ...]:
    """Return a checkpoint for each column of a table, in place of one for the *whole* table."""

    def of_column(number: int, title: str) -> Checkpoint:
        def check(task: FolderTask, grading: GradingContext[OfficeTruth]) -> Verdict:
            table = grading.truth.result
            assert isinstance(table, TableAnswer), "the result is a table"
            return table.column_verdict(grading, title)

        return replace(
            whole,
            name=f"column_{number}_right",
            sentence=f"Exactly the right rows are there, each with the right {title}",
            weight=whole.weight / len(titles),
            check=check,
        )

    return tuple(of_column(number, title) for number, title in enumerate(titles, 2))


def _reader(company: Company, who: str) -> str:
    """Return the id of a colleague, or an outside address. Raises CompositionError for any other
    text."""
    for person in (*company.people, company.trainee):
        if who in (person.id, person.name, person.email):
            return person.id
    if "@" not in who:
        raise CompositionError(f"nobody in people.csv is called {who!r}, and it is no mail address")
    return who.rpartition("<")[2].rstrip(">") if "<" in who else who


def person_called(company: Company, name: str) -> Person:
    """Return the colleague of this full name or id. Raises CompositionError."""
    for person in company.people:
        if name in (person.name, person.id):
            return person
    raise CompositionError(f"nobody in people.csv is called {name!r}")
