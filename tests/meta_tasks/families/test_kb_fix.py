"""The knowledge base family: only owners tell new ids, and only ids change in articles."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from importlib.resources import files
from itertools import pairwise
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue

from tests.meta_tasks.days import day_with, passed, staged, told_by
from tests.meta_tasks.families.kb_days import (
    DOMAIN,
    LINK,
    RULES,
    SEEDS,
    articles_of,
    scene_of,
    text_of,
)
from trainee_bench.meta_tasks.company_documents import drive_files, referrals
from trainee_bench.meta_tasks.families.kb_fix import (
    SIZES,
    KbFix,
    KbFixDifficulty,
    OwnerAvailability,
)
from trainee_bench.meta_tasks.families.kb_fix.data import (
    ARTICLES,
    CHART_ID,
    CHART_LINE,
    Article,
    ChartLink,
    insert_links,
    insertion_points,
)
from trainee_bench.meta_tasks.meta_task import Difficulty
from trainee_bench.world.colleagues.understanding import Topic, topics_collide
from trainee_bench.world.company.org_chart import EXECUTIVE
from trainee_bench.world.company.people import create_company

# the rules -------------------------------------------------------------------------------


def test_there_are_three_rules_and_only_the_first_is_easy() -> None:
    assert RULES == ["kb_fix.easy", "kb_fix.medium", "kb_fix.hard"]
    labels = [rule.difficulty for rule in KbFix.rules()[:3]]
    assert labels == [Difficulty.EASY, Difficulty.HARD, Difficulty.HARD]


@pytest.mark.parametrize("difficulty", ["easy", "medium", "hard"])
def test_published_entries_name_the_difficulty(difficulty: str) -> None:
    made = KbFix.from_published({"task_params": {"difficulty": difficulty}})
    assert made.rule_id == f"kb_fix.{difficulty}"
    assert made.owners is OwnerAvailability.PRESENT


@pytest.mark.parametrize(
    "entry",
    [{}, {"task_params": {}}, {"task_params": {"difficulty": "mild"}}, {"difficulty": "easy"}],
)
def test_other_published_entries_are_refused(entry: Mapping[str, JsonValue]) -> None:
    with pytest.raises(ValueError, match=r"task_params|difficulty"):
        KbFix.from_published(entry)


def test_articles_weigh_the_same_and_process_belongs_to_each() -> None:
    for difficulty, size in SIZES.items():
        marks = KbFix(difficulty=difficulty).checkpoints()
        outcomes = [mark for mark in marks if mark.only_with is None]
        process = [mark for mark in marks if mark.only_with is not None]
        assert len(outcomes) == len(process) == size.articles
        assert len({mark.weight for mark in outcomes}) == 1
        assert [mark.only_with for mark in process] == [mark.name for mark in outcomes]


# the library -----------------------------------------------------------------------------


def test_the_library_has_at_least_eleven_articles_and_all_are_listed() -> None:
    folder = files("trainee_bench.meta_tasks.families.kb_fix") / "articles"
    stems = sorted(entry.name.removesuffix(".md") for entry in folder.iterdir())
    assert stems == sorted(article.stem for article in ARTICLES)
    assert len(stems) >= 11


@pytest.mark.parametrize("article", ARTICLES, ids=lambda article: article.stem)
def test_an_article_is_long_enough_and_has_room_for_charts(article: Article) -> None:
    text = article.text
    assert 1_400 <= len(text) <= 5_000
    assert text.startswith("# ") and text.endswith("\n") and "\r" not in text
    assert not CHART_ID.search(text)
    most = max(size.most_links for size in SIZES.values()) + 1
    assert len(set(article.charts)) >= most
    assert len(insertion_points(text.rstrip("\n").split("\n\n"))) >= most


@given(
    seed=st.integers(0, 2**32),
    article=st.sampled_from(ARTICLES),
    count=st.integers(1, 6),
)
def test_inserting_links_keeps_their_order_and_all_other_text(
    seed: int, article: Article, count: int
) -> None:
    links = [
        ChartLink(f"OLD{100_000 + place}", article.charts[place], "Ada Quist", DOMAIN)
        for place in range(count)
    ]
    woven = insert_links(Random(seed), article.text, links)
    blocks = woven.rstrip("\n").split("\n\n")
    lines = [block for block in blocks if block.startswith("Chart: ")]
    assert lines == [CHART_LINE.render(link) for link in links]
    assert "\n\n".join(block for block in blocks if block not in lines) + "\n" == article.text
    for before, line in pairwise(blocks):
        if line in lines:
            assert not before.startswith("#") and not before.endswith(":")


# the scene -------------------------------------------------------------------------------


@pytest.mark.parametrize("difficulty", list(KbFixDifficulty))
def test_articles_links_and_owners_are_as_many_as_the_difficulty_says(
    difficulty: KbFixDifficulty,
) -> None:
    size = SIZES[difficulty]
    counts = set()
    for seed in SEEDS:
        company = create_company(seed)
        instance = scene_of(difficulty, seed)
        articles = articles_of(instance)
        assert (
            len(articles)
            == len(instance.graded.truth.copies)
            == len(instance.told.deliverable_paths)
            == size.articles
        )
        for article in articles:
            links = LINK.findall(text_of(article))
            old = [(id, owner) for id, owner in links if id.startswith("OLD")]
            assert size.least_links <= len(old) <= size.most_links
            assert len({id for id, _ in links}) == len(links)
            counts.add(len(old))
        holders = {clue.holder for clue in instance.hidden.clues}
        assert len(holders) == size.owners
        staff = {p.id: p for p in company.people if p.department != EXECUTIVE}
        assert holders <= set(staff)
    assert counts == set(range(size.least_links, size.most_links + 1))


def test_each_clue_tells_one_owner_s_charts_of_one_article() -> None:
    for seed in SEEDS:
        company = create_company(seed)
        names = {person.id: person.name for person in company.people}
        instance = scene_of("hard", seed)
        for article, copy in zip(articles_of(instance), instance.graded.truth.copies, strict=True):
            links = LINK.findall(text_of(article))
            owners = {owner for id, owner in links if id.startswith("OLD")}
            clues = [
                clue for clue in instance.hidden.clues if clue.id.partition("/")[2] in copy.clues
            ]
            assert {names[clue.holder] for clue in clues} == owners
            old = {key for clue in clues for key in clue.keys if key.startswith("OLD")}
            assert old == {id for id, _ in links if id.startswith("OLD")}


def test_an_answer_about_one_chart_says_chart_and_about_several_charts() -> None:
    for seed in SEEDS:
        for clue in scene_of("hard", seed).hidden.clues:
            noun = "chart" if clue.payload.count(" is now ") == 1 else "charts"
            assert clue.payload.startswith(f"My {noun} in ")


def test_new_ids_occur_only_in_the_answers_of_owners() -> None:
    for difficulty in KbFixDifficulty:
        for seed in SEEDS:
            instance = scene_of(difficulty, seed)
            new = {
                id for clue in instance.hidden.clues for id in re.findall(r"NEW\d{6}", clue.payload)
            }
            said = [instance.told.title, instance.told.objective, *drive_files().values()]
            said += [text_of(article) for article in articles_of(instance)]
            said += [ask for clue in instance.hidden.clues for ask in clue.asks]
            said += [key for clue in instance.hidden.clues for key in clue.keys]
            assert new
            assert not [id for id in new if any(id in text for text in said)]


def test_the_drive_has_no_list_of_charts() -> None:
    """The original published old and new ids beside the articles."""
    for seed in SEEDS:
        instance = scene_of("hard", seed)
        assert all(event.path.startswith("drive:/kb/articles/") for event in articles_of(instance))
        assert all(event.path.endswith(".md") for event in articles_of(instance))
    assert not [path for path in drive_files() if path.startswith("drive:/kb/articles")]


def test_links_that_are_already_right_stay_in_the_corrected_article() -> None:
    decoys = 0
    for seed in SEEDS:
        for copy in scene_of("hard", seed).graded.truth.copies:
            current = re.findall(r"NEW\d{6}", copy.before)
            decoys += len(current)
            assert all(id in copy.after for id in current)
            assert "OLD" not in CHART_ID.sub(lambda m: m.group()[:3], copy.after)
    assert 30 < decoys < 120


@pytest.mark.sweep  # in the quick round, at four seeds of some rules: test_every_family.py
def test_answers_vary_with_the_seed() -> None:
    answers = Counter(scene_of("easy", seed).graded.truth for seed in range(200))
    assert answers.most_common(1)[0][1] == 1
    articles = Counter(articles_of(scene_of("easy", seed))[0].path for seed in range(200))
    assert len(articles) == len(ARTICLES)


@pytest.mark.parametrize("size", [10, 25, 500])
def test_companies_of_every_size_have_owners(size: int) -> None:
    for seed in range(5):
        assert len({clue.holder for clue in scene_of("hard", seed, size).hidden.clues}) == 3


def test_two_tasks_on_one_day_differ_in_articles_files_and_charts() -> None:
    for seed in range(8):
        day = day_with("kb_fix.hard", "kb_fix.hard", "kb_fix.easy", seed=seed)
        scenes = [task.instance for task in day.tasks]
        paths = [event.path for instance in scenes for event in articles_of(instance)]
        assert len(set(paths)) == len(paths) == 11
        assert not [path for path in paths if "_2" in path]
        assert len({path for instance in scenes for path in instance.told.deliverable_paths}) == 11
        ids = [
            id
            for instance in scenes
            for event in articles_of(instance)
            for id in re.findall(r"OLD\d{6}", text_of(event))
        ]
        assert len(set(ids)) == len(ids)


def test_when_the_library_is_used_up_files_get_numbers_and_clues_name_them() -> None:
    day = day_with(*["kb_fix.hard"] * 3, seed=1)
    numbered = [
        (event.path.rpartition("/")[2], instance.hidden.clues)
        for instance in (task.instance for task in day.tasks)
        for event in articles_of(instance)
        if "_2" in event.path
    ]
    assert len(numbered) == 4
    for name, clues in numbered:
        assert [clue for clue in clues if name in clue.keys and name in clue.payload]


# asking ----------------------------------------------------------------------------------


def test_public_topics_are_never_taken_for_a_question_about_charts() -> None:
    clue = scene_of("medium", 3).hidden.clues[0]
    mine = Topic(clue.id, clue.asks, clue.keys)
    for referral in referrals(create_company(3)):
        assert not topics_collide(mine, Topic(referral.topic, referral.asks, referral.keys))


async def test_only_the_owner_tells_the_new_id() -> None:
    async with staged("kb_fix.easy", 5) as day:
        (clue,) = day.composition.tasks[0].instance.hidden.clues
        question = f"Hello, could you tell me the new id of chart {clue.keys[0]}, please?"
        other = next(
            p.id for p in day.composition.company.people if p.id != clue.holder and not p.is_manager
        )
        assert clue.payload not in await told_by(day, other, question)
        assert await passed(day) == set()
        assert clue.payload in await told_by(day, clue.holder, question)


async def test_the_owner_does_not_correct_the_article() -> None:
    async with staged("kb_fix.easy", 6) as day:
        (clue,) = day.composition.tasks[0].instance.hidden.clues
        answer = await told_by(day, clue.holder, "Could you please correct the article for me?")
        assert "NEW" not in answer
        assert await passed(day) == set()


async def test_an_id_that_is_not_the_owner_s_is_not_told() -> None:
    async with staged("kb_fix.easy", 7) as day:
        (clue,) = day.composition.tasks[0].instance.hidden.clues
        answer = await told_by(day, clue.holder, "What is the new id of chart OLD000000?")
        assert "NEW" not in answer


def test_the_page_on_articles_says_that_one_message_may_ask_about_several_articles() -> None:
    text = drive_files()["drive:/kb/keeping_articles_current.md"]
    assert "One message may ask about several charts and articles." in text
