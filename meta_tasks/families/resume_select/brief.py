"""Texts of the résumé task: the objective, unavailable candidates, and résumés.

Résumés have different wordings and layouts, and are read back here. They leave no room for
interpretation: position, degrees, lengths of jobs and skills are stated plainly, and nothing else
mentions years.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random

from trainee_bench.meta_tasks.authoring import (
    FULL_NAME,
    PATH,
    Contact,
    HiddenFact,
    Hints,
    TaskContext,
    TextTemplate,
    listed,
    one_of,
    separated,
)
from trainee_bench.meta_tasks.families.resume_select.data import (
    Candidate,
    Degree,
    FinishedDegree,
    JobPosition,
    RequiredSkill,
    Requirement,
)
from trainee_bench.world.company.people import Person


@dataclass(frozen=True)
class ResumeSelectBrief:
    """Contents of the objective; ``recruiter`` is one of `ways_to_name`."""

    count: int
    folder: str
    wanted: Requirement
    recruiter: str
    output: str


_REQUIREMENT = TextTemplate(
    Requirement,
    "the position of {position}. A candidate is suitable if they meet all of these criteria:\n"
    "- They apply for the position of {position}.\n"
    f"- They have completed at least a {{degree}} degree (from lowest to highest: "
    f"{', '.join(Degree)}), and their highest completed degree is in {{major}}.\n"
    "- They have at least {years} of work experience. Add up the lengths of the jobs in "
    "the résumé; without any job, a candidate has no work experience.\n"
    "- Their skills include {skills}. Only skills stated in a résumé count, not "
    "those that a candidate wants to learn. Ignore case; similarly named skills do not count.\n",
    {
        "years": one_of({1: "1 year", 3: "3 years", 5: "5 years"}),
        "skills": separated(one_of({skill: skill.value for skill in RequiredSkill}), ", "),
    },
)
OBJECTIVE_RULES = (
    "their résumés are in",
    "Find out which of them are suitable for",
    "A candidate is suitable if they meet all of these criteria:",
    "They have completed at least a",
    "and their highest completed degree is in",
    "Add up the lengths of the jobs in the résumé; without any job, a candidate has no work",
    "Their skills include",
    "Only skills stated in a résumé count, not those that a candidate wants to learn.",
    "Ignore case; similarly named skills do not count.",
    "They are still available. Some have withdrawn or accepted another offer. No résumé says so;",
    "Ask in the chat, naming the position.",
    "one per line, in any order, each once, and nothing else.",
    "If nobody is suitable, hand in an empty file.",
    "Do not change the files on the drive.",
)
"""Sentences of the objective that honest work relies on."""
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
    """Return a colleague's title, for use if it is unique, and their name with the title."""
    return f"the {person.title}", f"{person.name} ({person.title})"


# the hidden fact ----------------------------------------------------------------------------

REASONS = ("has withdrawn", "has accepted another offer", "has taken a job elsewhere")


@dataclass(frozen=True)
class Gone:
    """A candidate who is no longer available, and the reason."""

    name: str
    reason: str


@dataclass(frozen=True)
class Unavailable:
    """The candidates for a position who are no longer available, suitable or not.

    Being on this list says nothing about whether a candidate is suitable.
    """

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
        "All the others are still available.",
        {"candidates": separated(_GONE.converter(), ", ")},
    ),
)


# hints ---------------------------------------------------------------------------------------

HINTS = Hints(
    strategy="The résumés show who would be suitable; only a colleague knows who is still "
    "available. Check every candidate against every criterion.",
    where="The task names the folder with the résumés and says who in HR to ask; the people "
    "directory has the name.",
    how="List the folder with files_list and read each résumé with files_read. Compare years and "
    "degrees as quantities, not as words. Ask with chat_send_message which candidates for the "
    "position are no longer available, wait a few minutes, read the answer, and leave them out. "
    "Write the names with files_write.",
)


# résumés -------------------------------------------------------------------------------------

