"""Measures how well scripted colleagues understand: confusion table and time per question.

    python -m benchmarks.understanding [HALF ...]
    python -m benchmarks.understanding --write-scenes SCENES.json --seed 7
    python -m benchmarks.understanding --questions NEW.jsonl --scenes SCENES.json [--verbose]

HALF is the name of a file of questions in tests/world/questions. Without one the script measures
all, and exits with 1 if a target is missed. People who knew neither the code nor other questions
wrote every file but `development`. Each was measured once while unseen (`FIRST_RUN`), and only then
used to find general flaws. So the corpus measures seen questions, and the first runs new ones.

For a new first run, write scenes, let people write questions from SCENES_for_writers.md, and ask
these questions. The people must not have seen anything else. `new_questions` describes the format.
docs/how_it_works/understanding.md keeps the figures of all first runs.
"""

import argparse
import json
import sys
import time
import tomllib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.new_questions import ask_all, print_outcomes, read_questions
from benchmarks.scenes import SceneFile, write_scenes
from trainee_bench.world.colleagues.understanding import (
    Intent,
    Interpretation,
    QuestionInterpreter,
    Topic,
    hear,
)

QUESTIONS = Path(__file__).resolve().parent.parent / "tests" / "world" / "questions"
FIRST_RUN = {
    # half: right at once, after one question back, wrong topics told
    "held_out": (0.839, 0.935, 1),
    "fresh": (0.778, 0.852, 0),
    "fresh_again": (0.833, 0.967, 0),
    "last": (0.857, 0.929, 0),
}
HALVES = ("development", "held_out", "fresh", "fresh_again", "last")
AT_ONCE, AFTER_ONE = 0.90, 0.98
_NOTHING_TOLD = frozenset({"none", "small_talk", "work", "fishing"})


@dataclass(frozen=True)
class Question:
    """A test question: the colleague, the words, and the right outcome.

    `right` is a topic id, none, small_talk, work, fishing, or foreign:TOPIC. `reply` is the
    answer to a question back; without one a question back is a failure.
    """

    to: str
    ask: str
    right: str
    reply: str = ""


@dataclass(frozen=True)
class Asked:
    """A question with its interpretation at once and after one question back."""

    question: Question
    first: str
    last: str

    @property
    def wrong(self) -> bool:
        """Whether the colleague told a topic that the question did not ask for."""
        told = [o for o in (self.first, self.last) if o[0] != "?" and o not in _NOTHING_TOLD]
        return any(o != self.question.right and not o.startswith("foreign:") for o in told)


def office() -> tuple[dict[str, Topic], dict[str, QuestionInterpreter]]:
    """All topics by id, and a listener for each colleague."""
    data = tomllib.loads((QUESTIONS / "topics.toml").read_text(encoding="utf-8"))
    topics = {
        id: Topic(id, tuple(entry["asks"]), tuple(entry.get("keys", ())))
        for id, entry in data["topic"].items()
    }
    listeners = {
        name: QuestionInterpreter(
            [topics[id] for id in known],
            [topic for id, topic in topics.items() if id not in known],
        )
        for name, known in data["colleague"].items()
    }
    return topics, listeners


def questions(half: str) -> list[Question]:
    """The questions of one file."""
    lines = (QUESTIONS / f"{half}.jsonl").read_text(encoding="utf-8").splitlines()
    return [Question(**json.loads(line)) for line in lines if line.strip()]


def outcome(understanding: Interpretation, foreign: str | None) -> str:
    """Return an understanding in the words of the corpus."""
    if understanding.intent is Intent.CLEAR:
        return understanding.topics[0]
    if understanding.intent is Intent.DOUBTFUL:
        return "?" + "|".join(understanding.topics)
    if understanding.intent is Intent.NONE and foreign is not None:
        return "foreign:" + foreign
    return {Intent.WORK_REQUEST: "work"}.get(understanding.intent, understanding.intent.value)


def ask(question: Question, listener: QuestionInterpreter) -> Asked:
    """Put the question, and the reply if there is a question back."""
    heard = listener.understand(hear(question.ask))
    first = outcome(heard, listener.foreign_topic(hear(question.ask)))
    if heard.intent is not Intent.DOUBTFUL or not question.reply:
        return Asked(question, first, first)
    again = listener.understand(hear(question.reply), asked_back=heard.topics)
    return Asked(question, first, outcome(again, None))


def right(asked: Asked) -> tuple[bool, bool]:
    """Whether the outcome was right at once, and after one question back at most.

    If a question asks nothing that this colleague knows, telling nothing is right.
    """
    wanted = asked.question.right
    at_once = asked.first == wanted
    if at_once or not asked.first.startswith("?"):
        return at_once, at_once
    wants_nothing = wanted in _NOTHING_TOLD or wanted.startswith("foreign:")
    return False, asked.last == wanted or (wants_nothing and asked.last in _NOTHING_TOLD)


