"""The honest way to complete a table: read it and its section of the manual, ask, calculate."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from trainee_bench.meta_tasks.authoring import MONTH
from trainee_bench.meta_tasks.families.data_completion.brief import (
    HANDBOOK,
    HIDDEN_RATES,
    MANUAL_RULES,
    OBJECTIVE,
    OBJECTIVE_RULES,
    SECTION_RULES,
    DataCompletionBrief,
    ToldRates,
    rules_for,
)
from trainee_bench.meta_tasks.families.data_completion.filling import complete_text, section_lines
from trainee_bench.meta_tasks.work.achieving import FileHas, HandedIn
from trainee_bench.meta_tasks.work.asking import FactQuestion
from trainee_bench.meta_tasks.work.need import All, Work
from trainee_bench.meta_tasks.work.reading import FileText, Page, TaskBrief
from trainee_bench.meta_tasks.work.referring import ToldBySomebody, WhoKnows


@dataclass(frozen=True)
class RatesOfMonth(FactQuestion[ToldRates]):
    """The rates of a month for a file."""

    def read(self, text: str) -> Mapping[str, ToldRates]:
        """The rates that *text* tells, of whatever file and month."""
        told = self.fact.answer.search(text)
        return {f"{self.name} {told.file} {MONTH.render(told.month)}": told} if told else {}


async def honest_work(work: Work, task: str) -> None:
    """Read the table and the manual while colleagues are asked for rates; fill in, hand in."""
    brief = await work(TaskBrief(task, OBJECTIVE, OBJECTIVE_RULES, rules_for))
    rules = (*MANUAL_RULES, *SECTION_RULES.get(brief.section, ()))
    asked = (_rates(task, brief),) if brief.month else ()
    manual, text, answers = await work.three(
        Page(HANDBOOK.path, rules), FileText(brief.source, task), All(asked)
    )
    rates = {
        rate.category: rate.rate._asdict()
        for need, told in zip(asked, answers, strict=True)
        for rate in told[need.question.subjects[0]].rates
    }
    lines = section_lines(manual, brief.section)
    table = complete_text(text, brief.section, lines, rates)
    await work(HandedIn(task, (FileHas(brief.target, table),)))


def _rates(task: str, brief: DataCompletionBrief) -> ToldBySomebody[ToldRates]:
    """The rates, from whoever keeps them in the department that the objective names."""
    hidden, where, matter = HIDDEN_RATES[brief.section], brief.department, f"{brief.noun} for "
    who = WhoKnows(
        hidden.keeper.question(brief.about),
        others=f" in {where} knows the {matter}{brief.file}.",
        own=f"I know the {matter}{brief.file}.",
    )
    question = RatesOfMonth(matter, hidden.fact, tuple(brief.about.items()))
    return ToldBySomebody(task, where, who, question)
