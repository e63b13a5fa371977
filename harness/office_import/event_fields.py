"""Reads the fields of events in calendars, as different programs write them."""

from __future__ import annotations

from datetime import date, datetime, time
from math import prod
from typing import Any

_MOST_TIMES = 24


def person_of(value: Any) -> tuple[str, str]:
    """Return the name and the address of an organizer or attendee."""
    if isinstance(value, list):
        value = value[0] if value else None
    if value is None:
        return "", ""
    text = str(value).strip()
    address = text[7:] if text.lower().startswith("mailto:") else text
    params = getattr(value, "params", {})
    if "@" not in address:
        address = str(params.get("EMAIL", "")).strip()
    name = " ".join(str(params.get("CN", "")).strip("'\" ").split())
    plain = address.strip("<> ") if address.count("@") == 1 and " " not in address.strip() else ""
    return ("" if name.lower() == plain.lower() else name), plain


def title_of(event: Any) -> str:
    """Return the title on one line."""
    return " ".join(str(event.get("SUMMARY", "")).split())[:200] or "(no title)"


def is_cancelled(event: Any) -> bool:
    """Whether nobody attends it any more; Outlook only changes the title."""
    title = str(event.get("SUMMARY", ""))
    return str(event.get("STATUS", "")).upper() == "CANCELLED" or title.startswith("Canceled: ")


def ends_before_its_start(event: Any) -> bool:
    """Whether its end is earlier; times in different forms are not compared."""
    starts, ends = (getattr(event.get(name), "dt", None) for name in ("DTSTART", "DTEND"))
    try:
        return starts is not None and ends is not None and bool(ends < starts)
    except TypeError:  # a date and a time, or a time without a zone
        return False


def is_free(event: Any) -> bool:
    """Whether its people are shown as free."""
    busy = str(event.get("X-MICROSOFT-CDO-BUSYSTATUS", "")).upper()
    return str(event.get("TRANSP", "")).upper() == "TRANSPARENT" or busy == "FREE"


def repeats_itself(event: Any) -> bool:
    """Whether it has a rule or dates of recurrence."""
    return "RRULE" in event or "RDATE" in event


def original_start(event: Any, starts: datetime) -> datetime:
    """Return the start that an occurrence had before it was moved."""
    value = getattr(event.get("RECURRENCE-ID"), "dt", None)
    if not isinstance(value, date):
        return starts
    return value if isinstance(value, datetime) else datetime.combine(value, time())


def repeats_within_a_day(event: Any) -> bool:
    """Whether a rule of recurrence counts hours or less, or has more times a day than hours."""
    rules = event.get("RRULE", [])
    for rule in rules if isinstance(rules, list) else [rules]:
        if not hasattr(rule, "get"):
            continue
        said = rule.get("FREQ", [])
        named = said if isinstance(said, list) else [said]
        if any(str(word).upper() in ("SECONDLY", "MINUTELY", "HOURLY") for word in named):
            return True
        times = [rule.get(part, []) for part in ("BYHOUR", "BYMINUTE", "BYSECOND")]
        counts = [len(listed) for listed in times if isinstance(listed, list) and listed]
        if prod(counts) > _MOST_TIMES:
            return True
    return False
