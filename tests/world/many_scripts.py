"""A company whose people have names in many scripts, and generated names."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

from hypothesis import strategies as st

from tests.world.office import OPENING
from trainee_bench.world.company.directory import Directory
from trainee_bench.world.company.name_forms import exact_key, handles_of
from trainee_bench.world.company.people import DOMAIN, Company, Person, create_company
from trainee_bench.world.company.person_names import is_english_word
from trainee_bench.world.transaction import Event, Transaction
from trainee_bench.world.world import World

NAMES = (
    "Jörg Müller-Groß",
    "Siobhán O'Neill",
    "李雷",
    "韩梅梅",
    "Նարե Սարգսյան",
    "محمد الأحمد",
    "Madonna",
    "María del Carmen García López",
    "Jean-Luc d'Arc",
    "Nguyễn Thị Minh Khai",
    "Ana Šimić-Kovačević",
    "Ana Šimić",
    "J. R. Müller",
    "Will May",
    "नीना शर्मा",
    "नाना शर्मा",
    "Işıl Çağlar",
    "Jan Groß",
    "Jan Gross",
    "김철수",
    "Mara Lindt",
)
JOERG, SIOBHAN, LI = NAMES[:3]
ARABIC = "محمد الأحمد"


def company_of(names: Sequence[str]) -> Company:
    """A company of people with these names, in this order."""
    usual = create_company("tests")
    people = tuple(
        usual.people[place % len(usual.people)].model_copy(
            update={"id": id, "name": name, "email": f"{id}@{DOMAIN}", "manager": None}
        )
        for place, (id, name) in enumerate(zip(handles_of(names), names, strict=True))
    )
    return Company(name="Nordlicht", domain=DOMAIN, people=people, trainee=usual.trainee)


COMPANY = company_of(NAMES)
ROBIN = COMPANY.trainee.id


def called(name: str) -> Person:
    """The person of this full name."""
    return next(person for person in COMPANY.people if person.name == name)


async def office_of_many_scripts(*events: Event) -> World:
    """A world in memory with this company; *events* have happened when it opens."""

    def stage(tx: Transaction) -> None:
        Directory(tx).add([*COMPANY.people, COMPANY.trainee])
        for event in events:
            tx.enqueue(tx.now, event)

    return await World.create_inline(OPENING, stage)


def decomposed(text: str) -> str:
    """The text in Unicode's form NFD, as some file systems and keyboards write it."""
    return unicodedata.normalize("NFD", text)


# generated names ------------------------------------------------------------------------------

_CASED = {
    "Latin": "abcdefghijklmnoprstuvwzäöüßéèçñøłčšžćđığőåæ",
    "Greek": "αβγδεζηθικλμνοπρστυφχω",
    "Cyrillic": "абвгдежзийклмнопрстуфхцчшщыьэюяїє",
    "Armenian": "աբգդեզէթիլխկհձղճմյնշոպջռսվտրց",
}
_UNCASED = {
    "Arabic": "ابتثجحخدرزسشصطعغفقكلمنهوي",
    "Hebrew": "אבגדהוזחטיכלמנסעפצקרשת",
    "Han": "李王张刘陈杨赵黄周吴雷梅韩芳伟娜",
    "Hangul": "김이박최정강조윤장임철수영희",
    "Devanagari": "कखगचजटतदनपबमयरलवसह",
}
_VOWEL_SIGNS = "ािीुूेैो"


def _words_of(script: str) -> st.SearchStrategy[str]:
    if script in _CASED:
        return st.text(_CASED[script], min_size=2, max_size=8).map(
            lambda word: word.replace("ß", "s", 1).capitalize() if word[0] == "ß" else
            word[0].upper() + word[1:]
        )  # fmt: skip
    if script == "Devanagari":
        syllables = st.tuples(
            st.sampled_from(_UNCASED[script]), st.sampled_from(["", *_VOWEL_SIGNS])
        ).map("".join)
        return st.lists(syllables, min_size=2, max_size=4).map("".join)
    return st.text(_UNCASED[script], min_size=1, max_size=5)


@st.composite
def generated_names(draw: st.DrawFn) -> str:
    """A name in one script: one to three words, perhaps with a hyphen, an initial or a "von"."""
    script = draw(st.sampled_from([*_CASED, *_UNCASED]))
    words = draw(st.lists(_words_of(script), min_size=1, max_size=3))
    if script == "Latin":
        if draw(st.booleans()):
            words[-1] = f"{words[-1]}-{draw(_words_of(script))}"
        if draw(st.booleans()):
            words.insert(0, f"{draw(st.sampled_from('ABCÖ'))}.")
        elif len(words) > 1 and draw(st.booleans()):
            words.insert(1, draw(st.sampled_from(["von", "de", "del", "da"])))
    name = unicodedata.normalize("NFC", " ".join(words))
    return name if not any(map(is_english_word, words)) else f"{name}ova"


def groups_of_names(least: int = 2, most: int = 5) -> st.SearchStrategy[list[str]]:
    """Several names that are different persons' even without regard to case."""
    return st.lists(generated_names(), min_size=least, max_size=most, unique_by=exact_key)