_DEGREE_WORDS = {
    Degree.ASSOCIATE: ("Associate degree",),
    Degree.BACHELOR: ("Bachelor's degree", "Bachelor of Science", "B.Sc."),
    Degree.MASTER: ("Master's degree", "Master of Science", "M.Sc."),
    Degree.DOCTORAL: ("Doctoral degree", "Doctorate", "Ph.D."),
}
_NUMBER_WORDS = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
    "eleven", "twelve",
)  # fmt: skip
_PROPER = {
    "python": "Python", "java": "Java", "c++": "C++", "kubernetes": "Kubernetes", "redis": "Redis",
    "mongodb": "MongoDB",
}  # fmt: skip
_SCHOOLS = (
    "University of Northmere", "Estwick Institute of Technology", "Valmora University",
    "Harrow Bay University", "Linden Vale College", "Marren University", "University of Orlo",
)  # fmt: skip
_EMPLOYERS = (
    "Haldenforge", "Orrin Labs", "Quill and Tern", "Brightwater Software", "Nordlicht Data",
    "Castellan Robotics", "Ferrow Analytics", "Pinemark", "Tidewell Health", "Ambra Logistics",
)  # fmt: skip
_TEAMS = (
    "platform team", "payments team", "search team", "research group", "customer projects",
    "warehouse systems", "mobile team", "internal tools",
)  # fmt: skip
_ABOUT = (
    "I like work that somebody uses the week after it is finished.",
    "Colleagues say that I ask the question everybody else was about to ask.",
    "I write short notes about everything I build, so that others can change it.",
    "I think best while walking along water, and my best ideas are slightly damp.",
    "Most of what I know about careful work I learnt from repairing clocks with my aunt.",
    "I prefer small steps that can be checked to large ones that cannot.",
    "In a team I am usually the one who draws the picture on the board.",
    "I am looking for people I can learn from and a product that is there to stay.",
    "I play the viola in an amateur orchestra, with more joy than skill.",
    "When something breaks I want to know why before I want it to work again.",
    "I explain things to my grandfather first; what he understands, I have understood.",
    "Outside the office I grow tomatoes and keep a table of their weights.",
    "I would rather delete a page of code than write one.",
    "I test a thing until I trust it, and then I ask somebody else to test it.",
    "On Sundays I bake bread, and I still get the timing wrong.",
    "I learn a new tool by rebuilding something small that I know well.",
    "I like meetings that end early and plans that fit on a page.",
    "My first program drew snowflakes; I still have the printout.",
    "I sing in a choir that rehearses in an old tram depot.",
    "I ask for feedback early, because late feedback is expensive.",
    "A good error message makes my day.",
    "I cycle to work in any weather and arrive with a clear head.",
    "I have taught evening classes for beginners and enjoyed every one.",
    "I keep a notebook of mistakes, mine and other people's, and I read it often.",
    "I am calm when things go wrong and curious when they go well.",
    "I enjoy work in which a careful answer matters more than a quick one.",
    "At home I repair radios that nobody else wants to keep.",
    "I believe that most hard problems are several easy ones in disguise.",
    "I play chess badly, but I never resign early.",
    "I am at my best in a small team that talks a lot.",
    "I read old manuals for fun and find them surprisingly modern.",
    "If I can explain a decision in a sentence, I am usually content with it.",
    "I volunteer at the local library and sort returned books.",
    "I care about names: a thing that is well named is half understood.",
    "I paint landscapes, mostly of places that I have never visited.",
    "I like to sit with the people who use what I build and watch quietly.",
    "I would describe myself as patient, stubborn and fond of checklists.",
    "My desk is tidy, and my sketches are not.",
    "I coach a junior handball team, which is the best training in planning that I know.",
    "I prefer a question too many to a misunderstanding.",
    "I like to hand over work in a state in which I would like to receive it.",
    "In winter I ski; in summer I wait for winter.",
)
_WISHES = (
    "Next I would like to learn {wish}.",
    "I would like to learn this: {wish}.",
    "I have not learnt {wish} yet, but I would like to.",
)


