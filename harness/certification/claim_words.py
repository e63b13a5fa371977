"""A sentence for each claim about a task, for people who read a certificate."""

from __future__ import annotations

from collections.abc import Mapping

CLAIM_WORDS: Mapping[str, str] = {
    "solvable": "Honest work reaches full score, and doing nothing earns nothing.",
    "counterfactuals": "A fact decides the answer, and nothing shows it before it is told.",
    "ablation": "Without any one fact, full score is out of reach.",
    "asking": "Facts can be asked for in many words, and have enough values.",
    "process": "Points for the way of working need a right result.",
    "pairs": "Two such tasks on one day do not disturb each other.",
    "shown": "Each sentence, file and mail of the task is needed.",
    "uninformed": "Somebody who is told nothing earns next to nothing.",
    "cheats": "Agents that skip the work earn next to nothing.",
    "guesses": "No answer is right at many seeds.",
    "mutants": "Wrong results fail, and harmless differences pass.",
    "leakage": "Hints and feedback do not contain the answer.",
    "ahead": "Nothing of the task is there before it is given.",
    "complications": "Ignoring a complication costs points.",
    "blindness": "No complication is handled without looking.",
    "memory": "A task of a week needs what earlier days told.",
    "finishing": "Work that somebody else began can be finished.",
    "followers": "The task also works after another one on the same day.",
    "live policy": "Each value that a page states decides the answer.",
    "second opinion": "Rows that a person worked out agree with the code.",
    "wrong list": "Each mistake that the author lists fails.",
    "grounds": "The request, a page or a mail shows what the answer states.",
}
"""A sentence for each claim, by its name."""
