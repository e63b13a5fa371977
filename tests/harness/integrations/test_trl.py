"""Every tool is a method as TRL requires, and a rollout works a day through these alone."""

from __future__ import annotations

import inspect
import json
from collections.abc import Mapping
from itertools import islice
from pathlib import Path

import pytest

from trainee_bench.harness.integrations.training.episode import UnknownTrainingApp, usual_tools
from trainee_bench.harness.integrations.training.offered_tools import DaysOfferOtherTools
from trainee_bench.harness.integrations.training.rows import NoDayGiven
from trainee_bench.harness.integrations.training.splits import SplitOptions
from trainee_bench.harness.integrations.trl import OfficeEnvironment, TrlSeat, training_rows
from trainee_bench.harness.parity.script import parity_scripts
from trainee_bench.harness.session.turns import ToolInfo
from trainee_bench.mcp_servers import names_with
from trainee_bench.mcp_servers.desk import ASKING_CONFIDENCE, RETURN_TOOL, SUBMIT_TOOL
from trainee_bench.meta_tasks.scenario import ScenarioDay

VALID, MALFORMED, PICTURE = parity_scripts()
ROW = {"day": ScenarioDay(scenario=VALID.scenario, day=VALID.number).model_dump_json()}


def methods(kind: type[TrlSeat]) -> list[str]:
    """Return the tools that GRPOTrainer finds in *kind*."""
    found = inspect.getmembers(kind, predicate=inspect.isfunction)
    return [name for name, _ in found if name not in ("reset", "get_reward") and name[0] != "_"]


def test_the_methods_of_the_environment_are_the_tools_of_a_usual_day() -> None:
    assert methods(OfficeEnvironment) == sorted(tool.name for tool in usual_tools())
    assert methods(TrlSeat) == []


@pytest.mark.parametrize("tool", usual_tools(), ids=lambda tool: tool.name)
def test_a_signature_and_a_docstring_say_what_the_schema_says(tool: ToolInfo) -> None:
    method = getattr(OfficeEnvironment, tool.name)
    taken = dict(inspect.signature(method).parameters)
    taken.pop("self")
    properties = tool.input_schema.get("properties") or {}
    assert isinstance(properties, dict)
    assert [*taken] == [*properties]
    required = {
        name for name, argument in taken.items() if argument.default is inspect.Parameter.empty
    }
    assert required == {*(tool.input_schema.get("required") or [])}  # type: ignore[misc]
    doc = inspect.getdoc(method) or ""
    assert doc.startswith(" ".join(tool.description.split()))
    for name, schema in properties.items():
        assert isinstance(schema, dict)
        assert f"\n    {name}: {schema['description']}" in doc


def test_transformers_derives_the_same_types_from_it() -> None:
    utils = pytest.importorskip("transformers.utils", reason="transformers is not installed")
    for tool in usual_tools():
        made = utils.get_json_schema(getattr(OfficeEnvironment(), tool.name))["function"]
        assert made["description"] == " ".join(tool.description.split())
        ours = tool.input_schema.get("properties") or {}
        assert isinstance(ours, dict)
        assert [*made["parameters"]["properties"]] == [*ours], tool.name
        for name, schema in ours.items():
            again = made["parameters"]["properties"][name]
            assert isinstance(schema, dict)
            assert (again["type"], again.get("enum")) == (schema["type"], schema.get("enum"))


def test_a_rollout_earns_the_score_of_its_day() -> None:
    environment = OfficeEnvironment()
    prompt = environment.reset(**ROW)
    assert "Your tasks:" in prompt
    for call in VALID.calls:
        getattr(environment, call.name)(**call.arguments)
    assert environment.get_reward() == pytest.approx(1)
    assert environment.episode is not None
    assert environment.episode.digest() == VALID.at_the_seat().digest
    environment.reset(**ROW)
    assert environment.get_reward() == 0


def test_of_malformed_calls_only_an_unknown_tool_has_no_method() -> None:
    environment = OfficeEnvironment()
    environment.reset(**ROW)
    lost = set()
    for place, call in enumerate(MALFORMED.calls):
        method = getattr(environment, call.name, None)
        if method is None:
            lost.add(place)
        else:
            method(**call.arguments)
    assert len(lost) == 1 and lost < MALFORMED.malformed
    assert environment.episode is not None
    assert environment.episode.digest() == MALFORMED.at_the_seat(without=lost).digest


