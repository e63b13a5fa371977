"""The figures printed in the paper (arXiv 2601.08173), as data.

They were measured on other tasks with other grading, in an environment with defects.
"""

from __future__ import annotations

NOT_COMPARABLE = (
    "For reference only, not comparable: these are the paper's own figures (arXiv 2601.08173), "
    "measured on other tasks, with other grading, in an environment with defects. Do not rank them "
    "with the rows above."
)

Row = tuple[str, ...]

MAIN_HEADINGS = ("model", "SR", "CS", "steps", "tool calls")
MAIN: tuple[Row, ...] = (
    ("Gemini-3-Flash", ".35", ".63", "90", "232"),
    ("Claude-4-Sonnet", ".23", ".59", "29", "75"),
    ("GPT-5.1", ".23", ".49", "23", "62"),
    ("Grok-4", ".20", ".54", "34", "95"),
    ("GPT-4o", ".13", ".38", "37", "51"),
    ("Qwen3-VL-235B-A22B", ".14", ".37", "68", "68"),
    ("Llama-4-maverick", ".04", ".13", "34", "23"),
)
"""Table 2: 50 scenarios of 2 to 6 tasks."""

WORKLOAD_HEADINGS = ("model", *(f"SR {n}" for n in range(2, 7)), *(f"CS {n}" for n in range(2, 7)))
WORKLOAD: tuple[Row, ...] = tuple(
    (model, *success.split(), *score.split())
    for model, success, score in (
        ("Gemini-3-Flash", ".50 .47 .48 .36 .36", ".77 .68 .72 .60 .60"),
        ("Grok-4", ".40 .20 .25 .24 .16", ".68 .53 .59 .59 .45"),
        ("GPT-4o", ".40 .10 .13 .15 .14", ".60 .37 .39 .40 .38"),
        ("Qwen3-VL-235B-A22B", ".20 .17 .20 .12 .14", ".43 .38 .48 .36 .32"),
        ("Claude-4-Sonnet", ".25 .17 .35 .20 .24", ".61 .54 .70 .58 .57"),
        ("GPT-5.1", ".20 .23 .35 .23 .21", ".46 .47 .63 .49 .49"),
        ("Llama-4-maverick", ".00 .03 .03 .05 .03", ".09 .11 .15 .15 .15"),
    )
)
"""Table 3: by the number of tasks in a scenario."""

DIFFICULTY_HEADINGS = ("model", "easy SR", "easy CS", "hard SR", "hard CS")
DIFFICULTY: tuple[Row, ...] = (
    ("Gemini-3-Flash", ".46", ".74", ".32", ".56"),
    ("Claude-4-Sonnet", ".37", ".70", ".08", ".46"),
    ("GPT-5.1", ".37", ".63", ".08", ".35"),
    ("Grok-4", ".34", ".68", ".07", ".37"),
    ("GPT-4o", ".26", ".58", ".03", ".19"),
    ("Qwen3-VL-235B-A22B", ".24", ".50", ".04", ".22"),
    ("Llama-4-maverick", ".06", ".22", "0", ".04"),
)
"""Table 4: easy and hard tasks."""

CONTINUAL_HEADINGS = ("GPT-4o, reflecting (MUSE)", "CS day 1", "CS day 2")
CONTINUAL: tuple[Row, ...] = (
    ("overall", ".42", ".36"),
    ("easy", ".61", ".50"),
    ("hard", ".20", ".24"),
)
"""Table 5: 50 scenarios of two days, checkpoint feedback after the first."""

GUIDANCE_HEADINGS = ("model", "CS without hints", "CS with all of them")
GUIDANCE: tuple[Row, ...] = (("GPT-4o", ".24", ".83"),)
"""Figure 4: hard tasks (advertising, planning an event), with hints from a person, step by step."""
