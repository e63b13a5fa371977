"""TRL: a training step of `GRPOTrainer` with our environment class and a scripted model.

TRL itself does everything: tools in the chat template, parsing, method calls, reward, loss. The
model is tiny, with random weights; its `generate` writes the script's next call.
"""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Mapping, Sequence
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

from trainee_bench.harness.integrations.training.episode import usual_tools
from trainee_bench.harness.integrations.trl import OfficeEnvironment, TrlSeat
from trainee_bench.harness.parity.door import Door, DoorFailed, DoorRun
from trainee_bench.harness.parity.script import ParityScript
from trainee_bench.harness.session.turns import ToolCall
from trainee_bench.meta_tasks.scenario import ScenarioDay

_END, _PAD = "<|im_end|>", "<|endoftext|>"
_ANSWER, _ANSWERED = "<tool_response>", "</tool_response>"
_MARKS = (
    _PAD, "<|im_start|>", _END, "<tool_call>", "</tool_call>", _ANSWER, _ANSWERED,
    "<think>", "</think>",
)  # fmt: skip
_LONGEST = 2**17
"""The maximum number of tokens: enough for a whole day, so that nothing is cut off."""


class TrlDoor(Door):
    """Two rollouts of one prompt, and an optimiser step over them."""

    name = "trl"
    packages = ("trl", "transformers", "torch")

    def play(self, script: ParityScript, folder: Path) -> DoorRun:
        """Train one step on the script's day."""
        os.environ["TRL_EXPERIMENTAL_SILENCE"] = "1"
        texts: dict[int, str] = {}
        trainer = scripted_trainer(script, folder, texts)
        with redirect_stdout(StringIO()), warnings.catch_warnings(action="ignore"):
            trainer.train()  # it prints figures and deprecation warnings
        first, second = (_run(environment, script, texts) for environment in trainer.environments)
        if first != second:
            raise DoorFailed(
                f"the rollouts ended with different digests: {first.digest} and {second.digest}"
            )
        return first


def _run(environment: TrlSeat, script: ParityScript, texts: Mapping[int, str]) -> DoorRun:
    """Return the result of a rollout. Raises DoorFailed if its reward is not the score."""
    episode = environment.episode
    assert episode is not None
    score, reward = episode.grade().score, environment.get_reward()
    if abs(reward - (score or 0)) > 1e-9:
        raise DoorFailed(f"the reward is {reward}, and the score {score}")
    return DoorRun(episode.digest(), score, script.refused(episode.calls()), texts, pictures=0)


def scripted_trainer(
    script: ParityScript, folder: Path, texts: dict[int, str], rollouts: int = 2
) -> Any:
    """Return a trainer for one step over so many *rollouts* of the script's day at once; *texts*
    receives the results that the model sees. It trains on two rollouts at a time."""
    from datasets import Dataset
    from trl import GRPOConfig, GRPOTrainer

    day = ScenarioDay(scenario=script.scenario, day=script.number).model_dump_json()
    tokenizer = _tokenizer()
    settings = GRPOConfig(
        output_dir=str(folder), max_steps=1, per_device_train_batch_size=2,
        num_generations=rollouts, gradient_accumulation_steps=rollouts // 2,
        max_completion_length=_LONGEST, max_tool_calling_iterations=len(script.calls) + 1,
        use_cpu=True, bf16=False, report_to=[], save_strategy="no", disable_tqdm=True,
    )  # fmt: skip
    return GRPOTrainer(
        model=_scripted_model(tokenizer, script.calls, texts),
        processing_class=tokenizer,
        args=settings,
        train_dataset=Dataset.from_list(
            [{"prompt": [{"role": "user", "content": ""}], "day": day}]
        ),
        environment_factory=OfficeEnvironment,
    )


def _tokenizer() -> Any:
    """Return a new tokenizer, with the template of a model family that TRL can parse."""
    import trl
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import PreTrainedTokenizerFast

    pieces = Tokenizer(models.BPE())
    pieces.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    pieces.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    learner = trainers.BpeTrainer(
        vocab_size=2000, special_tokens=[*_MARKS], initial_alphabet=alphabet, show_progress=False
    )
    pieces.train_from_iterator([json.dumps(t.input_schema) for t in usual_tools()], learner)
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=pieces, eos_token=_END, pad_token=_PAD)
    template = Path(trl.__file__).parent / "chat_templates" / "qwen3.jinja"
    tokenizer.chat_template = template.read_text(encoding="utf-8")
    return tokenizer


def _scripted_model(tokenizer: Any, calls: Sequence[ToolCall], texts: dict[int, str]) -> Any:
    """Return a model whose `generate` writes the call after those answered so far. *texts* receives
    the results that it sees, by the places of the calls."""
    import torch
    from transformers import Qwen3Config, Qwen3ForCausalLM

    replies = [tokenizer.encode(_reply(call) + _END) for call in calls]
    last = tokenizer.encode("Done." + _END)
    answer = tokenizer.convert_tokens_to_ids(_ANSWER)

    class ScriptedModel(Qwen3ForCausalLM):
        def generate(self, input_ids: Any, **_: object) -> Any:
            written = []
            for row in input_ids:
                answered = int((row == answer).sum())
                if answered:
                    seen = tokenizer.decode(row[(row == answer).nonzero()[-1] :])
                    texts[answered - 1] = seen.split(f"\n{_ANSWERED}")[0].removeprefix(
                        f"{_ANSWER}\n"
                    )
                written.append(replies[answered] if answered < len(replies) else last)
            longest = max(map(len, written))
            padded = [
                reply + [tokenizer.pad_token_id] * (longest - len(reply)) for reply in written
            ]
            return torch.cat([input_ids, torch.tensor(padded)], dim=1)

    return ScriptedModel(
        Qwen3Config(
            vocab_size=len(tokenizer), hidden_size=16, intermediate_size=16, num_hidden_layers=1,
            num_attention_heads=1, num_key_value_heads=1, head_dim=16,
            max_position_embeddings=_LONGEST, eos_token_id=tokenizer.eos_token_id,
            pad_token_id=tokenizer.pad_token_id,
        )
    )  # fmt: skip


def _reply(call: ToolCall) -> str:
    """Return *call* in the format of this model family's template."""
    written = json.dumps({"name": call.name, "arguments": dict(call.arguments)})
    return f"<tool_call>\n{written}\n</tool_call>"
