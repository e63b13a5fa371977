"""What colleagues write of their own accord, and what comes to their knowledge."""

from __future__ import annotations

from trainee_bench.world.apps.chat.conversations import Chat
from trainee_bench.world.colleagues.availability import Availability
from trainee_bench.world.colleagues.knowledge import Knowledge
from trainee_bench.world.transaction import Event, NoticeKind, Transaction


class MessageArrives(Event):
    """A colleague writes of their own accord to a person (id) or a group (id)."""

    sender: str
    to: str
    text: str

    def fire(self, tx: Transaction) -> None:
        """The message is there."""
        Chat(tx).deliver(self.sender, self.to, self.text)


class SmallTalk(Event):
    """A colleague writes something that tells nothing and wants nothing."""

    sender: str
    to: str
    text: str

    def fire(self, tx: Transaction) -> None:
        """The message is there, unless the colleague is away."""
        if Availability(tx).absence(self.sender) is None:
            Chat(tx).deliver(self.sender, self.to, self.text, kind=NoticeKind.CHATTER)


class ClueRevised(Event):
    """What a colleague knows changes. If they have told it to the employee, they write again, with
    *opening* before what they know now."""

    clue: str
    payload: str
    opening: str

    def fire(self, tx: Transaction) -> None:
        """Change it, and correct what was told."""
        knowledge = Knowledge(tx)
        if not knowledge.has_clue(self.clue):
            return
        revised = knowledge.clue(self.clue).model_copy(update={"payload": self.payload})
        knowledge.replace_clue(revised)
        if knowledge.told_at(self.clue, tx.employee) is not None:
            Chat(tx).deliver(revised.holder, tx.employee, f"{self.opening} {self.payload}")
            knowledge.record_disclosure(self.clue, tx.employee, "chat")


class ClueHandedOver(Event):
    """Another colleague answers for a fact from now on, and knows it as *payload*. Whoever did
    before says *former* when asked, and writes to nobody about it."""

    clue: str
    holder: str
    payload: str
    former: str

    def fire(self, tx: Transaction) -> None:
        """Hand it over."""
        knowledge = Knowledge(tx)
        if not knowledge.has_clue(self.clue):
            return
        known = knowledge.clue(self.clue)
        new = {"holder": self.holder, "payload": self.payload}
        knowledge.replace_clue(known.model_copy(update=new))
        old = {"id": f"{self.clue}/former", "payload": self.former}
        knowledge.add_clue(known.model_copy(update=old))
