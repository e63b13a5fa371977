"""Own offices: a company, its files and its tasks, read from a folder that people can edit.

    folder ──read_office──► Office ──compose_day──► the same worlds, tools and grades as built-in

| file               | what it has                                                       |
|--------------------|-------------------------------------------------------------------|
| `source.py`        | errors that name file and line; YAML and CSV files                |
| `office_file.py`   | "office.yaml", "known.yaml": the company and what everybody knows |
| `people_files.py`  | `people.csv`, `rooms.csv`                                         |
| `mail_files.py`    | `mail/*.eml`: mails in people's mailboxes                         |
| `calendar_file.py` | `calendar.ics`: meetings in people's calendars                    |
| `task_file.py`     | `tasks/*/task.yaml`: what a task asks for, and its answer         |
| `values.py`        | values in facts, rules and tables, and how they are written       |
| `placeholders.py`  | names of values in braces                                         |
| `answer_code.py`   | runs a task's `answer.py` in a process of its own                 |
| `hand_ins.py`      | the kinds of result: a table, a mail, a meeting                   |
| `table_answer.py`  | a table as the result, and which of its columns are right         |
| `affirmation.py`  | whether a mail says a phrase, denies it or leaves it open         |
| `telling_columns.py` | which columns of a table earn points by themselves            |
| `named_values.py`  | the values that a mail or a meeting names                         |
| `instance.py`      | draws one instance of a task from a seed                          |
| `honest_way.py`    | honest work, derived from the task file without its answer        |
| `honest_booking.py`| honest booking of a meeting                                       |
| `task_checks.py`   | whether tasks name only what is there                             |
| `office_task.py`   | the task as a family that is composed, graded and certified       |
| `task_classes.py`  | makes the family of each task from its file                       |
| `office.py`        | the whole office, its digest, and its first state                 |
| `guest_tasks.py`   | built-in tasks in the company: what they lack, and the remedy     |
| `opened.py`        | the offices that this program has opened                          |
"""