def draw_abouts(context: TaskContext, count: int) -> Sequence[Sequence[str]]:
    """Draw what each of *count* candidates says about themselves: two sentences, or one if few are
    left. No sentence comes twice on a day, unless too few are left for one each.
    """
    claims = context.reservations.claims
    free = [
        said for said in _ABOUT if claims.get(f"résumés say: {said}", context.task) == context.task
    ]
    known = free if len(free) >= count else _ABOUT
    drawn = context.stream("about").sample(known, min(2, len(known) // count) * count)
    for said in drawn:
        claims.setdefault(f"résumés say: {said}", context.task)
    return [drawn[place::count] for place in range(count)]


def write_resume(draws: Random, candidate: Candidate, about: Sequence[str]) -> str:
    """Write the résumé of *candidate*, who says *about* themselves, in Markdown."""
    layout = draws.choice((_sections, _table, _letter, _brief))
    said = _about(draws, candidate, about)
    return f"# {candidate.name}\n\n{layout(draws, candidate, said)}\n"


def _sections(draws: Random, candidate: Candidate, about: str) -> str:
    parts = [
        ("Education", _education(draws, candidate)),
        ("Work experience", _work(draws, candidate, str)),
        ("Skills", _shown(draws, candidate.skills)),
    ]
    if draws.random() < 0.5:
        parts.reverse()
    sections = (f"## {title}\n\n- " + "\n- ".join(lines) for title, lines in parts)
    opening = f"Application for the position of **{candidate.position}**"
    return "\n\n".join([opening, about, *sections])


def _table(draws: Random, candidate: Candidate, about: str) -> str:
    rows = [
        ("About", "Details"),
        ("Position applied for", candidate.position),
        ("Education", "; ".join(_education(draws, candidate))),
        ("Work experience", "; ".join(_work(draws, candidate, str))),
        ("Skills", ", ".join(_shown(draws, candidate.skills))),
    ]
    header, *lines = (f"| {name} | {value} |" for name, value in rows)
    return "\n".join([header, "|---|---|", *lines, "", about])


def _letter(draws: Random, candidate: Candidate, about: str) -> str:
    first, *before = _education(draws, candidate)
    studied = (
        f"My degrees: {first}; before that, {before[0]}." if before else f"My degree: {first}."
    )
    work = listed(_work(draws, candidate, _NUMBER_WORDS.__getitem__))
    skills = listed([_PROPER.get(skill, skill) for skill in candidate.skills])
    return (
        f"I am applying for the position of {candidate.position}. {about}\n\n"
        f"{studied}\n\nMy work so far: {work}.\n\nI am skilled in {skills}."
    )


def _brief(draws: Random, candidate: Candidate, about: str) -> str:
    lines = [
        f"**Skills:** {' / '.join(_shown(draws, candidate.skills))}",
        f"**Work:** {'; '.join(_work(draws, candidate, str))}",
        f"**Education:** {'; '.join(_education(draws, candidate))}",
        f"**Applying for:** {candidate.position}",
    ]
    draws.shuffle(lines)
    return "\n\n".join([*lines, f"*{about}*"])


def _education(draws: Random, candidate: Candidate) -> list[str]:
    return [
        f"{draws.choice(_DEGREE_WORDS[studies.degree])} in {studies.major}, "
        f"{draws.choice(_SCHOOLS)}, {studies.year}"
        for studies in candidate.studies
    ]


def _work(draws: Random, candidate: Candidate, number: Callable[[int], str]) -> list[str]:
    """Describe the jobs, or why there are none; *number* writes a number of years."""
    highest = candidate.studies[0]
    if not candidate.jobs and highest.degree is Degree.DOCTORAL:
        return [f"graduated in {highest.year}, no job since"]
    if not candidate.jobs:
        upper = list(Degree)[highest.degree.rank + 1]
        return [f"no job yet, still studying for the {upper} degree"]
    spans = [f"{number(years)} year{'' if years == 1 else 's'}" for years in candidate.jobs]
    employers = draws.sample(_EMPLOYERS, len(spans))
    if len(spans) == 1 and draws.random() < 0.5:
        return [f"{spans[0]} of work experience, most recently with {employers[0]}"]
    return [
        f"{span} with {employer} ({draws.choice(_TEAMS)})"
        for span, employer in zip(spans, employers, strict=True)
    ]


def _shown(draws: Random, skills: Sequence[str]) -> list[str]:
    """Write skills in one of two styles: capitalised or unchanged."""
    if draws.random() < 0.5:
        return list(skills)
    shown = (_PROPER.get(skill, skill) for skill in skills)
    return [skill.capitalize() if skill.islower() else skill for skill in shown]


def _about(draws: Random, candidate: Candidate, about: Sequence[str]) -> str:
    sentences = [*about]
    sentences += [draws.choice(_WISHES).format(wish=_PROPER.get(w, w)) for w in candidate.wishes]
    return " ".join(sentences)


# reading résumés ----------------------------------------------------------------------------

_DEGREES = {words: degree for degree, ways in _DEGREE_WORDS.items() for words in ways}
_POSITION = re.compile(rf"\b(?:{'|'.join(JobPosition)})\b")
_FINISHED = re.compile(
    rf"({'|'.join(map(re.escape, _DEGREES))}) in ([A-Z][A-Za-z ]+), .+?, (\d{{4}})"
)
_SPAN = re.compile(rf"\b(\d+|{'|'.join(_NUMBER_WORDS)}) years?\b")
_SKILLS = (
    re.compile(r"^## Skills\n\n((?:- .+\n)+)", re.MULTILINE),
    re.compile(r"^\| Skills \| (.+) \|$", re.MULTILINE),
    re.compile(r"^\*\*Skills:\*\* (.+)$", re.MULTILINE),
    re.compile(r"I am skilled in (.+)\.$", re.MULTILINE),
)
_BETWEEN_SKILLS = re.compile(r"(?:^|\n)- |, | / | and |\n")


def parse_candidate(text: str) -> Candidate:
    """Read a résumé, except the wishes, which do not matter."""
    (position,) = _POSITION.findall(text)
    (skills,) = (found[1] for found in (layout.search(text) for layout in _SKILLS) if found)
    studies = [
        FinishedDegree(_DEGREES[words], major, int(year))
        for words, major, year in _FINISHED.findall(text)
    ]
    return Candidate(
        name=text.partition("\n")[0].removeprefix("# "),
        position=JobPosition(position),
        studies=tuple(sorted(studies, key=lambda finished: finished.degree.rank, reverse=True)),
        jobs=tuple(
            int(years) if years.isdigit() else _NUMBER_WORDS.index(years)
            for years in _SPAN.findall(text)
        ),
        skills=tuple(name.strip() for name in _BETWEEN_SKILLS.split(skills) if name.strip()),
    )
