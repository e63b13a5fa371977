"""The report of an attack as a document, and as data."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict

from pydantic import JsonValue
from pydantic_core import to_jsonable_python

from trainee_bench.harness.attack.trials import BOUND, AttackReport, ScoreFigure
from trainee_bench.harness.documents.document import (
    FILES,
    Block,
    Bullet,
    Bullets,
    Column,
    Document,
    Grid,
    Paragraph,
)
from trainee_bench.harness.documents.formatting import NO_VALUE, pluralize

_WORKERS = ("blind", "early", "late")
_LUCKY = (
    f"Above {BOUND} by one trial alone, which may be luck and breaks no bound; more seeds tell:"
)


def attack_document(report: AttackReport) -> Document:
    """Return the figures of each attack, of each kind of task, and of each complication; then the
    bounds that are broken, and what was left out."""
    broken = [Bullet(text) for text in report.broken()]
    blocks: list[Block] = [Paragraph(_summary(report)), _attack_grid(report), *_rules(report)]
    if report.complications:
        blocks.append(_complication_grid(report))
    blocks += [Paragraph("Broken:"), Bullets(tuple(broken))] if broken else []
    if lucky := tuple(Bullet(text) for text in report.perhaps_by_luck()):
        blocks += [Paragraph(_LUCKY), Bullets(lucky)]
    if report.left_out:
        left_out = tuple(Bullet(text) for text in report.left_out)
        blocks += [Paragraph("Left out:"), Bullets(left_out)]
    title = f"Attacks on {report.benchmark}"
    return Document(title, tuple(blocks), genre="Trainee-Bench self-attack")


def attack_data(report: AttackReport) -> JsonValue:
    """Return all figures and trials as JSON."""
    data: JsonValue = to_jsonable_python(
        {
            "benchmark": report.benchmark,
            "scenarios": report.scenarios,
            "seeds": report.seeds,
            "bound": BOUND,
            "exploit_bound": report.exploit_bound,
            "task_bound": report.task_bound,
            "broken": list(report.broken()),
            "perhaps_by_luck": list(report.perhaps_by_luck()),
            "left_out": report.left_out,
            "attacks": {name: asdict(figure) for name, figure in report.attacks.items()},
            "rules": {
                rule: {name: asdict(figure) for name, figure in attacks.items()}
                for rule, attacks in report.rules.items()
            },
            "complications": report.complications,
            "days": [asdict(trial) for trial in report.days],
            "workers": [asdict(trial) for trial in report.workers],
        }
    )
    return data


def _summary(report: AttackReport) -> str:
    """Return the exploit bound in words."""
    days = len({(trial.scenario, trial.day, trial.seed) for trial in report.days})
    best = next(iter(report.attacks), "")
    seeds = (
        f"{pluralize(report.seeds, 'new seed')} of each scenario"
        if report.seeds
        else "the scenarios' own seeds, which the players by rote know"
    )
    reached = f"{report.exploit_bound:.3f}" + (f" ({best})" if report.exploit_bound else "")
    return (
        f"Exploit bound: {reached}. This is the best mean score that any attack reached without "
        f"doing the work, on {pluralize(days, 'day')} from "
        f"{pluralize(report.scenarios, 'scenario')}, with {seeds}. At most {BOUND} is allowed."
    )


def _attack_grid(report: AttackReport) -> Grid:
    """Return a row for each attack."""
    rows = []
    for name, figure in report.attacks.items():
        by_rule = [attacks[name].mean for attacks in report.rules.values() if name in attacks]
        solved = sum(
            task.success for day in report.days if day.attack == name for task in day.tasks
        )
        rows.append(
            [
                name,
                _mean(figure),
                f"{figure.highest:.2f}",
                f"{max(by_rule, default=0.0):.3f}",
                str(solved),
            ]
        )
    columns = [
        Column("attack"),
        Column("mean score", "The mean score of a day."),
        Column("best day", "The highest score of a day."),
        Column("best rule", "The highest mean score in the tasks of one rule."),
        Column("solved", "The number of tasks with full score and no harm."),
    ]
    return Grid.from_rows(columns, rows, title="By attack")


def _rules(report: AttackReport) -> Iterator[Block]:
    """Yield a table of the rules in which an attack scored, and a line about the others."""
    scored = {
        rule: attacks
        for rule, attacks in report.rules.items()
        if any(figure.highest for figure in attacks.values())
    }
    if scored:
        yield _rule_grid(report, scored)
    others = len(report.rules) - len(scored)
    if others:
        which = "the other " if scored else "any of the "
        yield Paragraph(f"No attack scored in {which}{pluralize(others, 'rule')}.")


def _rule_grid(report: AttackReport, scored: Mapping[str, Mapping[str, ScoreFigure]]) -> Grid:
    """Return a row for each of these rules, with every attack where there is room."""
    rows = []
    for rule, attacks in scored.items():
        best, figure = next(iter(attacks.items()))
        row = [rule, f"{figure.mean:.3f}", best, f"{figure.highest:.2f}", str(figure.trials)]
        row += [_mean(attacks[name]) if name in attacks else NO_VALUE for name in report.attacks]
        rows.append(row)
    columns = [
        Column("rule"),
        Column("best mean", "The highest mean score of any attack in tasks of this rule."),
        Column("attack"),
        Column("best task", "That attack's highest score of a task."),
        Column("tasks", "The number of tasks over which the mean is taken."),
        *(Column(name, media=FILES) for name in report.attacks),
    ]
    return Grid.from_rows(columns, rows, title="By kind of task")


def _complication_grid(report: AttackReport) -> Grid:
    """Return a row for each complication: how often each worker handled it."""
    rows = []
    for name, workers in report.complications.items():
        counts = [workers.get(worker) for worker in _WORKERS]
        cells = [NO_VALUE if count is None else f"{count[0]} of {count[1]}" for count in counts]
        rows.append([name, *cells])
    return Grid.from_rows(
        ["complication", *_WORKERS], rows, title="Complications handled without looking"
    )


def _mean(figure: ScoreFigure) -> str:
    return f"{figure.mean:.3f}" if figure.highest else "0"
