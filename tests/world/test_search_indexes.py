"""Searching: with an index for many mails or files, the same is found as without."""

from __future__ import annotations

import json
import random
import sqlite3
from collections.abc import Iterator
from itertools import islice

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.world.office import COMPANY, MARA, NILS, ROBIN, do, office
from trainee_bench.world.apps.files import MAX_HITS, Files, SearchHit
from trainee_bench.world.apps.mail import Mail
from trainee_bench.world.email.mailbox import Mailbox
from trainee_bench.world.email.message import AttachmentFile, address_of
from trainee_bench.world.filesystem.content import FileContent, FileKind
from trainee_bench.world.folding import folded
from trainee_bench.world.text_index import FREQUENT, SAMPLED
from trainee_bench.world.transaction import Transaction
from trainee_bench.world.trial import complete
from trainee_bench.world.world import World

MANY = 1_300
WORDS = (
    "report",
    "Report",
    "REPORTED",
    "figure",
    "Straße",
    "STRASSE",
    "İzmir",
    "izmir",
    "ſo",
    "so",
)
WORDS += ("50%", "a_b", "a!b", '"quoted"', "caf\u00e9", "CAF\u00c9", "K\u212a", "日本語", "日本")
WORDS += ("x\0y", "NEAR(", "AND", "*", "^x", "col:umn", "🙂🙂🙂", "ab", "it's", "e\u0301t\u00e9")
PEOPLE = {person.id: address_of(person) for person in (*COMPANY.people, COMPANY.trainee)}


def add_mails(tx: Transaction, count: int, seed: int) -> None:
    """Mails of a few words each, to Robin and others, some with attachments."""
    draw, mailbox = random.Random(seed), Mailbox(tx)
    for number in range(count):
        sender, to = draw.sample([ROBIN, MARA, NILS], 2)
        subject, body = (" ".join(draw.choices(WORDS, k=draw.randint(1, 4))) for _ in range(2))
        names = [f"{draw.choice(WORDS)}_{n}.md" for n in range(draw.choice((0, 0, 1, 2)))]
        files = [AttachmentFile(name=name, kind=FileKind.TEXT, data=b"") for name in names]
        body = f"{body}\nNumber {number}."
        id = mailbox.add_message(PEOPLE[sender], [PEOPLE[to]], [], subject, body, files, None).id
        mailbox.add_labels(to, id, ("all", "inbox"))
        mailbox.add_labels(sender, id, ("all", "sent"))


def read_through(tx: Transaction, label: str, query: str, before: int, limit: int) -> list[int]:
    """What a search finds that reads every mail."""
    words = [folded(word) for word in query.casefold().split()]
    sql = (
        "SELECT mail.*, (SELECT json_group_array(name) FROM mail_attachment WHERE mail = id)"
        " AS names FROM mail JOIN mail_label ON mail = id WHERE owner = ? AND label = ? AND id < ?"
        " ORDER BY id DESC"
    )
    return [
        row["id"]
        for row in tx.rows(sql, ROBIN, label, before or 2**62)
        if all(any(word in folded(said) for said in _said(row)) for word in words)
    ][:limit]


def _said(row: sqlite3.Row) -> list[str]:
    kinds = json.loads(row["recipients"]).values()
    recipients = [one for kind in kinds for pair in kind for one in pair]
    fields = [row[name] for name in ("subject", "body", "sender", "sender_name")]
    return [*fields, *recipients, *json.loads(row["names"])]


def both(world: World, label: str, query: str, before: int, limit: int) -> tuple[list[int], ...]:
    """The numbers of the mails found by the app, and by reading every mail."""

    def search(tx: Transaction) -> tuple[list[int], ...]:
        found = Mail(tx).page(label, query, before or None, limit)
        return [one.id for one in found], read_through(tx, label, query, before, limit)

    return complete(do(world, search, minutes=0))


@pytest.fixture(scope="module")
def crowded() -> Iterator[World]:
    """A world with many mails, most of which are in the index, and some that came later."""
    world = complete(office())
    complete(do(world, lambda tx: add_mails(tx, MANY, 1), minutes=0))
    both(world, "all", "report", 0, 10)
    complete(do(world, lambda tx: add_mails(tx, 200, 2), minutes=0))
    yield world
    complete(world.close())


