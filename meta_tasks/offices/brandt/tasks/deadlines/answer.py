from calendar import monthrange
from datetime import date, timedelta

DAY = timedelta(days=1)


def months_later(day, months):
    index = day.year * 12 + day.month - 1 + months
    year, month = index // 12, index % 12 + 1
    return date(year, month, min(day.day, monthrange(year, month)[1]))


def answer(files, facts, policy):
    closed = {holiday["day"] for holiday in files["holidays"]} | {facts["closing_day"]}

    def works(day):
        return day.weekday() < 5 and day not in closed

    rows = []
    for letter in files["post_book"]:
        kind, received = letter["kind"], letter["received"]
        if kind == "claim":
            deadline = received + timedelta(weeks=int(policy["claim_weeks"]))
        elif kind == "payment order":
            deadline = received + timedelta(weeks=int(policy["order_weeks"]))
        elif kind == "dismissal":
            deadline = received + timedelta(weeks=int(policy["dismissal_weeks"]))
        elif kind == "judgment":
            deadline = months_later(received, int(policy["judgment_months"]))
        elif kind == "cost decision":
            deadline = received + timedelta(days=int(policy["cost_days"]))
        else:
            continue
        while not works(deadline):
            deadline += DAY
        before, left = deadline, int(policy["pre_days"])
        while left:
            before -= DAY
            left -= works(before)
        rows.append({"case": letter["case"], "deadline": deadline, "pre_deadline": before})
    return rows
