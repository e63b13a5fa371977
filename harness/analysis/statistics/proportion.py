"""The interval of a share that was counted."""

from __future__ import annotations

from math import sqrt

from trainee_bench.harness.analysis.statistics.bootstrap import Estimate

_QUANTILE = 1.959_963_985
"""The 97.5 % quantile of the normal distribution."""


def wilson_share(count: int, whole: int) -> Estimate | None:
    """Return the share of *count* in *whole* with its 95 % interval; None if *whole* is 0.

    The interval is the score interval: Wilson, "Probable inference, the law of succession, and
    statistical inference", Journal of the American Statistical Association 22 (1927) 209-212.
    """
    if whole == 0:
        return None
    share, spread = count / whole, _QUANTILE**2 / whole
    middle = (share + spread / 2) / (1 + spread)
    half = _QUANTILE * sqrt(share * (1 - share) / whole + spread / (4 * whole)) / (1 + spread)
    return Estimate(share, max(middle - half, 0.0), min(middle + half, 1.0))
