"""A box is a separate machine to its processes, and takes from a Dockerfile what a task needs."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.mcp_servers.sandbox.boxes import needs_bubblewrap
from trainee_bench.harness.integrations.harbor.box import NoBubblewrap, ServiceBox, bubblewrap
from trainee_bench.harness.integrations.harbor.image import ImageFile, UnreadableImage


@pytest.fixture
def box(tmp_path: Path) -> ServiceBox:
    made = ServiceBox(tmp_path / "box", {"office": "127.1.2.3"}, folder="/workspace")
    made.prepare()
    return made


@needs_bubblewrap
async def test_a_box_keeps_what_is_written_and_shows_nothing_else_of_this_machine(
    box: ServiceBox, tmp_path: Path
) -> None:
    (tmp_path / "secret").touch()
    done = await box.run(
        ["sh", "-c", "pwd; echo kept > /data; getent hosts office; touch /usr/bin/a"]
    )
    where, named = done.stdout.decode().splitlines()
    assert where == "/workspace"
    assert named.split() == ["127.1.2.3", "office"]
    assert b"Read-only" in done.stderr
    again = await box.run(
        ["sh", "-c", f"cat /data; ls {tmp_path}; python3 -c 'import trainee_bench'"]
    )
    assert again.stdout == b"kept\n"
    assert b"secret" not in again.stdout
    assert b"No module named" in again.stderr


@needs_bubblewrap
async def test_a_box_with_our_package_runs_its_commands(tmp_path: Path) -> None:
    box = ServiceBox(tmp_path, {}, our_package=True)
    box.prepare()
    done = await box.run(["python", "-c", "import trainee_bench; print(trainee_bench.__name__)"])
    assert done.stdout == b"trainee_bench\n", done.stderr


@needs_bubblewrap
async def test_files_and_folders_go_in_and_out_but_links_out_of_the_box_do_not(
    box: ServiceBox, tmp_path: Path
) -> None:
    given = tmp_path / "given"
    given.mkdir()
    (given / "a.sh").write_text("echo", encoding="utf-8")
    await box.put(given, "/tests")
    await box.put(given / "a.sh", "/deep/er/b.sh")
    await box.run(["ln", "-s", "/etc/passwd", "/tests/link"])
    await box.get_folder("/tests", tmp_path / "got")
    await box.get_file("/deep/er/b.sh", tmp_path / "got/b.sh")
    assert {path.name for path in (tmp_path / "got").iterdir()} == {"a.sh", "b.sh"}
    with pytest.raises(FileNotFoundError):
        await box.get_file("/tests/none", tmp_path / "none")


@needs_bubblewrap
async def test_a_command_that_takes_too_long_is_stopped_and_a_failed_one_is_not_mistaken_for_it(
    box: ServiceBox,
) -> None:
    assert (await box.run(["sleep", "60"], seconds=0.2)).timed_out
    failed = await box.run(["sh", "-c", "exit 124"])
    assert (failed.code, failed.timed_out) == (124, False)


def test_without_bubblewrap_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(NoBubblewrap, match="apt-get install bubblewrap"):
        bubblewrap()


def test_a_dockerfile_says_what_is_copied_where_and_what_is_run(tmp_path: Path) -> None:
    (tmp_path / "Dockerfile").write_text(
        "# a comment\nFROM python:3\nWORKDIR /install\nCOPY a b ./\nRUN pip install x\n"
        'COPY c /tests/d.sh\nWORKDIR /data\nUSER 1000\nCMD ["sh", "/c"]\n',
        encoding="utf-8",
    )
    image = ImageFile.read(tmp_path)
    assert image.folder == "/data" and image.our_package
    assert image.command == ("sh", "/c")
    assert image.copied == (
        (tmp_path / "a", "/install/a"),
        (tmp_path / "b", "/install/b"),
        (tmp_path / "c", "/tests/d.sh"),
    )


def test_a_foreign_dockerfile_is_refused(tmp_path: Path) -> None:
    (tmp_path / "Dockerfile").write_text("FROM scratch\nADD . /\n", encoding="utf-8")
    with pytest.raises(UnreadableImage, match=r"ADD \. /"):
        ImageFile.read(tmp_path)
