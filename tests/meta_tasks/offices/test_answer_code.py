"""The code of an office runs apart: it gets what a worker saw, and its errors name the line."""

from __future__ import annotations

from datetime import date, time
from decimal import Decimal
from pathlib import Path
from time import monotonic, sleep

import pytest

from trainee_bench.meta_tasks.offices import answer_code as module
from trainee_bench.meta_tasks.offices.answer_code import AnswerCode, AnswerFailed

ECHO = """
def answer(files, facts, policy):
    return [{**row, **facts, **policy} for row in files["list"]]
"""


def test_values_arrive_and_come_back_as_they_are() -> None:
    rows = [{"id": "007", "euros": Decimal("2.50"), "at": time(9, 30), "on": date(2026, 3, 2)}]
    given = AnswerCode(ECHO).rows({"list": rows}, {"fee": Decimal(3)}, {"name": "Ä"})
    assert given == [{**rows[0], "fee": Decimal(3), "name": "Ä"}]


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("def answer(files, facts, policy):\n    return 1 / 0", "line 2: ZeroDivisionError"),
        ("def answer(files, facts, policy):\n    return [{'a': None}]", "a value of type"),
        ("def answer(files, facts, policy):\n    return [{'a': float('nan')}]", "no finite number"),
        ("def answer(files):\n    return []", "TypeError"),
        ("answers = 1", "no function answer"),
        ("def answer(", "SyntaxError"),
        ("import os\ndef answer(files, facts, policy):\n    os._exit(1)", "ended its process"),
        ("import sys\nsys.exit(3)", "SystemExit"),
    ],
)  # fmt: skip
def test_a_flaw_of_the_code_is_told_with_its_line(code: str, words: str) -> None:
    with pytest.raises(AnswerFailed, match=words):
        AnswerCode(code).rows({}, {}, {})


def test_code_that_has_failed_is_tried_anew() -> None:
    code = AnswerCode("import os\ndef answer(files, facts, policy):\n    os._exit(1)")
    for _ in range(2):
        with pytest.raises(AnswerFailed, match="ended its process"):
            code.rows({}, {}, {})


def test_what_the_code_prints_is_no_answer() -> None:
    code = "print('hello')\ndef answer(files, facts, policy):\n    print('{}')\n    return []"
    assert AnswerCode(code).rows({}, {}, {}) == []


def test_code_that_takes_too_long_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "CALL_SECONDS", 1)
    code = "def answer(files, facts, policy):\n    while True:\n        pass"
    with pytest.raises(AnswerFailed, match="more than 1 seconds"):
        AnswerCode(code).rows({}, {}, {})


@pytest.mark.skipif(not module.sandbox_command(), reason="there is no sandbox")
def test_in_a_sandbox_the_code_sees_no_files_of_the_user_and_no_network() -> None:
    code = """
import os, socket

def answer(files, facts, policy):
    try:
        socket.create_connection(("192.0.2.1", 80), timeout=1)
        network = "open"
    except OSError as error:
        network = type(error).__name__
    return [{"home": str(os.path.exists("/home") or os.path.exists("/etc/passwd")), "net": network}]
"""
    (row,) = AnswerCode(code).rows({}, {}, {})
    assert row["home"] == "False"
    assert row["net"] != "open"


VALUES = """
def answer(files, facts, policy):
    return {"total": facts["fee"] * 2, "names": ["Ines", "Li"]}
"""


def test_values_by_name_come_back_with_lists() -> None:
    found = AnswerCode(VALUES).values({}, {"fee": Decimal("1.5")}, {})
    assert found == {"total": Decimal("3.0"), "names": ("Ines", "Li")}


def test_rows_for_a_mail_and_values_for_a_table_are_refused_with_the_remedy() -> None:
    with pytest.raises(AnswerFailed, match="a table needs a list of rows"):
        AnswerCode(VALUES).rows({}, {"fee": Decimal(1)}, {})
    with pytest.raises(AnswerFailed, match="a dict of values by name"):
        AnswerCode(ECHO).values({"list": []}, {}, {})


