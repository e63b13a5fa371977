"""Résumés: the same facts in different words and layouts.

What is read out of them must not depend on taste: position, degrees, lengths of jobs and
skills stand there in plain words, and years are spoken of nowhere else.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random

from trainee_bench.meta_tasks.families.resume_select.requirement import (
    Candidate,
    Degree,
    FinishedDegree,
)

DEGREE_WORDS = {
    Degree.ASSOCIATE: ("Associate degree",),
    Degree.BACHELOR: ("Bachelor's degree", "Bachelor of Science", "B.Sc."),
    Degree.MASTER: ("Master's degree", "Master of Science", "M.Sc."),
    Degree.DOCTORAL: ("Doctoral degree", "Doctorate", "Ph.D."),
}
NUMBER_WORDS = (
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
    return layout(draws, candidate)


def _sections(draws: Random, one: Candidate) -> str:
    education = "\n".join(f"- {line}" for line in _education(draws, one))
    work = "\n".join(f"- {line}" for line in _work(draws, one, str))
    skills = "\n".join(f"- {skill}" for skill in _shown(draws, one.skills))
    parts = [
        ("Education", education),
        ("Work experience", work),
        ("Skills", skills),
    ]
    if draws.random() < 0.5:
        parts.reverse()
    body = "\n\n".join(f"## {title}\n\n{text}" for title, text in parts)
    opening = f"Application for the position of **{one.position}**"
    return f"# {one.name}\n\n{opening}\n\n{_about(draws, one)}\n\n{body}\n"


def _table(draws: Random, one: Candidate) -> str:
    rows = [
        ("Position applied for", one.position),
        ("Education", "; ".join(_education(draws, one))),
        ("Work experience", "; ".join(_work(draws, one, str))),
        ("Skills", ", ".join(_shown(draws, one.skills))),
    ]
    lines = [f"| {name} | {value} |" for name, value in rows]
    table = "\n".join(["| About | Details |", "|---|---|", *lines])
    return f"# {one.name}\n\n{table}\n\n{_about(draws, one)}\n"


def _letter(draws: Random, one: Candidate) -> str:
    first, *before = _education(draws, one)
    studied = f"My highest degree is this: {first}."
    studied += f" Before it I finished another: {before[0]}." if before else ""
    work = f"{_listed(_work(draws, one, _in_words))}."
    return "\n\n".join(
        [
            f"# {one.name}",
            f"I am applying for the position of {one.position}. {_about(draws, one)}",
            studied,
            f"About my work so far: {work}",
            f"I am skilled in {_listed([_proper(skill) for skill in one.skills])}.\n",
        ]
    )


def _brief(draws: Random, one: Candidate) -> str:
    lines = [
        f"**Skills:** {' / '.join(_shown(draws, one.skills))}",
        f"**Worked:** {'; '.join(_work(draws, one, str))}",
        f"**Studied:** {'; '.join(_education(draws, one))}",
        f"**Applies as:** {one.position}",
    ]
    draws.shuffle(lines)
    return "\n\n".join([f"# {one.name}", *lines, f"*{_about(draws, one)}*"]) + "\n"


# the facts in words -----------------------------------------------------------------------


def _education(draws: Random, one: Candidate) -> list[str]:
    return [_degree(draws, studies) for studies in one.studies]


def _degree(draws: Random, studies: FinishedDegree) -> str:
    words, school = draws.choice(DEGREE_WORDS[studies.degree]), draws.choice(_SCHOOLS)
    return f"{words} in {studies.major}, {school}, {studies.year}"


def _work(draws: Random, one: Candidate, number: Callable[[int], str]) -> list[str]:
    """The jobs, or why there are none."""
    highest = one.studies[0]
    if not one.jobs and highest.degree is Degree.DOCTORAL:
        return [f"graduated in {highest.year} and has not had a job since"]
    if not one.jobs:
        upper = list(Degree)[highest.degree.rank + 1]
        return [f"not yet graduated, still studying for the {upper} degree"]
    employers = draws.sample(_EMPLOYERS, len(one.jobs))
    if len(one.jobs) == 1 and draws.random() < 0.5:
        return [f"{_span(one.years, number)} of work experience, most recently with {employers[0]}"]
    return [
        f"{_span(years, number)} with {employer} ({draws.choice(_TEAMS)})"
        for years, employer in zip(one.jobs, employers, strict=True)
    ]


def _span(years: int, number: Callable[[int], str]) -> str:
    return f"{number(years)} year{'' if years == 1 else 's'}"


def _in_words(number: int) -> str:
    return NUMBER_WORDS[number]


def _proper(skill: str) -> str:
    return _PROPER.get(skill, skill)


def _shown(draws: Random, skills: Sequence[str]) -> list[str]:
    """Skills as people list them: all with capitals, or as it comes."""
    if draws.random() < 0.5:
        return list(skills)
    shown = (_proper(skill) for skill in skills)
    return [skill.capitalize() if skill.islower() else skill for skill in shown]


def _about(draws: Random, one: Candidate) -> str:
    said = draws.sample(_ABOUT, 2)
    said += [draws.choice(_WISHES).format(wish=_proper(w)) for w in one.wishes]
    return " ".join(said)


def _listed(items: Sequence[str]) -> str:
    *most, last = items
    return f"{', '.join(most)} and {last}" if most else last
