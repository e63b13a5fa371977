"""Whether two topics can be told apart at one colleague."""

from __future__ import annotations

from collections.abc import Collection

from trainee_bench.world.colleagues.understanding.identifiers import KnownIds, likeness
from trainee_bench.world.colleagues.understanding.interpreter import (
    ClauseFinding,
    QuestionInterpreter,
)
from trainee_bench.world.colleagues.understanding.normalise import normalize_text
from trainee_bench.world.colleagues.understanding.topic import Topic


def topics_collide(a: Topic, b: Topic) -> bool:
    """Whether, at one colleague, an ask of one is taken for the other or in doubt with it."""
    keys = {topic.id: {normalize_text(key).casefold() for key in topic.keys} for topic in (a, b)}
    keyring = KnownIds(key for some in keys.values() for key in some)
    open_asks = [
        (ask, other)
        for topic, other in ((a, b), (b, a))
        for ask in topic.asks
        if not _bars(keyring, ask, keys[other.id])
    ]
    if not open_asks:
        return False
    listener = QuestionInterpreter((a, b))
    for ask, other in open_asks:
        if other.id in listener.understand(ask).topics:
            return True
        # word for word it may be clear; in other words it must be, too
        findings = listener.findings(listener.matcher.read(ask))
        if any(other.id in _named(listener, finding) for finding in findings):
            return True
    return False


def _bars(keyring: KnownIds, ask: str, keys: Collection[str]) -> bool:
    """Whether *ask* quotes ids, none of them in *keys* but each of the sort of one: then a topic
    with these keys is not meant (see `identifiers.fits`), and need not be weighed."""
    marked = (keyring.marked(token) for token in keyring.mark(normalize_text(ask)).split())
    quoted = [key for key in marked if key is not None]
    return bool(quoted) and all(
        key not in keys and any(likeness(key, own) for own in keys) for key in quoted
    )


def _named(listener: QuestionInterpreter, finding: ClauseFinding) -> tuple[str, ...]:
    found = finding.doubts if finding.clear is None else (*finding.doubts, finding.clear)
    return tuple(listener.id(match) for match in found)
