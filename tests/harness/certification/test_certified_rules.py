"""Certificates of weeks, with played colleagues, and with refused seeds; their parts and tables."""

from __future__ import annotations

import json

import pytest
from openai.types.chat import ChatCompletion
from rich.console import Console

from tests.models_at_play import Player, able, telltale
from tests.quick_round import quick_only
from tests.scripted_endpoint import Json
from trainee_bench.harness.certification import counterfactuals, memory
from trainee_bench.harness.certification.certificates import (
    CLAIMS,
    UnknownClaimError,
    certify,
    fitting_seeds,
    matching_claims,
)
from trainee_bench.harness.certification.claim import Certificate, Claim, rotating_sample
from trainee_bench.harness.certification.memory import FORGETTING, certify_memory
from trainee_bench.harness.certification.solvable import certify_solvable
from trainee_bench.harness.certification.tables import (
    certificate_details,
    certificate_document,
    cheat_grid,
    left_out_claims,
)
from trainee_bench.harness.documents.console import print_document
from trainee_bench.harness.documents.document import Bullet
from trainee_bench.harness.testbench.mutations import harmless_mutants, wrong_mutants
from trainee_bench.harness.testbench.staged_day import (
    PASSING_DAYS,
    StagedDay,
    oracle_log,
    single_task_day,
)
from trainee_bench.mcp_servers import default_toolboxes
from trainee_bench.mcp_servers.llm.client import ChatClient
from trainee_bench.mcp_servers.llm_colleagues.drafting import ColleagueDrafter
from trainee_bench.mcp_servers.serving.dispatcher import ToolDispatcher
from trainee_bench.meta_tasks.composition import ComposedDay
from trainee_bench.meta_tasks.families.week import Week
from trainee_bench.meta_tasks.task_context import CompositionError
from trainee_bench.world.colleagues.reply_provenance import ProvenanceLog, WordingSource
from trainee_bench.world.world import World

WEEK_RULES = [rule.id for rule in Week.rules()]
SEED = range(3, 4)


async def test_the_claim_says_what_forgetting_costs_a_rule_that_takes_a_week() -> None:
    claim = await certify_memory("week.handover", SEED)
    assert claim.holds, claim.broken
    assert claim.facts["forgetting"] >= FORGETTING


async def test_the_claim_says_nothing_of_a_rule_that_takes_a_day() -> None:
    claim = await certify_memory("kb_fix.easy", SEED)
    assert claim.holds and not claim.facts and claim.inapplicable == "the task takes one day"


