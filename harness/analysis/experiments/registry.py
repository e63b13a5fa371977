"""The experiments, by name."""

from __future__ import annotations

from collections.abc import Mapping

from trainee_bench.harness.analysis.experiments.continual import ContinualExperiment
from trainee_bench.harness.analysis.experiments.difficulty import DifficultyExperiment
from trainee_bench.harness.analysis.experiments.experiment import Experiment
from trainee_bench.harness.analysis.experiments.guidance import GuidanceExperiment
from trainee_bench.harness.analysis.experiments.learning import LearningExperiment
from trainee_bench.harness.analysis.experiments.main import MainExperiment
from trainee_bench.harness.analysis.experiments.workload import WorkloadExperiment

EXPERIMENTS: Mapping[str, Experiment] = {
    experiment.name: experiment
    for experiment in (
        MainExperiment(),
        WorkloadExperiment(),
        DifficultyExperiment(),
        ContinualExperiment(),
        GuidanceExperiment(),
        LearningExperiment(),
    )
}
