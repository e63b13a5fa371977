"""Saved sessions in a folder or an object store, which one worker at a time may go on with.

    sessions/KEY/claim-1, claim-2, …   who may save: the holder of the highest claim
    sessions/KEY/steps-1, steps-2, …   what each holder saved last; the highest counts

A worker that goes on with a session creates the next claim, which succeeds once. Each holder writes
only its own steps, and looks for a later claim afterwards. If there is none, a worker that claims
later reads what was written. So a session has one history, without clocks and without messages.
"""

from __future__ import annotations

import hashlib
import json
import time
from contextlib import suppress
from dataclasses import dataclass

from trainee_bench.harness.integrations.training.serving.day_numbers import DayNumbers
from trainee_bench.harness.integrations.training.serving.saved_session import SavedSession
from trainee_bench.harness.integrations.training.serving.store_files import StoreFiles

__all__ = ["DayStore", "Hold", "SessionTakenOver"]

_SESSIONS = "sessions"
_CLAIM, _STEPS = "claim", "steps"
_CLOSED = b""
"""The steps of a session that is being deleted."""


class SessionTakenOver(Exception):
    """Another connection goes on with the session."""

    def __init__(self) -> None:
        super().__init__("this session goes on over another connection")


@dataclass(frozen=True)
class Hold:
    """The right to save the session in *folder*, until somebody has the next *number*."""

    folder: str
    number: int

    @property
    def claim(self) -> str:
        """The path of its claim."""
        return f"{self.folder}/{_CLAIM}-{self.number}"

    @property
    def steps(self) -> str:
        """The path of what it saves."""
        return f"{self.folder}/{_STEPS}-{self.number}"

    @property
    def next(self) -> Hold:
        """The hold that ends this one."""
        return Hold(self.folder, self.number + 1)


