"""Saved sessions in a folder or an object store, and the numbers of days that no client has had.

A saved session is the day's name and the calls so far: days are deterministic, so repeating the
calls brings the same world back. That takes some kilobytes and a millisecond per call.
"""

from __future__ import annotations

import hashlib
import os
import secrets
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, JsonValue, ValidationError

from trainee_bench.harness.integrations.training.splits import DayCard
from trainee_bench.meta_tasks.scenario import GENERATOR_VERSION, SCORE_VERSION, ScenarioDay

__all__ = ["DayStore", "SavedSession", "SessionTakenOver", "UnreadableSession"]

BLOCK = 16
"""How many numbers of days a process claims at once."""


class UnreadableSession(Exception):
    """A saved session cannot be continued by this version; the text says why."""


class SessionTakenOver(Exception):
    """Another connection goes on with the session."""


class SavedCall(BaseModel):
    """A call that was answered."""

    model_config = ConfigDict(extra="forbid")

    name: str
    arguments: dict[str, JsonValue]


class SavedSession(BaseModel):
    """A session as it is saved: which day it works, and every step so far."""

    model_config = ConfigDict(extra="forbid")

    generator: int = GENERATOR_VERSION
    score_version: int = SCORE_VERSION
    owner: str
    """Which opening of the session saved it: one connection at a time works it."""
    takes_over: bool = Field(default=False, exclude=True)
    """Whether it is saved whoever had the session before."""
    given: ScenarioDay
    card: DayCard
    name: str
    steps: list[list[SavedCall]]


class DayStore:
    """Saves sessions at *url*: a folder, or any address that fsspec knows, such as s3://bucket/days.

    The default keeps them in this process. Every method may block; a server calls them on threads.
    Several processes may share a store.
    """

    def __init__(self, url: str = "memory://trainee-bench"):
        import fsspec
        from fsspec.implementations.local import LocalFileSystem

        self._files, self._root = fsspec.core.url_to_fs(url)
        self._is_local = isinstance(self._files, LocalFileSystem)
        self._numbers = self._claimed_numbers()
        self._own: dict[str, tuple[str, str]] = {}
        """By path, who wrote it last here and how the store tells that version from others."""
        for folder in ("sessions", "claimed"):
            self._files.makedirs(f"{self._root}/{folder}", exist_ok=True)

    def save(self, tenant: str, token: str, session: SavedSession) -> None:
        """Save *session* in place of what its owner saved under this token before.

        Raises SessionTakenOver if another owner has saved it since.
        """
        path, content = self._path(tenant, token), session.model_dump_json().encode()
        if not session.takes_over:
            self._check_owner(path, session.owner)
        self._write(path, content)
        self._own[path] = session.owner, self._files.ukey(path)

    def _check_owner(self, path: str, owner: str) -> None:
        """Raise SessionTakenOver if another owner than *owner* wrote *path* last."""
        try:
            if self._own.get(path) == (owner, self._files.ukey(path)):
                return
            saved = SavedSession.model_validate_json(self._files.cat_file(path))
        except FileNotFoundError:
            return
        if saved.owner != owner:
            raise SessionTakenOver("this session goes on over another connection")

    def _write(self, path: str, content: bytes) -> None:
        """Put *content* in the place of what was at *path*, complete or not at all."""
        if not self._is_local:
            self._files.pipe_file(path, content)
            return
        partial = Path(f"{path}.{secrets.token_hex(4)}")
        try:
            with partial.open("wb") as file:
                file.write(content)
            partial.replace(path)
        finally:
            partial.unlink(missing_ok=True)

    def load(self, tenant: str, token: str) -> SavedSession | None:
        """Return what was saved for this token of *tenant*, None if nothing.

        Raises UnreadableSession for one that another version saved.
        """
        try:
            content: bytes = self._files.cat_file(self._path(tenant, token))
        except FileNotFoundError:
            return None
        try:
            saved = SavedSession.model_validate_json(content)
        except ValidationError:
            raise UnreadableSession("the saved session is damaged") from None
        if (saved.generator, saved.score_version) != (GENERATOR_VERSION, SCORE_VERSION):
            raise UnreadableSession(
                f"generator {saved.generator} and score version {saved.score_version} saved this "
                f"session; here they are {GENERATOR_VERSION} and {SCORE_VERSION}"
            )
        return saved

    def forget(self, tenant: str, token: str) -> None:
        """Remove what was saved for this token, if anything."""
        path = self._path(tenant, token)
        self._own.pop(path, None)
        with suppress(FileNotFoundError):
            self._files.rm_file(path)

    def release(self, tenant: str, token: str) -> None:
        """Forget how this session was saved last, because it is open here no more."""
        self._own.pop(self._path(tenant, token), None)

    def next_number(self) -> int:
        """Return the number of a day that no process has had from this store."""
        return next(self._numbers)

    def _claimed_numbers(self) -> Iterator[int]:
        block = 0
        while True:
            while not self._claims(block):
                block += 1
            yield from range(block * BLOCK, (block + 1) * BLOCK)

    def _claims(self, block: int) -> bool:
        path = f"{self._root}/claimed/{block}"
        if self._is_local:
            try:
                os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY))
            except FileExistsError:
                return False
            return True
        try:
            self._files.pipe_file(path, b"claimed", mode="create")
        except FileExistsError:
            return False
        return True

    def _path(self, tenant: str, token: str) -> str:
        """Return a path that tells no token to whoever lists the store."""
        key = hashlib.sha256(f"{tenant}\0{token}".encode()).hexdigest()
        return f"{self._root}/sessions/{key}"
