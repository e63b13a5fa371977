"""Interpretation of a question to one colleague: which of their topics it asks for."""

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

from trainee_bench.world.colleagues.understanding import fishing
from trainee_bench.world.colleagues.understanding.alike_tasks import clear_margin
from trainee_bench.world.colleagues.understanding.asking import asks_of_an_id
from trainee_bench.world.colleagues.understanding.clarification import (
    YesNo,
    resolve_clarification,
    yes_or_no,
)
from trainee_bench.world.colleagues.understanding.clause_parsing import (
    Clause,
    each_in_context,
    speaks,
    wants,
)
from trainee_bench.world.colleagues.understanding.findings import ClauseFinding, ParsedQuestion
from trainee_bench.world.colleagues.understanding.heard_message import HeardMessage
from trainee_bench.world.colleagues.understanding.hollow_questions import person_asked_for
from trainee_bench.world.colleagues.understanding.ids import NUMBERED, id_kind
from trainee_bench.world.colleagues.understanding.intent import beside_work, is_small_talk, is_work
from trainee_bench.world.colleagues.understanding.matcher import TopicMatcher
from trainee_bench.world.colleagues.understanding.public_subjects import (
    PublicSubjects,
    SubjectMatch,
)
from trainee_bench.world.colleagues.understanding.scoring import CLEAR, WORTH_ASKING, TopicMatch
from trainee_bench.world.colleagues.understanding.topic import Intent, Interpretation, Topic
from trainee_bench.world.colleagues.understanding.topic_profile import words_in

DOUBT_MARGIN = 0.25
"""The greatest distance from the best topic at which the colleague asks back about both."""
FOREIGN_MARGIN = 0.4
"""The lead over one's own topics that somebody else's topic needs; below it, a question back."""
OTHERS_LEAD = 0.05
"""The lead of somebody else's topic from which on the colleague asks back."""
FOREIGN_CLEAR = 0.8
"""The score from which on somebody else's topic is meant."""
PUBLIC_SURE = 600
"""The score from which on a message asks for a public topic beside an own topic."""
LIKELY_QUESTION = -0.5
"""The least certainty of a question that counts beside a request to do the work."""

CACHE_SIZE = 64
"""Size of the cache of messages, each of which is often analysed several times."""


