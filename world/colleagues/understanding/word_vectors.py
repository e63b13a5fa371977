"""Static word embeddings, read from the data of the package wordllama.

The vector of a word is the sum of its tokens' vectors, that of a phrase the sum of its words'. A
longer vector means more content (*the* is short, *website* is long). All arithmetic uses integers
on quantised vectors. Products are summed as float32, whose sums are exact below 2 ** 24, so every
machine gets the same result in any order of summation.

The module uses neither the package's code nor the network. It opens files at the first question.
"""

from __future__ import annotations

import json
import math
import struct
from collections.abc import Iterable, Sequence
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from trainee_bench.world.colleagues.understanding.name_vectors import components_of_name

if TYPE_CHECKING:
    from tokenizers import Tokenizer

Vector = NDArray[np.int64]
Units = NDArray[np.float32]
"""Rows of length `UNIT` of whole numbers."""

DIMENSIONS = 256
UNIT = 1024
"""The length of a unit vector. The product of two is their cosine times `UNIT` ** 2 = 2 ** 20."""
WHOLE = UNIT * UNIT
_STEPS = 16
"""The factor for vectors of tokens, which are rounded to sixteenths."""
_WEIGHTS = "weights/l2_supercat_256.safetensors"
TOKENIZER = "tokenizers/l2_supercat_tokenizer_config.json"
_WORD_START = "\u2581"


class WordVectors:
    """Embeddings of words. Vectors are kept once they have been looked up."""

    def __init__(self, folder: Path) -> None:
        from tokenizers import Tokenizer  # slow, so only imported for the first question

        self._tokenizer: Tokenizer = Tokenizer.from_file(str(folder / TOKENIZER))
        path = folder / _WEIGHTS
        with path.open("rb") as file:
            (size,) = struct.unpack("<Q", file.read(8))
            (entry,) = (
                value for key, value in json.loads(file.read(size)).items() if key[0] != "_"
            )
        if entry["dtype"] != "F16" or entry["shape"][1] != DIMENSIONS:
            raise RuntimeError(f"{path} has other embeddings than those of the pinned wordllama")
        start = 8 + size + entry["data_offsets"][0]
        self._rows = np.memmap(path, "<f2", "r", start, tuple(entry["shape"]))

    @lru_cache(maxsize=20_000)  # noqa: B019 - there is one of these in a process
    def vector(self, word: str) -> Vector:
        """Return the vector of a word in lower case, in sixteenths; do not change it.

        Colleagues understand English, so a word with other letters is a name. It is like no other
        word: its vector is drawn from its letters.
        """
        if not word.isascii():
            return np.array(components_of_name(word, DIMENSIONS), np.int64)
        tokens = self._tokenizer.encode(word, add_special_tokens=False).ids
        rows = self._rows[tokens].astype(np.float32)
        whole: Vector = np.rint(rows * _STEPS).astype(np.int64).sum(axis=0)
        return whole

    @lru_cache(maxsize=20_000)  # noqa: B019
    def weight(self, word: str) -> int:
        """Return the length of a word's vector, in sixteenths."""
        vector = self.vector(word)
        return math.isqrt(int(vector @ vector))

    @lru_cache(maxsize=20_000)  # noqa: B019
    def unit(self, word: str) -> Units:
        """Return the word's vector at the length `UNIT`."""
        return unit_of(self.vector(word))

    @lru_cache(maxsize=20_000)  # noqa: B019
    def knows(self, word: str) -> bool:
        """Return whether a word is a single token, and so no rare name and no typo."""
        return word.isascii() and self._tokenizer.token_to_id(_WORD_START + word) is not None

    def phrase(self, words: Iterable[str]) -> Units:
        """Return the unit vector of words together; zeros for none."""
        return unit_of(sum((self.vector(word) for word in words), np.zeros(DIMENSIONS, np.int64)))

    def units(self, words: Sequence[str]) -> Units:
        """Return the unit vectors of words, one in a row."""
        if not words:
            return np.zeros((0, DIMENSIONS), np.float32)
        return np.stack([self.unit(word) for word in words])


def unit_of(vector: Vector) -> Units:
    """Return *vector* at the length `UNIT`, rounded to whole numbers; zeros stay zeros."""
    length = math.isqrt(int(vector @ vector) * 4)
    if length == 0:
        return np.zeros(DIMENSIONS, np.float32)
    return ((vector * (4 * UNIT) + length) // (2 * length)).astype(np.float32)


def cosines_of(one: Units, many: Units) -> NDArray[np.float64]:
    """Return the cosine of a unit vector with each row of *many*.

    The library behind `@` starts threads for matrices of this size, which costs more than it gains
    beside other processes.
    """
    products: NDArray[np.float64] = np.einsum("ij,j->i", many, one).astype(np.float64)
    return products / WHOLE


@lru_cache(maxsize=1)
def word_vectors() -> WordVectors:
    """Return the embeddings of this process."""
    found = find_spec("wordllama")  # does not run the package
    if found is None or not found.submodule_search_locations:
        raise RuntimeError("the package wordllama, whose word embeddings are used, is missing")
    return WordVectors(Path(found.submodule_search_locations[0]))
