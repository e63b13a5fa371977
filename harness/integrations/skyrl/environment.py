"""A text environment for SkyRL: a day, worked by what a model writes.

    row ──► OfficeTextEnv.init ──► prompt ──► model ──► step(text) ──► answers, reward, done ──► …

SkyRL makes an instance for each rollout and calls it from its own threads, one after the other.
"""

from __future__ import annotations

from collections.abc import Mapping

from skyrl_gym.envs.base_text_env import BaseTextEnv, BaseTextEnvStepOutput, ConversationType

from trainee_bench.harness.integrations.training.episode import Episode
from trainee_bench.harness.integrations.training.rows import day_of_row
from trainee_bench.harness.integrations.training.written_calls import (
    NOT_A_CALL,
    describe_tools,
    read_calls,
    write_answer,
)
from trainee_bench.meta_tasks.grade import score_with_all

__all__ = ["ENV_CLASS", "OfficeTextEnv", "TextDayNotBegun", "register_office"]

ENV_CLASS = "trainee_bench"
"""The value of ``environment.env_class``."""
_ENTRY_POINT = f"{__name__}:OfficeTextEnv"


class TextDayNotBegun(RuntimeError):
    """Raised for a step before `OfficeTextEnv.init` or after `OfficeTextEnv.close`."""


class OfficeTextEnv(BaseTextEnv):
    """A day for one rollout. *extras* is a row of `training_rows`, with SkyRL's ``max_turns``.

    Raises NoDayGiven for a different row.
    """

    def __init__(self, env_config: object = None, extras: Mapping[str, object] | None = None):
        super().__init__()
        row = dict(extras or {})
        self._given = day_of_row(row)
        turns = row.get("max_turns", 1)
        assert isinstance(turns, int)
        self.max_turns = turns
        self._episode: Episode | None = None

    def init(self, prompt: ConversationType) -> tuple[ConversationType, dict[str, object]]:
        """Begin the day. Return *prompt* with the tools before it and the day's prompt at its end.

        Raises what `Episode.begin` raises.
        """
        self.close()
        self._episode = Episode.begin(self._given)
        start = self._episode.start
        *before, last = prompt
        system = [str(said["content"]) for said in before if said["role"] == "system"]
        others = [said for said in before if said["role"] != "system"]
        return [
            {"role": "system", "content": "\n\n".join((*system, describe_tools(start.tools)))},
            *others,
            {**last, "content": f"{last['content']}{start.prompt}"},
        ], {}

    def step(self, action: str) -> BaseTextEnvStepOutput:
        """Make the calls in *action*, in their order. A text without a call ends the rollout.

        The reward is the rise of the score. Raises TextDayNotBegun.
        """
        episode = self._begun()
        self.turns += 1
        answers, reward, over = [], 0.0, False
        calls = read_calls(action)
        for call in calls:
            if call is None:
                answers.append(NOT_A_CALL)
                continue
            made = episode.call(call.name, call.arguments)
            answers.append(made.answer.text)
            reward += made.reward
            over = made.done
        text = "\n".join(map(write_answer, answers))
        return BaseTextEnvStepOutput(
            observations=[{"role": "user", "content": text}] if answers else [],
            reward=reward,
            done=over or not calls or self.turns >= self.max_turns,
            metadata={},
        )

    def get_metrics(self) -> dict[str, object]:
        """Return the day's ``score`` and ``success`` and the number of ``calls`` so far."""
        episode = self._begun()
        grade = episode.grade()
        return {
            "score": score_with_all(grade.score, grade.tasks),
            "success": float(grade.success),
            "calls": len(episode.rewards),
        }

    def digest(self) -> str:
        """Return a hash of the world's state."""
        return self._begun().digest()

    def close(self) -> None:
        """Free the world; `init` begins the day again."""
        if self._episode is not None:
            self._episode.close()
        self._episode, self.turns = None, 0

    def _begun(self) -> Episode:
        if self._episode is None:
            raise TextDayNotBegun("no day has begun; call init(prompt) first")
        return self._episode


def register_office() -> None:
    """Let ``skyrl_gym.make("trainee_bench")`` find the environment, in this process."""
    from skyrl_gym.envs.registration import register, registry

    if ENV_CLASS not in registry:
        register(id=ENV_CLASS, entry_point=_ENTRY_POINT)
