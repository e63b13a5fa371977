"""verl's own tool loop works a day with our agent loop; a script gives the model's token ids."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from trainee_bench.harness.integrations.training.episode import Episode, usual_tools
from trainee_bench.harness.integrations.training.rows import NoDayGiven
from trainee_bench.harness.integrations.training.splits import SplitOptions
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


def written(calls: Sequence[ToolCall]) -> list[str]:
    """Return the texts of a model that makes one call in each turn."""
    return [write_call(call) for call in calls]


class ScriptedServer:
    """In the place of verl's inference server: gives the token ids of one text after the other."""

    def __init__(self, tokenizer: Any, texts: Sequence[str]):
        self._said = [tokenizer.encode(text + _END) for text in (*texts, "Done.")]

    async def generate(self, request_id: str, **_: Any) -> Any:
        from verl.workers.rollout.replica import TokenOutput

        return TokenOutput(token_ids=self._said.pop(0))


def played(texts: Sequence[str], row: dict[str, Any], parallel: int = 1) -> Any:
    """Return the output of verl's loop with a model that writes *texts*."""
    from omegaconf import OmegaConf
    from verl.experimental.agent_loop.agent_loop import DictConfigWrap
    from verl.utils.dataset.rl_dataset import RLHFDataset

    turns = {
        "max_user_turns": None, "max_assistant_turns": None, "max_parallel_calls": parallel,
        "max_tool_response_length": 32768, "tool_response_truncate_side": "middle",
        "format": "hermes",
    }  # fmt: skip
    rollout = {
        "prompt_length": 2**17, "response_length": 2**17, "multi_turn": turns,
        "full_determinism": False,
    }  # fmt: skip
    config = OmegaConf.create({"actor_rollout_ref": {"rollout": rollout}, "data": {}})
    tokenizer = made_tokenizer()

    async def work() -> Any:
        loop = agent_loop.OfficeAgentLoop(
            trainer_config=DictConfigWrap(config),
            server_manager=ScriptedServer(tokenizer, texts),
            tokenizer=tokenizer,
            processor=None,
            dataset_cls=RLHFDataset,
            data_config=DictConfigWrap(config.data),
        )
        return await loop.run({}, **row)

    return asyncio.run(work())


@pytest.fixture
def digests(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The digests of the worlds whose days have ended."""
    ended: list[str] = []
    close = Episode.close

    def closing(episode: Episode) -> None:
        ended.append(episode.digest())
        close(episode)

    monkeypatch.setattr(Episode, "close", closing)
    return ended


def test_the_oracles_calls_earn_the_score_and_the_world_of_the_seat(digests: list[str]) -> None:
    output = played(written(VALID.calls), ROW)
    assert output.reward_score == pytest.approx(1)
    assert sum(output.extra_fields["tool_rewards"]) == pytest.approx(1)
    assert len(output.extra_fields["tool_rewards"]) == len(VALID.calls)
    assert digests == [VALID.at_the_seat().digest]


def test_only_the_models_own_tokens_are_trained() -> None:
    texts = written(VALID.calls[:3])
    output = played(texts, ROW)
    trained = [
        token for token, own in zip(output.response_ids, output.response_mask, strict=True) if own
    ]
    shown = made_tokenizer().decode(trained, skip_special_tokens=True)
    assert shown == "".join([*texts, "Done."])


def test_the_calls_of_one_turn_reach_the_office_in_their_order(digests: list[str]) -> None:
    output = played(["\n".join(written(VALID.calls))], ROW, parallel=len(VALID.calls))
    assert output.reward_score == pytest.approx(1)
    assert digests == [VALID.at_the_seat().digest]


def test_a_text_without_a_call_earns_nothing() -> None:
    assert played((), ROW).reward_score == 0


def test_the_rollout_ends_with_the_working_day() -> None:
    output = played(written((ToolCall("desk_finish_day"), ToolCall("desk_now"))), ROW)
    assert output.extra_fields["tool_rewards"] == [0]


def test_a_row_goes_through_verls_data_set(tmp_path: Path) -> None:
    from datasets import Dataset
    from omegaconf import OmegaConf
    from verl.utils.dataset.rl_dataset import RLHFDataset, collate_fn

    rows = list(agent_loop.verl_rows(SplitOptions(split="quickstart"), "Be brief."))
    file = tmp_path / "rows.parquet"
    Dataset.from_list(rows).to_parquet(file)
    settings = OmegaConf.create({"max_prompt_length": 2**17, "cache_dir": str(tmp_path)})
    read = RLHFDataset(str(file), made_tokenizer(), settings)
    assert len(read) == len(rows)
    batch = collate_fn([read[0]])
    row = {name: batch[name][0] for name in ("raw_prompt", "day", "agent_name", "extra_info")}
    assert row["agent_name"] == agent_loop.AGENT_NAME
    output = played(written(VALID.calls), row)
    assert output.reward_score == pytest.approx(1)
    shown = made_tokenizer().decode(output.prompt_ids)
    assert "Be brief." in shown and "Your tasks:" in shown and "desk_finish_day" in shown


def test_a_row_without_a_day_is_refused() -> None:
    with pytest.raises(NoDayGiven, match="training_rows"):
        played((), {"raw_prompt": ROW["raw_prompt"]})


def test_a_bug_of_the_office_ends_the_rollout(
    monkeypatch: pytest.MonkeyPatch, digests: list[str]
) -> None:
    def broken(*_: object) -> None:
        raise KeyError("broken")

    monkeypatch.setattr(Episode, "call", broken)
    with pytest.raises(KeyError, match="broken"):
        played(written(VALID.calls), ROW)
    assert len(digests) == 1
