"""What is told about applicants: the objective, and who is no longer available."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from trainee_bench.meta_tasks.families.resume_select.requirement import (
    Degree,
    JobPosition,
    Requirement,
)
from trainee_bench.meta_tasks.meta_task import Hints
from trainee_bench.meta_tasks.task_context import TaskContext
from trainee_bench.world.colleagues.knowledge import Clue
from trainee_bench.world.company.people import Company, Person

UNAVAILABLE_CLUE = "unavailable"
_REASONS = ("has withdrawn", "has accepted another offer", "has taken a job elsewhere")


def recruiter(company: Company) -> tuple[Person, str]:
    """Who in HR keeps in touch with applicants, and how one speaks of them: by title if there
    is only one of that title."""
    people = company.staff("HR", "Recruiter") or company.staff("HR")[-1:]
    found = people[0]
    alone = len(company.staff("HR", found.title)) == 1
    return found, f"the {found.title}" if alone else f"{found.name} ({found.title})"


def unavailable_clue(
    context: TaskContext, holder: Person, position: JobPosition, names: Sequence[str], draws: Random
) -> Clue:
    """The recruiter tells who of the candidates is no longer available, and why."""
    told = ", ".join(f"{name} ({draws.choice(_REASONS)})" for name in names)
    return Clue(
        id=context.clue_id(UNAVAILABLE_CLUE),
        holder=holder.id,
        asks=_asks(position),
        keys=(position,),
        payload=f"No longer available of the candidates for {position}: {told}. "
        "All others still are.",
    )


def _asks(position: JobPosition) -> tuple[str, ...]:
    return (
        f"Which candidates for {position} are no longer available?",
        f"Who of the applicants for {position} has withdrawn?",
        f"Has any candidate for {position} accepted another offer?",
        f"Are all candidates for the position of {position} still available?",
        f"Which applicants for {position} have withdrawn or taken another job?",
        f"I am going through the résumés for {position}. Which applicants are still available?",
        f"Do you know the availability of the candidates for {position}?",
        f"What is the status of the applicants for {position}? Has anybody dropped out?",
        f"Could you tell me which candidates for {position} have accepted an offer elsewhere?",
        f"Which candidates have withdrawn their application for the {position} opening?",
        f"Who has withdrawn from the {position} role?",
        f"Has anybody among the applicants for {position} dropped out?",
        f"Is everybody who applied as {position} still interested in the job?",
        f"Which of the applicants for {position} are still in the running?",
    )


def objective(wanted: Requirement, folder: str, count: int, path: str, knows: str) -> str:
    """All that the agent is told at the start."""
    order = ", ".join(Degree)
    years = "1 year" if wanted.years == 1 else f"{wanted.years} years"
    return (
        f"{count} people have applied for a job with us; their résumés lie in {folder}. Find out "
        f"who of them is suitable for the position of {wanted.position}. Suitable is who meets all "
        "of this:\n"
        f"- applies for the position of {wanted.position}\n"
        f"- has finished at least the {wanted.degree} degree (from the lowest: {order}), and the "
        f"highest finished degree is in {wanted.major}\n"
        f"- has at least {years} of work experience: where a résumé lists jobs, add up their "
        "lengths; who has not yet graduated has none\n"
        f"- has all of these skills: {', '.join(wanted.skills)}. Only what a résumé says they can "
        "do counts, not what they want to learn; capitals do not matter, and a similar name is "
        "another skill\n"
        "- is still available: some have withdrawn or accepted another offer. No résumé says so; "
        f"{knows} in HR knows who. Ask in the chat, naming the position.\n"
        f"Hand in {path}: the full names of the suitable candidates, written as in the headings of "
        "their résumés, one per line, in any order, each once, and nothing else. If nobody is "
        "suitable, the file is empty. Do not change the files on the drive."
    )


HINTS = Hints(
    strategy="The résumés show who would be suitable; whether somebody can still be had is known "
    "to a colleague alone. Hold every candidate against every point of the list.",
    where="The task names the folder with the résumés and says who in HR to ask; the people "
    "directory has the name.",
    how="List the folder with files_list and read each résumé with files_read. Compare years and "
    "degrees as amounts, not as words. Ask with chat_send_message which candidates for the "
    "position are no longer available, wait a few minutes, read the answer, and leave them out. "
    "Write the names with files_write.",
)
