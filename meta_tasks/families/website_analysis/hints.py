"""Help with the slow page, in three tiers."""

from __future__ import annotations

from trainee_bench.meta_tasks.authoring import Hints

HINTS = Hints(
    strategy="First understand what has changed, then find out who decides, and only then act. "
    "Each colleague tells you the next step once you have told them what they need.",
    where="The monitor's load times over different windows show the page; the health of a single "
    "server, compared with earlier, and its log show the cause. The monitor says who keeps "
    "the roster for the website; approvals go through the person who looks after it.",
    how="Compare monitor_get_summary for 1h and 7d. Then call monitor_check_health for each server "
    "and look for a reading that was different a week ago; its log must name the slow page. "
    "Ask the keeper of the roster who looks after the website, tell that person the cause and the "
    "server in one message, ask who approves, ask the approver for approval, naming the server, "
    "and call monitor_start_maintenance. Then write the report.",
)
