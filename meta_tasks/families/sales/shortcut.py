"""The cheapest figures: every order in the files counts, as if none had been cancelled."""

from __future__ import annotations

from dataclasses import replace

from trainee_bench.meta_tasks.authoring import ToolClient, hand_in, read_brief, read_text
from trainee_bench.meta_tasks.families.sales.brief import FILE, OBJECTIVE
from trainee_bench.meta_tasks.families.sales.deliverables import compute_figures
from trainee_bench.meta_tasks.families.sales.orders import ORDERS_CSV, SalesOrder


async def add_up_all_orders(client: ToolClient) -> None:
    """Hand in what the files alone say."""
    brief = await read_brief(client, OBJECTIVE)
    orders = list[SalesOrder]()
    for department in brief.wanted.departments:
        for quarter in brief.wanted.quarters:
            file = replace(brief.sample, department=department, quarter=quarter)
            orders += ORDERS_CSV.parse(await read_text(client, FILE.render(file)))
    await hand_in(client, brief.output, compute_figures(brief.wanted, orders))
