"""Help with the applicants, in three tiers."""

from __future__ import annotations

from trainee_bench.meta_tasks.authoring import Hints

HINTS = Hints(
    strategy="The résumés show who would be suitable; only a colleague knows who is still "
    "available. Check every candidate against every criterion.",
    where="The task names the folder with the résumés and says who in HR to ask; the people "
    "directory has the name.",
    how="List the folder with files_list and read each résumé with files_read. Compare years and "
    "degrees as quantities, not as words. Ask with chat_send_message which candidates for the "
    "position are no longer available, wait a few minutes, read the answer, and leave them out. "
    "Write the names with files_write.",
)
