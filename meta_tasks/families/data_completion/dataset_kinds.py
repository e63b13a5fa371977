"""All kinds of data set, by name, in the catalogue's order."""

from __future__ import annotations

from collections.abc import Mapping

from trainee_bench.meta_tasks.families.data_completion.dataset_kind import DatasetKind
from trainee_bench.meta_tasks.families.data_completion.product_datasets import DEPRECIATION, FUNNEL
from trainee_bench.meta_tasks.families.data_completion.rate_datasets import (
    ETA_DISTANCE_SLA,
    TAX_FEE,
)
from trainee_bench.meta_tasks.families.data_completion.series_datasets import (
    DAILY_INTERPOLATION,
    QOQ_RATE,
    ROLLING_AVG,
)
from trainee_bench.meta_tasks.families.data_completion.sum_datasets import (
    ACCOUNT_BALANCE,
    ENDING_FROM_FLOW,
    QUARTER_FROM_MONTHS,
    SEGMENT_TIME_SUM,
    TOTAL_FROM_ITEMS,
)

DATASET_KINDS: Mapping[str, DatasetKind] = {
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
