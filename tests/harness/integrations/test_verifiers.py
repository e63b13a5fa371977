"""verifiers finds the taskset by the package's name, and loads its days one after the other."""

from __future__ import annotations

import pytest

import trainee_bench
from trainee_bench.harness.integrations.training.splits import SplitOptions


def test_the_package_exports_the_taskset_and_nothing_that_does_not_exist() -> None:
    assert trainee_bench.__all__ == ["OfficeTaskset"]
    with pytest.raises(AttributeError, match="no attribute 'OfficeToolbox'"):
        _ = trainee_bench.OfficeToolbox


class TestTaskset:
    """Needs verifiers: ``pip install 'trainee-bench[verifiers]'``."""

    @pytest.fixture(autouse=True)
    def _installed(self) -> None:
        pytest.importorskip("verifiers.v1", reason="verifiers is not installed")

    def test_verifiers_finds_it_and_its_options(self) -> None:
        from verifiers.v1.utils.loaders import taskset_class, taskset_config_type

        assert taskset_class("trainee-bench") is trainee_bench.OfficeTaskset
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

    async def test_a_call_of_no_rollout_is_refused(self) -> None:
        from trainee_bench.harness.integrations.verifiers.toolset import (
            OfficeToolset,
            OfficeToolsetConfig,
            RolloutForgotten,
        )

        server = OfficeToolset(OfficeToolsetConfig())
        assert len(server.list_tools()) > 50
        with pytest.raises(RolloutForgotten):
            await server.call_tool("desk_tasks", {})

    async def test_a_rollout_whose_day_was_closed_is_told_so_and_does_not_begin_it_again(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        from trainee_bench.harness.integrations.verifiers.toolset import (
            OfficeState,
            OfficeToolset,
            OfficeToolsetConfig,
            RolloutForgotten,
        )

        day = SplitOptions(split="quickstart").open().day(0).model_dump_json()
        states = {name: OfficeState(rollout=name, day=day) for name in ("one", "other")}
        server = OfficeToolset(OfficeToolsetConfig(most_open=1))
        working = "one"
        monkeypatch.setattr(OfficeToolset, "state", property(lambda self: states[working]))
        assert not (await server.call_tool("desk_tasks", {})).is_error
        assert states["one"].calls == 1
        working = "other"
        await server.call_tool("desk_wait", {"minutes": 30})
        working = "one"
        with pytest.raises(RolloutForgotten, match="most-open"):
            await server.call_tool("desk_tasks", {})
