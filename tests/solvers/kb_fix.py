"""Solver of the family kb_fix: corrects the chart links of knowledge base articles."""

from __future__ import annotations

import re

from tests.solvers.office import Office, Session

COPY = re.compile(r"- (drive:/\S+) -> (workspace:/\S+)")
LINK = re.compile(r"(OLD\d{6})\b[^\n]*?owner: ([^\n]+)")
NEW_ID = re.compile(r"(OLD\d{6}) is now (NEW\d{6})")


async def ask_owners(office: Office, articles: dict[str, str]) -> dict[str, str]:
    """Ask the owners, one article at a time, for the new ids of its charts; new ids by old ones."""
    wanted: dict[tuple[str, str], list[str]] = {}
    for path, text in articles.items():
        for old, owner in LINK.findall(text):
            wanted.setdefault((owner.strip(), path.rpartition("/")[2]), []).append(old)
    questions = [
        (owner, f"What are the new ids of the charts {', '.join(olds)} in {article}?")
        for (owner, article), olds in wanted.items()
    ]
    answers = await office.ask_all(questions, lambda text: bool(NEW_ID.search(text)))
    return dict(NEW_ID.findall(" ".join(answers)))


async def solve(session: Session) -> None:
    """Correct the articles of every task."""
    office = Office(session)
    for task in await office.tasks():
        copies: list[tuple[str, str]] = COPY.findall(task.objective)
        articles = {source: await office.read(source) for source, _ in copies}
        new_ids = await ask_owners(office, articles)
        for source, target in copies:
            olds = re.findall(r"OLD\d{6}", articles[source])
            await office.call("files_copy", source=source, target=target)
            edits = [{"old": old, "new": new_ids[old]} for old in olds]
            await office.call("files_edit", path=target, edits=edits)
        await office.submit(task)
    await office.finish_day()