LEAVES = """
import os, signal, subprocess, time

def answer(files, facts, policy):
    if files["what"] == "leave":
        child = subprocess.Popen(["sleep", "300"])
        if os.fork() == 0:
            if os.fork() == 0:  # an orphan
                {session}
                time.sleep(300)
            os._exit(0)
        return [{{"pid": child.pid}}]
    mine = ("1", str(os.getpid()))
    return [{{"others": sum(pid not in mine for pid in os.listdir("/proc") if pid.isdigit())}}]
"""


@pytest.mark.skipif(not module.sandbox_command(), reason="there is no sandbox")
def test_processes_end_with_a_call_that_fails_too() -> None:
    failing = LEAVES.replace('return [{{"pid": child.pid}}]', "raise ValueError('after all')")
    code = AnswerCode(failing.format(session="pass"))
    with pytest.raises(AnswerFailed, match="after all"):
        code.rows({"what": "leave"}, {}, {})
    assert code.rows({"what": "count"}, {}, {}) == [{"others": Decimal(0)}]


@pytest.mark.skipif(not module.sandbox_command(), reason="there is no sandbox")
def test_processes_that_a_call_leaves_behind_end_with_it() -> None:
    code = AnswerCode(LEAVES.format(session="os.setsid()"))
    code.rows({"what": "leave"}, {}, {})
    process = code._process
    assert code.rows({"what": "count"}, {}, {}) == [{"others": Decimal(0)}]
    assert code._process is process, "the worker itself goes on"


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="the system has no /proc")
def test_without_a_sandbox_they_end_with_the_worker_that_left_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "sandbox_command", lambda: ())
    code = AnswerCode(LEAVES.format(session="pass"))
    (row,) = code.rows({"what": "leave"}, {}, {})
    deadline = monotonic() + 10
    while Path(f"/proc/{row['pid']}").exists() and monotonic() < deadline:
        sleep(0.05)
    assert not Path(f"/proc/{row['pid']}").exists()
    assert "others" in code.rows({"what": "count"}, {}, {})[0], "a new worker answers"


@pytest.mark.parametrize(
    "code",
    [
        "from datetime import date\ndef answer(*_):\n    return {'a': date.today()}",
        "from datetime import datetime\ndef answer(*_):\n    return {'a': datetime.now().date()}",
        "import time\ndef answer(*_):\n    return {'a': time.time()}",
        "import time\ndef answer(*_):\n    return {'a': time.strftime('%Y')}",
        "import uuid\ndef answer(*_):\n    return {'a': str(uuid.uuid4())}",
        "import secrets\ndef answer(*_):\n    return {'a': secrets.token_hex()}",
    ],
)
def test_an_answer_that_depends_on_the_clock_or_on_chance_is_refused(code: str) -> None:
    with pytest.raises(AnswerFailed, match="line [23]: .*the clock or on chance"):
        AnswerCode(code).values({}, {}, {})


def test_dates_are_computed_as_usual() -> None:
    code = (
        "from datetime import date, datetime, timedelta\n"
        "def answer(*_):\n"
        "    day = datetime.strptime('2026-03-02', '%Y-%m-%d') + timedelta(days=1)\n"
        "    noon = datetime.combine(date(2026, 3, 2), day.time())\n"
        "    return {'day': day.date(), 'at': noon.time(), 'said': f'{day:%d %B}'}"
    )
    said = AnswerCode(code).values({}, {}, {})
    assert said == {"day": date(2026, 3, 3), "at": time(0), "said": "03 March"}


def test_nothing_of_a_call_is_left_for_the_next() -> None:
    code = AnswerCode(
        "calls = []\ndef answer(*_):\n    calls.append(1)\n    return {'n': len(calls)}"
    )
    assert [code.values({}, {}, {}) for _ in range(2)] == [{"n": Decimal(1)}] * 2


def test_draws_are_the_same_in_every_call() -> None:
    code = "import random\ndef answer(*_):\n    return {'n': random.randint(1, 10**9)}"
    first, second = AnswerCode(code), AnswerCode(code)
    assert len({str(each.values({}, {}, {})) for each in (first, first, second)}) == 1


@pytest.mark.parametrize("number", ["Decimal('1e400')", "10**18", "-1e300"])
def test_a_number_that_no_table_can_hold_is_refused(number: str) -> None:
    code = f"from decimal import Decimal\ndef answer(*_):\n    return {{'a': {number}}}"
    with pytest.raises(AnswerFailed, match="more than 18 digits"):
        AnswerCode(code).values({}, {}, {})
