"""The topic that a question goes to, and clues that may be taken for each other."""

from __future__ import annotations

import pytest

from trainee_bench.meta_tasks.authoring import Handbook
from trainee_bench.meta_tasks.company_documents import referrals
from trainee_bench.meta_tasks.families.ads_strategy.brief import FIT, holder_referral
from trainee_bench.meta_tasks.families.ads_strategy.brief import HANDBOOK as ADS
from trainee_bench.meta_tasks.families.ads_strategy.subject import City
from trainee_bench.meta_tasks.families.attendance.subject.documents import MANUAL as ATTENDANCE
from trainee_bench.meta_tasks.families.data_completion.brief import HANDBOOK as COMPLETION
from trainee_bench.meta_tasks.families.sales.brief import HANDBOOK as SALES
from trainee_bench.meta_tasks.families.transactions.brief import MANUAL as REVIEWS
from trainee_bench.meta_tasks.families.transactions.brief import contacts_referral
from trainee_bench.meta_tasks.meta_task import GradedPart, HiddenPart, Hints, TaskInstance, ToldPart
from trainee_bench.meta_tasks.sent_texts import check_clue_collisions, topic_sentences
from trainee_bench.meta_tasks.task_context import CompositionError
from trainee_bench.world.colleagues.knowledge import Clue
from trainee_bench.world.colleagues.understanding import QuestionInterpreter, Topic, hear
from trainee_bench.world.company.people import create_company

COMPANY = create_company("subjects")
BOOKS: tuple[Handbook, ...] = (ADS, ATTENDANCE, COMPLETION, SALES, REVIEWS)
CONTACTS = contacts_referral("ledger_7.csv", [])
EVERY = [*referrals(COMPANY), *(book.known() for book in BOOKS), CONTACTS]
LISTENER = QuestionInterpreter(
    [],
    public=[
        Topic(referral.topic, referral.asks, referral.keys, referral.about) for referral in EVERY
    ],
)
FRAMES = (
    "Where can I read {}?",
    "Is it written down anywhere {}?",
    "Sorry to bother you, I would like to look up {}. Which document is that in?",
    "hey, {} - any doc on that? where?",
)
SUBJECTS = {
    ATTENDANCE.topic: "from which minute on people count as late",
    COMPLETION.topic: "how tables with empty fields are completed",
    SALES.topic: "which orders go into a department's sales figures",
    REVIEWS.topic: "how one audits payments for irregularities",
    ADS.topic: "how the reach of an advertising campaign is worked out",
    "intern handbook": "how new interns find their way here",
    "procurement rules": "what hardware we may order and for how much",
}


def about(question: str) -> str | None:
    found = LISTENER.public_topics(hear(question))
    return found[0] if len(found) == 1 else None


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("topic", SUBJECTS)
def test_whatever_the_frame_the_subject_decides(topic: str, frame: str) -> None:
    assert about(frame.format(SUBJECTS[topic])) == topic


@pytest.mark.parametrize(
    ("told", "topic"),
    [
        ("My wages for last month were never transferred.", "contract, payroll and leave"),
        ("I was ill for a week and have a certificate.", "contract, payroll and leave"),
        ("A supplier complains that we still owe them for a delivery.", "invoices and payments"),
    ],
)
def test_the_responsible_colleague_is_named_for_a_task_or_trouble(told: str, topic: str) -> None:
    for asked in ("Who is the right person for that?", "whom do i talk to?"):
        assert about(f"{told} {asked}") == topic


def test_a_person_is_named_where_a_person_is_wanted_and_a_page_where_a_page_is() -> None:
    assert about("Who can I go to with questions on ledger_7.csv?") == CONTACTS.topic
    assert about("Which contact in Finance is right for ledger_7.csv?") == CONTACTS.topic
    assert about("Is there a manual for reviewing ledger_7.csv, and where?") == REVIEWS.topic
    assert about("Who can I go to with questions on ledger_8.csv?") != CONTACTS.topic


@pytest.mark.parametrize(
    "question",
    [
        "Whom should I ask about the payments review “New suppliers” (ledger_7.csv)?",
        "About the review of payments to suppliers in ledger_7.csv: whom in Finance do I turn to?",
        "who pays attention to invoices in ledger_7.csv, I mean who knows the numbers?",
    ],
)
def test_a_file_names_whom_to_ask_though_words_suggest_a_department(question: str) -> None:
    assert about(question) == CONTACTS.topic
    assert about(question.replace("ledger_7.csv", "our ledger")) != CONTACTS.topic


@pytest.mark.parametrize(
    ("question", "topic"),
    [
        (
            "I am done with ledger_7.csv. Who approves my leave next week?",
            "contract, payroll and leave",
        ),
        (
            "I work on ledger_7.csv and feel ill. Whom in HR do I send my sick note to?",
            "contract, payroll and leave",
        ),
        ("I review ledger_7.csv now: who pays the invoice of the hotel?", "invoices and payments"),
    ],
)
def test_a_question_that_only_mentions_a_file_is_sent_to_the_person_it_is_about(
    question: str, topic: str
) -> None:
    assert about(question) == topic


