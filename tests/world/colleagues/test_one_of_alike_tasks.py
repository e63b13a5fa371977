"""Messages that name one of several alike tasks."""

from __future__ import annotations

from tests.world.colleagues.test_knowledge import ask
from tests.world.office import MARA, at_ten
from trainee_bench.world.colleagues.knowledge import Clue, ClueAdded

APPROVAL = Clue(
    id="T4/approval",
    holder=MARA,
    payload="Approved. The code for maintenance mode on app-02 is LFDJ-0127.",
    asks=(
        "Do you approve maintenance mode for app-02? (T4)",
        "May I put app-02 into maintenance mode? (T4)",
        "What is the approval code for app-02? (T4)",
        "Can you authorise the maintenance of app-02? (T4)",
        "Please give me the code for maintenance mode on app-02. (T4)",
    ),
    keys=("app-02", "T4"),
)


async def test_a_question_for_a_task_never_points_back_to_the_answer_for_another() -> None:
    async with await at_ten(ClueAdded(clue=APPROVAL)) as world:
        assert APPROVAL.payload in await ask(world, MARA, APPROVAL.asks[0])
        for task in ("T9", "T128"):
            question = f"For {task}: /login is slow. Who approves maintenance of app-02 today?"
            assert APPROVAL.payload not in await ask(world, MARA, question)
        assert APPROVAL.payload in await ask(world, MARA, "And for T4: is it still the same code?")


async def test_the_id_of_a_task_in_one_sentence_holds_for_the_others() -> None:
    async with await at_ten(ClueAdded(clue=APPROVAL)) as world:
        text = "This is for T9, please. Do you approve maintenance mode for app-02?"
        assert APPROVAL.payload not in await ask(world, MARA, text)
        text = "This is for T4, please. Do you approve maintenance mode for app-02?"
        assert APPROVAL.payload in await ask(world, MARA, text)
