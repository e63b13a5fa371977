"""verl's own tool loop works a day with our agent loop and a scripted model."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from typing import Any

import pytest

from trainee_bench.harness.integrations.training.episode import usual_tools
from trainee_bench.harness.integrations.training.rows import NoDayGiven
from trainee_bench.harness.integrations.training.written_calls import write_call
from trainee_bench.harness.parity.script import parity_scripts
from trainee_bench.harness.session.turns import ToolCall
from trainee_bench.meta_tasks.scenario import ScenarioDay

# A framework's warnings are not ours to judge.
pytestmark = [pytest.mark.filterwarnings("ignore"), pytest.mark.timeout(600)]
pytest.importorskip("verl.experimental.agent_loop", reason="verl is not installed")
agent_loop = pytest.importorskip("trainee_bench.harness.integrations.verl.agent_loop")

VALID = parity_scripts()[0]
ROW = {
    "day": ScenarioDay(scenario=VALID.scenario, day=VALID.number).model_dump_json(),
    "raw_prompt": [{"role": "user", "content": ""}],
}
_END, _PAD = "<|im_end|>", "<|endoftext|>"
_TEMPLATE = (
    "{% if tools %}<|im_start|>system\n{{ tools | tojson }}<|im_end|>\n{% endif %}"
    "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}"
    "{% for c in m.tool_calls or [] %}<tool_call>{{ c.function | tojson }}</tool_call>{% endfor %}"
    "<|im_end|>\n{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)


def made_tokenizer() -> Any:
    """Return a new byte-level tokenizer with a template in the usual form."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import PreTrainedTokenizerFast

    pieces = Tokenizer(models.BPE())
    pieces.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    pieces.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    learner = trainers.BpeTrainer(
        vocab_size=1000, special_tokens=[_PAD, "<|im_start|>", _END], initial_alphabet=alphabet,
        show_progress=False,
    )  # fmt: skip
    pieces.train_from_iterator([json.dumps(t.input_schema) for t in usual_tools()], learner)
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=pieces, eos_token=_END, pad_token=_PAD)
    tokenizer.chat_template = _TEMPLATE
    return tokenizer


class ScriptedServer:
    """In the place of verl's inference server: writes one call after the other."""

    def __init__(self, tokenizer: Any, calls: Sequence[ToolCall]):
        self._said = [tokenizer.encode(write_call(call) + _END) for call in calls]
        self._said.append(tokenizer.encode("Done." + _END))

    async def generate(self, request_id: str, **_: Any) -> Any:
        from verl.workers.rollout.replica import TokenOutput

        return TokenOutput(token_ids=self._said.pop(0))


def played(calls: Sequence[ToolCall], row: dict[str, Any]) -> Any:
    """Return the output of verl's loop over *calls*."""
    from omegaconf import OmegaConf
    from verl.experimental.agent_loop.agent_loop import DictConfigWrap
    from verl.utils.dataset.rl_dataset import RLHFDataset

    turns = {
        "max_user_turns": None, "max_assistant_turns": None, "max_parallel_calls": 1,
        "max_tool_response_length": 32768, "tool_response_truncate_side": "middle",
        "format": "hermes",
    }  # fmt: skip
    rollout = {"prompt_length": 2**17, "response_length": 2**17, "multi_turn": turns}
    config = OmegaConf.create({"actor_rollout_ref": {"rollout": rollout}, "data": {}})
    tokenizer = made_tokenizer()

    async def work() -> Any:
        loop = agent_loop.OfficeAgentLoop(
            trainer_config=DictConfigWrap(config),
            server_manager=ScriptedServer(tokenizer, calls),
            tokenizer=tokenizer,
            processor=None,
            dataset_cls=RLHFDataset,
            data_config=DictConfigWrap(config.data),
        )
        return await loop.run({}, **row)

    return asyncio.run(work())


def test_the_oracles_calls_earn_the_score_of_the_day() -> None:
    output = played(VALID.calls, ROW)
    assert output.reward_score == pytest.approx(1)
    assert sum(output.extra_fields["tool_rewards"]) == pytest.approx(1)
    assert len(output.extra_fields["tool_rewards"]) == len(VALID.calls)
    assert 0 in output.response_mask and 1 in output.response_mask


def test_a_text_without_a_call_earns_nothing() -> None:
    assert played((), ROW).reward_score == 0


def test_the_rollout_ends_with_the_working_day() -> None:
    output = played((ToolCall("desk_finish_day"), ToolCall("desk_now")), ROW)
    assert output.extra_fields["tool_rewards"] == [0]


def test_a_row_without_a_day_is_refused() -> None:
    with pytest.raises(NoDayGiven, match="verl_rows|training_rows"):
        played((), {"raw_prompt": ROW["raw_prompt"]})