def test_pictures_are_shown_to_models_that_see() -> None:
    class Seeing(OfficeEnvironment):
        shows_pictures = True

    row = ScenarioDay(scenario=PICTURE.scenario, day=PICTURE.number).model_dump_json()
    shown = []
    for kind in (OfficeEnvironment, Seeing):
        environment = kind()
        environment.reset(day=row)
        shown.append([getattr(environment, c.name)(**c.arguments) for c in PICTURE.calls])
    texts, blocks = shown
    assert all(isinstance(text, str) for text in texts)
    seen = [
        (text, block) for text, block in zip(texts, blocks, strict=True) if isinstance(block, list)
    ]
    assert len(seen) == PICTURE.at_the_seat().pictures > 0
    for text, (first, *pictures) in seen:
        assert first == {"type": "text", "text": text}
        assert all(picture["image"].width > 0 for picture in pictures)


def benchmark(folder: Path, **scenarios: Mapping[str, object]) -> SplitOptions:
    """Write a benchmark of scenarios with further fields, one day each, and return its split."""
    days = [{"name": "monday", "tasks": [{"rule": "kb_fix.easy"}]}]
    made = [{"name": name, "seed": 1, "days": days, **more} for name, more in scenarios.items()]
    path = folder / "mine.json"
    path.write_text(json.dumps({"name": "mine", "scenarios": made}))
    return SplitOptions(split=str(path))


RETURNING = {
    "tools": names_with({RETURN_TOOL}),
    "variants": dict(ASKING_CONFIDENCE),
    "minutes": {"desk_tasks": 3},
}


def test_a_class_for_a_split_has_the_tools_of_its_days(tmp_path: Path) -> None:
    split = benchmark(tmp_path, one=RETURNING, two=RETURNING)

    class Returning(TrlSeat, split=split):
        """All tools of the split."""

    class ReturningDesk(TrlSeat, split=split, apps=("desk",)):
        """The desk of the split."""

    for kind in (Returning, ReturningDesk):
        assert RETURN_TOOL in methods(kind)
        assert "sure" in inspect.signature(getattr(kind, SUBMIT_TOOL)).parameters
        environment = kind()
        for row in training_rows(split):
            assert "Your tasks:" in environment.reset(**row)
            said = getattr(environment, SUBMIT_TOOL)(task="T1", sure=40)
            assert "You are 40 % sure" in said
    assert len(methods(Returning)) == len(methods(OfficeEnvironment)) + 1


@pytest.mark.parametrize("field", [*RETURNING])
def test_a_day_with_other_tools_than_the_class_shows_is_refused(tmp_path: Path, field: str) -> None:
    (row,) = training_rows(benchmark(tmp_path, one={field: RETURNING[field]}))

    class Desk(TrlSeat, apps=("desk",)):
        """The desk alone."""

    class Files(TrlSeat, apps=("files",)):
        """The files alone, which are as usual."""

    for kind in (OfficeEnvironment, Desk):
        environment = kind()
        with pytest.raises(DaysOfferOtherTools, match=r"Name the split of the days in the class"):
            environment.reset(**row)
        with pytest.raises(NoDayGiven):
            environment.get_reward()
    assert "Your tasks:" in Files().reset(**row)


def test_a_split_whose_days_differ_has_no_common_tools(tmp_path: Path) -> None:
    split = benchmark(tmp_path, one=RETURNING, two={})
    with pytest.raises(DaysOfferOtherTools, match="one and two of .* differ"):
        type("Mixed", (TrlSeat,), {}, split=split)


def test_an_environment_may_have_the_tools_of_some_apps() -> None:
    class Desk(TrlSeat, apps=("desk",)):
        """The desk alone."""

    assert methods(Desk) and all(name.startswith("desk_") for name in methods(Desk))
    with pytest.raises(UnknownTrainingApp, match="desk, files"):

        class Wrong(TrlSeat, apps=("desks",)):
            """No app has this name."""


def test_a_row_without_a_day_is_refused() -> None:
    with pytest.raises(NoDayGiven, match="training_rows"):
        OfficeEnvironment().reset(prompt=[])
    with pytest.raises(NoDayGiven, match="reset"):
        OfficeEnvironment().get_reward()


def test_rows_are_the_days_of_a_split_with_an_empty_prompt_to_be_filled() -> None:
    options = SplitOptions(split="quickstart")
    rows = list(training_rows(options, "Be brief."))
    assert [ScenarioDay.model_validate_json(row["day"]) for row in rows] == [*options.open()]
    assert rows[1]["prompt"] == [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": ""},
    ]
    assert (rows[1]["split"], rows[1]["index"]) == ("quickstart", 1)
    endless = training_rows(SplitOptions(rules=("kb_fix.easy",), tasks="1"))
    assert [row["index"] for row in islice(endless, 2)] == [0, 1]
