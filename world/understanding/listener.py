"""The listener: what a colleague makes of a question."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from world.understanding.fishing import is_fishing, may_be_fishing
from world.understanding.intent import is_small_talk, is_work
from world.understanding.matcher import Matcher
from world.understanding.reading import Clause
from world.understanding.reply import settle
from world.understanding.topic import Sense, Topic, Understanding
from world.understanding.weighing import Match

CLEAR = 0.66
"""From this agreement on a topic is meant. About two thirds of what the ask says is there and about
two thirds of the question is explained by it; below, near misses (another question about the same
subject) begin to appear among the development questions."""

DOUBT = 0.46
"""From this agreement on it is worth asking back. Lower, and colleagues would ask back about
everything that shares a word with what they know."""

MARGIN = 0.1
"""By so much the best topic must lead the next. Two topics that share their subject (who approves,
what the code is) differ by one word of about four, which is worth more than this."""

TERSE = 0.3
"""From this agreement on a message of nothing but a topic's words is asked back about: *And
Boris?* leaves out what is wanted, but says nothing else."""

SPRAY = 4
"""So many different topics in one message are no question any more. Three are asked back about,
of two the first is answered."""


@dataclass(frozen=True)
class Finding:
    """What one clause asks."""

    clear: Match | None = None
    doubts: tuple[Match, ...] = ()
    foreign: Match | None = None


@dataclass(frozen=True)
class Heard:
    """A question as it was read: its clauses, whether it fishes, what it asks, and for what."""

    clauses: Sequence[Clause]
    fishing: bool
    judged: Understanding
    foreign: str | None


REMEMBERED = 64
"""Questions a listener has in mind: the same words often reach many who know the same."""


class Listener:
    """Understands questions put to one colleague. Built once, it has no state that changes but
    what it remembers of questions, which changes nothing.

    *topics* are what the colleague knows; *foreign* what others know, so that a question meant
    for somebody else is recognised and never taken for one's own.
    """

    def __init__(self, topics: Sequence[Topic], foreign: Sequence[Topic] = ()) -> None:
        self._own = len(topics)
        self.matcher = Matcher((*topics, *foreign))
        self._hear = lru_cache(REMEMBERED)(self._hear_anew)

    def understand(self, question: str, *, asked_back: Sequence[str] = ()) -> Understanding:
        """What the question asks of this colleague.

        *asked_back* are the topic ids named in the question back just put to this person: then
        "yes", "the first one", "I mean the chart" and other words for the same resolve it.
        """
        heard = self._hear(question)
        fresh = heard.judged
        if heard.fishing or fresh.sense is Sense.CLEAR or not asked_back:
            return fresh
        places = {p.topic.id: at for at, p in enumerate(self.matcher.profiles[: self._own])}
        candidates = [places[topic] for topic in dict.fromkeys(asked_back) if topic in places]
        settled = settle(self.matcher, heard.clauses, candidates, DOUBT) if candidates else None
        return fresh if settled is None else settled

    def foreign_topic(self, question: str) -> str | None:
        """The id of the foreign topic that this question is clearly about, if it is."""
        return self._hear(question).foreign

    def _hear_anew(self, question: str) -> Heard:
        clauses = self.matcher.read(question)
        if any(is_fishing(clause.text) for clause in clauses):
            return Heard(clauses, True, Understanding(Sense.FISHING), None)
        judged = self._judge(clauses)
        found: list[Match] = []
        if judged.sense is Sense.NONE:
            found = [f.foreign for f in self.findings(clauses) if f.foreign is not None]
        best = max(found, key=lambda m: (m.score, -m.at), default=None)
        return Heard(clauses, False, judged, None if best is None else self.id(best))

    def id(self, match: Match) -> str:
        """The id of the topic that matched."""
        return self.matcher.profiles[match.at].topic.id

    def findings(self, clauses: Sequence[Clause]) -> list[Finding]:
        """What each clause asks that asks something; each if none looks like asking."""
        found = []
        for number, clause in enumerate(clauses):
            rest = [other for at, other in enumerate(clauses) if at != number]
            # "X has a new id. What is it?" asks for what stands before: it has no words itself
            asks = clause.asks or not any(other.asks and _speaks(other) for other in clauses)
            if asks and _speaks(clause) and not is_work(clause.text):
                found.append(self._finding(clause, rest))
        return found

    def _judge(self, clauses: Sequence[Clause]) -> Understanding:
        verbatim = self._verbatim(clauses)
        if verbatim is not None:
            return Understanding(Sense.CLEAR, (verbatim,))
        findings = self.findings(clauses)
        hits = list(dict.fromkeys(self.id(f.clear) for f in findings if f.clear is not None))
        others = {self.id(f.foreign) for f in findings if f.foreign is not None}
        if len(hits) + len(others) >= SPRAY:
            return Understanding(Sense.FISHING)
        if len(hits) == SPRAY - 1:
            return Understanding(Sense.DOUBTFUL, tuple(hits))
        if hits:
            return Understanding(Sense.CLEAR, (hits[0],))
        if any(may_be_fishing(clause.text) for clause in clauses):
            return Understanding(Sense.FISHING)
        if any(is_work(clause.text) for clause in clauses):
            return Understanding(Sense.WORK_REQUEST)
        doubts = () if others else self._doubts(findings)
        if doubts:
            return Understanding(Sense.DOUBTFUL, doubts)
        return Understanding(Sense.SMALL_TALK if is_small_talk(clauses) else Sense.NONE)

    def _doubts(self, findings: Sequence[Finding]) -> tuple[str, ...]:
        """The topics in doubt, best first, three at most."""
        best: dict[str, float] = {}
        for match in (match for finding in findings for match in finding.doubts):
            best[self.id(match)] = max(best.get(self.id(match), 0.0), match.score)
        return tuple(sorted(best, key=lambda topic: (-best[topic], topic))[:3])

    def _verbatim(self, clauses: Sequence[Clause]) -> str | None:
        """The own topic of which the message is an ask word for word, if it is just one's."""
        said = self.matcher.said(clauses)
        own = self.matcher.profiles[: self._own]
        found = [p.topic.id for p in own if said in p.plain]
        return found[0] if len(found) == 1 else None

    def _finding(self, clause: Clause, rest: Sequence[Clause]) -> Finding:
        matches = self.matcher.matches(clause, rest)
        own = [match for match in matches if match.at < self._own]
        foreign = [match for match in matches if match.at >= self._own and not match.doubt]
        best = own[0] if own else None
        stranger = foreign[0] if foreign and foreign[0].score >= CLEAR else None
        if stranger is not None and (best is None or stranger.score - best.score >= MARGIN):
            return Finding(foreign=stranger)
        if best is None or best.score < (TERSE if best.pure else DOUBT):
            return Finding()
        rivals = [match for match in own[1:] if best.score - match.score < MARGIN]
        if stranger is not None and stranger.score > best.score:
            return Finding(doubts=(best, *rivals))
        if best.score < CLEAR or best.doubt:
            near = [match for match in own[1:] if match.score >= DOUBT]
            return Finding(doubts=(best, *near))
        if not rivals:
            return Finding(clear=best)
        first = self.matcher.first_quoted((clause, *rest), (best, *rivals))
        return Finding(clear=first) if first is not None else Finding(doubts=(best, *rivals))


def _speaks(clause: Clause) -> bool:
    """Whether the clause has words or ids of its own, more than "what is it"."""
    return bool(clause.words or clause.marks)
