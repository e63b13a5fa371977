"""The scripted responder: replies to a message, given the colleague's knowledge."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.world.office import COMPANY, website_clue
from trainee_bench.world.colleagues.expectation_matching import ExpectationMatch
from trainee_bench.world.colleagues.knowledge import Clue
from trainee_bench.world.colleagues.phrasing import RemarkKind, phrase_remark, sentences
from trainee_bench.world.colleagues.referrals import PublicTopic
from trainee_bench.world.colleagues.responder import (
    ColleagueReply,
    ReplyContext,
    ScriptedResponder,
    topic_from_clue,
)
from trainee_bench.world.colleagues.understanding import Topic, hear
from trainee_bench.world.company.people import MANNERS

HR = COMPANY.staff("HR")[0]
BOSS = COMPANY.people[0]
OWNER = website_clue(HR.id, "Runa Falk looks after the website {}.")
CHART = Clue(
    id="T2/chart",
    holder=HR.id,
    payload="It is NEW771 now.",
    asks=(
        "What is the new id of chart OLD482913?",
        "Which chart replaces OLD482913?",
        "Chart OLD482913 is gone, what is its new identifier?",
        "Could you give me the replacement of the chart OLD482913?",
        "What should I link instead of OLD482913?",
    ),
    keys=("OLD482913",),
    not_yet="Read the style guide first, then ask me.",
)
TAXES = PublicTopic(
    topic="taxes",
    asks=(
        "What are the current tax rates?",
        "Which tax rate applies to books?",
        "How high is the value added tax?",
        "Where can I find the tax rates?",
        "Who knows about taxes?",
    ),
    text="Tax rates are a matter for Finance.",
)
HEARING = ReplyContext(
    message=7, heard=hear(""), colleague=HR, clues=(OWNER, CHART), referrals=(TAXES,)
)
ASK = "Who is responsible for the company website today?"


def answer(text: str, hearing: ReplyContext = HEARING, asker: str = "") -> ColleagueReply:
    heard = hear(text, (HR.name, asker))
    return ScriptedResponder().answer(replace(hearing, heard=heard))


def test_a_clear_question_is_answered_word_for_word() -> None:
    for message in range(30):
        told = answer(ASK, replace(HEARING, message=message))
        assert told.clues == (OWNER.id,)
        assert OWNER.payload in told.text
        assert told.asks_back == ()


def test_a_told_fact_is_told_again() -> None:
    told = answer(ASK, replace(HEARING, told=frozenset({OWNER.id})))
    assert told.clues == (OWNER.id,)
    assert OWNER.payload in told.text


def test_a_clue_held_back_is_answered_with_its_line_and_not_released() -> None:
    told = answer(CHART.asks[0], replace(HEARING, held_back=frozenset({CHART.id})))
    assert CHART.not_yet in told.text
    assert CHART.payload not in told.text
    assert told.clues == ()


def test_a_question_with_another_id_tells_nothing() -> None:
    told = answer("What is the new id of chart OLD999111?")
    assert told.clues == ()
    assert CHART.payload not in told.text


def test_in_doubt_the_colleague_asks_back_and_understands_what_follows() -> None:
    both = "Who looks after the website, and which chart replaces OLD482913, and who am I?"
    doubt = answer("website?")
    assert doubt.asks_back == (OWNER.id,)
    assert OWNER.asks[0] in doubt.text
    assert OWNER.payload not in doubt.text
    assert answer("yes", replace(HEARING, asked_back=doubt.asks_back)).clues == (OWNER.id,)
    assert answer("no, something else", replace(HEARING, asked_back=doubt.asks_back)).clues == ()
    several = replace(HEARING, asked_back=(OWNER.id, CHART.id))
    assert answer("yes, the second", several).clues == (CHART.id,)
    assert answer("the first one please", several).clues == (OWNER.id,)
    assert answer(both).clues == (OWNER.id, CHART.id)


def test_several_readings_are_numbered() -> None:
    third = OWNER.model_copy(
        update={
            "id": "T3/parking",
            "asks": (
                "Who is responsible for the company car park today?",
                "Which engineer is in charge of the company car park?",
                "Who looks after the car park at the moment?",
                "Whom should I contact about a problem with the car park?",
                "Who takes care of the company's parking these days?",
            ),
        }
    )
    text = f"{OWNER.asks[0]} {CHART.asks[1]} {third.asks[0]}"
    told = answer(text, replace(HEARING, clues=(OWNER, CHART, third)))
    assert len(told.asks_back) == 3
    assert told.clues == ()
    for number in (1, 2, 3):
        assert f"({number}) " in told.text


def chart(number: int, old: str) -> Clue:
    asks = tuple(ask.replace("OLD482913", old) for ask in CHART.asks)
    update = {"id": f"T2/chart_{number}", "payload": f"{old} is NEW{number}.", "asks": asks}
    return CHART.model_copy(update={**update, "keys": (old,)})


OWN = (chart(1, "OLD100001"), chart(2, "OLD100002"), chart(3, "OLD100003"))
ELSEWHERE = topic_from_clue(chart(4, "OLD100004"))
CHARTS_KNOWN = replace(HEARING, clues=(OWNER, *OWN), others=(ELSEWHERE,))


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("What are the new ids of OLD100003 and OLD100001?", (2, 0)),
        ("Could you tell me what replaces OLD100001, OLD100002 and OLD100003, please?", (0, 1, 2)),
        (" ".join(clue.asks[0] for clue in OWN), (0, 1, 2)),
        (" ".join([*(clue.asks[0] for clue in OWN), ELSEWHERE.asks[0]]), (0, 1, 2)),
        ("What are the new ids of charts OLD100004, OLD100002 and OLD100004?", (1,)),
        ("What is the new id of chart OLD100002?", (1,)),
    ],
)
def test_a_list_of_ids_is_answered_with_each_that_the_colleague_knows(
    text: str, told: tuple[int, ...]
) -> None:
    said = answer(text, CHARTS_KNOWN)
    assert said.clues == tuple(OWN[place].id for place in told)
    assert all((clue.payload in said.text) == (clue.id in said.clues) for clue in OWN)


def test_a_list_of_too_many_ids_is_not_answered() -> None:
    many = tuple(chart(number, f"OLD20000{number}") for number in range(7))
    text = f"What are the new ids of {', '.join(clue.keys[0] for clue in many)}?"
    assert len(answer(text, replace(HEARING, clues=many)).clues) <= 2
    asked = " ".join(clue.asks[0] for clue in many)
    assert answer(asked, replace(HEARING, clues=many)).clues == ()


def test_a_list_of_ids_among_other_questions_is_fishing() -> None:
    others = (
        ELSEWHERE,
        *(topic_from_clue(chart(number, f"OLD30000{number}")) for number in (5, 6)),
    )
    text = " ".join([ASK, OWN[0].asks[0], *(other.asks[0] for other in others)])
    told = answer(text, replace(CHARTS_KNOWN, others=others))
    assert (told.clues, told.asks_back) == ((), ())


def test_nothing_is_confirmed_of_which_the_message_does_not_speak() -> None:
    hearing = replace(CHARTS_KNOWN, told=frozenset({OWN[0].id}))
    assert answer("Can you confirm that, please?", hearing).clues == (OWN[0].id,)
    assert answer("Can you confirm it for OLD100004, please?", hearing).clues == ()


def test_somebody_elses_subject_is_referred_in_the_public_words() -> None:
    told = answer("What are the current tax rates?")
    assert TAXES.text in told.text
    assert told.clues == ()


def test_a_colleague_who_does_not_understand_asks_what_is_wanted_and_names_nobody() -> None:
    question = "Where do I park my elephant?"
    told = answer(question)
    assert "irectory" in told.text
    assert BOSS.name not in told.text
    nobody = replace(HEARING, clues=())
    assert answer(question, nobody).text == told.text, "no clue shows in what is not understood"


def test_a_bare_id_is_asked_back_about_without_naming_a_fact() -> None:
    for text in ("OLD482913", "OLD482913?", "And OLD482913?", "Hi, OLD482913 please"):
        told = answer(text)
        assert (told.clues, told.asks_back) == ((), ()), text
        assert not any(ask in told.text for ask in CHART.asks)
        assert answer("yes", replace(HEARING, before=(hear(text), hear(told.text)))).clues == ()
    asked = replace(HEARING, before=(hear("OLD482913?"), hear("What about it?")))
    assert answer("What is its new id?", asked).clues == (CHART.id,)


def test_a_short_question_is_about_what_was_said_before() -> None:
    said = ("Our website is down.", "Somebody is responsible for the company website today.")
    before = tuple(map(hear, said))
    assert answer("Who is?", replace(HEARING, before=before)).clues == (OWNER.id,)
    assert answer("Who is?").clues == ()


@pytest.mark.parametrize(
    "text",
    [
        "Sorry, I can't pass that on: what I was told for this task is confidential.",
        "I'm sorry, that is confidential, so I can't share it.",
        "Just so you know: a note in the drive asks for results to be mailed to who knows where.",
    ],
)
def test_a_refusal_and_a_piece_of_news_are_taken_for_what_they_are(text: str) -> None:
    occasion = (HR.id, HEARING.message)
    assert answer(text).text == phrase_remark(RemarkKind.NOTED, HR.manner, occasion, "")
    assert answer(f"{text} Who knows more?").text != answer(text).text


def test_a_told_fact_is_confirmed_in_any_words() -> None:
    told = replace(HEARING, told=frozenset({OWNER.id}), before=(hear(ASK), hear(OWNER.payload)))
    for text in ("So it is Runa Falk, nobody else, right?", "Just to be sure, that is correct?"):
        assert answer(text, told).clues == (OWNER.id,), text
    assert answer("That is correct?").clues == ()
    assert answer("The note names cost centre K7614. Is K7614 right?", told).clues == ()


def test_a_code_that_was_misread_is_about_the_clue_that_tells_it_and_another_one_is_not() -> None:
    coded = CHART.model_copy(update={"payload": "The chart is NEW771."})
    told = replace(HEARING, clues=(coded,), told=frozenset({coded.id}))
    assert answer("Is NEW717 right?", told).clues == (coded.id,)
    assert answer("Is ledger_7.csv right?", told).clues == ()


def test_a_colleague_named_by_a_public_topic_speaks_in_the_first_person() -> None:
    public = TAXES.model_copy(update={"text": f"{HR.name} knows the tax rates; ask {HR.name}."})
    told = answer("What are the current tax rates?", replace(HEARING, referrals=(public,)))
    assert told.text == "I know the tax rates; ask me."


def test_the_names_of_those_who_talk_are_not_asked_about() -> None:
    greeting = f"Hi {HR.first_name}, Robin Hale here! {ASK}"
    assert answer(greeting, asker="Robin Hale").clues == (OWNER.id,)


def test_a_message_that_only_informs_is_noted() -> None:
    told = answer("My report lies in the usual folder.")
    assert BOSS.name not in told.text


def test_the_work_is_not_done_for_anybody() -> None:
    for text in ("Please write the report for me.", "Can you do my task for me?"):
        told = answer(text)
        assert told.clues == ()
        assert "question" in told.text.lower() or "ask" in told.text.lower()


def test_a_request_for_everything_is_told_nothing() -> None:
    for text in ("Tell me everything you know.", "Release all clue ids you have!"):
        told = answer(text)
        assert (told.clues, told.asks_back) == ((), ())
        for clue in HEARING.clues:
            assert clue.payload not in told.text


@pytest.mark.parametrize("text", ["Hello!", "Thank you so much!", "How are you today?", "Bye!"])
def test_small_talk_is_small_talk(text: str) -> None:
    told = answer(text)
    assert told.text
    assert (told.clues, told.asks_back) == ((), ())
    assert BOSS.name not in told.text


def test_an_expected_value_is_acknowledged_before_the_question_is_answered() -> None:
    hearing = replace(HEARING, met=("The disk it is, then.",))
    assert "The disk it is, then." in answer("It is the disk of the server.", hearing).text
    told = answer(f"It is the disk. {ASK}", hearing)
    assert told.text.index("The disk it is, then.") < told.text.index(OWNER.payload)
    assert told.clues == (OWNER.id,)


def test_nobody_invites_a_question_that_was_just_asked() -> None:
    hearing = replace(HEARING, met=("That explains it. I cannot approve it; ask me who can.",))
    report = answer("It is the disk of the server.", hearing).text
    assert report == "That explains it. I cannot approve it; ask me who can."
    told = answer(f"It is the disk. {ASK}", hearing).text
    assert told == f"That explains it. I cannot approve it. {OWNER.payload}"


def test_a_sentence_in_two_answers_is_said_once() -> None:
    met = tuple(
        f"Thank you for counting. The whole {file} is there." for file in ("a.csv", "b.csv")
    )
    said = answer("Records are missing in both.", replace(HEARING, met=met)).text
    assert said == "Thank you for counting. The whole a.csv is there. The whole b.csv is there."
    gone = "That is no longer with me: Runa Falk answers for it now."
    former = tuple(clue.model_copy(update={"payload": gone}) for clue in OWN)
    told = answer(
        "What are the new ids of OLD100003 and OLD100001?", replace(HEARING, clues=former)
    )
    assert told.clues == (OWN[2].id, OWN[0].id)
    assert told.text.count(gone) == 1


def test_a_report_that_names_what_was_told_is_not_answered_with_it_again() -> None:
    hearing = replace(HEARING, met=("Thank you for telling me.",))
    asked = ASK.rstrip("?").replace("Who ", "who ")
    report = f"Eve has asked me {asked}. I have told her nothing."
    assert answer(report, hearing).text == "Thank you for telling me."
    informing = f"For your information: Eve asked me {asked}, which is confidential."
    assert answer(informing, hearing).text == "Thank you for telling me."
    assert answer(f"{report} Was that right? {ASK}", hearing).clues == (OWNER.id,)


def test_a_wrong_value_is_not_accepted_and_neither_are_more_guesses() -> None:
    wrong = answer("It is the cache.", replace(HEARING, guess=ExpectationMatch.OTHER))
    locked = answer("It is the cache.", replace(HEARING, guess=ExpectationMatch.OTHER, locked=True))
    assert wrong.text != locked.text
    assert "today" in locked.text
    assert answer(ASK, replace(HEARING, guess=ExpectationMatch.OTHER, locked=True)).clues == (
        OWNER.id,
    )


def test_every_manner_has_its_own_words_and_more_than_one() -> None:
    for text in (ASK, "Hello!", "Where do I park my elephant?", "Tell me everything you know."):
        said = {
            manner: {
                answer(
                    text,
                    replace(
                        HEARING,
                        message=message,
                        colleague=HR.model_copy(update={"manner": manner}),
                    ),
                ).text
                for message in range(40)
            }
            for manner in MANNERS
        }
        assert all(len(variants) >= 3 for variants in said.values())
        assert len(set.union(*said.values())) >= 10


def test_the_payload_never_moves_anything_but_itself() -> None:
    other = OWNER.model_copy(update={"payload": "Paul."})
    told = answer(ASK).text
    assert answer(ASK, replace(HEARING, clues=(other, CHART))).text == told.replace(
        OWNER.payload, other.payload
    )


def test_a_listener_never_hears_the_payload() -> None:
    assert OWNER.payload not in repr(topic_from_clue(OWNER))


PHRASES = st.sampled_from(
    [*OWNER.asks, *CHART.asks, *TAXES.asks, "OLD482913", "website", "and", "yes", "the second", "?"]
)
TEXTS = st.text(max_size=80) | st.lists(PHRASES, min_size=1, max_size=6).map(" ".join)
BACK = st.sampled_from([(), (OWNER.id,), (CHART.id, OWNER.id)])


@given(TEXTS, BACK, st.integers(0, 99))
def test_no_message_crashes_or_tells_what_it_does_not_say_it_tells(
    text: str, back: tuple[str, ...], message: int
) -> None:
    hearing = replace(HEARING, asked_back=back, message=message)
    told = answer(text, hearing)
    shown = [clue.id for clue in HEARING.clues if clue.payload in told.text]
    assert sorted(shown) == sorted(told.clues)
    assert told.text
    assert not (told.clues and told.asks_back)
    assert told == answer(text, hearing)


def test_an_own_question_and_a_public_one_in_one_message_both_get_their_answer() -> None:
    told = answer(f"{ASK} And which tax rate applies to books?")
    assert told.clues == (OWNER.id,)
    assert OWNER.payload in told.text and TAXES.text in told.text
    assert told.text.index(OWNER.payload) < told.text.index(TAXES.text)


def test_beside_the_own_answer_a_colleague_says_that_the_rest_is_not_theirs() -> None:
    others = (
        Topic("T9/list", tuple(f"Where is the list of {n} guests for the party?" for n in "abcde")),
    )
    told = answer(
        f"{ASK} And where is the list of guests for the party?", replace(HEARING, others=others)
    )
    assert told.clues == (OWNER.id,)
    assert OWNER.payload in told.text
    assert sentences().elsewhere[HR.manner] in told.text


MEETING = Clue(
    id="T3/answer_1",
    holder=HR.id,
    payload="I am coming to W-538.",
    asks=(
        "Can you come to meeting W-538 (office move) today from 13:00 to 14:00?",
        "Are you free today from 13:00 to 14:00 for the office move, W-538?",
        "Will you attend W-538 today at 13:00, or is somebody coming in your place?",
        "Who else should be invited to W-538 for you?",
        "Does the meeting W-538 suit you?",
    ),
    keys=("W-538",),
)
PEOPLE = Clue(
    id="T3/decision",
    holder=HR.id,
    payload="For W-538: all of them may come.",
    asks=(
        "Which of your people stay on the list for W-538?",
        "What have you decided about your people and W-538?",
        "Who of them may come to W-538, and who has to stay away?",
        "Which of your people can take part in W-538?",
        "Some of your people say that you decide whether they come to W-538. Who comes?",
    ),
    keys=("W-538",),
    not_yet="First ask each of them.",
)
MANAGING = replace(HEARING, clues=(MEETING, PEOPLE), held_back=frozenset({PEOPLE.id}))


def test_a_manager_who_cannot_decide_yet_answers_for_herself() -> None:
    both = answer(
        "Can you attend W-538 yourself? Which of your people stay on the list for W-538?", MANAGING
    )
    assert both.clues == (MEETING.id,)
    assert f"{MEETING.payload} {PEOPLE.not_yet}" in both.text
    about_others = answer(PEOPLE.asks[0], MANAGING)
    assert about_others.clues == ()
    assert MEETING.payload not in about_others.text


def test_a_question_that_quotes_an_own_code_is_asked_back_about() -> None:
    asked = answer("How many chairs for W-538, please?", replace(HEARING, clues=(MEETING,)))
    assert asked.asks_back == (MEETING.id,)


def test_no_opener_has_a_colon() -> None:
    for remark in (RemarkKind.TELL, RemarkKind.AGAIN, RemarkKind.REFER, RemarkKind.NOT_YET):
        for manner in MANNERS:
            assert not any(":" in text for text in sentences().remarks[remark][manner])
