"""People who tell a story around their question are understood as well as those who do not."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from benchmarks.new_questions import NewQuestion, ask_all
from benchmarks.scenes import TEXTS, Scene, make_scenes
from trainee_bench.world.colleagues.understanding import Intent, QuestionInterpreter, Topic, hear
from trainee_bench.world.colleagues.understanding.chatter import is_anecdote

CHATTY = Path(__file__).parents[2] / "questions" / "chatty.jsonl"
"""Questions within stories, with placeholders for the names and ids of a scene."""
AT_ONCE, AFTER_ONE = 0.92, 0.96
AFTERNOON = Topic(
    "meeting",
    (
        "Can you come to meeting K-118 (spring fair) today from 14:30 to 15:30?",
        "Will you attend K-118 today at 14:30?",
        "Are you free for the spring fair, K-118, from 14:30 to 15:30?",
        "Do you have time for K-118 today at 14:30?",
        "Whom should I invite to K-118 for you?",
    ),
    ("K-118",),
)


def written(pattern: str) -> re.Pattern[str]:
    """Return the expression for a text with placeholders, with a group for each."""
    seen = set[str]()
    parts = []
    for part in re.split(r"(\{\w+\})", pattern):
        name = part[1:-1]
        if not part.startswith("{"):
            parts.append(re.escape(part))
        else:
            parts.append(f"(?P={name})" if name in seen else f"(?P<{name}>.+?)")
            seen.add(name)
    return re.compile("".join(parts))


def questions_for(scenes: tuple[Scene, ...]) -> list[NewQuestion]:
    """Return the chatty questions, each with a scene of its kind."""
    kinds = json.loads(TEXTS.read_text(encoding="utf-8"))["kinds"]
    situations = {(text["kind"], text["asked"]): written(text["situation"]) for text in kinds}
    found = []
    for number, line in enumerate(CHATTY.read_text(encoding="utf-8").splitlines()):
        entry = json.loads(line)
        situation = situations[entry["kind"], entry["asked"]]
        fitting = [scene for scene in scenes if situation.fullmatch(scene.situation)]
        scene = fitting[number % len(fitting)]
        match = situation.fullmatch(scene.situation)
        assert match is not None
        named = match.groupdict() | {"first": scene.name.split()[0]}
        text = entry["question"].format(**named)
        found.append(NewQuestion(scene=scene.id, style="chatty", question=text))
    return found


def test_a_question_within_a_story_is_understood() -> None:
    file = make_scenes(seed=31)
    outcomes = ask_all(questions_for(file.scenes), file)
    missed = [outcome.question.question for outcome in outcomes if not outcome.at_once]
    assert len(outcomes) >= 150
    assert not any(outcome.wrong for outcome in outcomes)
    assert not any(outcome.away for outcome in outcomes)
    assert sum(outcome.at_once for outcome in outcomes) >= AT_ONCE * len(outcomes), missed
    assert sum(outcome.after_one for outcome in outcomes) >= AFTER_ONE * len(outcomes), missed


@pytest.mark.parametrize(
    "story",
    [
        "I tried to call you at 9:30.",
        "I have been reading about fairs all morning.",
        "Basil told me on Monday that the last one was awful.",
        "Happy birthday for yesterday!",
        "See you at yoga on Friday morning.",
    ],
)
def test_hours_and_days_of_a_story_are_not_those_of_the_question(story: str) -> None:
    listener = QuestionInterpreter([AFTERNOON])
    for text in (f"{story} Are you coming to K-118?", f"Are you coming to K-118? {story}"):
        understood = listener.understand(hear(text))
        assert (understood.intent, understood.topics) == (Intent.CLEAR, (AFTERNOON.id,)), text


@pytest.mark.parametrize(
    "text",
    ["k-118 was moved to friday", "it is on monday at 9:00", "they scheduled it for the morning"],
)
def test_a_sentence_about_when_something_takes_place_is_no_anecdote(text: str) -> None:
    assert not is_anecdote(text)