fragments = st.sampled_from((*WORDS, *(str(n) for n in range(0, MANY, 97)), "Number")).flatmap(
    lambda word: st.tuples(st.integers(0, len(word) - 1), st.integers(1, len(word))).map(
        lambda cut: word[cut[0] :][: cut[1]]
    )
)
queries = st.lists(st.one_of(fragments, fragments.map(str.upper), st.text(max_size=5)), min_size=1)


@given(
    query=queries.map(" ".join),
    label=st.sampled_from(["all", "inbox", "sent"]),
    before=st.one_of(st.just(0), st.integers(1, MANY + 250)),
    limit=st.integers(1, 40),
)
@example(query="rep", label="all", before=1155, limit=1)  # in the name after one with a NUL
@example(query="\u0301", label="all", before=0, limit=1)  # no letter, so it is in no word
@settings(max_examples=150, deadline=None)
def test_a_search_among_many_mails_finds_what_reading_them_all_finds(
    crowded: World, query: str, label: str, before: int, limit: int
) -> None:
    found, expected = both(crowded, label, query, before, limit)
    assert found == expected


def test_a_search_that_looks_up_only_rare_trigrams_finds_what_reading_all_mails_finds() -> None:
    enough = FREQUENT * SAMPLED + 800
    world = complete(office())
    complete(do(world, lambda tx: add_mails(tx, enough, 3), minutes=0))
    for _ in range(enough // 2_000 + 1):  # each search indexes some
        both(world, "inbox", "report", 0, 1)
    for query in (f"Number {enough - 1}", "REPORT number", "caf\u00e9 number 77", "umber", "to"):
        found, expected = both(world, "all", query, 0, 11)
        assert found == expected, query
    complete(world.close())


@pytest.mark.parametrize("query", ["ÄRGER", "ärger", "STRASSE", "straße", "Ärger straSSe"])
@pytest.mark.parametrize("indexed", [False, True])
def test_letters_of_every_alphabet_are_found_in_either_case(
    crowded: World, query: str, indexed: bool
) -> None:
    world = complete(crowded.fork()) if indexed else complete(office())
    subject = "Großer Ärger in der Hauptstraße"
    complete(do(world, lambda tx: Mail(tx).send((NILS,), subject, "Look."), minutes=0))
    if indexed:
        complete(do(world, lambda tx: add_mails(tx, 600, 5), minutes=0))
        both(world, "sent", "ärger", 0, 10)

    found, _ = both(world, "sent", query, 0, 600)

    newest = complete(world.read(lambda tx: Mailbox(tx).page(ROBIN, "sent", ["ärger"], None, 1)))
    assert [one.subject for one in newest] == [subject]
    assert newest[0].id in found
    complete(world.close())


@pytest.mark.parametrize("query", ['"', "[", '],"cc":', '"to"', "],["])
def test_signs_with_which_recipients_are_stored_are_no_text_of_a_mail(query: str) -> None:
    world = complete(office())
    complete(do(world, lambda tx: Mail(tx).send((NILS,), "Hello", "Look."), minutes=0))
    assert both(world, "all", query, 0, 10) == ([], [])
    complete(world.close())


def test_a_mail_that_came_after_the_index_was_made_is_found(crowded: World) -> None:
    with_copy = complete(crowded.fork())
    complete(do(with_copy, lambda tx: Mail(tx).send((NILS,), "Zebra crossing", "Look."), minutes=0))
    found, expected = both(with_copy, "sent", "zebra look", 0, 10)
    assert found == expected
    assert len(found) == 1
    assert both(crowded, "sent", "zebra", 0, 10) == ([], [])
    complete(with_copy.close())


def test_the_index_is_no_part_of_a_digest_and_goes_with_a_snapshot(crowded: World) -> None:
    searched = complete(office())
    complete(do(searched, lambda tx: add_mails(tx, MANY, 3), minutes=0))
    before = complete(searched.digest())
    both(searched, "all", "report", 0, 10)
    assert complete(searched.digest()) == before
    copy = World.deserialize_inline(complete(searched.serialize()))
    assert complete(copy.digest()) == before
    assert _has_index(copy)
    assert both(copy, "all", "figure 12", 0, 10)[0] == both(searched, "all", "figure 12", 0, 10)[0]
    for world in (copy, searched):
        complete(world.close())


def test_a_world_with_few_mails_gets_no_index() -> None:
    world = complete(office())
    complete(do(world, lambda tx: add_mails(tx, 50, 4), minutes=0))
    found, expected = both(world, "all", "report", 0, 10)
    assert found == expected
    assert not _has_index(world)
    complete(world.close())


def _has_index(world: World) -> bool:
    sql = "SELECT count(*) FROM sqlite_master WHERE sql LIKE '%fts5%'"
    return bool(complete(world.read(lambda tx: tx.rows(sql)))[0][0])


# files ------------------------------------------------------------------------------------


MANY_FILES = 420
FILE_WORDS = (
    "report",
    "Report",
    "leave policy",
    "Straße",
    "STRASSE",
    "İzmir",
    "K\u212a",
    "50%",
    "a_b",
)
FILE_WORDS += ('"quoted"', "日本語", "x\0y", "NEAR(", "*", "🙂🙂🙂", "ab", "CAF\u00c9", "\ufb01nal")


def write_files(tx: Transaction, count: int, seed: int) -> None:
    """Write, overwrite, move and delete texts on the drive and in the workspace."""
    draw, files = random.Random(seed), Files(tx)
    for _ in range(count):
        place = draw.choice(("drive", "drive", "drive", "workspace"))
        name = f"{draw.choice(('Report', 'plan'))}{draw.randrange(count * 2)}"
        path = f"{place}:/{draw.choice('abc')}/{name}"
        act = draw.random()
        there = files.exists(path)
        if there and act < 0.2:
            files.delete(path)
        elif there and act < 0.4 and not files.exists(f"{path}_moved"):
            files.move(path, f"{path}_moved")
        elif act < 0.9 or there:
            lines = [" ".join(draw.choices(FILE_WORDS, k=draw.randint(1, 3))) for _ in range(3)]
            files.write_text(path, "\n".join(lines))
        else:
            files.put(path, FileContent(kind=FileKind.BINARY, data=b"\xff report"))


def files_read_through(tx: Transaction, query: str, place: str) -> tuple[SearchHit, ...]:
    """What a search finds that reads every file: the app's own, one file at a time."""
    files = Files(tx)
    hits = (
        hit
        for one in ([place] if place else ["drive:/", "workspace:/"])
        for info in files.files_within(one)
        for hit in files.search(query, info.path)
    )
    return tuple(islice(hits, MAX_HITS))


@pytest.fixture(scope="module")
def crowded_drive() -> Iterator[World]:
    """A world with many files, of which an index knows some; others were changed since."""
    world = complete(office())
    for seed in range(3):
        complete(do(world, lambda tx, seed=seed: write_files(tx, MANY_FILES, seed), minutes=0))  # type: ignore[misc]
        complete(do(world, lambda tx: Files(tx).search("report"), minutes=0))
    complete(do(world, lambda tx: write_files(tx, 100, 9), minutes=0))
    made = complete(world.read(lambda tx: tx.rows("SELECT 1 FROM file_indexed")))
    assert len(made) > 100
    yield world
    complete(world.close())


file_fragments = st.sampled_from(FILE_WORDS).flatmap(
    lambda word: st.tuples(st.integers(0, len(word) - 1), st.integers(1, len(word))).map(
        lambda cut: word[cut[0] :][: cut[1]]
    )
)
file_queries = st.one_of(
    file_fragments, file_fragments.map(str.swapcase), st.lists(file_fragments).map(" ".join)
)


@given(query=file_queries, place=st.sampled_from(["", "drive:/", "drive:/a", "workspace:/b"]))
@settings(max_examples=60, deadline=None)
def test_a_search_among_many_files_finds_what_reading_them_all_finds(
    crowded_drive: World, query: str, place: str
) -> None:
    if not query.strip():
        return

    def both(tx: Transaction) -> tuple[tuple[SearchHit, ...], ...]:
        return Files(tx).search(query, place), files_read_through(tx, query, place)

    found, expected = complete(do(crowded_drive, both, minutes=0))
    assert found == expected


def test_the_index_of_files_is_no_part_of_a_digest_and_goes_with_a_snapshot() -> None:
    world = complete(office())
    complete(do(world, lambda tx: write_files(tx, 3 * MANY_FILES, 5), minutes=0))
    before = complete(world.digest())
    hits = complete(do(world, lambda tx: Files(tx).search("strasse"), minutes=0))
    assert complete(world.digest()) == before
    copy = World.deserialize_inline(complete(world.serialize()))
    assert complete(copy.digest()) == before
    complete(do(copy, lambda tx: Files(tx).write_text(hits[0].path, "none here"), minutes=0))
    left = complete(do(copy, lambda tx: Files(tx).search("strasse"), minutes=0))
    assert left == tuple(hit for hit in hits if hit.path != hits[0].path)
    for one in (world, copy):
        complete(one.close())
