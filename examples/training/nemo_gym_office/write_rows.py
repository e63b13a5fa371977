"""Write the days of a split as rows for NeMo Gym. Run it where Trainee-Bench is installed.

python write_rows.py quickstart 3 > data/train.jsonl
"""

from __future__ import annotations

import json
import sys
from itertools import islice

from trainee_bench.harness.environment.morning import begun_morning
from trainee_bench.harness.integrations.training.splits import SplitOptions
from trainee_bench.harness.models.chat_format import to_chat_tools


def main(split: str, size: str) -> None:
    """Print a row for each day."""
    for index, day in enumerate(islice(SplitOptions(split=split).open(), int(size))):
        start = begun_morning(day).start
        tools = [{"type": "function", **tool["function"]} for tool in to_chat_tools(start.tools)]
        asked = {"input": [{"role": "user", "content": start.prompt}], "tools": tools}
        print(json.dumps({"responses_create_params": asked, "split": split, "index": index}))


if __name__ == "__main__":
    main(*sys.argv[1:])