@pytest.mark.parametrize(
    "question",
    [
        "Where can I park my bike?",
        "Who translates letters into French?",
        "Is there a canteen in this building?",
        "What is the password of the guest network?",
        "When is the next fire drill?",
    ],
)
def test_a_question_about_no_topic_goes_nowhere(question: str) -> None:
    assert about(question) is None


def test_the_topic_of_a_page_is_its_headings_and_first_sentences() -> None:
    page = (
        "# Paying {month}\n\nInvoices are paid on Fridays. Nobody knows why.\n\n"
        "| a | b |\n|---|---|\n\n    total = a + b\n\n- **Late** bills cost more. Pay them.\n"
        "- Two: see `rules.md`.\n"
    )
    assert topic_sentences(page) == (
        "Paying", "Invoices are paid on Fridays.", "Late bills cost more.", "Two: see rules.md.",
    )  # fmt: skip


def test_every_page_is_known_by_what_it_says() -> None:
    for referral in EVERY:
        assert len(referral.about) >= 2 or referral is CONTACTS, referral.topic
    assert any("Split invoices" in sentence for sentence in REVIEWS.known().about)


FIT_ASKS = [ask.format(city="Wuhan") for ask in FIT.questions]
SETTERS = [holder_referral(COMPANY.people[0], city) for city in (City.WUHAN, City.BEIJING)]
IN_MARKETING = QuestionInterpreter(
    [],
    [Topic("T1/fit", tuple(FIT_ASKS), ("Wuhan",))],
    [
        Topic(referral.topic, referral.asks, referral.keys, referral.about)
        for referral in [*EVERY, *SETTERS]
    ],
)


@pytest.mark.parametrize(
    "question",
    [
        f"{FIT_ASKS[0]} If you have not set it yourself, who in Marketing has?",
        f"{FIT_ASKS[0]} If it is not you, whom should I ask?",
        f"{FIT_ASKS[1]} Otherwise please tell me who set them.",
        f"{FIT_ASKS[0]} If you are not the right person, who is it in Marketing?",
        "audience fit wuhan? if not you, then who?",
    ],
)
def test_a_colleague_who_is_asked_who_knows_names_them(question: str) -> None:
    assert IN_MARKETING.public_topics(hear(question)) == (SETTERS[0].topic,)


@pytest.mark.parametrize(
    "question",
    [
        FIT_ASKS[0],
        f"{FIT_ASKS[0]} Who is the manager of Engineering?",
        f"{FIT_ASKS[0].replace('Wuhan', 'Paris')} Who in Marketing has set it?",
    ],
)
def test_a_colleague_who_is_not_asked_who_knows_does_not_name_them(question: str) -> None:
    assert SETTERS[0].topic not in IN_MARKETING.public_topics(hear(question))


# clues at one colleague -------------------------------------------------------------------


BUDGET = (
    "What is the budget of the trade fair?",
    "How much money is there for the trade fair?",
    "How much may the trade fair cost?",
    "What can be spent on the trade fair?",
    "Which sum was set aside for the trade fair?",
)
SUPPLIER = (
    "Which supplier delivers the chairs?",
    "Who delivers our chairs?",
    "Where do the chairs come from?",
    "What is the name of the chair supplier?",
    "Whom do we buy the chairs from?",
)


def instance(*clues: Clue) -> TaskInstance[None]:
    told = ToldPart("t", "o", Hints("", "", ""))
    return TaskInstance(told, HiddenPart(clues), GradedPart(None))


def clue(task: str, holder: str, asks: tuple[str, ...], *keys: str) -> Clue:
    return Clue(id=f"{task}/x", holder=holder, payload="p", asks=asks, keys=keys)


def test_two_tasks_whose_questions_are_alike_cannot_share_a_colleague() -> None:
    alike = instance(clue("T1", "mara", BUDGET)), instance(clue("T2", "mara", BUDGET[::-1]))
    with pytest.raises(CompositionError, match="mara holds T1/x and T2/x"):
        check_clue_collisions(alike)


def test_the_same_questions_may_be_asked_of_two_colleagues() -> None:
    check_clue_collisions(
        [instance(clue("T1", "mara", BUDGET)), instance(clue("T2", "noor", BUDGET))]
    )


def test_questions_that_differ_may_be_asked_of_one_colleague() -> None:
    check_clue_collisions([instance(clue("T1", "mara", BUDGET), clue("T2", "mara", SUPPLIER))])


def test_facts_told_in_meetings_cannot_be_asked_for_and_do_not_collide() -> None:
    check_clue_collisions([instance(clue("T1", "", ())), instance(clue("T2", "", ()))])
