"""What learning agents remembered after a run's episodes, as files of its folder:
memories/ID.md."""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path

from trainee_bench.harness.records.results import EpisodeResult, ResultFileError


class Memories:
    """The memories in the folder *run* of a run, by the id of the episode before them."""

    def __init__(self, run: Path):
        self._run = run

    def exists(self, episode: str) -> bool:
        """Whether anything is stored of what the agent remembered after *episode*."""
        return self._file(episode).exists()

    def read(self, episode: str) -> str | None:
        """What the agent remembered after *episode*, None if unknown."""
        return self._file(episode).read_text(encoding="utf-8") if self.exists(episode) else None

    def check(self, results: Iterable[EpisodeResult]) -> None:
        """Raise ResultFileError if a stored memory is not what the agent of *results* remembered.

        A memory that is missing is none: its day is repeated.
        """
        for result in results:
            stored = self.digest(result.episode)
            if result.memory_digest is None or stored is None:
                continue
            if stored != result.memory_digest:
                raise ResultFileError(
                    f"{self._file(result.episode)} is not what the agent remembered after "
                    f"{result.episode}: it was changed. Restore it; or remove it, and that day and "
                    "those after it are worked again."
                )

    def digest(self, episode: str) -> str | None:
        """A hash of the memory stored after *episode*, None if there is none."""
        if not self.exists(episode):
            return None
        return sha256(self._file(episode).read_bytes()).hexdigest()

    def write(self, episode: str, text: str) -> None:
        """Store what a learning agent remembers after *episode*, whole or not at all."""
        file = self._file(episode)
        draft = file.with_suffix(".draft")
        draft.write_text(text, encoding="utf-8", errors="replace")
        draft.replace(file)

    def discard(self, episode: str) -> None:
        """Remove what was stored after *episode*, if anything was."""
        self._file(episode).unlink(missing_ok=True)

    def name(self, episode: str) -> str:
        """The path of the memory stored after *episode* within the run's folder."""
        return f"memories/{episode}.md"

    def _file(self, episode: str) -> Path:
        return self._run / self.name(episode)
