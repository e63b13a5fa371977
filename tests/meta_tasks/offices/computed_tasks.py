"""Two tasks with computed results: a mail with values, and a meeting with people and a time."""

from __future__ import annotations

from pathlib import Path

HOTELS = """
title: Hotels of February
from: Ines Albrecht
ask: >
  Please add up what we pay for the hotels in {expenses} by the rules in {policy}.
  This month's currency surcharge is in no file; Tomasz Kern in Finance knows it.
  Round to the cent, half a cent up. Send the total and the id of the dearest hotel expense before
  any cut to Jörg Müller-Groß, with the subject "Hotels".
files:
  expenses: drive:/finance/expenses_2026-02.csv
  policy: drive:/handbook/travel_policy.md
facts:
  surcharge:
    who: Tomasz Kern
    value: 2.5
    otherwise: [1.5, 2.0, 3.0, 4.5]
    shortcut: 0
    says: The currency surcharge this month is {value} per cent.
    asked:
      - What is the currency surcharge this month?
      - Which surcharge do we add to amounts in other currencies?
      - How high is this month's surcharge for foreign currencies?
      - By how many per cent are amounts in another currency increased?
      - What per cent comes on top of expenses in foreign money?
policy: {meal_limit: 32, hotel_limit: 130}
background: [meal_limit]
hand_in:
  mail:
    to: [Jörg Müller-Groß]
    subject: Hotels
    text: |
      Hello Jörg,
      we pay {total} euros for hotels. The dearest expense is {dearest}.
    says: ["{total}", "{dearest}"]
    never: ["{others}"]
answer: answer.py
checked: checked.csv
wrong:
  - We pay {total} euros for hotels.
  - The dearest expense is {dearest}.
vary:
  surcharge: {from: 1.1, to: 5.8, step: 0.1}
  expenses: {sample: 24, of: pool.csv}
"""
HOTELS_CODE = """
from decimal import ROUND_HALF_UP, Decimal


def answer(files, facts, policy):
    hotels = {}
    for expense in files["expenses"]:
        if expense["kind"] == "hotel":
            euros = expense["euros"]
            if expense["currency"] != "EUR":
                euros *= 1 + facts["surcharge"] / 100
            hotels[expense["id"]] = euros
    total = sum(min(euros, policy["hotel_limit"]) for euros in hotels.values())
    dearest = max(hotels, key=hotels.get)
    others = [expense["id"] for expense in files["expenses"] if expense["id"] != dearest]
    total = Decimal(total).quantize(Decimal("0.01"), ROUND_HALF_UP)
    return {"total": total, "dearest": dearest, "others": others}
"""
TALK = """
title: A talk after the shift
from: Nora Weiss
ask: >
  Please book a talk of 30 minutes today with the two people whose shifts in {shifts} end first,
  not before both shifts have ended and a break is over. Greta Sommer knows how long the break is.
files:
  shifts: drive:/service/shifts.csv
facts:
  pause:
    who: Greta Sommer
    value: 20
    otherwise: [35, 50, 80, 110]
    shortcut: 0
    says: The break after a shift takes {value} minutes today.
    asked:
      - How long is the break after a shift today?
      - How many minutes does the break after a shift take?
      - What length does today's break after the shift have?
      - How much time do people rest after their shift?
      - For how many minutes do people pause after a shift?
hand_in:
  meeting:
    with: ["{people}"]
    minutes: 30
    not_before: start
    title: ""
answer: answer.py
checked: checked.csv
vary:
  pause: {from: 20, to: 110, step: 5}
  shifts: {sample: 3, of: pool.csv}
"""
TALK_CODE = """
from datetime import datetime, timedelta


def answer(files, facts, policy):
    first = sorted(files["shifts"], key=lambda shift: shift["ends"])[:2]
    ends = datetime.combine(datetime(2026, 3, 2), first[-1]["ends"])
    start = ends + timedelta(minutes=int(facts["pause"]))
    return {"people": [shift["person"] for shift in first], "start": start.time()}
"""
SHIFTS = """person,ends
Paula Richter,10:30
Clara Voss,10:55
Emre Yıldız,12:50
"""
POOL = """person,ends
Li Lei,11:15
Anton Beck,12:40
Emre Yıldız,10:50
Mette Holm,13:05
Siobhán O'Neill,12:05
Tomasz Kern,11:40
"""


def add_computed_tasks(folder: Path) -> None:
    """Add the tasks `hotels` and `talk` to the office in *folder*."""
    hotels, talk = folder / "tasks" / "hotels", folder / "tasks" / "talk"
    pool = folder / "tasks" / "travel_expenses" / "expenses_pool.csv"
    _write(hotels / "task.yaml", HOTELS)
    _write(hotels / "answer.py", HOTELS_CODE)
    _write(hotels / "pool.csv", pool.read_text(encoding="utf-8"))
    _write(hotels / "checked.csv", checked_hotels(folder))
    _write(talk / "task.yaml", TALK)
    _write(talk / "answer.py", TALK_CODE)
    _write(talk / "checked.csv", 'people,start\n"Paula Richter, Clara Voss",11:15\n')
    _write(talk / "pool.csv", POOL)
    _write(folder / "drive" / "service" / "shifts.csv", SHIFTS)


def checked_hotels(folder: Path) -> str:
    """Return the second opinion on `hotels`, worked out in another way than its code."""
    lines = (folder / "drive" / "finance" / "expenses_2026-02.csv").read_text("utf-8").split()
    hotels = [line.split(",") for line in lines[1:] if ",hotel," in line]
    euros = {code: float(paid) * (1.025, 1)[money == "EUR"] for code, _, money, paid in hotels}
    dearest = max(euros, key=lambda code: euros[code])
    total = sum(min(given, 130) for given in euros.values())
    return f"total,dearest\n{total:.2f},{dearest}\n"


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
