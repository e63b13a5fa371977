"""Honest work as an incremental build.

A family states its work as one function over *needs*: what must be known, or be so. One engine
satisfies them for all tasks of a day. It remembers each need with its value and with what that
value was made from; when something changes, it works again what became stale and nothing else.

| what                                                    | module      |
|---------------------------------------------------------|-------------|
| needs, and what a way to satisfy one may ask for        | `need`      |
| what is known, from what it was made, what became stale | `ledger`    |
| the build: begin, resume, verify, begin anew            | `engine`    |
| which call comes next, and until when one waits         | `planner`   |
| what the office shows at one look                       | `sources`   |
| what follows from it: tasks, pages, files               | `reading`   |
| what colleagues are asked and tell                      | `asking`    |
| who knows something, as colleagues say                  | `referring` |
| what is made so: files, bookings, submissions           | `achieving` |
| what a careful worker does beside the task              | `habits`    |
"""
