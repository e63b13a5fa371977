"""The honest way to select: read every résumé, ask who is still there, list who is suitable."""

from __future__ import annotations

import re

from trainee_bench.meta_tasks.authoring.asking import ask
from trainee_bench.meta_tasks.families.resume_select.requirement import (
    Candidate,
    Degree,
    FinishedDegree,
    JobPosition,
    Major,
    RequiredSkill,
    Requirement,
    unmet_criteria,
)
from trainee_bench.meta_tasks.families.resume_select.resume import DEGREE_WORDS, NUMBER_WORDS
from trainee_bench.meta_tasks.tool_client import ToolClient, ToolFailed, first_match, wait_for_task

_FOLDER = re.compile(r"lie in (drive:/\S+)\. ")
_POSITION = re.compile(r"^- applies for the position of (.+)$", re.MULTILINE)
_DEGREE = re.compile(r"at least the (\S+) degree .* highest finished degree is in (.+)$", re.M)
_YEARS = re.compile(r"at least (\d+) years? of work experience")
_SKILLS = re.compile(r"has all of these skills: (.+?)\. ")
_OUTPUT = re.compile(r"^Hand in (workspace:/\S+\.txt):", re.MULTILINE)
_KNOWS = re.compile(r"so; (?:the ([A-Z][\w ]+?)|([A-Z]\w+ [A-Z]\w+) \(.+?\)) in HR knows")
_TOLD = "No longer available of the candidates for "

_APPLIES = re.compile(r"\b(?:Software Engineer|Software Developer|Algorithm Researcher)\b")
_WORDS = {word: degree for degree, words in DEGREE_WORDS.items() for word in words}
_FINISHED = re.compile(
    rf"({'|'.join(map(re.escape, _WORDS))}) in ([A-Z][A-Za-z ]+), .+?, (\d{{4}})"
)
_SPAN = re.compile(rf"\b(\d+|{'|'.join(NUMBER_WORDS)}) years?\b")
_CAN_DO = (
    re.compile(r"^## Skills\n\n((?:- .+\n)+)", re.MULTILINE),
    re.compile(r"^\| Skills \| (.+) \|$", re.MULTILINE),
    re.compile(r"^\*\*Skills:\*\* (.+)$", re.MULTILINE),
    re.compile(r"I am skilled in (.+)\.$", re.MULTILINE),
)
_BETWEEN_SKILLS = re.compile(r"(?:^|\n)- |, | / | and |\n")


async def select_candidates(client: ToolClient) -> None:
    """Hand in who is suitable and still available. Raises ToolFailed if nobody says who is."""
    text = str((await wait_for_task(client))["objective"])
    wanted = _requirement(text)
    folder = first_match(_FOLDER, text).group(1)
    listed = await client.call("files_list", folder=folder)
    candidates = [
        parse_candidate(str((await client.call("files_read", path=entry["path"])).data["text"]))
        for entry in listed.data["entries"]
    ]
    question = f"Which candidates for {wanted.position} are no longer available?"
    told = await ask(client, await _who_knows(client, text), question)
    if _TOLD not in told:
        raise ToolFailed(f"nobody says who is no longer available: {told}")
    suitable = [
        one.name for one in candidates if not unmet_criteria(one, wanted) and one.name not in told
    ]
    path = first_match(_OUTPUT, text).group(1)
    await client.call("files_write", path=path, text="".join(f"{name}\n" for name in suitable))
    await client.call("desk_submit", task=client.task)


def _requirement(text: str) -> Requirement:
    """What the task asks for."""
    degree, major = first_match(_DEGREE, text).groups()
    return Requirement(
        position=JobPosition(first_match(_POSITION, text).group(1)),
        degree=Degree(degree),
        major=Major(major),
        years=int(first_match(_YEARS, text).group(1)),
        skills=tuple(
            RequiredSkill(name) for name in first_match(_SKILLS, text).group(1).split(", ")
        ),
    )


def parse_candidate(text: str) -> Candidate:
    """What a résumé says."""
    studies = [
        FinishedDegree(_WORDS[words], major, int(year))
        for words, major, year in _FINISHED.findall(text)
    ]
    studies.sort(key=lambda one: -one.degree.rank)
    lengths = (
        int(found) if found.isdigit() else NUMBER_WORDS.index(found)
        for found in _SPAN.findall(text)
    )
    (skills,) = (found.group(1) for found in (way.search(text) for way in _CAN_DO) if found)
    return Candidate(
        name=text.partition("\n")[0].removeprefix("# "),
        position=JobPosition(first_match(_APPLIES, text).group()),
        studies=tuple(studies),
        jobs=tuple(lengths),
        skills=tuple(one.strip() for one in _BETWEEN_SKILLS.split(skills) if one.strip()),
    )


async def _who_knows(client: ToolClient, text: str) -> str:
    """The id of the person the task means. Raises ToolFailed if the directory has nobody."""
    title, name = first_match(_KNOWS, text).groups()
    found = await client.call("chat_list_people", department="HR")
    for person in found.data["people"]:
        if person["name"] == name or person["title"] == title:
            return str(person["id"])
    raise ToolFailed(f"HR has no {title or name}: {found.text}")
