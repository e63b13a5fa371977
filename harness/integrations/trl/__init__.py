"""TRL: environments for `GRPOTrainer(environment_factory=…)`, and the rows of its data set."""

from trainee_bench.harness.integrations.training.rows import training_rows
from trainee_bench.harness.integrations.trl.environment import OfficeEnvironment, TrlSeat

__all__ = ["OfficeEnvironment", "TrlSeat", "training_rows"]
