from decimal import ROUND_HALF_UP, Decimal


def answer(files, facts, policy):
    limits = {"meal": policy["meal_limit"], "hotel": policy["hotel_limit"]}
    rows = []
    for expense in files["expenses"]:
        euros = expense["euros"]
        if expense["currency"] != "EUR":
            euros *= 1 + facts["surcharge"] / 100
        limit = limits.get(expense["kind"])
        decision = "rejected" if limit is None else "cut" if euros > limit else "paid"
        paid = min(euros, limit) if limit is not None else 0
        paid = Decimal(paid).quantize(Decimal("0.01"), ROUND_HALF_UP)
        rows.append({"id": expense["id"], "decision": decision, "paid": paid})
    return rows
