"""verifiers finds the taskset by the package's name, and loads its days one after the other."""

from __future__ import annotations

import pytest

import trainee_bench
from trainee_bench.harness.integrations.training.splits import SplitOptions


def test_the_package_exports_what_verifiers_looks_for_and_nothing_else() -> None:
    assert trainee_bench.__all__ == ["OfficeEnv", "OfficeHarness", "OfficeTaskset"]
    with pytest.raises(AttributeError, match="no attribute 'OfficeToolbox'"):
        _ = trainee_bench.OfficeToolbox


class TestTaskset:
    """Needs verifiers: ``pip install 'trainee-bench[verifiers]'``."""

    @pytest.fixture(autouse=True)
    def _installed(self) -> None:
        pytest.importorskip("verifiers.v1", reason="verifiers is not installed")

    def test_verifiers_finds_it_and_its_options(self) -> None:
        from verifiers.v1.utils.loaders import (
            default_harness_id,
            environment_class,
            taskset_class,
            taskset_config_type,
        )

        assert taskset_class("trainee-bench") is trainee_bench.OfficeTaskset
        assert environment_class("trainee-bench") is trainee_bench.OfficeEnv
        assert default_harness_id("trainee-bench") == "trainee-bench"
        fields = taskset_config_type("trainee-bench").model_fields
        assert {*SplitOptions.model_fields} < {*fields}

    def test_a_task_is_a_day_with_its_prompt(self) -> None:
        from trainee_bench.harness.integrations.verifiers.taskset import OfficeTasksetConfig

        taskset = trainee_bench.OfficeTaskset(OfficeTasksetConfig(split="quickstart"))
        assert taskset.bounded
        (task,) = taskset.take(1)
        assert (task.data.name, task.data.idx) == ("first_day.day_1", 0)
        assert "Your tasks:" in task.data.prompt
        assert "seed" not in task.data.prompt

    def test_a_split_without_an_end_is_infinite_and_loaded_only_as_far_as_requested(self) -> None:
        from trainee_bench.harness.integrations.verifiers.taskset import OfficeTasksetConfig

        config = OfficeTasksetConfig(split="dev", rules=("kb_fix.easy",), tasks="1")
        taskset = trainee_bench.OfficeTaskset(config)
        assert not taskset.bounded
        assert [task.data.rules for task in taskset.take(2)] == [("kb_fix.easy",)] * 2
