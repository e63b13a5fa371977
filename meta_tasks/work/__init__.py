"""Honest work as an incremental build.

A family states its work as one function over *needs*: things that must be known or done. One engine
satisfies the needs of all tasks of a day. It remembers each need with its value and with the needs
that the value was made from. When something changes, it redoes only the work that became stale.

| what                                                    | module      |
|---------------------------------------------------------|-------------|
| needs, and what satisfying one may ask for              | `need`      |
| what is known, what it depends on, what became stale    | `ledger`    |
| the build: begin, resume, verify, begin again           | `engine`    |
| which call comes next, and how long to wait             | `planner`   |
| what the office shows at one look                       | `sources`   |
| what follows from looks: tasks, pages, files            | `reading`   |
| questions to colleagues, and their answers              | `asking`    |
| finding out from colleagues who knows something         | `referring` |
| acts: files, bookings, submissions                      | `achieving` |
| what a careful worker does besides the task             | `habits`    |
| what is done today for tasks of later days              | `standing`  |
"""
