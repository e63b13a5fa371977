"""Train a model with TRL's GRPOTrainer on generated days (default: a tiny random model).

    pip install 'trainee-bench[trl]'
    python examples/training/trl_grpo.py [MODEL]

The tiny model calls no tool, so its reward stays 0. It only tests the set-up, without a GPU and
without a download. To train, give a MODEL that can call tools.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import trl
from datasets import Dataset
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import PreTrainedTokenizerFast, Qwen3Config, Qwen3ForCausalLM
from trl import GRPOConfig, GRPOTrainer

from trainee_bench.harness.integrations.training.episode import usual_tools
from trainee_bench.harness.integrations.training.splits import SplitOptions
from trainee_bench.harness.integrations.trl import OfficeEnvironment, TrlSeat, training_rows


class DeskEnvironment(TrlSeat, apps=("desk",)):
    """Only the desk: few tools make a short prompt."""


def tiny() -> tuple[Qwen3ForCausalLM, PreTrainedTokenizerFast]:
    """A model with random weights, and a tokenizer made from the descriptions of the tools."""
    pieces = Tokenizer(models.BPE())
    pieces.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    pieces.decoder = decoders.ByteLevel()
    letters = pre_tokenizers.ByteLevel.alphabet()
    learner = trainers.BpeTrainer(vocab_size=2000, initial_alphabet=letters, show_progress=False)
    pieces.train_from_iterator([f"{tool.description} {tool}" for tool in usual_tools()], learner)
    marks = ["<|im_start|>", "<tool_call>", "</tool_call>", "<think>", "</think>"]
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=pieces, eos_token="<|im_end|>", pad_token="<|endoftext|>",
        additional_special_tokens=marks,
    )  # fmt: skip
    template = Path(trl.__file__).parent / "chat_templates" / "qwen3.jinja"
    tokenizer.chat_template = template.read_text(encoding="utf-8")
    shape = Qwen3Config(
        vocab_size=len(tokenizer), hidden_size=32, intermediate_size=64, num_hidden_layers=2,
        num_attention_heads=2, num_key_value_heads=1, head_dim=16, max_position_embeddings=32768,
    )  # fmt: skip
    return Qwen3ForCausalLM(shape), tokenizer


def main() -> None:
    """Three steps, each over one day and two rollouts of it."""
    model, tokenizer = (sys.argv[1], None) if len(sys.argv) > 1 else tiny()
    rows = list(training_rows(SplitOptions(split="train", size=3, tasks="2-3")))
    settings = GRPOConfig(
        output_dir=tempfile.mkdtemp(), max_steps=3, num_generations=2,
        per_device_train_batch_size=2, max_completion_length=64 if tokenizer else 16384,
        max_tool_calling_iterations=150, logging_steps=1, save_strategy="no", report_to=[],
        use_cpu=tokenizer is not None, bf16=tokenizer is None,
    )  # fmt: skip
    trainer = GRPOTrainer(
        model=model, processing_class=tokenizer, args=settings,
        train_dataset=Dataset.from_list(rows),
        environment_factory=DeskEnvironment if tokenizer else OfficeEnvironment,
    )  # fmt: skip
    trainer.train()
    scores = [environment.get_reward() for environment in trainer.environments]
    print("Scores of the last rollouts:", scores)


if __name__ == "__main__":
    main()
