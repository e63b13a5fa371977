"""Solvers for the résumé task.

The honest one reads all résumés and asks who is no longer available. The shortcut asks nobody.
"""

from __future__ import annotations

from trainee_bench.meta_tasks.authoring import ToolClient, hand_in, read_brief, read_text
from trainee_bench.meta_tasks.families.resume_select.brief import (
    OBJECTIVE,
    OBJECTIVE_RULES,
    UNAVAILABLE,
    parse_candidate,
    ways_to_name,
)
from trainee_bench.meta_tasks.families.resume_select.data import unmet_criteria
from trainee_bench.meta_tasks.work.achieving import FileHas, HandedIn
from trainee_bench.meta_tasks.work.asking import FactQuestion, Told
from trainee_bench.meta_tasks.work.need import All, Work
from trainee_bench.meta_tasks.work.reading import FileText, TaskBrief
from trainee_bench.meta_tasks.work.sources import DirectorySearch, Listing


async def honest_work(work: Work, task: str) -> None:
    """Ask who is unavailable, read every résumé meanwhile, and list the suitable candidates."""
    brief = await work(TaskBrief(task, OBJECTIVE, OBJECTIVE_RULES))
    staff, resumes = await work.both(DirectorySearch(department="HR"), Listing(brief.folder))
    (recruiter,) = (person.id for person in staff if brief.recruiter in ways_to_name(person))
    about = (("position", brief.wanted.position.value),)
    told, texts = await work.both(
        Told(task, recruiter, FactQuestion(UNAVAILABLE.name, UNAVAILABLE, about)),
        All(tuple(FileText(path, task) for path in resumes)),
    )
    (unavailable,) = told.values()
    gone = {candidate.name for candidate in unavailable.candidates}
    names = [
        candidate.name
        for candidate in map(parse_candidate, texts)
        if not unmet_criteria(candidate, brief.wanted) and candidate.name not in gone
    ]
    lines = "".join(f"{name}\n" for name in names)
    await work(HandedIn(task, (FileHas(brief.output, lines),)))


async def list_suitable_on_paper(client: ToolClient) -> None:
    """List everybody whose résumé meets the criteria, without asking anybody."""
    brief = await read_brief(client, OBJECTIVE)
    listed = await client.call("files_list", folder=brief.folder)
    texts = [await read_text(client, str(entry["path"])) for entry in listed.data["entries"]]
    candidates = map(parse_candidate, texts)
    names = [
        candidate.name for candidate in candidates if not unmet_criteria(candidate, brief.wanted)
    ]
    await hand_in(client, brief.output, "".join(f"{name}\n" for name in names))
