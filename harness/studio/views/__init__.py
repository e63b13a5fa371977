"""Views of the apps: what each app shows in a state, as JSON, and marks that reveal changes.

The JSON comes from the apps' own reading tools, so a page shows a past day, a running day and a
person's own day with the same components. Nothing here is logged or charged: the verbs run in
`World.read`, which undoes them.
"""

from __future__ import annotations

from collections.abc import Mapping

from trainee_bench.harness.studio.views import calendar, chat, desk, files, mail, monitor, sheets
from trainee_bench.harness.studio.views.app_view import AppView, ViewRequest

__all__ = ["APP_VIEWS", "AppView", "ViewRequest"]

APP_VIEWS: Mapping[str, AppView] = {
    view.app: view
    for view in (
        mail.VIEW,
        calendar.VIEW,
        chat.VIEW,
        files.VIEW,
        sheets.VIEW,
        monitor.VIEW,
        desk.VIEW,
    )
}
"""The views by app, in the order of the page. An app without a view is visible only through its
calls."""
