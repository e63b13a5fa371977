"""Résumés: written in different words and layouts, and read again.

Reading them must not be a matter of taste: position, degrees, lengths of jobs and skills are
stated in plain words, and nothing else mentions years.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from random import Random

from trainee_bench.meta_tasks.authoring import listed
from trainee_bench.meta_tasks.families.resume_select.data import (
    Candidate,
    Degree,
    FinishedDegree,
    JobPosition,
)

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
)
_WISHES = (
    "Next I would like to learn {wish}.",
    "What I would like to learn: {wish}.",
    "I have not worked with {wish} yet and would be glad to.",
)


def write_resume(draws: Random, candidate: Candidate) -> str:
    """The résumé of *candidate* in Markdown."""
    layout = draws.choice((_sections, _table, _letter, _brief))
    return f"# {candidate.name}\n\n{layout(draws, candidate)}\n"


def _sections(draws: Random, one: Candidate) -> str:
    parts = [
        ("Education", _education(draws, one)),
        ("Work experience", _work(draws, one, str)),
        ("Skills", _shown(draws, one.skills)),
    ]
    if draws.random() < 0.5:
        parts.reverse()
    sections = (f"## {title}\n\n- " + "\n- ".join(lines) for title, lines in parts)
    opening = f"Application for the position of **{one.position}**"
    return "\n\n".join([opening, _about(draws, one), *sections])


def _table(draws: Random, one: Candidate) -> str:
    rows = [
        ("About", "Details"),
        ("Position applied for", one.position),
        ("Education", "; ".join(_education(draws, one))),
        ("Work experience", "; ".join(_work(draws, one, str))),
        ("Skills", ", ".join(_shown(draws, one.skills))),
    ]
    header, *lines = (f"| {name} | {value} |" for name, value in rows)
    return "\n".join([header, "|---|---|", *lines, "", _about(draws, one)])


def _letter(draws: Random, one: Candidate) -> str:
    first, *before = _education(draws, one)
    studied = f"My highest degree is this: {first}."
    studied += f" Before it I finished another: {before[0]}." if before else ""
    work = listed(_work(draws, one, _NUMBER_WORDS.__getitem__))
    skills = listed([_PROPER.get(skill, skill) for skill in one.skills])
    return (
        f"I am applying for the position of {one.position}. {_about(draws, one)}\n\n"
        f"{studied}\n\nAbout my work so far: {work}.\n\nI am skilled in {skills}."
    )


def _brief(draws: Random, one: Candidate) -> str:
    lines = [
        f"**Skills:** {' / '.join(_shown(draws, one.skills))}",
        f"**Worked:** {'; '.join(_work(draws, one, str))}",
        f"**Studied:** {'; '.join(_education(draws, one))}",
        f"**Applies as:** {one.position}",
    ]
    draws.shuffle(lines)
    return "\n\n".join([*lines, f"*{_about(draws, one)}*"])


def _education(draws: Random, one: Candidate) -> list[str]:
    return [
        f"{draws.choice(_DEGREE_WORDS[studies.degree])} in {studies.major}, "
        f"{draws.choice(_SCHOOLS)}, {studies.year}"
        for studies in one.studies
    ]


def _work(draws: Random, one: Candidate, number: Callable[[int], str]) -> list[str]:
    """The jobs, or why there are none; *number* writes a number of years."""
    highest = one.studies[0]
    if not one.jobs and highest.degree is Degree.DOCTORAL:
        return [f"graduated in {highest.year} and has not had a job since"]
    if not one.jobs:
        upper = list(Degree)[highest.degree.rank + 1]
        return [f"not yet graduated, still studying for the {upper} degree"]
    spans = [f"{number(years)} year{'' if years == 1 else 's'}" for years in one.jobs]
    employers = draws.sample(_EMPLOYERS, len(spans))
    if len(spans) == 1 and draws.random() < 0.5:
        return [f"{spans[0]} of work experience, most recently with {employers[0]}"]
    return [
        f"{span} with {employer} ({draws.choice(_TEAMS)})"
        for span, employer in zip(spans, employers, strict=True)
    ]


def _shown(draws: Random, skills: Sequence[str]) -> list[str]:
    """Skills as people write them: all with capitals, or as they come."""
    if draws.random() < 0.5:
        return list(skills)
    shown = (_PROPER.get(skill, skill) for skill in skills)
    return [skill.capitalize() if skill.islower() else skill for skill in shown]


def _about(draws: Random, one: Candidate) -> str:
    said = draws.sample(_ABOUT, 2)
    said += [draws.choice(_WISHES).format(wish=_PROPER.get(w, w)) for w in one.wishes]
    return " ".join(said)


# read again ---------------------------------------------------------------------------------

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
    """What a résumé says, except the wishes, which do not matter."""
    (position,) = _POSITION.findall(text)
    (skills,) = (found[1] for found in (layout.search(text) for layout in _SKILLS) if found)
    studies = [
        FinishedDegree(_DEGREES[words], major, int(year))
        for words, major, year in _FINISHED.findall(text)
    ]
    return Candidate(
        name=text.partition("\n")[0].removeprefix("# "),
        position=JobPosition(position),
        studies=tuple(sorted(studies, key=lambda one: one.degree.rank, reverse=True)),
        jobs=tuple(
            int(years) if years.isdigit() else _NUMBER_WORDS.index(years)
            for years in _SPAN.findall(text)
        ),
        skills=tuple(one.strip() for one in _BETWEEN_SKILLS.split(skills) if one.strip()),
    )
