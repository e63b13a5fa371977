"""Whatever comes out of a sandbox, it is an answer, a limit or a disturbance, not our failure."""

from __future__ import annotations

import io
import json

from hypothesis import given
from hypothesis import strategies as st

from trainee_bench.mcp_servers.sandbox.backend import Limit, SandboxLimits
from trainee_bench.mcp_servers.sandbox.runner import HEADER, SandboxOutput

LIMITS = SandboxLimits(output=100, files=3, file_size=50, changes=80)
GOOD = json.dumps({"exit_code": 0, "kept": ["a"], "limit": None, "unkept": None}).encode()


def frame(kind: bytes, body: bytes) -> bytes:
    return HEADER.pack(kind, len(body)) + body


def read(*frames: bytes) -> SandboxOutput:
    answer = SandboxOutput(LIMITS)
    answer.read(io.BytesIO(b"".join(frames)))
    return answer


def disturbed(*frames: bytes) -> bool:
    answer = read(*frames)
    assert not answer.complete
    return answer.error is not None


END = frame(b"E", b"")
FILE = frame(b"N", b"x") + frame(b"D", b"data")


def test_a_whole_answer_is_read() -> None:
    answer = read(frame(b"O", b"he"), frame(b"O", b"llo"), frame(b"X", GOOD), FILE, END)
    assert answer.complete and answer.error is None
    assert bytes(answer.printed) == b"hello" and answer.changed == {"x": b"data"}
    assert answer.report is not None and answer.report.kept == ("a",)


def test_output_past_its_limit_is_cut_there() -> None:
    answer = read(frame(b"O", b"x" * 99), frame(b"O", b"y" * 10**6))
    assert answer.limit is Limit.OUTPUT and not answer.complete
    assert bytes(answer.printed) == b"x" * 99 + b"y"


def test_nothing_is_believed_that_inside_would_not_send() -> None:
    assert disturbed()
    assert disturbed(END)
    assert disturbed(FILE, frame(b"X", GOOD), END)
    assert disturbed(frame(b"X", GOOD), frame(b"X", GOOD), END)
    assert disturbed(frame(b"X", GOOD), frame(b"O", b"late"), END)
    assert disturbed(frame(b"X", GOOD), FILE, FILE, END)
    assert disturbed(frame(b"X", GOOD), frame(b"N", b"x"), END)
    assert disturbed(frame(b"X", GOOD), frame(b"N", b"\xff"), frame(b"D", b""), END)
    assert disturbed(frame(b"X", GOOD), frame(b"N", b"x" * 5_000), frame(b"D", b""), END)
    assert disturbed(frame(b"X", GOOD), frame(b"N", b"x"), frame(b"D", b"y" * 51), END)
    assert disturbed(frame(b"X", b"not json"), END)
    assert disturbed(frame(b"X", GOOD.replace(b"0", b"999")), END)
    assert disturbed(frame(b"X", GOOD), HEADER.pack(b"N", 2**63) + b"x")


def test_files_together_have_a_limit_and_a_number() -> None:
    def files(count: int, size: int) -> list[bytes]:
        return [frame(b"N", str(n).encode()) + frame(b"D", b"x" * size) for n in range(count)]

    assert read(frame(b"X", GOOD), *files(3, 20), END).complete
    assert disturbed(frame(b"X", GOOD), *files(4, 1), END)
    assert disturbed(frame(b"X", GOOD), *files(2, 45), END)


@given(
    st.lists(
        st.builds(
            frame, st.sampled_from([b"O", b"X", b"N", b"D", b"E", b"?"]), st.binary(max_size=60)
        )
        | st.just(frame(b"X", GOOD))
        | st.binary(max_size=20),
        max_size=8,
    )
)
def test_any_bytes_are_an_answer_or_a_disturbance(frames: list[bytes]) -> None:
    answer = read(*frames)
    assert sum([answer.complete, answer.error is not None, answer.limit is not None]) == 1
    assert len(answer.printed) <= LIMITS.output
    assert sum(map(len, answer.changed.values())) <= LIMITS.changes
