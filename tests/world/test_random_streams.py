"""Streams: settled by their names alone, independent of each other, and stable."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trainee_bench.world.random_streams import random_stream, stable_id

NAMES = st.lists(st.text() | st.integers(), min_size=1, max_size=4).map(tuple)


def first(*names: str | int) -> int:
    return random_stream(*names).getrandbits(128)


@given(NAMES)
def test_the_same_names_give_the_same_draws(names: tuple[str | int, ...]) -> None:
    assert first(*names) == first(*names)
    assert stable_id(*names) == stable_id(*names)


@given(NAMES, NAMES)
def test_different_names_give_different_draws(
    one: tuple[str | int, ...], other: tuple[str | int, ...]
) -> None:
    assert (first(*one) == first(*other)) == (one == other)
    assert (stable_id(*one) == stable_id(*other)) == (one == other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ((1,), ("1",)),
        (("ab", "c"), ("a", "bc")),
        (("a", ""), ("a",)),
        (("1:", "2"), ("1", ":2")),
        (("s1:a",), ("a",)),
        ((12, 3), (1, 23)),
        ((-1,), (1,)),
    ],
)
def test_names_that_look_alike_are_kept_apart(
    one: tuple[str | int, ...], other: tuple[str | int, ...]
) -> None:
    assert first(*one) != first(*other)
    assert stable_id(*one) != stable_id(*other)


def test_a_stream_is_not_moved_by_what_others_draw() -> None:
    undisturbed = random_stream("seed", "a").random()
    random.seed(5)
    other, mine = random_stream("seed", "b"), random_stream("seed", "a")
    other.random()
    assert mine.random() == undisturbed


def test_drawing_leaves_the_global_generator_alone() -> None:
    state = random.getstate()
    random_stream("x").shuffle(list(range(10)))
    assert random.getstate() == state


@pytest.mark.parametrize("name", [True, 1.0, None, b"x", ("a",)])
def test_only_text_and_whole_numbers_are_names(name: object) -> None:
    with pytest.raises(TypeError, match="named by str and int"):
        random_stream("seed", name)  # type: ignore[arg-type]


def test_a_stream_needs_a_name() -> None:
    with pytest.raises(ValueError, match="at least one name"):
        random_stream()
    with pytest.raises(ValueError, match="at least one name"):
        stable_id()


def test_an_id_has_the_length_asked_for() -> None:
    whole = stable_id("x", length=64)
    assert len(whole) == 64
    assert stable_id("x", length=1) == whole[0]
    assert stable_id("x") == whole[:12]
    for length in (0, 65, -1):
        with pytest.raises(ValueError, match="1 to 64 digits"):
            stable_id("x", length=length)


def test_an_id_tells_nothing_about_the_stream_of_the_same_names() -> None:
    assert int(stable_id("x", length=32), 16) != first("x")


def test_the_methods_called_safe_keep_their_values() -> None:
    """Would notice a Python whose generator draws otherwise."""
    draws = random_stream("golden", 1)
    items = list("abcdefgh")
    shuffled = items.copy()
    seen = [
        draws.getrandbits(32),
        draws.randrange(10, 1000, 5),
        draws.randint(1, 6),
        draws.choice(items),
        "".join(draws.choices(items, weights=range(1, 9), k=5)),
        "".join(draws.sample(items, 4)),
        draws.random(),
        draws.uniform(2, 3),
        draws.triangular(0, 1, 0.25),
    ]
    draws.shuffle(shuffled)
    assert [*seen, "".join(shuffled), stable_id("golden", 1)] == GOLDEN


GOLDEN = [
    307285162,
    65,
    3,
    "h",
    "gfcbd",
    "fhde",
    0.9785419696711648,
    2.6999879179966113,
    0.6293411413871852,
    "chbdfeag",
    "437806ebd9d2",
]
