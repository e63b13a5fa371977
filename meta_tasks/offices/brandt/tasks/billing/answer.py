from decimal import ROUND_CEILING, ROUND_HALF_UP, Decimal


def answer(files, facts, policy):
    rates = {row["person"]: row["rate"] for row in files["rates"]}
    sums = {case["case"]: Decimal(0) for case in files["cases"]}
    for entry in files["time"]:
        units = (entry["minutes"] / policy["unit"]).to_integral_value(ROUND_CEILING)
        amount = units * policy["unit"] / 60 * rates[entry["person"]]
        if entry["activity"] == "travel":
            amount = amount * policy["travel_percent"] / 100
        sums[entry["case"]] += amount
    rows = []
    for case in files["cases"]:
        amount = sums[case["case"]]
        if case["billing"] == "pro bono":
            amount = Decimal(0)
        if case["client"] == "Stiftung Elbufer":
            amount = min(amount, policy["cap"])
        if case["client"] == "Marwitz Pharma AG":
            amount -= amount * facts["discount"] / 100
        rows.append(
            {"case": case["case"], "amount": amount.quantize(Decimal("0.01"), ROUND_HALF_UP)}
        )
    return rows
