"""The numbers of the draws by which complications exchange secrets, so that none meet."""

from __future__ import annotations

from enum import IntEnum

SECRETS = 40
"""The number of attempts to draw a different secret."""
EXCHANGES = 3
"""The number of attempts to exchange all secrets for a different answer."""


class SecretDraws(IntEnum):
    """The first draw of each complication that exchanges secrets, so that no two use the same draw.

    Draws are counted from the clue's own secret. *Open* draws do not depend on that secret.
    """

    RETRACTION = 0
    TOLD_ANEW = 150
    SIGN_OFF = 300
    WRONG_COLLEAGUE = 600
    HANDOVER = 900
    WRONG_COLLEAGUE_OPEN = 500_000
    OLD_MINUTES_OPEN = 600_000


MOST_DRAWS = SECRETS * EXCHANGES
"""The most draws that a complication makes, counted from its first one."""
