"""Every version of tokenizers that we admit splits words alike, since worlds depend on it."""

from __future__ import annotations

import hashlib
from importlib.util import find_spec
from pathlib import Path
from random import Random

from tokenizers import Tokenizer

from trainee_bench.world.colleagues.understanding.word_vectors import TOKENIZER

ADVICE = (
    "This version of tokenizers splits words otherwise, so colleagues would understand otherwise. "
    "Do not admit it in pyproject.toml."
)
DIGEST = "6def850ada4f28293564a7a93fde48cc79db53b076126681e1b671ec95786c37"
LETTERS = "abcdefghijklmnopqrstuvwxyzäöüßéñçøłабв中文字日本0123456789-_.'’/@ "


def test_words_are_split_into_the_tokens_that_they_always_were() -> None:
    package = find_spec("wordllama")
    assert package is not None and package.submodule_search_locations
    folder = Path(package.submodule_search_locations[0])
    tokenizer = Tokenizer.from_file(str(folder / TOKENIZER))
    vocabulary = sorted(tokenizer.get_vocab().items())
    known = [token.lstrip("\u2581") for token, _ in vocabulary]
    chance = Random(1)
    joined = ("".join(chance.choices(known, k=3)) for _ in range(10_000))
    unknown = ("".join(chance.choices(LETTERS, k=chance.randint(1, 14))) for _ in range(10_000))
    split = hashlib.sha256(repr(vocabulary).encode())
    for word in (*known, *joined, *unknown):
        split.update(repr(tokenizer.encode(word, add_special_tokens=False).ids).encode())
    assert split.hexdigest() == DIGEST, ADVICE
