"""What each step of a run's episodes was worth, as files of its folder: worth/ID.json."""

from __future__ import annotations

from pathlib import Path

from pydantic import ValidationError

from trainee_bench.harness.records.own_files import own_file, refuse_link_out
from trainee_bench.harness.records.results import EpisodeResult
from trainee_bench.harness.records.worth import EpisodeWorth, UnusableWorth


class StoredWorths:
    """The worths in the folder *run* of a run."""

    def __init__(self, run: Path):
        self._run = run

    def write(self, worth: EpisodeWorth) -> None:
        """Store what each step of an episode was worth, whole or not at all.

        Raises LinkOut if that would be outside of the run's folder.
        """
        file = self._file(worth.episode)
        draft = file.with_suffix(".draft")
        refuse_link_out(self._run, draft)
        file.parent.mkdir(exist_ok=True)
        draft.write_text(worth.model_dump_json(indent=1) + "\n", encoding="utf-8")
        draft.replace(file)

    def read(self, result: EpisodeResult) -> EpisodeWorth | None:
        """What was stored of the steps of the episode of *result*; None if nothing was, or if it
        cannot be used."""
        try:
            return self.check(result)
        except UnusableWorth:
            return None

    def check(self, result: EpisodeResult) -> EpisodeWorth | None:
        """What was stored of the steps of the episode of *result*, None if nothing was.

        Raises UnusableWorth for a file that cannot be read, of another world, or of another folder.
        """
        file = self._file(result.episode)
        name = f"{file.parent.name}/{file.name}"
        if file.is_file() and own_file(self._run, name) is None:
            raise UnusableWorth(f"{name} is not in the folder of the run, but a link out of it.")
        try:
            worth = EpisodeWorth.model_validate_json(file.read_bytes())
        except FileNotFoundError:
            return None
        except OSError as error:
            raise UnusableWorth(f"{name} cannot be read: {error.strerror}.") from None
        except ValidationError:
            raise UnusableWorth(f"{name} is damaged or of another version.") from None
        if worth.digest != result.digest:
            raise UnusableWorth(f"{name} is of another world: the episode was run again since.")
        return worth

    def _file(self, episode: str) -> Path:
        return self._run / "worth" / f"{episode}.json"
