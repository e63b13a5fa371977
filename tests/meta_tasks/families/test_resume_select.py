"""The résumé family: pools for a requirement, the recruiter's knowledge, and grading."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue

from tests.meta_tasks.days import day_with, graded, hand_in, listener_of, staged, texts_of
from tests.meta_tasks.families.resume_days import (
    ASKED,
    FITTING,
    POOLS,
    RULES,
    SEEDS,
    WORKED,
    candidates_of,
    requirement_of,
    scene_of,
    worked_example,
)
from trainee_bench.meta_tasks.families.resume_select import FOLDER, MAX_UNSUITABLE, ResumeSelect
from trainee_bench.meta_tasks.families.resume_select.brief import (
    OBJECTIVE,
    parse_candidate,
    write_resume,
)
from trainee_bench.meta_tasks.families.resume_select.data import (
    NEAR_MISSES,
    SUITABLE_ON_PAPER,
    Criterion,
    Degree,
    JobPosition,
    Major,
    RequiredSkill,
    Requirement,
    draw_pool,
    unmet_criteria,
)
from trainee_bench.meta_tasks.grade import feedback
from trainee_bench.meta_tasks.meta_task import Difficulty
from trainee_bench.meta_tasks.scenario import TaskSpec
from trainee_bench.meta_tasks.sent_texts import check_clue_collisions
from trainee_bench.meta_tasks.task_context import CompositionError
from trainee_bench.world.colleagues.understanding import Intent, hear
from trainee_bench.world.company.people import create_company

ENTRY: dict[str, JsonValue] = {
    "requirement": [["Doctoral"], ["Electrical Engineering"], ["1 year"], ["redis", "c++"]],
    "position": ["Software Developer"],
    "number_of_resumes": 12,
}
requirements = st.builds(
    Requirement,
    position=st.sampled_from(JobPosition),
    degree=st.sampled_from([Degree.BACHELOR, Degree.MASTER, Degree.DOCTORAL]),
    major=st.sampled_from(Major),
    years=st.sampled_from([1, 3, 5]),
    skills=st.lists(st.sampled_from(RequiredSkill), min_size=1, max_size=3, unique=True).map(tuple),
)
NAMES = tuple(f"Kim{letter} Tam{letter}" for letter in "abcdefghijkl")

# the rules -------------------------------------------------------------------------------


def test_there_are_three_rules_and_only_the_largest_pool_is_hard() -> None:
    assert RULES == ["resume_select.pool6", "resume_select.pool9", "resume_select.pool12"]
    labels = [rule.difficulty for rule in ResumeSelect.rules()]
    assert labels == [Difficulty.EASY, Difficulty.EASY, Difficulty.HARD]
    assert any(mark.only_with for mark in ResumeSelect(pool=6).checkpoints())


def test_published_entries_fix_every_requirement() -> None:
    made = ResumeSelect.from_published(ENTRY)
    assert made == ResumeSelect(
        pool=12,
        position=JobPosition.DEVELOPER,
        degree=Degree.DOCTORAL,
        major=Major.ELECTRICAL,
        years=1,
        skills=(RequiredSkill.REDIS, RequiredSkill.CPP),
    )
    for span, years in (("3 years", 3), ("5 years", 5)):
        entry = ENTRY | {"requirement": [["Master's"], ["Data Science"], [span], ["java"]]}
        assert ResumeSelect.from_published(entry).years == years


@pytest.mark.parametrize(
    "change",
    [
        {"number_of_resumes": 7},
        {"position": ["Gardener"]},
        {"position": []},
        {"requirement": [["Associate"], ["Data Science"], ["1 year"], ["java"]]},
        {"requirement": [["Master's"], ["Data Science"], ["2 years"], ["java"]]},
        {"requirement": [["Master's"], ["Data Science"], ["some"], ["java"]]},
        {"requirement": [["Master's"], ["Data Science"], ["1 year"], ["java", "java"]]},
        {"requirement": [["Master's"], ["Data Science"], ["1 year"], []]},
        {"requirement": [["Master's"], ["Data Science"], ["1 year"]]},
    ],
)
def test_other_published_entries_are_refused(change: Mapping[str, JsonValue]) -> None:
    with pytest.raises(ValueError):
        ResumeSelect.from_published({**ENTRY, **change})


# who is suitable -------------------------------------------------------------------------


@pytest.mark.parametrize("number", range(len(WORKED)))
def test_the_worked_example_is_judged_as_by_hand(number: int) -> None:
    candidate, short = WORKED[number]
    assert unmet_criteria(candidate, ASKED) == short


def test_ten_years_are_more_than_five_and_no_degree_yet_is_no_experience() -> None:
    """The original compared years as texts, so "10 years" failed and students passed."""
    for seed in range(60):
        wanted = requirement_of("Software Engineer", "Bachelor's", "Mathematics", 5, "java")
        for candidate in candidates_of(scene_of(12, seed, years=5)):
            failed = unmet_criteria(candidate, wanted)
            assert (Criterion.YEARS in failed) is (candidate.years < 5)
        students = [
            text for text in texts_of(scene_of(12, seed)).values() if "still studying" in text
        ]
        assert all(parse_candidate(text).years == 0 for text in students)
    spans = Counter(
        candidate.years for seed in range(60) for candidate in candidates_of(scene_of(12, seed))
    )
    assert spans[10] > 20 and spans[0] > 20


def test_a_position_is_compared_with_a_position_and_degrees_have_an_order() -> None:
    """The original compared a list with a text, so nobody was ever suitable."""
    ranks = [degree.rank for degree in Degree]
    assert ranks == [0, 1, 2, 3]
    assert list(Degree)[1:] == [Degree.BACHELOR, Degree.MASTER, Degree.DOCTORAL]
    for position in JobPosition:
        for seed in range(10):
            assert scene_of(6, seed, position=position).graded.truth.suitable


@pytest.mark.parametrize("pool", POOLS)
def test_answers_are_neither_empty_nor_all_candidates_suitable_on_paper(pool: int) -> None:
    """In the original, 61 of 61 answers were empty."""
    sizes, gone = Counter[int](), Counter[int]()
    for seed in range(60):
        truth = scene_of(pool, seed).graded.truth
        assert truth.suitable < truth.on_paper
        sizes[len(truth.suitable)] += 1
        gone[len(truth.on_paper) - len(truth.suitable)] += 1
    assert set(sizes) <= {1, 2, 3, 4} and len(sizes) >= 2 and len(gone) >= 2


@given(wanted=requirements, seed=st.integers(0, 2**32), pool=st.sampled_from(POOLS))
def test_every_pool_has_suitable_candidates_and_near_misses_of_one_criterion(
    wanted: Requirement, seed: int, pool: int
) -> None:
    drawn = draw_pool(Random(seed), wanted, NAMES[:pool])
    failed = [unmet_criteria(candidate, wanted) for candidate in drawn]
    assert len(drawn) == pool
    assert sum(not misses for misses in failed) in SUITABLE_ON_PAPER[pool]
    near = {miss for misses in failed if len(misses) == 1 for miss in misses}
    assert len(near) >= NEAR_MISSES[pool]
    assert pool == 6 or near == set(Criterion)


@given(wanted=requirements, seed=st.integers(0, 2**32))
def test_a_resume_says_what_its_candidate_has(wanted: Requirement, seed: int) -> None:
    draws = Random(seed)
    for drawn in draw_pool(draws, wanted, NAMES):
        read = parse_candidate(write_resume(draws, drawn, ("I like work.", "I sing.")))
        assert read.name == drawn.name and read.position == drawn.position
        assert read.studies == drawn.studies and read.years == drawn.years
        assert [s.casefold() for s in read.skills] == [s.casefold() for s in drawn.skills]


@given(wanted=requirements, seed=st.integers(0, 2**32))
def test_either_of_two_degrees_leads_to_the_same_judgement(wanted: Requirement, seed: int) -> None:
    for candidate in draw_pool(Random(seed), wanted, NAMES):
        enough = [
            studies.degree.rank >= wanted.degree.rank and studies.major == wanted.major
            for studies in candidate.studies
        ]
        assert any(enough) is not bool(
            unmet_criteria(candidate, wanted) & {Criterion.DEGREE, Criterion.MAJOR}
        )
        years = [studies.year for studies in candidate.studies]
        assert years == sorted(years, reverse=True) and years[0] + candidate.years <= 2025


# the scene -------------------------------------------------------------------------------


@pytest.mark.parametrize("pool", POOLS)
def test_each_resume_is_a_short_file_named_after_somebody_from_outside(pool: int) -> None:
    for seed in SEEDS:
        company = create_company(seed)
        ours = {part for p in (*company.people, company.trainee) for part in p.name.split()}
        resumes = texts_of(scene_of(pool, seed))
        assert len(resumes) == pool
        for path, text in resumes.items():
            name = parse_candidate(text).name
            assert path == f"{FOLDER}/{name.replace(' ', '_')}_resume.md"
            assert text.startswith(f"# {name}\n\n") and text.endswith("\n")
            assert not ours & set(name.split())
            assert (300 <= len(text) <= 1_200 and text.count("year") >= 1) or "no job" in text


def test_resumes_differ_in_layout_and_words() -> None:
    texts = [text for seed in SEEDS for text in texts_of(scene_of(12, seed)).values()]
    for mark in ("## Skills", "| Skills |", "**Skills:**", "I am skilled in"):
        assert 0.1 < sum(mark in text for text in texts) / len(texts) < 0.5
    for words in ("M.Sc.", "Master's degree", "Master of Science", "Ph.D.", "B.Sc."):
        assert any(words in text for text in texts)
    assert len(set(texts)) == len(texts)


def test_the_answer_names_unsuitable_and_suitable_applicants() -> None:
    for seed in SEEDS:
        instance = scene_of(9, seed)
        (clue,) = instance.hidden.clues
        gone = instance.graded.truth.on_paper - instance.graded.truth.suitable
        holder = create_company(seed).person(clue.holder)
        assert (holder.department, holder.title) == ("HR", "Recruiter")
        assert "the Recruiter in HR" in instance.told.objective
        names = [candidate.name for candidate in candidates_of(instance)]
        named = {name for name in names if name in clue.payload}
        assert named & instance.graded.truth.on_paper == gone
        wanted = OBJECTIVE.parse(instance.told.objective).wanted.position
        for_it = {each.name for each in candidates_of(instance) if each.position is wanted}
        assert named <= for_it
        others = for_it - instance.graded.truth.on_paper
        assert len(named - gone) >= min(len(gone), len(others), MAX_UNSUITABLE) > 0
        said = [instance.told.title, instance.told.objective, *clue.asks, *clue.keys]
        assert not [name for name in names if any(name in text for text in said)]


def test_answers_vary_with_the_seed() -> None:
    scenes = [scene_of(6, seed) for seed in range(100)]
    assert len({scene.graded.truth.suitable for scene in scenes}) == 100
    assert len({scene.told.title for scene in scenes}) == 3


@pytest.mark.parametrize("size", [10, 30, 120, 500])
def test_companies_of_every_size_have_a_recruiter_whom_the_task_names(size: int) -> None:
    instance, company = scene_of(6, 2, size), create_company(2, size)
    holder = company.person(instance.hidden.clues[0].holder)
    assert holder.department == "HR"
    alike = [p for p in company.staff("HR") if p.title == holder.title]
    named = holder.name if len(alike) > 1 else f"the {holder.title}"
    assert (
        named in instance.told.objective
        and named in OBJECTIVE.parse(instance.told.objective).recruiter
    )


# asking ----------------------------------------------------------------------------------


@pytest.mark.parametrize("position", JobPosition)
def test_fresh_words_are_understood_by_the_recruiter(position: JobPosition) -> None:
    fresh = (
        f"Hello! Could you say which candidates for the {position} opening are not available?",
        f"Has any applicant for {position} withdrawn or accepted an offer from somebody else?",
        f"Which of the {position} candidates have taken another job?",
        f"Are any of the {position} applicants no longer available?",
    )
    instance = scene_of(6, 1, position=position)
    listener = listener_of(instance, create_company(1), instance.hidden.clues[0].holder)
    for ask in fresh:
        assert listener.understand(hear(ask)).intent is Intent.CLEAR, ask
    for other in set(JobPosition) - {position}:
        question = f"Which candidates for {other} are no longer available?"
        assert listener.understand(hear(question)).intent is Intent.NONE
    assert listener.understand(hear(f"What does a {position} earn?")).intent is not Intent.CLEAR


def test_tasks_on_one_day_differ_in_positions_folders_and_clues() -> None:
    for seed in range(5):
        day = day_with(RULES[0], RULES[0], RULES[2], seed=seed)
        scenes: list[Any] = [task.instance for task in day.tasks]
        check_clue_collisions(scenes)
        assert len({instance.told.title for instance in scenes}) == 3
        folders = [{path.rpartition("/")[0] for path in texts_of(instance)} for instance in scenes]
        assert sorted(len(folder) for folder in folders) == [1, 1, 1]
        assert len(set[str]().union(*folders)) == 3
        for instance, folder in zip(scenes, folders, strict=True):
            assert f"résumés are in {next(iter(folder))}." in instance.told.objective
        assert len({path for instance in scenes for path in instance.told.deliverable_paths}) == 3


def test_two_tasks_for_one_position_are_refused() -> None:
    fixed: dict[str, JsonValue] = {"position": "Software Engineer"}
    tasks = [TaskSpec(rule=rule, parameters=fixed) for rule in RULES[:2]]
    with pytest.raises(CompositionError, match="could be taken for the other"):
        day_with(*tasks, seed=1)


def test_fixed_parameters_appear_in_the_requirement() -> None:
    made = ResumeSelect.from_published(ENTRY).model_dump(exclude={"pool"})
    instance = scene_of(12, 3, **made)
    for words in (
        "Software Developer",
        "Doctoral",
        "Electrical Engineering",
        "1 year",
        "redis, c++",
    ):
        assert words in instance.told.objective
    assert FITTING.name not in instance.told.objective


# what is graded ---------------------------------------------------------------------------


ON_PAPER = ("Ada Quist", "Ben Olafsen", "Cleo Marr")
SUITABLE = ON_PAPER[:2]
RIGHT = "Ada Quist\nBen Olafsen\n"


# honest work -----------------------------------------------------------------------------


# what is graded --------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        RIGHT,
        "Ben Olafsen\nAda Quist",
        "\ufeffAda Quist\r\nBen Olafsen\r\n\r\n",
        "  Ada Quist \n\nBen  Olafsen\n",
    ],
)
async def test_order_and_blanks_do_not_matter(text: str) -> None:
    async with staged(worked_example(*SUITABLE, on_paper=ON_PAPER), told=True) as day:
        given = await hand_in(day, text)
        assert given == {"requirements_met": True, "suitable_listed": True, "told": True}


@pytest.mark.parametrize(
    "text",
    [
        "Ada Quist\n",
        "Ada Quist\nBen Olafsen\nDov Lindqvist\n",
        "Ada Quist\nAda Quist\nBen Olafsen\n",
        "Ada Quist, Ben Olafsen\n",
        "ada quist\nADA QUIST\nben olafsen\n",
        "Ada\nBen\n",
        "- Ada Quist\n- Ben Olafsen\n",
        "Suitable:\nAda Quist\nBen Olafsen\n",
        '["Ada Quist", "Ben Olafsen"]',
    ],
)
async def test_too_many_too_few_and_other_lines_earn_nothing(text: str) -> None:
    async with staged(worked_example(*SUITABLE, on_paper=ON_PAPER), told=True) as day:
        assert not any((await hand_in(day, text)).values())


async def test_listing_an_unavailable_applicant_costs_the_answer_but_not_the_reading() -> None:
    async with staged(worked_example(*SUITABLE, on_paper=ON_PAPER), told=True) as day:
        given = await hand_in(day, "".join(f"{name}\n" for name in ON_PAPER))
        assert given == {"requirements_met": True, "suitable_listed": False, "told": False}


async def test_listing_everybody_earns_nothing() -> None:
    for rule in RULES:
        async with staged(rule, 2) as day:
            resumes = texts_of(day.composition.tasks[0].instance)
            names = [text.partition("\n")[0].removeprefix("# ") for text in resumes.values()]
            assert not any((await hand_in(day, "\n".join(names))).values())


async def test_feedback_and_hints_name_nobody() -> None:
    async with staged(RULES[2], 5) as day:
        instance = day.composition.tasks[0].instance
        await hand_in(
            day, "\n".join([*sorted(instance.graded.truth.on_paper)[1:], "Somebody Else"])
        )
        said = feedback(await graded(day), 3)
        said += instance.told.hints.strategy + instance.told.hints.where + instance.told.hints.how
        assert "no longer available" in said
        assert not [name for name in instance.graded.truth.on_paper if name in said]
