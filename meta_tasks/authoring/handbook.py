"""Handbooks: a page on the drive that says what counts, and everybody's knowing where it is.

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
HOUSE_RULES = "The rules in drive:/handbook apply to this task, as to everything else."
"""The note under a task for which one of the rules matters that no note repeats."""


@dataclass(frozen=True)
class Handbook:
    """A page at *path* whose text lies in the package as *resource* ("package/file").

    Whoever is asked one of *questions* (about *topic*) answers *referral*, in which ``{path}``
    stands for the path.
    """

    path: str
    resource: str
    topic: str
    questions: tuple[str, ...]
    referral: str

    def text(self, replaced: Mapping[str, str] = AS_IT_IS) -> str:
        """The page's text, with the keys of *replaced* exchanged for their values."""
        text = resource_text(self.resource)
        for old, new in replaced.items():
            text = text.replace(old, new)
        return text

    def file(self, replaced: Mapping[str, str] = AS_IT_IS) -> FileAppears:
        """The page appears on the drive, once however many tasks bring it."""
        return FileAppears(path=self.path, text=self.text(replaced), once=True)

    def known(self) -> ReferralPublished:
        """Everybody knows where the page is, and from what it says what it is about."""
        return ReferralPublished(
            topic=self.topic,
            asks=self.questions,
            text=self.referral.replace("{path}", self.path),
            about=topic_sentences(resource_text(self.resource)),
        )

    def events(
        self, context: TaskContext, replaced: Mapping[str, str] = AS_IT_IS
    ) -> tuple[PlannedEvent, ...]:
        """Page and referral. Every task that needs them brings them: nobody knows which comes
        first."""
        context.share_path(self.path)
        return PlannedEvent(self.file(replaced)), PlannedEvent(self.known())


@cache
def resource_text(name: str) -> str:
    """The text of the file of this name ("package/file") in a package."""
    package, _, file = name.rpartition("/")
    return (files(package) / file).read_text(encoding="utf-8")
