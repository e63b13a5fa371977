"""What the task says at the start, and who is no longer available, which one colleague knows."""

from __future__ import annotations

from dataclasses import dataclass

from trainee_bench.meta_tasks.authoring import (
    FULL_NAME,
    PATH,
    Contact,
    HiddenFact,
    TextTemplate,
    one_of,
    separated,
)
from trainee_bench.meta_tasks.families.resume_select.data import (
    Degree,
    JobPosition,
    RequiredSkill,
    Requirement,
)
from trainee_bench.world.company.people import Person


@dataclass(frozen=True)
class ResumeSelectBrief:
    """What the objective states; ``recruiter`` is one of `ways_to_name`."""

    count: int
    folder: str
    wanted: Requirement
    recruiter: str
    output: str


_REQUIREMENT = TextTemplate(
    Requirement,
    "the position of {position}. A candidate is suitable if they meet all of these criteria:\n"
    "- They apply for the position of {position}.\n"
    f"- They have finished at least the {{degree}} degree (from lowest to highest: "
    f"{', '.join(Degree)}), and their highest finished degree is in {{major}}.\n"
    "- They have at least {years} of work experience. Where a résumé lists jobs, add up their "
    "lengths; candidates who have not graduated have none.\n"
    "- They have all of these skills: {skills}. Only what a résumé says they can do counts, not "
    "what they want to learn. Ignore case; similarly named skills do not count.\n",
    {
        "years": one_of({1: "1 year", 3: "3 years", 5: "5 years"}),
        "skills": separated(one_of({skill: skill.value for skill in RequiredSkill}), ", "),
    },
)
OBJECTIVE_RULES = (
    "their résumés are in",
    "Find out which of them are suitable for",
    "A candidate is suitable if they meet all of these criteria:",
    "They have finished at least the",
    "and their highest finished degree is in",
    "Where a résumé lists jobs, add up their lengths; candidates who have not graduated have none.",
    "They have all of these skills:",
    "Only what a résumé says they can do counts, not what they want to learn.",
    "Ignore case; similarly named skills do not count.",
    "They are still available. Some have withdrawn or accepted another offer. No résumé says so;",
    "Ask in the chat, naming the position.",
    "one per line, in any order, each once, and nothing else.",
    "If nobody is suitable, hand in an empty file.",
    "Do not change the files on the drive.",
)
"""What the objective says and honest work does."""
OBJECTIVE = TextTemplate(
    ResumeSelectBrief,
    "{count} people have applied for a job with us; their résumés are in {folder}. Find out which "
    "of them are suitable for {wanted}"
    "- They are still available. Some have withdrawn or accepted another offer. No résumé says so; "
    "{recruiter} in HR knows who. Ask in the chat, naming the position.\n"
    "Hand in {output}: the full names of the suitable candidates, written as in the headings of "
    "their résumés, one per line, in any order, each once, and nothing else. If nobody is "
    "suitable, hand in an empty file. Do not change the files on the drive.",
    {"folder": PATH, "wanted": _REQUIREMENT.converter(), "output": PATH},
)


def ways_to_name(person: Person | Contact) -> tuple[str, str]:
    """Somebody in HR by their title, if nobody else has it, and by name."""
    return f"the {person.title}", f"{person.name} ({person.title})"


# what is hidden -----------------------------------------------------------------------------

REASONS = ("has withdrawn", "has accepted another offer", "has taken a job elsewhere")


@dataclass(frozen=True)
class Gone:
    """A candidate who is no longer available, and why."""

    name: str
    reason: str


@dataclass(frozen=True)
class Unavailable:
    """The candidates for a position who are no longer available, whether suitable or not: who is
    named is no more likely to be suitable than who is not."""

    position: JobPosition
    candidates: tuple[Gone, ...]


_GONE = TextTemplate(Gone, "{name} ({reason})", {"name": FULL_NAME})
UNAVAILABLE = HiddenFact(
    name="unavailable",
    questions=(
        "Which candidates for {position} are no longer available?",
        "Which applicants for {position} have withdrawn?",
        "Has any candidate for {position} accepted another offer?",
        "Are all candidates for the position of {position} still available?",
        "Which applicants for {position} have withdrawn or taken another job?",
        "I am going through the résumés for {position}. Which applicants are still available?",
        "Do you know the availability of the candidates for {position}?",
        "What is the status of the applicants for {position}? Has anybody dropped out?",
        "Could you tell me which candidates for {position} have accepted an offer elsewhere?",
        "Which candidates have withdrawn their application for the {position} opening?",
        "Who has withdrawn from the {position} role?",
        "Has anybody among the applicants for {position} dropped out?",
        "Is everybody who applied as {position} still interested in the job?",
        "Which of the applicants for {position} are still in the running?",
        "Which applicants for {position} have pulled out or found something else?",
        "Who of those who applied as {position} has taken another job or lost interest?",
        "Which {position} applications can I put aside because the people have said no?",
    ),
    answer=TextTemplate(
        Unavailable,
        "Candidates for {position} who are no longer available: {candidates}. "
        "All others still are.",
        {"candidates": separated(_GONE.converter(), ", ")},
    ),
)
