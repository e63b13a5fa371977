"""Solver of the family resume_select: finds the suitable applicants who are still available."""

from __future__ import annotations

import re
from dataclasses import dataclass

from tests.solvers.office import Office, Session, find

RANKS = {"Associate": 1, "Bachelor's": 2, "Master's": 3, "Doctoral": 4}
DEGREES = {
    "Associate degree": 1,
    "Bachelor's degree": 2,
    "Bachelor of Science": 2,
    "B.Sc.": 2,
    "Master's degree": 3,
    "Master of Science": 3,
    "M.Sc.": 3,
    "Doctoral degree": 4,
    "Doctorate": 4,
    "Ph.D.": 4,
}
WORDS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
    "fifteen sixteen seventeen eighteen nineteen twenty"
).split()


@dataclass(frozen=True)
class Resume:
    """The contents of a résumé."""

    name: str
    position: str
    degree: int
    subject: str
    years: int
    skills: set[str]


@dataclass(frozen=True)
class Criteria:
    """The criteria in the objective."""

    position: str
    degree: int
    subject: str
    years: int
    skills: set[str]

    def suit(self, resume: Resume) -> bool:
        """Whether an applicant meets all of them."""
        return (
            resume.position == self.position
            and resume.degree >= self.degree
            and resume.subject == self.subject
            and resume.years >= self.years
            and self.skills <= resume.skills
        )


def read_criteria(objective: str) -> Criteria:
    """Read the criteria in the objective."""
    skills = find(r"^- Their skills include (.+?)\. Only", objective)[1]
    return Criteria(
        position=find(r"^- They apply for the position of (.+?)\.$", objective)[1],
        degree=RANKS[find(r"at least a (\S+) degree", objective)[1]],
        subject=find(r"highest completed degree is in (.+?)\.$", objective)[1],
        years=int(find(r"at least (\d+) years? of work experience", objective)[1]),
        skills={skill.strip().lower() for skill in skills.split(",")},
    )


def read_skills(text: str) -> set[str]:
    """The skills of a résumé in any of its four layouts."""
    if listed := re.search(r"^## Skills\n+((?:- .+\n?)+)", text, re.MULTILINE):
        skills = re.findall(r"^- (.+)$", listed[1], re.MULTILINE)
    elif line := re.search(r"^\*\*Skills:\*\* (.+)$", text, re.MULTILINE):
        skills = line[1].split(" / ")
    elif line := re.search(r"^\| Skills \| (.+) \|$", text, re.MULTILINE):
        skills = line[1].split(", ")
    else:
        skills = re.split(r", | and ", find(r"^I am skilled in (.+)\.$", text)[1])
    return {skill.strip().lower() for skill in skills}


def read_years(text: str) -> int:
    """The years of work, added up."""
    if re.search(r"no job yet|no job since", text):
        return 0
    numbers = "|".join(WORDS)
    lengths: list[str] = re.findall(
        rf"\b(\d+|{numbers}) years? (?:with|of work experience)", text, re.IGNORECASE
    )
    if not lengths:
        raise ValueError(f"no years in: {text}")
    return sum(int(n) if n.isdigit() else WORDS.index(n.lower()) for n in lengths)


def read_resume(text: str) -> Resume:
    """Read a résumé."""
    kinds = "|".join(re.escape(kind) for kind in DEGREES)
    degrees = re.findall(rf"({kinds}) in ([^,\n]+), [^,\n]+, \d{{4}}", text)
    rank, subject = max((DEGREES[kind], subject) for kind, subject in degrees)
    position = (
        r"(?:applying for the position of|^\*\*Applying for:\*\*|^\| Position applied for \||"
        r"^Application for the position of) \**([^.*|\n]+?)\**(?:\.| \||$)"
    )
    return Resume(
        name=find(r"^# (.+)$", text)[1].strip(),
        position=find(position, text)[1],
        degree=rank,
        subject=subject,
        years=read_years(text),
        skills=read_skills(text),
    )


async def ask_recruiters(office: Office, position: str) -> str:
    """Ask all recruiters who is no longer available."""
    question = (
        f"Which candidates for the position of {position} have withdrawn or accepted another"
        " offer, so that they are no longer available?"
    )
    people = await office.people("HR")
    recruiters = [person.id for person in people if "Recruiter" in person.title]
    return "\n".join(await office.ask_all([(who, question) for who in recruiters]))


async def solve(session: Session) -> None:
    """Select the applicants of every task."""
    office = Office(session)
    for task in await office.tasks():
        criteria = read_criteria(task.objective)
        folder = find(r"résumés are in (\S+?)\. ", task.objective)[1]
        target = find(r"Hand in (\S+?): ", task.objective)[1]
        paths = await office.list_files(folder)
        resumes = [read_resume(await office.read(path)) for path in paths]
        gone = await ask_recruiters(office, criteria.position)
        suitable = [resume for resume in resumes if criteria.suit(resume)]
        names = [resume.name for resume in suitable if resume.name not in gone]
        await office.hand_in(task, target, "".join(f"{name}\n" for name in names))
    await office.finish_day()
