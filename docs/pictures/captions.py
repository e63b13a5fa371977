"""The captions of the pictures of the shown day, for readers who do not know the project."""

from __future__ import annotations

from html import escape

from docs.pictures.shown_day import (
    ABOUT_AGENT,
    AGENT,
    BENCHMARK,
    SCENARIO,
    ShownDay,
    first_loss,
)
from trainee_bench.harness.analysis.worth.day_picture import describe_day
from trainee_bench.harness.analysis.worth.value_line import (
    TOLD,
    did_in_words,
    losing_tasks,
    step_minutes,
    task_of_step,
)
from trainee_bench.harness.documents.formatting import format_number, pluralize
from trainee_bench.harness.documents.markdown import escape_markdown
from trainee_bench.harness.records.worth import LossOrigin, StepLoss
from trainee_bench.harness.worth.loss_words import costliest_losses, join_names

_TOO_LATE = {
    LossOrigin.IDLE: "Meanwhile it became too late for",
    LossOrigin.BUSY: "Afterwards it was too late for",
    LossOrigin.NEVER_BEGUN: "Afterwards it was too late for",
}


def words_and_pictures(docs: str, shown: ShownDay) -> str:
    """Both pictures with their captions; *docs* is the path from the page to the docs."""
    first = _picture(docs, "day", describe_day(shown.worth))
    second = _picture(docs, "takeover", shown.takeover.in_words())
    return "\n\n".join(
        [
            f"{first}<br>\n{_day(docs, shown)}",
            _costly_steps(shown),
            f"{second}<br>\n{_takeover(shown)}",
            _fork(docs, shown),
        ]
    )


def _day(docs: str, shown: ShownDay) -> str:
    agent, best = shown.result.agent, format_number(shown.worth.points[0].value)
    tasks = pluralize(len(shown.result.tasks), "task")
    steps = "this step" if len(_shown_losses(shown)) == 1 else "these steps"
    return (
        f"**One day with {tasks}: the agent `{agent}` scored {format_number(shown.result.score)}, "
        f"and {best} was possible.** `{agent}` {ABOUT_AGENT}. The line shows the best score still "
        "possible at each moment. To compute it, the built-in solver `oracle` finishes the day in "
        "a copy of the company, and code grades the result ([how](docs:how_it_works/worth.md)). "
        f"By this computation, {steps} of `{agent}` cost the most:"
    ).replace("docs:", docs)


def _costly_steps(shown: ShownDay) -> str:
    """A table of the steps that have words in the picture, in the order of the day."""
    rows = [f"| {' | '.join(_cells(shown, loss))} |" for loss in _shown_losses(shown)]
    return "\n".join(["| at | what it did | lost | why |", "|---|---|--:|---|", *rows])


def _shown_losses(shown: ShownDay) -> list[StepLoss]:
    return sorted(costliest_losses(shown.worth, TOLD), key=lambda loss: loss.at)


def _cells(shown: ShownDay, loss: StepLoss) -> tuple[str, str, str, str]:
    did, task = did_in_words(shown.worth, loss), task_of_step(shown.own, loss)
    minutes = step_minutes(shown.worth, loss)
    spent = f" ({minutes} min, for {task})" if task else ""
    return (
        f"{loss.at:%H:%M}",
        escape_markdown(f"{did}{spent}"),
        format_number(loss.lost),
        escape_markdown(_why(shown, loss)),
    )


def _why(shown: ShownDay, loss: StepLoss) -> str:
    due = {lane.timing.task: f"{lane.timing.deadline:%H:%M}" for lane in shown.own.lanes}
    parts = list[str]()
    for origin, tasks in losing_tasks(shown.worth, loss).items():
        if origin in _TOO_LATE:
            times = join_names([due[task] for task in tasks])
            parts.append(f"{_TOO_LATE[origin]} {join_names(tasks)}, due {times}")
        else:
            parts.append(f"{join_names(tasks)}: {origin}")
    return "; ".join(parts)


def _takeover(shown: ShownDay) -> str:
    takeover = shown.takeover
    before, after = (format_number(end[-1].score) for end in (takeover.own, takeover.others))
    return (
        f"**The same day with another ending: the `{takeover.other}` took over after step "
        f"{takeover.step}, and {before} became {after}.** It took over just before the first "
        f"costly step of `{takeover.agent}`, at {first_loss(shown.worth).at:%H:%M}. This picture "
        "shows the score earned so far, not the score still possible."
    )


def _fork(docs: str, shown: ShownDay) -> str:
    """How to do the same: two commands, and the uses of the saved file."""
    episode, step = shown.result.episode, shown.takeover.step
    return (
        "You can fork any recorded day at any step, and continue it yourself or with another "
        "agent. After the installation below, these commands let the agent work that day again "
        f"and save the company after step {step}:\n\n```sh\n"
        f"trainee-bench run --config {BENCHMARK} --scenario {SCENARIO} --agent {AGENT} --out day\n"
        f"trainee-bench replay day --episode {episode} --to {step} --fork fork.world\n```\n\n"
        "`trainee-bench serve --world fork.world` offers that company to any "
        "[MCP client](docs:mcp_clients.md), and `trainee-bench grade fork.world` grades it. Or "
        "choose *Go on from here* in `trainee-bench studio day`: another agent continues, or you."
    ).replace("docs:", docs)


def _picture(docs: str, name: str, alt: str) -> str:
    return (
        "<picture>"
        f'<source media="(prefers-color-scheme: dark)" srcset="{docs}images/{name}-dark.svg">'
        f'<img src="{docs}images/{name}-light.svg" width="860" alt="{escape(alt)}">'
        "</picture>"
    )