def _class(result: str) -> str:
    return "asked back" if result.startswith("?") else result.partition(":")[0]


def report(half: str, results: Sequence[Asked], verbose: bool = False) -> bool:
    """Print the confusion table of *results*; True if the targets are reached."""
    topics, _ = office()
    at_once = sum(right(r)[0] for r in results)
    after = sum(right(r)[1] for r in results)
    wrong = sum(r.wrong for r in results)
    print(f"\n{half}: {len(results)} questions")
    print(f"  right at once {at_once / len(results):.1%}, after one question back "
          f"{after / len(results):.1%}, wrong topics told {wrong}")  # fmt: skip
    columns = ["right", "asked back", "none", "foreign", "small_talk", "work", "fishing", "wrong"]
    table: dict[str, Counter[str]] = {}
    for result in results:
        row = table.setdefault(_class(result.question.right), Counter())
        column = _class(result.first)
        if result.first == result.question.right:
            column = "right"
        row["wrong" if column in topics else column] += 1
    print(f"  {'asked for':<22}" + "".join(f"{column:>11}" for column in columns))
    for name in sorted(table):
        cells = "".join(f"{table[name][column] or '.':>11}" for column in columns)
        print(f"  {name:<22}{cells}")
    for result in results:
        now, later = right(result)
        if not later:
            print(f"  MISSED   {result.question.to}: {result.question.ask!r} -> {result.first}"
                  f" -> {result.last}, right: {result.question.right}")  # fmt: skip
        elif not now and verbose:
            print(f"  one back {result.question.to}: {result.question.ask!r} -> {result.first}")
    return at_once >= AT_ONCE * len(results) and after >= AFTER_ONE * len(results) and not wrong


def timing(repeats: int = 5) -> None:
    """Print the time that a question and the building of a listener take."""
    every = [
        q for half in HALVES if (QUESTIONS / f"{half}.jsonl").exists() for q in questions(half)
    ]
    spans = []
    for _ in range(repeats):
        _, listeners = office()  # new listeners, because they remember earlier questions
        for question in every:
            start = time.perf_counter()
            listeners[question.to].understand(hear(question.ask))
            spans.append((time.perf_counter() - start) * 1e6)
    spans.sort()
    start = time.perf_counter()
    office()
    built = (time.perf_counter() - start) / len(listeners) * 1e3
    print(f"\n{len(every)} questions: mean {sum(spans) / len(spans):.0f} µs, median "
          f"{spans[len(spans) // 2]:.0f} µs, 99 % under {spans[int(len(spans) * 0.99)]:.0f} µs, "
          f"longest {spans[-1]:.0f} µs; a listener is built in {built:.1f} ms")  # fmt: skip


def first_runs() -> None:
    """Print the figure of each file of the corpus when it was new, apart from today's figure."""
    print("\nfirst runs, of questions that were new then:")
    for half, (now, later, misses) in FIRST_RUN.items():
        count = len(questions(half))
        print(f"  {half:<12}{count:>4} questions: right at once {now:.1%}, after one question back "
              f"{later:.1%}, wrong topics told {misses}")  # fmt: skip


def measure_corpus(halves: Sequence[str], verbose: bool) -> int:
    """Measure the files named *halves*, or all; 1 if a target is missed."""
    _, listeners = office()
    whole: list[Asked] = []
    for half in halves or HALVES:
        results = [ask(question, listeners[question.to]) for question in questions(half)]
        whole += results
        report(half, results, verbose)
    reached = report("corpus", whole, verbose)
    first_runs()
    timing()
    return 0 if reached else 1


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure the corpus, write scenes, or ask new questions."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("halves", nargs="*", help="files of the corpus (default: all)")
    parser.add_argument("--questions", type=Path, help="ask the new questions of this file")
    parser.add_argument("--scenes", type=Path, help="the scenes that they were written from")
    parser.add_argument("--write-scenes", type=Path, help="write new scenes to this file")
    parser.add_argument("--seed", type=int, default=0, help="the seed of new scenes")
    parser.add_argument("--verbose", "-v", action="store_true", help="print every miss")
    given = parser.parse_args(arguments)
    if given.write_scenes is not None:
        scenes = write_scenes(given.seed, given.write_scenes).scenes
        print(f"{len(scenes)} scenes in {given.write_scenes}")
        return 0
    if (given.questions is None) != (given.scenes is None):
        parser.error("--questions and --scenes belong together")
    if given.questions is not None:
        file = SceneFile.model_validate_json(given.scenes.read_text(encoding="utf-8"))
        print_outcomes(ask_all(read_questions(given.questions), file), given.verbose)
        return 0
    return measure_corpus(given.halves, given.verbose)


if __name__ == "__main__":
    sys.exit(main())
