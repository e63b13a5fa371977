"""The variants in which a world offers tools."""

from __future__ import annotations

import json
from collections.abc import Mapping

from trainee_bench.world.transaction import Transaction


def tool_variants(tx: Transaction) -> Mapping[str, str]:
    """Return the variant of each tool that is not offered as declared, by tool. Own offices and
    scenarios name them; most worlds have none."""
    try:
        return dict(json.loads(tx.fact("tool_variants")))
    except KeyError:
        return {}
