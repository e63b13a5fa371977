"""A picture of two endings of one day: the agent's score hour by hour, and that of another agent.

The other agent took over at a step.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from trainee_bench.harness.analysis.charts.hour_scale import Frame, HourScale, draw_hours
from trainee_bench.harness.analysis.charts.svg import (
    element,
    escape_xml,
    pixels,
    shortened,
    text_label,
)
from trainee_bench.harness.analysis.worth.value_line import ValueScale, value_ticks
from trainee_bench.harness.documents.formatting import format_number
from trainee_bench.harness.worth.moments import EarnedScore

HEIGHT = 110
_TOP, _HOURS, _GAP = 46.0, 20.0, 33.0


@dataclass(frozen=True)
class Takeover:
    """The day of ``agent``, and of ``other``, which took over after ``step`` actions.

    ``instead`` is the agent's own next step. ``own`` and ``others`` have the earned scores before
    the first action and after each.
    """

    agent: str
    other: str
    step: int
    instead: str
    own: Sequence[EarnedScore]
    others: Sequence[EarnedScore]

    @property
    def at(self) -> datetime:
        """When the other agent took over."""
        return self.own[self.step].at

    def in_words(self) -> str:
        """Describe the takeover: "Score earned so far: oracle took over after step 25 (09:09), and
        0.20 became 1.00"."""
        before, after = self.own[-1].score, self.others[-1].score
        return (
            f"Score earned so far: {self.other} took over after step {self.step} "
            f"({self.at:%H:%M}), and {format_number(before)} became {format_number(after)}"
        )


def draw_takeover(takeover: Takeover, frame: Frame, ends: datetime) -> str:
    """Draw the picture as an inline ``<svg>``, from the first moment to *ends*."""
    hours = HourScale(takeover.own[0].at, ends, frame)
    scores = ValueScale(_TOP, _TOP + HEIGHT)
    parts = [
        value_ticks(hours, scores),
        _earned_area(takeover.others[takeover.step :], hours, scores, "gained"),
        _earned_area(takeover.own, hours, scores, "alone"),
        _handover(takeover, hours, scores),
        element("path", d=_path(takeover.own, hours, scores), class_="self"),
        element("path", d=_path(takeover.others[takeover.step :], hours, scores), class_="other"),
        *_ends(takeover, hours, scores),
        *_heading((scores.top + scores.bottom) / 2),
    ]
    drawn = element("g", *parts, class_="worth") + draw_hours(hours, scores.bottom + _HOURS - 4)
    height, width = round(scores.bottom + _HOURS + 4), pixels(frame.width)
    return (
        f'<svg class="day plan" role="img" viewBox="0 0 {width} {height}" width="{width}" '
        f'height="{height}" aria-label="{escape_xml(takeover.in_words())}">{drawn}</svg>'
    )


def _path(earned: Sequence[EarnedScore], hours: HourScale, scores: ValueScale) -> str:
    """Return a path with a step at each earned score, to the right edge."""
    first = earned[0]
    path = f"M{pixels(hours.x(first.at))} {pixels(scores.y(first.score))}"
    known = first.score
    for earned_score in earned[1:]:
        if earned_score.score != known:
            path += f"H{pixels(hours.x(earned_score.at))}V{pixels(scores.y(earned_score.score))}"
            known = earned_score.score
    return f"{path}H{pixels(hours.frame.right)}"


def _heading(y: float) -> list[str]:
    """Draw on the left what the picture shows."""
    return [
        text_label(0, y - 14, "Score", "axis"),
        text_label(0, y + 2, "earned so far", "axis"),
        text_label(0, y + 20, "rises when work is done", "m"),
        text_label(0, y + 34, "right and in time", "m"),
    ]


def _earned_area(
    earned: Sequence[EarnedScore], hours: HourScale, scores: ValueScale, kind: str
) -> str:
    """Draw the area below what was *earned*."""
    start, bottom = pixels(hours.x(earned[0].at)), pixels(scores.bottom)
    return element("path", d=f"{_path(earned, hours, scores)}V{bottom}H{start}Z", class_=kind)


def _handover(takeover: Takeover, hours: HourScale, scores: ValueScale) -> str:
    """Draw the moment of the takeover, and what the agent did next instead."""
    x, y = hours.x(takeover.at), scores.y(takeover.own[takeover.step].score)
    line = f"M{pixels(x)} {pixels(scores.top - 36)}V{pixels(scores.bottom)}"
    words = f"{takeover.at:%H:%M} after step {takeover.step}: {takeover.other} takes over"
    next_step = f"just before {takeover.agent}'s first costly step: {takeover.instead}"
    room = hours.frame.width - x - 8
    return "".join(
        [
            element("path", d=line, class_="taken"),
            element("circle", cx=x, cy=y, r=4, class_="handover"),
            text_label(x + 8, scores.top - 29, shortened(words, room, 13), "said"),
            text_label(x + 8, scores.top - 14, shortened(next_step, room, 11), "why"),
        ]
    )


def _ends(takeover: Takeover, hours: HourScale, scores: ValueScale) -> list[str]:
    """Label the final scores of both at the right edge."""
    x, room = hours.frame.right + 10, hours.frame.width - hours.frame.right - 10
    ends = [
        (
            scores.y(takeover.others[-1].score),
            takeover.others[-1].score,
            f"{takeover.other} took over",
            " best",
        ),
        (scores.y(takeover.own[-1].score), takeover.own[-1].score, f"{takeover.agent} alone", ""),
    ]
    parts, free = list[str](), 0.0
    for y, score, name, kind in sorted(ends):
        place = max(y, free)
        free = place + _GAP
        parts.append(text_label(x, place + 5, format_number(score), f"figure{kind}"))
        parts.append(text_label(x, place + 19, shortened(name, room, 11), "m"))
    return parts
