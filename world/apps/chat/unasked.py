"""Messages that colleagues send unprompted, and changes of what they know."""

from __future__ import annotations

from trainee_bench.world.apps.chat.conversations import Chat
from trainee_bench.world.colleagues.availability import Availability
from trainee_bench.world.colleagues.knowledge import Knowledge
from trainee_bench.world.transaction import Event, NoticeKind, Transaction


class MessageArrives(Event):
    """A colleague writes, unprompted, to a person (id) or a group (id)."""

    sender: str
    to: str
    text: str

    def fire(self, tx: Transaction) -> None:
        """Deliver the message."""
        Chat(tx).deliver(self.sender, self.to, self.text)


class SmallTalk(Event):
    """A colleague writes something that conveys nothing and asks for nothing."""

    sender: str
    to: str
    text: str

    def fire(self, tx: Transaction) -> None:
        """Deliver the message, unless the colleague is away."""
        if Availability(tx).absence(self.sender) is None:
            Chat(tx).deliver(self.sender, self.to, self.text, kind=NoticeKind.CHATTER)


class ClueRevised(Event):
    """A fact that a colleague knows changes. If they have told it to the employee, they write
    again: *opening*, then the new fact."""

    clue: str
    payload: str
    opening: str

    def fire(self, tx: Transaction) -> None:
        """Change the fact, and correct what was told."""
        knowledge = Knowledge(tx)
        if not knowledge.has_clue(self.clue):
            return
        revised = knowledge.clue(self.clue).model_copy(update={"payload": self.payload})
        knowledge.replace_clue(revised)
        if knowledge.told_at(self.clue, tx.employee) is not None:
            Chat(tx).deliver(revised.holder, tx.employee, f"{self.opening} {self.payload}")
            knowledge.record_disclosure(self.clue, tx.employee, "chat")


class ClueHandedOver(Event):
    """Another colleague now answers for a fact, and knows it as *payload*. If asked, the former
    holder says *former*; they tell nobody on their own."""

    clue: str
    holder: str
    payload: str
    former: str

    def fire(self, tx: Transaction) -> None:
        """Give the fact to its new holder."""
        knowledge = Knowledge(tx)
        if not knowledge.has_clue(self.clue):
            return
        known = knowledge.clue(self.clue)
        new = {"holder": self.holder, "payload": self.payload}
        knowledge.replace_clue(known.model_copy(update=new))
        old = {"id": f"{self.clue}/former", "payload": self.former}
        knowledge.add_clue(known.model_copy(update=old))
