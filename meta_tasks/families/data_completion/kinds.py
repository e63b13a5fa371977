"""All kinds of data set, by name, in the catalogue's order."""

from __future__ import annotations

from collections.abc import Mapping

from meta_tasks.families.data_completion.kind import Kind
from meta_tasks.families.data_completion.lookups import ETA_DISTANCE_SLA, TAX_FEE
from meta_tasks.families.data_completion.products import DEPRECIATION, FUNNEL
from meta_tasks.families.data_completion.series import DAILY_INTERPOLATION, QOQ_RATE, ROLLING_AVG
from meta_tasks.families.data_completion.sums import (
    ACCOUNT_BALANCE,
    ENDING_FROM_FLOW,
    QUARTER_FROM_MONTHS,
    SEGMENT_TIME_SUM,
    TOTAL_FROM_ITEMS,
)

KINDS: Mapping[str, Kind] = {
    kind.name: kind
    for kind in (
        QUARTER_FROM_MONTHS,
        QOQ_RATE,
        TAX_FEE,
        TOTAL_FROM_ITEMS,
        ENDING_FROM_FLOW,
        DAILY_INTERPOLATION,
        ACCOUNT_BALANCE,
        DEPRECIATION,
        ETA_DISTANCE_SLA,
        SEGMENT_TIME_SUM,
        ROLLING_AVG,
        FUNNEL,
    )
}
