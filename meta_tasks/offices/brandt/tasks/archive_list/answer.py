YEAR = 2026


def answer(files, facts, policy):
    rows = []
    for file in files["closed"]:
        if file["client"] == facts["on_hold"]:
            decision = "hold"
        elif file["closed"].year + policy[file["kind"] + "_years"] < YEAR:
            decision = "destroy"
        else:
            decision = "keep"
        rows.append({"file": file["file"], "decision": decision})
    return rows
