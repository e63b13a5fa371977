"""The program that runs an office's `answer.py`: one request and one answer per line of JSON.

It imports nothing of this package, since it may run in a sandbox that shows only Python's own
library. The first line is the code; each further line has the arguments of a call.
"""

from __future__ import annotations

import contextlib
import datetime as datetime_module
import io
import json
import os
import random
import signal
import sys
import time as time_module
import traceback
from collections.abc import Callable
from datetime import date, datetime, time
from decimal import Decimal
from typing import Any, ClassVar, NoReturn

ALONE = "alone"
"""The argument which says that all other processes here are this one's, so that it may end them."""
MEMORY_BYTES, MAX_ROWS, MAX_TEXT, MAX_DIGITS = 1_000_000_000, 100_000, 10_000, 18


def main() -> None:
    """Serve calls until the input ends."""
    _limit()
    lines, out = sys.stdin, os.fdopen(os.dup(1), "w")  # what the code writes goes nowhere
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    code = json.loads(lines.readline())
    _refuse_clock_and_chance()
    for line in lines:
        reply = _call(code, json.loads(line))
        reply["left"] = _leaves_processes()
        out.write(json.dumps(reply) + "\n")
        out.flush()


def _limit() -> None:
    try:
        import resource
    except ImportError:  # not on Windows
        return
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))


def _refuse_clock_and_chance() -> None:
    """Let the usual ways to the clock and to chance raise an error, since one day has one answer.

    It guards against mistakes, not against an author who wants an answer that changes.
    """

    def refused(*_: object, **__: object) -> NoReturn:
        raise RuntimeError(
            "the right answer may not depend on the clock or on chance; take dates from files, "
            "facts or policy"
        )

    class Moment(datetime):
        now: ClassVar[Any] = staticmethod(refused)
        utcnow: ClassVar[Any] = staticmethod(refused)

    def given(function: Callable[..., Any], moment: int) -> Callable[..., Any]:
        """Return a function that is refused without the argument that says which moment."""
        return lambda *args: (function if len(args) > moment else refused)(*args)

    Moment.__name__ = Moment.__qualname__ = "datetime"
    datetime_module.datetime = Moment  # type: ignore[misc]
    time_module.time = time_module.time_ns = refused  # `date.today` uses the first
    for name, moment in {
        "localtime": 0,
        "gmtime": 0,
        "ctime": 0,
        "asctime": 0,
        "strftime": 1,
    }.items():
        setattr(time_module, name, given(getattr(time_module, name), moment))
    os.urandom = random._urandom = refused  # type: ignore[attr-defined]


def _leaves_processes() -> bool:
    """Return whether the call has left processes behind that are still there.

    In a sandbox of its own it ends them first; elsewhere other processes would end, too.
    """
    if not hasattr(os, "fork"):
        return False
    alone = sys.argv[1:] == [ALONE] and os.getppid() == 1
    if alone:
        with contextlib.suppress(ProcessLookupError):
            os.kill(-1, signal.SIGKILL)
    with contextlib.suppress(ChildProcessError):
        while True:
            ended, _ = os.waitpid(-1, 0 if alone else os.WNOHANG)
            if not ended:
                return True
    return False


def _call(code: str, given: Any) -> dict[str, object]:
    """Run the code anew, so that nothing of an earlier call is left, and call its function."""
    names: dict[str, object] = {"__name__": "answer"}
    random.seed(0)
    with contextlib.redirect_stdout(io.StringIO()):
        try:
            exec(compile(code, "answer.py", "exec"), names)  # noqa: S102 -- this is its purpose
            answer: Any = names.get("answer")
            if not callable(answer):
                return {"error": "it has no function answer(files, facts, policy)"}
            rows = answer(*(_decoded(part) for part in given))
            if isinstance(rows, dict):
                return {"values": {str(name): _listed(value) for name, value in rows.items()}}
            if len(rows) > MAX_ROWS:
                raise ValueError(f"{len(rows):,} rows are too many; {MAX_ROWS:,} is the most")
            return {"rows": [{str(name): _encoded(row[name]) for name in row} for row in rows]}
        except BaseException:  # noqa: BLE001 -- the caller is told
            return {"error": _last_lines()}


def _last_lines() -> str:
    """Return the error with the line of answer.py at which it arose."""
    kind, error, trace = sys.exc_info()
    places = [frame for frame in traceback.extract_tb(trace) if frame.filename == "answer.py"]
    where = f"line {places[-1].lineno}: " if places else ""
    return f"{where}{kind.__name__ if kind else ''}: {error}"[:500]


def _decoded(value: Any) -> Any:
    if isinstance(value, list):
        return [_decoded(item) for item in value]
    if not isinstance(value, dict):
        return value
    if "number" in value:
        return Decimal(value["number"])
    if "clock" in value:
        return time.fromisoformat(value["clock"])
    if "date" in value:
        return date.fromisoformat(value["date"])
    return {name: _decoded(item) for name, item in value["items"]}


def _listed(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return [_encoded(item) for item in value]
    return _encoded(value)


def _encoded(value: Any) -> Any:
    if isinstance(value, str):
        if not value.isprintable() or len(value) > MAX_TEXT:
            raise ValueError(f"the answer has a text that is no printable line: {value[:40]!r}")
        return value
    if isinstance(value, datetime):
        raise TypeError(
            "the answer has a date with a time; return a date, or a time in whole minutes"
        )
    if isinstance(value, int | float | Decimal) and not isinstance(value, bool):
        number = Decimal(repr(value)) if isinstance(value, float) else Decimal(value)
        if not number.is_finite():
            raise ValueError(f"{value} is no finite number")
        if number and number.adjusted() >= MAX_DIGITS:
            raise ValueError(f"the answer has a number of more than {MAX_DIGITS} digits")
        return {"number": f"{number:f}"}
    if isinstance(value, time) and not (value.second or value.microsecond or value.tzinfo):
        return {"clock": f"{value:%H:%M}"}
    if isinstance(value, date):
        return {"date": value.isoformat()}
    kind = type(value).__name__
    raise TypeError(f"the answer has a value of type {kind}; return numbers, texts, times or dates")


if __name__ == "__main__":
    main()
