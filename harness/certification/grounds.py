"""Claim *grounds*: what an author states as the answer occurs in what the task shows.

The holder of each fact is named. Each recipient of a mail and each person invited is named in the
request, a page or a mail, by name or by title. Each phrase that the mail has to say, each number
and time of a meeting, and each value of a stated row is there, too, or is a fact.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from trainee_bench.harness.certification.claim import NO_OFFICE, Claim
from trainee_bench.harness.certification.office_claims import task_of
from trainee_bench.harness.documents.formatting import pluralize
from trainee_bench.harness.office_check.office_findings import is_within
from trainee_bench.meta_tasks.answers import text_key
from trainee_bench.meta_tasks.offices.file_contents import is_text
from trainee_bench.meta_tasks.offices.hand_ins import ANY, SMALLEST
from trainee_bench.meta_tasks.offices.office_task import FolderTask
from trainee_bench.meta_tasks.offices.opened import find_office
from trainee_bench.meta_tasks.offices.placeholders import PLACEHOLDER, fill
from trainee_bench.meta_tasks.offices.spellings import spellings, states
from trainee_bench.meta_tasks.offices.values import Value, parse_value
from trainee_bench.world.company.name_forms import names_in
from trainee_bench.world.company.people import Company, Person

_FULL_HOUR = 60


async def certify_grounds(rule: str, seeds: Sequence[int]) -> Claim:
    """Check that everything which the author states about the answer is shown.

    Facts: ``grounds``, the number of statements that were looked for.
    """
    claim = Claim("grounds")
    family = task_of(rule)
    if family is None:
        claim.leave_out(rule, seeds, NO_OFFICE)
        return claim
    with claim.trying(rule, seeds[0], stated=True):
        shown = _shown(family)
        for what, found in _statements(family, shown):
            claim.expect(found, f"{what}; say it in the request or on a page, or mend the answer")
        claim.facts["grounds"] = claim.tried
    return claim


def _shown(family: type[FolderTask]) -> str:
    """Return all texts that the task shows: request, files, mails, and what everybody tells."""
    values = family.policy()
    texts = [family.source.file.requester, family.source.file.ask]
    for name, path in family.source.file.files.items():
        data = family.setting.drive.get(path)
        if path in family.source.mails:
            mail = family.source.mails[path]
            texts += [mail.subject, mail.body, mail.sender]
        elif data is not None and is_text(path):
            texts.append(data.decode("utf-8-sig"))
        else:
            texts.append(name)
    texts += [topic.text for topic in find_office(family.family).known]
    return fill("\n".join(texts), values)


def _statements(family: type[FolderTask], shown: str) -> Iterator[tuple[str, bool]]:
    """Yield each statement that has no ground, in words, and whether there is one after all."""
    file, company = family.source.file, family.setting.company
    named = names_in(shown, [person.name for person in company.people])
    for name, fact in file.facts.items():
        yield f"facts.{name}: nothing names {fact.who}, who knows it", fact.who in named
    if (mail := file.hand_in.mail) is not None:
        for who in filter(_is_stated, (*mail.to, *mail.cc)):
            person = next((p for p in company.people if who in (p.name, p.id, p.email)), None)
            is_named = _is_named(company, person, shown) if person is not None else who in shown
            yield f"hand_in.mail: nothing says that {who} gets it", is_named
        for group in mail.says:
            yield f"hand_in.mail.says: nothing says “{group}”", _is_said(group, shown)
    if (meeting := file.hand_in.meeting) is not None:
        for who in filter(_is_stated, meeting.with_):
            person = next(p for p in company.people if p.name == who)
            yield f"hand_in.meeting.with: nothing names {who}", _is_named(company, person, shown)
        yield (
            f"hand_in.meeting.minutes: nothing says {meeting.minutes}",
            _has_length(meeting.minutes, shown),
        )
        for name, given in (("not_before", meeting.not_before), ("not_after", meeting.not_after)):
            if given and not isinstance(parse_value(given), str):
                clock = any(states(shown, text) for text in spellings(parse_value(given)))
                yield f"hand_in.meeting.{name}: nothing says {given}", clock
        for name, given in (("room", meeting.room), ("title", meeting.title)):
            if given and given != ANY and _is_stated(given):
                yield f"hand_in.meeting.{name}: nothing says {given}", states(shown, given)
    for row in file.rows:
        for title, cell in row.items():
            yield f"rows: nothing says {title} {cell}", _has_value(cell, shown)


def _is_stated(text: str) -> bool:
    """Return whether an author states something, and not a fact or a computed value."""
    return PLACEHOLDER.search(text) is None


def _is_named(company: Company, person: Person, shown: str) -> bool:
    """Return whether a text names a person, by name, address or title. A name that is a part of
    somebody else's has to stand alone."""
    others = [other.name for other in company.people if other is not person]
    if any(is_within(person.name, other) for other in others):
        by_name = person.name in names_in(shown, [person.name, *others])
    else:
        by_name = states(shown, person.name)
    return by_name or any(states(shown, called) for called in (person.email, person.title))


def _is_said(group: str, shown: str) -> bool:
    """Return whether one of several phrases is in the texts, or has a value."""
    if not _is_stated(group):
        return True
    return any(text_key(phrase) in text_key(shown) for phrase in group.split("|"))


def _has_length(minutes: int, shown: str) -> bool:
    """Return whether a text says how long a meeting is, in minutes or in full hours."""
    hours, over = divmod(minutes, _FULL_HOUR)
    ways = [pluralize(minutes, "minute"), f"{minutes}-minute", f"{minutes} min"]
    ways += [] if over else [f"{hours} hour", f"{hours} hours", "an hour", "one hour", "two hours"]
    ways += ["half an hour"] if minutes == _FULL_HOUR // 2 else []
    return any(states(shown, text) for text in ways)


def _has_value(cell: Value, shown: str) -> bool:
    if isinstance(cell, str) and PLACEHOLDER.search(cell):
        return True
    return any(states(shown, text) for text in spellings(cell)) or cell in ("", SMALLEST)
