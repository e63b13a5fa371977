"""Searching files: with an index for many of them, the same is found as without."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import islice

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.world.office import do, office
from trainee_bench.world.apps.files import MAX_HITS, Files, SearchHit
from trainee_bench.world.filesystem.content import FileContent, FileKind
from trainee_bench.world.transaction import Transaction
from trainee_bench.world.trial import complete
from trainee_bench.world.world import World

MANY = 420
WORDS = ("report", "Report", "leave policy", "Straße", "STRASSE", "İzmir", "K\u212a", "50%", "a_b")
WORDS += ('"quoted"', "日本語", "x\0y", "NEAR(", "*", "🙂🙂🙂", "ab", "CAF\u00c9", "\ufb01nal")


def write_files(tx: Transaction, count: int, seed: int) -> None:
    """Write, overwrite, move and delete texts on the drive and in the workspace."""
    draw, files = random.Random(seed), Files(tx)
    for _ in range(count):
        place = draw.choice(("drive", "drive", "drive", "workspace"))
        name = f"{draw.choice(('Report', 'plan'))}{draw.randrange(count * 2)}"
        path = f"{place}:/{draw.choice('abc')}/{name}"
        act = draw.random()
        there = files.exists(path)
        if there and act < 0.2:
            files.delete(path)
        elif there and act < 0.4 and not files.exists(f"{path}_moved"):
            files.move(path, f"{path}_moved")
        elif act < 0.9 or there:
            lines = [" ".join(draw.choices(WORDS, k=draw.randint(1, 3))) for _ in range(3)]
            files.write_text(path, "\n".join(lines))
        else:
            files.put(path, FileContent(kind=FileKind.BINARY, data=b"\xff report"))


def read_through(tx: Transaction, query: str, place: str) -> tuple[SearchHit, ...]:
    """What a search finds that reads every file: the app's own, one file at a time."""
    files = Files(tx)
    hits = (
        hit
        for one in ([place] if place else ["drive:/", "workspace:/"])
        for info in files.files_within(one)
        for hit in files.search(query, info.path)
    )
    return tuple(islice(hits, MAX_HITS))


@pytest.fixture(scope="module")
def crowded() -> Iterator[World]:
    """A world with many files, of which an index knows some; others were changed since."""
    world = complete(office())
    for seed in range(3):
        complete(do(world, lambda tx, seed=seed: write_files(tx, MANY, seed), minutes=0))  # type: ignore[misc]
        complete(do(world, lambda tx: Files(tx).search("report"), minutes=0))
    complete(do(world, lambda tx: write_files(tx, 100, 9), minutes=0))
    made = complete(world.read(lambda tx: tx.rows("SELECT 1 FROM file_indexed")))
    assert len(made) > 100
    yield world
    complete(world.close())


fragments = st.sampled_from(WORDS).flatmap(
    lambda word: st.tuples(st.integers(0, len(word) - 1), st.integers(1, len(word))).map(
        lambda cut: word[cut[0] :][: cut[1]]
    )
)
queries = st.one_of(fragments, fragments.map(str.swapcase), st.lists(fragments).map(" ".join))


@given(query=queries, place=st.sampled_from(["", "drive:/", "drive:/a", "workspace:/b"]))
@settings(max_examples=60, deadline=None)
def test_a_search_among_many_files_finds_what_reading_them_all_finds(
    crowded: World, query: str, place: str
) -> None:
    if not query.strip():
        return

    def both(tx: Transaction) -> tuple[tuple[SearchHit, ...], ...]:
        return Files(tx).search(query, place), read_through(tx, query, place)

    found, expected = complete(do(crowded, both, minutes=0))
    assert found == expected


def test_the_index_of_files_is_no_part_of_a_digest_and_goes_with_a_snapshot() -> None:
    world = complete(office())
    complete(do(world, lambda tx: write_files(tx, 3 * MANY, 5), minutes=0))
    before = complete(world.digest())
    hits = complete(do(world, lambda tx: Files(tx).search("strasse"), minutes=0))
    assert complete(world.digest()) == before
    copy = World.deserialize_inline(complete(world.serialize()))
    assert complete(copy.digest()) == before
    complete(do(copy, lambda tx: Files(tx).write_text(hits[0].path, "none here"), minutes=0))
    left = complete(do(copy, lambda tx: Files(tx).search("strasse"), minutes=0))
    assert left == tuple(hit for hit in hits if hit.path != hits[0].path)
    for one in (world, copy):
        complete(one.close())
