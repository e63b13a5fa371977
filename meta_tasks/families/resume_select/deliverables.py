"""The submitted list of names and its grading."""

from __future__ import annotations

from dataclasses import dataclass

from trainee_bench.meta_tasks.authoring import FoundResult, GradingContext, text_key


@dataclass(frozen=True)
class ResumeSelectTruth:
    """Grading data: the path of the list, the names of all ``applicants``, and of those that are
    suitable on paper and in fact."""

    path: str
    applicants: frozenset[str]
    on_paper: frozenset[str]
    suitable: frozenset[str]


def names_in(grading: GradingContext[ResumeSelectTruth]) -> list[str]:
    """Return the normalized names in the file. Raises Unreadable if there is no file."""
    truth = grading.truth
    names = [text_key(line) for line in grading.labels(truth.path)]
    there = bool(names) and keys_of(truth.applicants).issuperset(names)
    grading.results[truth.path] = FoundResult(there)
    return names


def keys_of(names: frozenset[str]) -> frozenset[str]:
    """Normalize *names* for comparison."""
    return frozenset(map(text_key, names))


def differences_of(names: list[str], truth: ResumeSelectTruth) -> str:
    """Describe the errors in a list without naming anybody."""
    listed, gone = set(names), keys_of(truth.on_paper - truth.suitable)
    differences = {
        "a line occurs twice": len(listed) < len(names),
        "some lines are not names of suitable candidates": listed - keys_of(truth.on_paper),
        "somebody is missing": keys_of(truth.suitable) - listed,
        "somebody on the list is no longer available": gone & listed,
    }
    found = [words for words, there in differences.items() if there]
    return "; ".join([f"the list has {len(names)} lines", *found])
