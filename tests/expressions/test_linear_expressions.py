"""No expression of the simulation takes longer than in step with the text that it reads.

Grading and colleagues read what agents write, in the event loop. An expression that is tried anew
from each letter of a word would let one mail hold up every agent of a run.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

import tests.expressions.call_sites as call_sites_module
from tests.expressions.automaton import NotJudged
from tests.expressions.call_sites import PACKAGES, ROOT, call_sites, other_imports
from tests.expressions.growth import Use, growth
from tests.world.many_scripts import NAMES
from tests.world.office import COMPANY
from trainee_bench.mcp_servers.llm.request import ChatRequest
from trainee_bench.meta_tasks.answers import mentions
from trainee_bench.meta_tasks.offices.affirmation import affirms
from trainee_bench.meta_tasks.offices.spellings import states
from trainee_bench.meta_tasks.vision import density_map
from trainee_bench.meta_tasks.work.asking import naming_task
from trainee_bench.world.colleagues import office_customs
from trainee_bench.world.colleagues.addressing import addressees, part_for, strip_address
from trainee_bench.world.colleagues.phrasing import in_first_person
from trainee_bench.world.colleagues.understanding import HeardMessage
from trainee_bench.world.colleagues.understanding.clarification import chosen_ordinal
from trainee_bench.world.colleagues.understanding.identifiers import KnownIds
from trainee_bench.world.colleagues.understanding.topic import manner_of_asking
from trainee_bench.world.company.name_forms import names_in, names_person, spells

pytestmark = [pytest.mark.every_family, pytest.mark.every_app]

OURS = {
    "meta_tasks/authoring/converters.py:or_nothing": "slots of text templates",
    "meta_tasks/authoring/converters.py:pairs": "slots of text templates",
    "meta_tasks/authoring/converters.py:separated": "slots of text templates",
    "meta_tasks/authoring/text_template.py:TextTemplate._regex":
        "oracles read with it what a task has written; no grade and no colleague does",
    "meta_tasks/complications/unannounced_handover.py:_file_about":
        "an oracle looks at names of files that the world has given",
    "meta_tasks/families/resume_select/brief.py:_FINISHED":
        "an oracle reads the résumés that the task has written",
    "meta_tasks/families/resume_select/brief.py:_SKILLS":
        "an oracle reads the résumés that the task has written",
}  # fmt: skip
"""Expressions that read our own texts alone, and who reads what with them."""


MARA = COMPANY.staff("HR")[0].model_copy(update={"id": "mara", "name": "Mara Lind"})
TOM = MARA.model_copy(update={"id": "tom.daly", "name": "Tom Daly"})
JOERG = MARA.model_copy(update={"id": "jorg.gross", "name": "Jörg Müller-Groß"})


def _signs() -> Iterable[re.Pattern[str]]:
    for custom in office_customs._CUSTOMS:
        yield from custom.signs
        if custom.unless:
            yield custom.unless
    yield from (office_customs._WANTS_RECORDS, office_customs._ABOUT_RULES)


MADE: dict[str, Callable[[], object]] = {
    "mcp_servers/llm/request.py:ChatRequest.rejected_parameter":
        lambda: ChatRequest([], temperature=1.0).rejected_parameter("no temperature", ""),
    "meta_tasks/work/asking.py:naming_task": lambda: naming_task("T1"),
    "meta_tasks/answers.py:mentions": lambda: mentions("K-7, I think", "K-7"),
    "meta_tasks/vision/density_map.py:_runs":
        lambda: list(density_map._runs(Image.new("L", (4, 1)), 0, 0)),
    "world/colleagues/addressing.py:_heading": lambda: part_for("Mara: why?", MARA, [MARA]),
    "world/colleagues/addressing.py:_names_within": lambda: addressees("Jörg: why?", [JOERG]),
    "world/colleagues/addressing.py:_named_in": lambda: part_for("Mara: why?", MARA, [MARA]),
    "world/colleagues/addressing.py:_without_owners":
        lambda: part_for("why (Mara)?", MARA, [MARA]),
    "world/colleagues/addressing.py:strip_address": lambda: strip_address("Mara: hi", MARA, [TOM]),
    "world/colleagues/office_customs.py:_words": _signs,
    "world/colleagues/phrasing.py:in_first_person":
        lambda: in_first_person("Mara in Sales knows it", "Mara"),
    "world/company/name_forms.py:names_in": lambda: names_in("Jörg knows it", NAMES),
    "world/company/name_forms.py:names_person": lambda: names_person("Jörg knows it", "Jörg Groß"),
    "world/company/name_forms.py:spells": lambda: spells("Jörg Müller-Groß", "Jorg"),
    "world/colleagues/understanding/clarification.py:chosen_ordinal":
        lambda: chosen_ordinal("none", 2),
    "world/colleagues/understanding/heard_message.py:HeardMessage.unnamed":
        lambda: HeardMessage("Mara, why?", ("Mara Lind", "Tom Daly")).unnamed,
    "world/colleagues/understanding/identifiers.py:KnownIds.__init__": lambda: KnownIds(["A-7.b"]),
    "meta_tasks/offices/affirmation.py:_phrase_pattern":
        lambda: affirms("ready on 31 March, as read for this test", "31 March"),
    "meta_tasks/offices/spellings.py:states": lambda: states("ready on 11 March", "11 March"),
    "world/colleagues/understanding/topic.py:manner_of_asking":
        lambda: manner_of_asking(["Is A-7 in?"], ["A-7", "A-77"]),
}  # fmt: skip
"""Expressions that functions make of names and words: calls that make one like the usual ones."""
LARGE = {"world/colleagues/addressing.py:_heading"}
"""Those whose automaton takes half a minute: a list of thirty names."""


def judged(expression: str | bytes, flags: int, uses: Iterable[Use]) -> str | None:
    try:
        return next(filter(None, (growth(expression, flags, use) for use in uses)), None)
    except NotJudged as reason:
        return str(reason)


def refused() -> dict[str, str]:
    """The places whose expressions outgrow their texts, with the reason."""
    return {
        f"{site.place} (line {site.line})": f"{reason}: {site.expression!r}"
        for site in call_sites()
        if site.expression is not None and site.place not in OURS
        if (reason := judged(site.expression, site.flags, site.uses)) is not None
    }


def test_no_expression_outgrows_the_text_that_it_reads() -> None:
    assert refused() == {}


def test_every_expression_that_a_function_makes_has_an_example_or_reads_our_own_texts() -> None:
    made = {site.place for site in call_sites() if site.expression is None}

    assert made - OURS.keys() == MADE.keys()
    assert OURS.keys() <= {site.place for site in call_sites()}


@pytest.mark.parametrize(
    "place",
    [pytest.param(place, marks=pytest.mark.sweep) if place in LARGE else place for place in MADE],
)
def test_expressions_that_functions_make_do_not_outgrow_their_texts(
    place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[tuple[str | bytes, int]] = []

    def noted(original: Callable[..., Any]) -> Callable[..., Any]:
        def call(pattern: Any, *rest: Any, **more: Any) -> Any:
            code = sys._getframe(1).f_code
            name = code.co_qualname.removesuffix(".<locals>.<genexpr>")
            file = Path(code.co_filename).resolve()
            if ROOT in file.parents and f"{file.relative_to(ROOT).as_posix()}:{name}" == place:
                given = (*rest, *more.values())
                flags = sum(one for one in given if isinstance(one, re.RegexFlag))
                made.append((pattern, int(flags)))
            return original(pattern, *rest, **more)

        return call

    with monkeypatch.context() as patched:
        for name in ("compile", "search", "sub", "findall", "finditer"):
            patched.setattr(re, name, noted(getattr(re, name)))
        returned = MADE[place]()
        if place.endswith("_words"):
            made += [(one.pattern, one.flags) for one in returned]  # type: ignore[attr-defined]

    assert made
    assert {
        pattern: judged(pattern, flags, ["search"]) for pattern, flags in made
    } == dict.fromkeys((pattern for pattern, _ in made))


def test_expressions_are_called_so_that_they_can_be_found() -> None:
    assert other_imports() == []


def forget() -> None:
    for found in (call_sites_module._trees, call_sites_module._methods, call_sites):
        found.cache_clear()


def test_an_expression_that_is_tried_anew_from_each_letter_is_found_wherever_it_is_added(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for package in PACKAGES:
        (tmp_path / package).mkdir()
    added = "import re\n\nFOUND = re.compile(r'\\w*\\d')\n\n\ndef read(text):\n    return "
    added += "re.sub(r'\\s+$', '', text) + str(re.match(r'\\w*\\d', text))\n"
    (tmp_path / "world" / "errors.py").write_text(added, encoding="utf-8")
    monkeypatch.setattr(call_sites_module, "ROOT", tmp_path)
    forget()
    try:
        assert {place.split(" ")[0] for place in refused()} == {
            "world/errors.py:FOUND", "world/errors.py:read"
        }  # fmt: skip
        assert len(refused()) == 2, "what is matched from the beginning alone reads it once"
    finally:
        forget()
