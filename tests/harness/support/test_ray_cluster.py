"""A process on a node of a cluster gets what it needs of this process."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from trainee_bench.harness.support.ray_cluster import node_entry, node_places
from trainee_bench.meta_tasks.offices.opened import VARIABLE


def test_a_node_opens_the_offices_of_this_process_that_it_has_and_keeps_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shared, own = tmp_path / "shared", tmp_path / "own"
    shared.mkdir()
    monkeypatch.setenv(VARIABLE, os.pathsep.join([str(shared), str(tmp_path / "elsewhere")]))
    places = node_places()
    monkeypatch.setenv(VARIABLE, str(own))
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.chdir(tmp_path)
    node_entry()(places)
    assert os.environ[VARIABLE].split(os.pathsep) == [str(shared), str(own)]
