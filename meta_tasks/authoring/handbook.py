"""Handbooks: a page on the drive that says what counts; everybody knows where it is.

HANDBOOK = Handbook(
    path="drive:/sales/sales_handbook.md",
    resource="trainee_bench.meta_tasks.families.sales/sales_handbook.md",
    topic="sales handbook",
    questions=("Where is the sales handbook?", …),             five or more
    referral="How sales are counted is written down in the sales handbook, {path}.",
)
events += HANDBOOK.events(stage)                               in the scene
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from trainee_bench.meta_tasks.meta_task import PlannedEvent
from trainee_bench.meta_tasks.sent_texts import topic_sentences
from trainee_bench.meta_tasks.task_context import TaskContext
from trainee_bench.world.apps.files import FileAppears
from trainee_bench.world.colleagues.referrals import ReferralPublished

AS_IT_IS: Mapping[str, str] = {}
HOUSE_RULES = "This task is subject to rules in drive:/handbook; please read them before you begin."
"""The note under a task for which a rule of the handbook matters that no other note repeats."""


@dataclass(frozen=True)
class Handbook:
    """A page at *path* whose text is in the package as *resource* ("package/file").

    Everybody who is asked one of *questions* (about *topic*) answers *referral*, with the path in
    place of ``{path}``.
    """

    path: str
    resource: str
    topic: str
    questions: tuple[str, ...]
    referral: str

    def text(self, replaced: Mapping[str, str] = AS_IT_IS) -> str:
        """Return the page's text, with the keys of *replaced* exchanged for their values."""
        text = resource_text(self.resource)
        for old, new in replaced.items():
            text = text.replace(old, new)
        return text

    def file(self, replaced: Mapping[str, str] = AS_IT_IS) -> FileAppears:
        """Return the event that puts the page on the drive, once for any number of tasks that bring
        it."""
        return FileAppears(path=self.path, text=self.text(replaced), once=True)

    def known(self) -> ReferralPublished:
        """Return the referral by which everybody knows where the page is and what it is about."""
        return ReferralPublished(
            topic=self.topic,
            asks=self.questions,
            text=self.referral.replace("{path}", self.path),
            about=topic_sentences(resource_text(self.resource)),
        )

    def events(
        self, context: TaskContext, replaced: Mapping[str, str] = AS_IT_IS
    ) -> tuple[PlannedEvent, ...]:
        """Return page and referral. Every task that needs them brings them, since any of them may
        come first."""
        context.share_path(self.path)
        return PlannedEvent(self.file(replaced)), PlannedEvent(self.known())


@cache
def resource_text(name: str) -> str:
    """Return the text of a package's file of this name ("package/file")."""
    package, _, file = name.rpartition("/")
    return (files(package) / file).read_text(encoding="utf-8")