class QuestionInterpreter:
    """Interpreter of questions to one colleague. Its only mutable state is a cache of messages.

    *topics* are those of the colleague. *foreign* are the topics of others, so that a question for
    somebody else is recognised. *public* are the subjects for which everybody knows whom to ask.
    """

    def __init__(
        self, topics: Sequence[Topic], foreign: Sequence[Topic] = (), public: Sequence[Topic] = ()
    ) -> None:
        self._own = len(topics)
        self._public = len(topics) + len(foreign)
        self.matcher = TopicMatcher((*topics, *foreign, *public))
        self._subjects = PublicSubjects(self.matcher, self._public)
        # listeners hear the same words under different names: cached by the words alone
        self._parsed = lru_cache(CACHE_SIZE)(self._parse)
        self._public_of = lru_cache(CACHE_SIZE)(self._find_public)

    def understand(
        self,
        message: HeardMessage,
        *,
        asked_back: Sequence[str] = (),
        before: Sequence[HeardMessage] = (),
    ) -> Interpretation:
        """Return what the message asks of this colleague.

        *asked_back* are the ids of the topics in the question back just put to this person. Then
        "yes", "the first one" and "I mean the chart" answer it. *before* holds this person's
        previous message and its answer, to which "who has to?" points back.
        """
        heard = self._parsed(message.normalized)
        understood = self._in_conversation(heard, asked_back, before)
        denied = len(asked_back) == 1 and yes_or_no(words_in(heard.clauses)) is YesNo.NO
        if denied and understood.topics == tuple(asked_back):
            return Interpretation(Intent.NONE)
        return understood

    def _in_conversation(
        self, heard: ParsedQuestion, asked_back: Sequence[str], before: Sequence[HeardMessage]
    ) -> Interpretation:
        """Return what the message asks, given the question back and the previous message."""
        fresh = heard.judged
        if heard.fishing or fresh.intent is Intent.CLEAR:
            return fresh
        places = {p.topic.id: at for at, p in enumerate(self.matcher.profiles[: self._own])}
        candidates = [places[topic] for topic in dict.fromkeys(asked_back) if topic in places]
        settled = (
            resolve_clarification(self.matcher, heard.clauses, candidates) if candidates else None
        )
        if settled is None and before and fresh.intent in _OPEN and not self._is_public(heard):
            settled = self._follow_up(heard.clauses, before)
        again = bool(candidates) and set(fresh.topics) <= set(asked_back)
        if settled is None and again and yes_or_no(words_in(heard.clauses)) is YesNo.NO:
            return Interpretation(Intent.NONE)
        return fresh if settled is None else settled

    def _follow_up(
        self, clauses: Sequence[Clause], before: Sequence[HeardMessage]
    ) -> Interpretation | None:
        """Return what a message asks that points back to the messages *before*, if clear."""
        parsed = [self._parsed(message.normalized) for message in before]
        fished = any(earlier.judged.intent is Intent.FISHING for earlier in parsed)
        context = [clause for earlier in parsed for clause in earlier.clauses]
        if fished or self.matcher.about_other_tasks(clauses, context):
            return None
        for clause, rest in each_in_context(clauses):
            if not (clause.hollow or clause.refers or clause.marks) or not wants(clause):
                continue
            found = self._finding(replace(clause, hollow=True), [*rest, *context])
            if found.clear is not None:
                return Interpretation(Intent.CLEAR, (self.id(found.clear),))
        return None

    def _is_public(self, heard: ParsedQuestion) -> bool:
        """Return whether a message that points back to nothing asks for a public topic."""
        if self._verbatim_of_others(heard.clauses) is not None:
            return True
        return any(self._sure_public(clause) for clause in heard.clauses if not clause.refers)

    def _sure_public(self, clause: Clause) -> str | None:
        """Return the id of the public topic that the clause surely asks about, or None."""
        public = self._subjects.best((clause,)) if clause.asks and clause.kinds else None
        if public is None or not public.belongs or public.score < PUBLIC_SURE:
            return None
        return self.matcher.profiles[public.at].topic.id

    def foreign_topic(self, message: HeardMessage) -> str | None:
        """Return the id of the foreign topic that this message is clearly about, or None."""
        return self._parsed(message.normalized).foreign

    def person_asked_for(self, message: HeardMessage) -> str | None:
        """Return the own topic that a question for a person without a subject may mean."""
        heard = self._parsed(message.normalized)
        return person_asked_for(self.matcher, heard.clauses, self._own, self._public)

    def public_topics(self, message: HeardMessage) -> tuple[str, ...]:
        """Return the id of the likely public topic of this message; two if either is possible.

        Return () if the message asks for something that the colleague knows."""
        return self._public_of(message.normalized)

    def _find_public(self, said: str) -> tuple[str, ...]:
        heard = self._parsed(said)
        if heard.judged.intent not in (Intent.WORK_REQUEST, Intent.NONE):
            return ()
        is_work_request = heard.judged.intent is Intent.WORK_REQUEST
        clauses = beside_work(heard.clauses) if is_work_request else heard.clauses
        verbatim = self._verbatim_of_others(clauses)
        if verbatim is not None:
            public = [p.topic.id for p in self.matcher.profiles[self._public :]]
            return (verbatim,) if verbatim in public else ()
        likely = self._subjects.likely(clauses)
        sure = any(match.names_contact for match in likely)
        if not likely or (not sure and self._is_for_others(clauses, likely[0].at)):
            return ()
        return tuple(self.id(match) for match in likely)

    def _is_for_others(self, clauses: Sequence[Clause], public: int) -> bool:
        """Return whether the message asks for a topic of others rather than the *public* one."""
        for clause, rest in each_in_context(clauses):
            if not clause.asks:
                continue
            matches = {match.at: match for match in self.matcher.matches(clause, rest)}
            near = matches[public].near if public in matches else 0.0
            for match in matches.values():
                known = self._own <= match.at < self._public and self._may_be_meant(match, clause)
                if known and match.near - near >= FOREIGN_MARGIN:
                    return True
        return False

    def _parse(self, said: str) -> ParsedQuestion:
        clauses = self.matcher.read(said)
        if any(fishing.is_fishing(clause.text) for clause in clauses):
            return ParsedQuestion(clauses, True, Interpretation(Intent.FISHING), None)
        judged = self._judge(clauses)
        if judged.intent is not Intent.NONE:
            return ParsedQuestion(clauses, False, judged, None)
        foreign = self._verbatim_of_others(clauses) or self._foreign(clauses)
        return ParsedQuestion(clauses, False, judged, foreign)

    def _foreign(self, clauses: Sequence[Clause]) -> str | None:
        found = [f.foreign for f in self.findings(clauses) if f.foreign is not None]
        return self.id(max(found, key=lambda match: (match.near, -match.at))) if found else None

    def id(self, match: TopicMatch | SubjectMatch) -> str:
        """Return the id of the topic that matched."""
        return self._topic(match).id

    def _topic(self, match: TopicMatch | SubjectMatch) -> Topic:
        return self.matcher.profiles[match.at].topic

    def findings(self, clauses: Sequence[Clause]) -> list[ClauseFinding]:
        """Return the findings of the asking clauses; of all clauses if none asks."""
        found = []
        # in "X has a new id. What is it?" the question has no content words
        points_back = any(clause.asks for clause in clauses) and not any(
            clause.asks and speaks(clause) for clause in clauses
        )
        serious = [clause for clause in clauses if not is_small_talk((clause,))]
        if not any(c.asks and speaks(c) and not (c.hollow or c.refers) for c in serious):
            serious = list(clauses)
        for clause, rest in each_in_context(clauses):
            asks = clause.asks or not any(other.asks and speaks(other) for other in clauses)
            if asks and clause in serious and speaks(clause) and not is_work(clause.text):
                said = replace(clause, states=False) if points_back else clause
                found.append(self._finding(said, rest))
        return [self._settled(finding, clauses) for finding in found]

    def _settled(self, finding: ClauseFinding, clauses: Sequence[Clause]) -> ClauseFinding:
        """Make a finding in doubt clear if its clause points back to a clear statement about it.

        An example is *Your diagram OLD482913 was replaced. Could I have the valid one?*"""
        doubts = finding.doubts
        if not doubts or doubts[0].against or not finding.clause.refers:
            return finding
        for clause, rest in each_in_context(clauses):
            if clause.asks or not speaks(clause):
                continue
            told = self._finding(replace(clause, states=False), rest).clear
            if told is not None and told.at == doubts[0].at:
                return ClauseFinding(finding.clause, clear=doubts[0])
        return finding

    def _judge(self, clauses: Sequence[Clause]) -> Interpretation:
        verbatim = self._verbatim(clauses)
        if verbatim is not None:
            return Interpretation(Intent.CLEAR, (verbatim,))
        if self._verbatim_of_others(clauses) is not None:
            return Interpretation(Intent.NONE)
        if self.matcher.is_bare(clauses):
            held = self._held_id(clauses)
            if held is not None:
                return Interpretation(Intent.DOUBTFUL, (held,))
            return Interpretation(Intent.BARE)
        findings = self.findings(clauses)
        own = list(dict.fromkeys(self._topic(f.clear) for f in findings if f.clear is not None))
        others = {self._topic(f.foreign) for f in findings if f.foreign is not None}
        # a list is split like questions, but one question about all its items is no fishing
        one_question = all(f.clear or f.foreign for f in findings) and fishing.are_one_question(
            own, others
        )
        asking = {clause.text for clause in clauses if clause.asks}
        if fishing.is_spray(own, others) or (fishing.are_too_many(asking) and not one_question):
            return Interpretation(Intent.FISHING)
        hits = [topic.id for topic in own]
        if len(hits) >= fishing.SPRAY - 1:
            return Interpretation(Intent.DOUBTFUL, tuple(hits[: fishing.SPRAY - 1]))
        if hits:
            return Interpretation(Intent.CLEAR, tuple(hits), self._elsewhere(findings))
        if any(fishing.may_be_fishing(clause.text) for clause in clauses):
            return Interpretation(Intent.FISHING)
        doubts = () if others else self._doubts(findings)
        likely = max(
            (f.certainty for f in findings if f.doubts and not f.hollow), default=LIKELY_QUESTION
        )
        if any(is_work(clause.text) for clause in clauses) and not (
            doubts and likely > LIKELY_QUESTION
        ):
            meant = () if others else doubts or self._asked_within_work(clauses)
            return Interpretation(Intent.DOUBTFUL if meant else Intent.WORK_REQUEST, meant)
        if is_small_talk(clauses):
            return Interpretation(Intent.SMALL_TALK)
        return Interpretation(Intent.DOUBTFUL, doubts) if doubts else Interpretation(Intent.NONE)

    def _asked_within_work(self, clauses: Sequence[Clause]) -> tuple[str, ...]:
        """Return the topics that a request for work may ask for as well.

        The holder must not refuse *Can you check the list for me, who is it today?*"""
        if not any(clause.asks and clause.kinds and not is_work(clause.text) for clause in clauses):
            return ()
        found = [
            self._finding(replace(clause, states=False), [*clauses[:at], *clauses[at + 1 :]])
            for at, clause in enumerate(clauses)
        ]
        clear = tuple(dict.fromkeys(self.id(f.clear) for f in found if f.clear is not None))
        return clear[:1] or self._doubts(found)

    def _elsewhere(self, findings: Sequence[ClauseFinding]) -> str:
        """Return the id of a public or foreign topic that the message also asks for, or ""."""
        for finding in findings:
            clause = finding.clause
            if finding.clear is not None or finding.doubts or not clause.asks:
                continue
            public = self._sure_public(clause)
            if public is not None:
                return public
            if finding.foreign is not None:
                return self.id(finding.foreign)
        return ""

    def _doubts(self, findings: Sequence[ClauseFinding]) -> tuple[str, ...]:
        """Return at most three topics in doubt, those of the most certain clause first."""
        order = sorted(findings, key=lambda finding: -finding.certainty)
        return tuple(dict.fromkeys(self.id(d) for found in order for d in found.doubts))[:3]

    def _verbatim(self, clauses: Sequence[Clause]) -> str | None:
        """Return the own topic with exactly this ask, or None if there is not just one."""
        said = self.matcher.said(clauses)
        own = self.matcher.profiles[: self._own]
        found = [p.topic.id for p in own if said in p.plain]
        return found[0] if len(found) == 1 else None

    def _held_id(self, clauses: Sequence[Clause]) -> str | None:
        """Return the only own topic whose id a message quotes and asks about, or None.

        An example is *OLD482913 -> what now?* Names of files do not count."""
        if not any(asks_of_an_id(clause.text.split()) for clause in clauses):
            return None
        quoted = [key for key in self.matcher.quoted(clauses) if id_kind(key) in NUMBERED]
        own = self.matcher.profiles[: self._own]
        found = [p.topic.id for p in own if any(key in p.keys for key in quoted)]
        return found[0] if len(found) == 1 else None

    def _of_quoted_id(
        self, own: Sequence[TopicMatch], clauses: Sequence[Clause]
    ) -> list[TopicMatch]:
        """Return the own topics that fit the numbered ids in a message.

        If one of these ids belongs to a topic of the colleague, topics with other keys are left
        out: a message that names a meeting does not ask for the figures of a file."""
        quoted = {key for key in self.matcher.quoted(clauses) if id_kind(key) in NUMBERED}
        keys = [frozenset(profile.keys) for profile in self.matcher.profiles[: self._own]]
        if not any(quoted & own_keys for own_keys in keys):
            return list(own)
        said = set(self.matcher.quoted(clauses))
        return [match for match in own if not keys[match.at] or keys[match.at] & said]

    def _may_be_meant(self, match: TopicMatch, clause: Clause) -> bool:
        """Return whether a question may ask for this topic of others.

        It must quote one of the topic's keys, if there are any. Otherwise it must not quote an
        unknown id that resembles a known one."""
        keyed = bool(self.matcher.profiles[match.at].keys)
        return (
            not match.against
            and match.near >= FOREIGN_CLEAR
            and (match.quoted if keyed else not self.matcher.quotes_unknown(clause))
        )

    def _verbatim_of_others(self, clauses: Sequence[Clause]) -> str | None:
        """Return somebody else's topic with exactly this ask, or None."""
        said = self.matcher.said(clauses)
        others = self.matcher.profiles[self._own :]
        return next((other.topic.id for other in others if said in other.plain), None)

    def _finding(self, clause: Clause, rest: Sequence[Clause]) -> ClauseFinding:
        matches = self.matcher.matches(clause, rest)
        said = self.matcher.said((clause,))
        exact = [match for match in matches if said in self.matcher.profiles[match.at].plain]
        if len(exact) == 1:  # an exact ask counts in any context
            if exact[0].at < self._own:
                return ClauseFinding(clause, clear=exact[0])
            return ClauseFinding(clause, foreign=exact[0])
        own = [match for match in matches if match.at < self._own]
        own = self._of_quoted_id(own, (clause, *rest))
        others = [match for match in matches if match.at >= self._own]
        stranger = next((match for match in others if self._may_be_meant(match, clause)), None)
        if not own:
            return ClauseFinding(clause, foreign=stranger)
        best = own[0]
        next_own = own[1].near if len(own) > 1 else 0.0
        next_other = others[0].near if others else 0.0
        certainty = best.certainty(next_own, next_other)
        if stranger is not None and stranger.near - best.near >= FOREIGN_MARGIN:
            return ClauseFinding(clause, foreign=stranger)
        if certainty < WORTH_ASKING:
            return ClauseFinding(clause, foreign=stranger)
        profiles = self.matcher.profiles
        rivals = [m for m in own[1:] if best.near - m.near < clear_margin(best, m, profiles)]
        others_lead = best.near < next_other - OTHERS_LEAD and not (
            best.quoted and best.evidence > others[0].evidence
        )
        if certainty < CLEAR or best.doubt or others_lead:
            near = [match for match in own[1:] if best.near - match.near < DOUBT_MARGIN]
            return ClauseFinding(
                clause, doubts=(best, *near), certainty=certainty, hollow=clause.hollow
            )
        if not rivals:
            return ClauseFinding(clause, clear=best)
        first = self.matcher.first_quoted((clause, *rest), (best, *rivals))
        if first is not None:
            return ClauseFinding(clause, clear=first)
        doubts = (best, *rivals)
        return ClauseFinding(clause, doubts=doubts, certainty=certainty, hollow=clause.hollow)


_OPEN = (Intent.NONE, Intent.DOUBTFUL, Intent.BARE)
"""Intents of messages that may point back to earlier ones."""
