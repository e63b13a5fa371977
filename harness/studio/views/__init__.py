"""What each app shows of a state, as JSON, and what tells that something in it has changed.

The JSON is that of the app's own reading tools, so that a page shows a past day, a day that is
being worked and a person's own day with the same components. Nothing here is logged or charged:
the verbs run in `World.read`, which undoes them.
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
"""The views by app, in the order in which the page shows them. An app without one is seen through
its calls alone."""
