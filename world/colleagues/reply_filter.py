"""Reject model-written replies that contain facts, names or promises.

The filter never sees a secret. If replies were compared with payloads, an agent could make a model
repeat guesses and learn from the accepted replies which guess is right. So a reply may contain
everyday words only. It may contain a number, name or id only if the caller allows it.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable

from trainee_bench.world.colleagues.understanding.common_words import is_everyday_word
from trainee_bench.world.colleagues.understanding.normalise import stem
from trainee_bench.world.colleagues.understanding.vocabulary import EXCLUSIVE_SORT_BY_WORD
from trainee_bench.world.folding import MARKS

PAYLOAD_PLACEHOLDER = "{told}"
"""The placeholder for the payload in a reply."""
MAX_REPLY_LENGTH = 600
"""Maximum number of characters without the payload."""

_SIGNS = frozenset(" .,;:!?'\"()-…&%")
_DASHES = str.maketrans({"’": "'", "‘": "'", "“": '"', "”": '"', "–": "-", "—": "-", "\n": " "})
_CHUNK = re.compile(r"\S+")
_LETTERS = rf"(?:[^\W\d_]|[{MARKS}])+"
_WORD = re.compile(rf"{_LETTERS}(?:'{_LETTERS})*")
_JOINED = re.compile(r"(?<=\w)[.:&%](?=\w)|\d")
_ENDING = re.compile(r"(?:n't|'(?:s|re|ve|ll|d|m|t))$")
_SENTENCE = re.compile(r"(?<=[.!?…:])\s+")

_NUMBERS = frozenset(
    "zero two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
    "sixteen seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety "
    "hundred thousand million billion dozen half quarter twice double triple percent third fourth "
    "fifth sixth seventh eighth ninth tenth".split()
)
_DATES = frozenset(
    word for word, sort in EXCLUSIVE_SORT_BY_WORD.items() if sort in ("month", "quarter", "weekday")
) - {"march"}
_MORE_WORDS = frozenset(
    "a absolutely afraid ah alas alright an anybody anyhow anything anyway apologies apologise "
    "apologize assist assistance aware basically beyond bother broad ca cannot capacity "
    "certainly chat chatting cheerful clarification clarify clearly colleague concrete "
    "confidential curious definitely delighted directory disclose disturb divulge does domain "
    "drop dropping elaborate elsewhere essentially everybody everything exactly expertise "
    "fairly fine focus frankly generally gladly gosh grateful greetings hesitate hint hm "
    "honestly hopefully huh i indeed insight insights instructions juggling keep kindly "
    "knowledge letting luck merely narrow normally nothing obviously oh phrase ping pinging "
    "politely precisely pretty private prompt quite rather regards regret related remit "
    "rephrase reply replying requested respond responding response reveal role s sadly scope "
    "settling sha shortly simply sincerely somehow something specific specifically surely swamped "
    "thankfully truly typically um unable unaware unclear unfortunately unsure usually vague "
    "welcome whatsoever wo wording worries".split()
)
_ABBREVIATIONS = re.compile(r"\b(?:e\.g|i\.e|a\.m|p\.m)\b\.?|\bO\.?K\b|\bFYI\b", re.IGNORECASE)

_VERBS = (
    "send|sent|forward|forwarded|fix|fixed|book|booked|cancel|cancelled|move|moved|update|"
    "updated|change|changed|write|written|wrote|draft|drafted|prepare|prepared|submit|submitted|"
    "upload|uploaded|finish|finished|complete|completed|calculate|calculated|correct|corrected|"
    "edit|edited|create|created|delete|deleted|arrange|arranged|schedule|scheduled|reboot|"
    "rebooted|restart|restarted|approve|approved|sign|signed|order|ordered|process|processed|"
    "attend|handle|handled|do it|do that|do this|did|done|take care|see to|get back|come|join|"
    "be there|make it|tell them|ask them|find out|look into|check|checked|pass it|let them"
)
_PROMISES = re.compile(
    rf"\b(?:i|we)(?:'ll| will| shall| have|'ve| just| can| could| am going to|'m going to|"
    rf" already)(?: also| now| just| already| \w+ly)* (?:{_VERBS})\b"
    rf"|\b(?:i|we) (?:{_VERBS})\b|\blet me (?:{_VERBS})\b"
    r"|\b(?:i am|i'm)(?: not)? (?:free|available|coming|busy|away)\b"
    r"|(?:\b(?:to|not|cannot|never)|n't) (?:come|join|attend|be there|make it|participate|"
    r"take part)\b"
    r"|\b(?:it is|it's|that is|that's|all|has been|have been|is now) (?:done|fixed|sent|booked|"
    r"approved|submitted|updated|taken care of)\b",
    re.IGNORECASE,
)
_AGREES = re.compile(
    r"(?:^|[.!?…:]\s+)(?:sure|of course|certainly|absolutely|definitely|gladly|with pleasure|"
    r"by all means|naturally|surely|happily|happy to(?= *[!.,]| *$)|fine|deal|done|will do|"
    r"count me in)\b",
    re.IGNORECASE,
)
"""Words that grant a wish, unless a question follows."""
_CLAIMS = re.compile(
    r"(?:^|[.!?…:]\s+)(?:yes|yep|yeah|no(?=[.,!])|nope|right|correct|true|false|wrong|indeed|"
    r"exactly|agreed|confirmed|approved|granted|refused|denied)\b"
    r"|\b(?:is|are|was|were|sounds|looks) (?:right|correct|true|false|wrong|approved|confirmed)\b"
    r"|\bi (?:confirm|approve|agree|deny)\b|\b(?:the answer|the value|the code) is\b",
    re.IGNORECASE,
)
_TURNS = re.compile(
    r"\b(?:not|never|no longer|nor|without|except|instead|formerly|used to|but|unless|maybe|"
    r"perhaps|probably|might|may|guess|doubt|think)\b|n't\b",
    re.IGNORECASE,
)
"""Words that would negate a payload in the same sentence."""
_TAKES_BACK = re.compile(
    r"\b(?:wrong|false|outdated|incorrect|inaccurate|ignore|disregard|forget|untrue|lie|lying|fake|"
    r"jok\w+|kidding|opposite|mistaken?|rumou?r|pretend\w*|made (?:it|that|this) up)\b",
    re.IGNORECASE,
)
"""Words that would negate a payload anywhere in the reply."""


def normalized_words(texts: Iterable[str]) -> frozenset[str]:
    """Return all words, numbers and ids in *texts*, normalised for comparison."""
    return frozenset(
        part
        for text in texts
        for chunk in _CHUNK.findall(_plain(text))
        for part in (_bare(chunk), *_parts(chunk))
        if part
    )


def sentences(reply: str) -> list[str]:
    """Return the sentences of *reply*, without the placeholder."""
    return [
        part
        for part in _SENTENCE.split(_plain(reply).replace(PAYLOAD_PLACEHOLDER, " ").strip())
        if part
    ]


def rejection_reason(
    reply: str, *, tells: bool, allowed: Collection[str], names: Collection[str]
) -> str:
    """Return why *reply* is rejected, in a few words, or "" if it is accepted.

    With *tells*, the reply must contain the placeholder. Without, it must not contain it, nor make
    a claim. *allowed* are words (see `normalized_words`) that are always accepted, *names* the
    names of people.
    """
    text = _plain(reply)
    if reply.count(PAYLOAD_PLACEHOLDER) != int(tells):
        return "no place for the payload" if tells else "a place for a payload"
    rest = text.replace(PAYLOAD_PLACEHOLDER, " ").strip()
    if not rest and not tells:
        return "nothing"
    if len(rest) > MAX_REPLY_LENGTH:
        return "too long"
    letters = frozenset("".join(allowed)).difference(map(chr, range(128)))
    if any(not _is_sign(char) and char.casefold() not in letters for char in rest):
        return "a sign"
    if _PROMISES.search(rest):
        return "a promise"
    if not tells and _claims(rest):
        return "a claim"
    if tells and (_TAKES_BACK.search(rest) or _TURNS.search(_around(text))):
        return "the payload turned round"
    flaws = (_flaw(chunk, allowed, names) for chunk in _CHUNK.findall(_ABBREVIATIONS.sub("", rest)))
    return next((flaw for flaw in flaws if flaw), "")


def _claims(reply: str) -> bool:
    """Return whether *reply* states a fact or grants a wish."""
    asked = reply.rfind("?")
    agrees = any(found.end() > asked for found in _AGREES.finditer(reply))
    return agrees or _CLAIMS.search(reply) is not None


def _flaw(chunk: str, allowed: Collection[str], names: Collection[str]) -> str:
    """Return the flaw of one space-separated piece, or ""."""
    if _bare(chunk) in allowed:
        return ""
    if _JOINED.search(chunk):
        return "a number or an id"
    for part in _parts(chunk):
        if part in allowed:
            continue
        if part in names:
            return "a name"
        if part in _NUMBERS:
            return "a number"
        if part in _DATES:
            return "a date"
        if part not in _MORE_WORDS and not is_everyday_word(part, stem(part)):
            return "an unknown word"
    return ""


def _around(text: str) -> str:
    """Return the text in the same sentence as the payload.

    The payload is a separate sentence if a capital letter follows it."""
    before, after = text.split(PAYLOAD_PLACEHOLDER)
    follows = after.strip()
    same = "" if follows[:1].isupper() else _SENTENCE.split(follows)[0]
    return f"{re.split(r'[.!?…]', before)[-1]} {same}"


def _plain(text: str) -> str:
    return unicodedata.normalize("NFKC", text).translate(_DASHES)


def _bare(chunk: str) -> str:
    """Return a piece of text in lower case without surrounding punctuation."""
    return chunk.strip(" .,;:!?'\"()-…&%").casefold()


def _parts(chunk: str) -> list[str]:
    """Return the words of a piece of text, without their endings, in lower case."""
    return [_ENDING.sub("", word) for word in _WORD.findall(chunk.casefold())]


def _is_sign(char: str) -> bool:
    """Return whether a character is allowed: Latin letters, digits, common punctuation."""
    return char in _SIGNS or (char.isalnum() and (char.isascii() or "À" <= char <= "ɏ"))