class DayStore:
    """Saves sessions at *url*: a folder, or any address that fsspec knows, such as s3://bucket/days.

    The default keeps them in this process. Every method may block; a server calls them on threads.
    Several processes may share a store. A saved session survives the end of a process, but a folder
    may lose the last moments if the machine itself fails. Raises UnsuitableStore.
    """

    def __init__(self, url: str = "memory://trainee-bench"):
        self._files = StoreFiles(url)
        self._numbers = DayNumbers(self._files)

    def next_number(self) -> int:
        """Return the next number of a day that no process has had from this store."""
        return self._numbers.next()

    def begin(self, tenant: str, token: str, content: bytes) -> Hold:
        """Save the *content* of a new session. If that fails, nothing is left of it."""
        hold = Hold(_folder(tenant, token), 1)
        try:
            if not self._files.create(hold.claim):
                raise SessionTakenOver
            self._files.replace(hold.steps, content)
        except SessionTakenOver:
            raise
        except BaseException:
            with suppress(Exception):  # the error of the store is raised
                self._delete(hold.folder)
            raise
        return hold

    def take_over(self, tenant: str, token: str) -> tuple[Hold, SavedSession] | None:
        """Take the session of this token of *tenant* from whoever held it; None if there is none.

        Raises UnreadableSession for one that another version saved; then its holder keeps it.
        Raises SessionTakenOver if another took it over at the same time.
        """
        folder = _folder(tenant, token)
        while True:
            names = self._files.names(folder)
            content = self._newest(folder, names)
            if content is None and _numbers(names, _STEPS):
                continue  # another has just taken it over, and its steps are elsewhere
            if not content:
                return None
            SavedSession.read(content)
            hold = Hold(folder, _highest(names) + 1)
            if self._files.create(hold.claim):
                break
        # Its last holder may have saved between the first look and the claim.
        names = self._files.names(folder)
        content = self._newest(folder, names)
        if content is None and _numbers(names, _STEPS):
            raise SessionTakenOver
        if not content:
            self._files.delete(hold.claim)
            return None
        self.save(hold, content)  # from here on, nothing that others write counts
        self._delete_steps(folder, below=hold.number)
        return hold, SavedSession.read(content)

    def save(self, hold: Hold, content: bytes) -> None:
        """Save the *content* of the session. Raises SessionTakenOver."""
        self._files.replace(hold.steps, content)
        is_held, is_ended = self._files.exist([hold.claim, hold.next.claim])
        if not is_held:  # it was deleted, and must not come back
            self._files.delete(hold.steps)
            self._files.delete_folder(hold.folder)
        if is_ended or not is_held:
            raise SessionTakenOver

    def check_held(self, hold: Hold) -> None:
        """Raise SessionTakenOver if *hold* was ended by another, or the session was deleted."""
        is_held, is_ended = self._files.exist([hold.claim, hold.next.claim])
        if is_ended or not is_held:
            raise SessionTakenOver

    def forget(self, hold: Hold) -> None:
        """Delete the session. Raises SessionTakenOver if another goes on with it."""
        last = hold.next
        if not self._files.create(last.claim):
            raise SessionTakenOver
        self._files.replace(last.steps, _CLOSED)  # who claims it from now on finds no session
        self.check_held(last)
        self._delete(hold.folder)

    def forget_older(self, seconds: float) -> int:
        """Delete all sessions that nobody has saved or taken over for so long; return how many.

        Each is tried. The errors of the store are raised together as an ExceptionGroup.
        """
        count, errors = 0, []
        for folder, names in self._files.by_folder(_SESSIONS).items():
            try:
                count += self._forget_if_older(folder, names, time.time() - seconds)
            except Exception as error:  # noqa: BLE001 - all are reported together
                errors.append(error)
        if errors:
            raise ExceptionGroup(f"{len(errors)} old sessions could not be deleted", errors)
        return count

    # the inside ----------------------------------------------------------------------------

    def _forget_if_older(self, folder: str, names: list[str], than: float) -> bool:
        written = [self._files.modified(f"{folder}/{name}") for name in names]
        times = [at.timestamp() for at in written if at is not None]
        if not times or max(times) >= than:
            return False
        try:
            self.forget(Hold(folder, _highest(names)))
        except SessionTakenOver:
            return False
        return True

    def _newest(self, folder: str, names: list[str]) -> bytes | None:
        """Return the steps that the last of all holders has saved."""
        for number in sorted(_numbers(names, _STEPS), reverse=True):
            if (content := self._files.read(Hold(folder, number).steps)) is not None:
                return content
        return None

    def _delete_steps(self, folder: str, below: int) -> None:
        for number in _numbers(self._files.names(folder), _STEPS):
            if number < below:
                self._files.delete(Hold(folder, number).steps)

    def _delete(self, folder: str) -> None:
        """Delete all files of *folder*, the highest numbers last: they keep others out."""
        names = self._files.names(folder)
        known = {name for kind in (_STEPS, _CLAIM) for name in _of_kind(names, kind)}
        for name in [name for name in names if name not in known]:  # of a write that was cut off
            self._files.delete(f"{folder}/{name}")
        for kind in (_CLAIM, _STEPS):
            for number in sorted(_numbers(names, kind)):
                self._files.delete(f"{folder}/{kind}-{number}")
        self._files.delete_folder(folder)


def _of_kind(names: list[str], kind: str) -> list[str]:
    return [name for name in names if name.removeprefix(f"{kind}-").isdecimal()]


def _numbers(names: list[str], kind: str) -> list[int]:
    return [int(name.removeprefix(f"{kind}-")) for name in _of_kind(names, kind)]


def _highest(names: list[str]) -> int:
    return max([*_numbers(names, _CLAIM), *_numbers(names, _STEPS)], default=0)


def _folder(tenant: str, token: str) -> str:
    """Return a path that tells no token to whoever lists the store."""
    key = hashlib.sha256(json.dumps([tenant, token]).encode()).hexdigest()
    return f"{_SESSIONS}/{key}"
