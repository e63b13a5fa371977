"""Seeds at which a rule's complications do not fit together are named, and break nothing."""

from __future__ import annotations

from trainee_bench.harness.certification.certificates import certify, fitting_seeds
from trainee_bench.harness.certification.claim import Certificate, Claim
from trainee_bench.harness.certification.solvable import certify_solvable
from trainee_bench.harness.certification.tables import certificate_details
from trainee_bench.meta_tasks.task_context import CompositionError

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
