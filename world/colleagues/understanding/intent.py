"""Requests to do the work, and small talk."""

import re
from collections.abc import Sequence

from trainee_bench.world.colleagues.understanding.clause_parsing import Clause
from trainee_bench.world.colleagues.understanding.common_words import SMALL_TALK_WORDS
from trainee_bench.world.colleagues.understanding.normalise import stem
from trainee_bench.world.colleagues.understanding.vocabulary import STOP_WORDS

_WORK = frozenset(
    stem(verb)
    for verb in """fix edit write rewrite draft prepare finish complete create calculate compute
    analyse analyze correct update replace change fill submit book upload process clean sort compile
    summarise build execute restart reboot deploy repair solve resolve insert adjust produce
    generate enter type copy move delete remove proofread format merge test install configure
    implement perform do make handle switch set put review check download reconcile design
    investigate reserve organise arrange schedule attend post apply swap select choose pick rank
    assemble collect""".split()
)
_LIGHT = frozenset(
    {"do", "make", "handle", "put", "set", "switch", "check", "review", "attend", "post"}
)
"""Verbs that mean work only with an object: *do the report*, not *do Thursday*."""

_SOFTENERS = (
    "please|kindly|maybe|perhaps|also|quickly|possibly|help me to|help me|you|be so kind and|"
    "be so kind as to|go ahead and|simply"
)
_EASED = rf"(?:(?:{_SOFTENERS}|just|then) )"
_FRAME = re.compile(
    r"(?:(?:\b(?:can|could|will|would|might) (?:you|u|someone|somebody) |\bplease |"
    r"\b(?:need|want|like|ask|asking) (?:you|u) to |"
    rf"\byou (?:should|must|have to|need to|can|could) |\bmind ){_EASED}*|"
    # "just" and "then" could be read by both repeats, so the first alone reads them
    rf"^(?:and |so |then |hi |hey |just |now )*(?:(?:{_SOFTENERS}) {_EASED}*)?|"
    r"(?:\bable to |\bpossible for you to |\b(?:why do not you|let you|have you) )"
    rf"{_EASED}*)(?P<verb>[a-z]+)(?P<rest>.*)"
)
_OBJECT = re.compile(r"^ (?:it|this|that|these|those|them|all|my|the|our|some)\b")
_INQUIRY = re.compile(r"^(?: \w+){0,2} (?:who|where|when|what|whether|if|how|which)\b")
_FOR_ME = re.compile(
    r"\b(?:for me|on my behalf|in my place|in my stead|instead of me|take over (?:my|this|the)|"
    r"do my|my (?:job|task|work|assignment|homework) for|off my (?:plate|hands|desk)|yourself)\b"
)
_GREETING = re.compile(
    r"\b(?:good (?:morning|afternoon|evening|day|night)|how are (?:you|things)|"
    r"how (?:is it|are things|is everything|is life) (?:going|doing)?|what is up|see you|"
    r"how (?:was|were|is) (?:your|the) (?:weekend|holidays?|vacation|trip|day|week|evening|lunch|"
    r"morning|journey|family))\b"
)
_TELLS_OF_ONESELF = re.compile(r"(?:and |so |hi |hey |just |now |also |simply )*[a-z]+ing\b")
"""What the writer is doing, without a subject: *filling in tax_fee.csv*."""
_FAILS = re.compile(r"\b(?:(?:do|does|did|will|would|can|could) not|doesnt|didnt|wont) \w+")
"""Negated verbs, which are no request for work: *it does not resolve*."""
_WHOSE = re.compile(r"\bwhose (?:ok|okay|blessing|yes)\b")
_DO_YOU = re.compile(r"\b(?:do|does|did) (?:you|u|we|they|i)\b")
"""The auxiliary *do* of a question, which is no request for work."""
_TO_ME = re.compile(r"^ (?:me|us)\b")


def is_work(text: str) -> bool:
    """Return whether a clause asks the colleague to do something other than tell."""
    text = " ".join(_DO_YOU.sub(" ", text).split())
    for match in _FRAME.finditer(text):
        verb, rest = match["verb"], match["rest"]
        work = stem(verb) in _WORK or (verb.endswith("ing") and stem(verb) + "e" in _WORK)
        if verb.endswith("ing") and _TELLS_OF_ONESELF.match(match[0]):
            continue
        if not work or _TO_ME.match(rest) or rest.startswith(" sense"):
            continue
        if _FOR_ME.search(rest):
            return True
        if _INQUIRY.search(rest):
            continue
        if (verb in _LIGHT or stem(verb) in _LIGHT) and not _is_object(verb, rest):
            continue
        if rest:
            return True
    words = _FAILS.sub(" ", text).split()
    return (
        bool(_FOR_ME.search(text))
        and any(stem(word) in _WORK and word not in ("make", "set") for word in words)
        and not re.match(r"^(?:who|where|what|when)\b", text)
    )


def _is_object(verb: str, rest: str) -> bool:
    if stem(verb) == "mak" and rest.startswith(" it"):
        return False  # can you make it on Thursday?
    return _OBJECT.match(rest) is not None


def beside_work(clauses: Sequence[Clause]) -> tuple[Clause, ...]:
    """Return the clauses that are no request for work, if one of them asks for a person or a place.

    *Just fill them in, he said. Where is it written how?* asks for a document."""
    others = tuple(clause for clause in clauses if not is_work(clause.text))
    places = any(clause.asks and clause.kinds & {"who", "where"} for clause in others)
    return others if places else ()


def is_small_talk(clauses: Sequence[Clause]) -> bool:
    """Return whether the clauses hold only pleasantries, apart from stop words."""
    if any(clause.asks and _WHOSE.search(clause.text) for clause in clauses):
        return False  # whose ok do we need?
    texts = [text for clause in clauses for text in clause.text.split()]
    if not texts:
        return False
    pleasant = [text for text in texts if text in SMALL_TALK_WORDS]
    pleasant += _GREETING.findall(" ".join(texts))
    solid = [text for text in texts if text not in SMALL_TALK_WORDS and text not in STOP_WORDS]
    return bool(pleasant) and len(solid) <= len(pleasant) and len(solid) <= 3