async def test_a_rule_that_can_be_worked_without_memory_breaks_the_claim(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(memory, "FORGETFUL", "oracle")  # it forgets nothing, so it loses nothing
    claim = await certify_memory("week.rota", SEED)
    assert not claim.holds
    assert "loses only 0.00" in claim.broken[0]


async def test_the_log_of_an_oracle_passes_four_nights() -> None:
    log = await oracle_log(single_task_day("week.extract", 3))
    assert [entry.tool for entry in log if entry.tool in PASSING_DAYS] == [*PASSING_DAYS] * 4


@pytest.mark.parametrize("rule", quick_only(["week.claims"], WEEK_RULES))
@pytest.mark.parametrize(
    "name", quick_only(["counterfactuals", "process", "pairs", "ahead"], CLAIMS)
)
async def test_every_claim_holds_for_a_rule_that_takes_a_week(rule: str, name: str) -> None:
    claim = await CLAIMS[name](rule, SEED)
    assert claim.holds, claim.broken


RULES = ("website_analysis.slow_page", "transactions.self_approved.s3", "sales.per_dept_avg_sales")


class InProcess(ChatClient):
    """A model that is asked without a server."""

    def __init__(self, player: Player):
        self.player = player
        self.asked: list[Json] = []

    async def complete(self, messages: object, *_: object, **__: object) -> ChatCompletion:  # type: ignore[override]
        self.asked.append({"messages": messages})
        return ChatCompletion.model_validate(self.player(self.asked[-1]).body)


@pytest.mark.parametrize(
    ("rule", "player"),
    [
        (RULES[0], telltale),
        (RULES[0], able),
        *(pytest.param(rule, telltale, marks=pytest.mark.sweep) for rule in RULES[1:]),
    ],
)
async def test_paired_worlds_look_the_same_until_the_clue_is_told(
    rule: str, player: Player, monkeypatch: pytest.MonkeyPatch
) -> None:
    model, worlds = InProcess(player), list[World]()

    async def stage_day(composition: ComposedDay) -> StagedDay:
        world = await World.create_inline(composition.world_config(), composition.populate)
        worlds.append(world)
        person = composition.company.trainee.id
        seat = ToolDispatcher(
            world, person, default_toolboxes().values(), ColleagueDrafter(model).side_effects
        )
        return StagedDay(composition, world, seat)

    said = set()
    really, wrong_order = World.close, counterfactuals._wrong_order

    def greeted(one: ComposedDay, other: ComposedDay) -> list[counterfactuals.RecordedCall]:
        """The same day with a greeting first, which a model answers as it likes."""
        calls = list(wrong_order(one, other))
        holders = dict.fromkeys(str(c.arguments["to"]) for c in calls if "to" in c.arguments)
        return [
            counterfactuals.RecordedCall("chat_send_message", {"to": to, "text": text})
            for text in ("Hello!", "Thanks, see you later!")
            for to in holders
        ] + calls

    async def close(world: World) -> None:
        records = await world.read(lambda tx: ProvenanceLog(tx).all())
        said.update(record.played.words for record in records)
        await really(world)

    monkeypatch.setattr(counterfactuals, "stage_day", stage_day)
    monkeypatch.setattr(counterfactuals, "_wrong_order", greeted)
    monkeypatch.setattr(World, "close", close)
    claim = await counterfactuals.certify_counterfactuals(rule, range(1))
    assert claim.holds, claim.broken
    assert model.asked and WordingSource.MODEL in said


RULE = "kb_fix.hard+retraction+slow_holder+unannounced_handover"


async def test_a_seed_that_several_complications_do_not_fit_is_named_and_the_others_count() -> None:
    alone = await certify_solvable(RULE, range(1))
    assert (alone.broken, alone.refused) == ([], [0])
    assert not alone.holds  # nothing was tried
    several = await certify_solvable(RULE, range(8))
    assert several.holds and 0 in several.refused
    (bullet,) = certificate_details([Certificate(RULE, 8, (several,))])
    assert "do not fit together at seed 0" in bullet.text


async def test_a_certificate_takes_other_seeds_in_place_of_those_that_do_not_fit() -> None:
    assert list(fitting_seeds("kb_fix.hard+retraction", range(2))) == [0, 1]
    found = fitting_seeds(RULE, range(2))
    assert len(found) == 2 and 0 not in found
    certificate = await certify(RULE, range(1), ["solvable", "mutants"])
    assert certificate.holds, certificate.claims


def test_a_single_complication_that_is_refused_breaks_the_claim() -> None:
    claim = Claim("solvable")
    with claim.trying("kb_fix.hard+retraction", 0):
        raise CompositionError("it does not fit")
    assert len(claim.broken) == 1


def certificate(*, broken: bool = False, guess_seeds: int = 200) -> Certificate:
    solvable = Claim("solvable", tried=3, facts={"calls_min": 7, "calls_max": 9})
    withheld = Claim("ablation", tried=2, facts={"loss owner": 1.0, "loss code": 0.5})
    cheats = Claim(
        "cheats",
        tried=4,
        facts={"sprayer mean": 0.01, "sprayer max": 0.125, "nothing mean": 0, "nothing max": 0},
        notes=["sprayer passes owner 1x"],
        broken=["seed 1: sprayer reaches full score"] if broken else [],
    )
    mutants = Claim("mutants", tried=9, facts={"wrong": 8, "harmless": 5})
    share = {"commonest": 1 / guess_seeds, "guess_seeds": guess_seeds}
    guesses = Claim("guesses", tried=1, facts=share)
    return Certificate("door.code", 3, (solvable, withheld, cheats, guesses, mutants))


def shown(*certificates: Certificate) -> str:
    console = Console(width=200)
    with console.capture() as captured:
        print_document(certificate_document(certificates), console)
    return captured.get()


def test_a_row_says_what_the_oracle_needed_what_is_lost_and_what_the_best_cheat_earned() -> None:
    row = shown(certificate())
    for figure in ("door.code", "holds", "7–9", "0.50–1.00", "sprayer 0.010 (0.12)", "0.5%"):
        assert figure in row
    assert "8 + 5" in row


def test_a_broken_certificate_says_so_in_its_row() -> None:
    assert "BROKEN" in shown(certificate(broken=True))


def test_only_cheats_that_earned_something_are_told_with_what_they_passed() -> None:
    (item,) = certificate_details([certificate()])
    assert item == Bullet("sprayer 0.010 (0.12); cheats: sprayer passes owner 1x", id="door.code")


def test_the_claims_that_do_not_apply_are_said_once_with_their_reason_and_rules() -> None:
    def plain(rule: str, *left_out: str) -> Certificate:
        claims = [Claim(name, tried=1, inapplicable="it is plain") for name in left_out]
        return Certificate(rule, 1, (Claim("solvable", tried=1), *claims))

    both = [plain("door.code", "memory", "complications"), plain("door.lock", "memory")]
    assert left_out_claims(both) == [
        Bullet("it is plain (all rules)", id="memory"),
        Bullet("it is plain (door.code)", id="complications"),
    ]
    assert "1 of 3" in shown(both[0])


def test_cheats_that_earn_nothing_take_one_line() -> None:
    idle = Certificate("door.code", 3, (Claim("cheats", facts={"nothing mean": 0.0}),))
    assert "No cheat earned a point: nothing." in shown(idle)
    assert "What cheats earn" not in shown(idle) and "What cheats earn" in shown(certificate())


def test_the_share_of_the_most_common_answer_names_its_seeds_and_needs_enough_of_them() -> None:
    many, few = shown(certificate(guess_seeds=200)), shown(certificate(guess_seeds=3))
    assert "most common answer (200 seeds)" in many and "0.5%" in many
    assert "ost common answer" not in few


def test_cheats_are_listed_by_family_with_mean_and_highest_score() -> None:
    other = Certificate(
        "door.lock", 3, (Claim("cheats", facts={"sprayer mean": 0.03, "sprayer max": 0.5}),)
    )
    grid = cheat_grid([certificate(), other])
    assert [[*row] for row in grid.rows] == [
        ["door", "nothing", "0.000", "0.00"],
        ["door", "sprayer", "0.020", "0.50"],
    ]


def test_single_claims_are_tried_in_their_order_and_others_refused() -> None:
    assert matching_claims(["cheats", "uninformed", "cheats"]) == ["uninformed", "cheats"]
    assert matching_claims([]) == list(CLAIMS)
    with pytest.raises(UnknownClaimError, match="no claim is called 'cheat'; there are solvable"):
        matching_claims(["cheat"])


def test_many_clues_are_tried_over_a_few_seeds_and_few_clues_at_every_seed() -> None:
    many = [f"clue {number}" for number in range(19)]
    tried = [rotating_sample(many, seed) for seed in range(7)]
    assert {clue for some in tried for clue in some} == set(many)
    assert all(len(set(some)) == 3 for some in tried)
    assert rotating_sample(many[:3], 5) == tuple(many[:3])


async def test_a_claim_that_was_never_tried_does_not_hold() -> None:
    assert not Claim("idle").holds


def test_wrong_and_harmless_mutants_of_one_text_differ() -> None:
    text = json.dumps({"items": [{"name": "Ada", "n": 3}], "total": 2.5}, indent=1) + "\n"
    wrong = {mutant.text for mutant in wrong_mutants(text)}
    assert len(wrong) >= 8
    assert text not in wrong
    for mutant in harmless_mutants(text):
        assert json.loads(mutant.text.removeprefix("\ufeff")) == json.loads(text)
