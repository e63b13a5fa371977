"""Forgeries of a submission's content: each changes a part, and perhaps all that depends on it.

A clumsy forger changes one file. A careful one makes the others agree: the trajectory with the
line, and the seal and all digests with the plan. begun.jsonl needs no secret for its
chain.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from hashlib import sha256
from random import Random
from typing import Any

from forged_values import NUMBERS, TEXTS, forge, other_value, written

from trainee_bench.harness.episodes.identity import result_identity
from trainee_bench.harness.records.begun_episodes import result_digest
from trainee_bench.harness.records.plan import PlanError, RunPlan
from trainee_bench.harness.records.results import EpisodeResult

Json = dict[str, Any]
Entries = dict[str, bytes]


@dataclass
class Forgery:
    """A submission in the making: its entries, its random generator, and its changes."""

    random: Random
    entries: Entries
    bait: str
    """A path outside of all folders, which nothing may open."""
    done: list[str] = field(default_factory=list)

    @property
    def texts(self) -> tuple[str, ...]:
        """Hostile texts, with the path of the bait among them."""
        return (*TEXTS, self.bait, self.bait)

    def names(self, folder: str) -> list[str]:
        """The entries of *folder*."""
        return sorted(name for name in self.entries if name.startswith(folder))

    def lines(self, name: str) -> list[Json]:
        """The lines of the entry *name*, as far as they are JSON."""
        read: list[Json] = []
        for line in self.entries.get(name, b"").split(b"\n"):
            with suppress(ValueError, RecursionError):
                if isinstance(found := json.loads(line), dict):
                    read.append(found)
        return read

    def write_lines(self, name: str, lines: list[Json]) -> None:
        """Write *lines* to the entry *name*."""
        self.entries[name] = "".join(f"{written(line)}\n" for line in lines).encode()


def forge_result(forgery: Forgery) -> None:
    """Change a line at some places, or add and remove lines."""
    lines = forgery.lines("results.jsonl")
    for _ in range(forgery.random.choice((1, 1, 1, 2, 3))):
        place = forge(forgery.random, forgery.random.choice(lines), forgery.texts)
        forgery.done.append(f"line {'.'.join(map(str, place))}")
    forgery.write_lines("results.jsonl", lines)
    if forgery.random.random() < 0.65:
        follow_line(forgery)


WANTED: tuple[tuple[str, Callable[[Random], object]], ...] = (
    ("steps", lambda random: random.randrange(1, 12)),
    ("tool_calls", lambda random: random.randrange(12)),
    ("failed_calls", lambda random: random.randrange(5)),
    ("refused_calls", lambda random: random.randrange(4)),
    ("ended", lambda random: random.choice(("agent", "day_over", "token_limit", "agent_error"))),
    ("agent_error", lambda random: random.choice((None, "ValueError: x", "\x1b[2J"))),
    ("tries", lambda random: random.choice((1, 2, 3))),
    ("faults", lambda random: random.choice(([], ["x"], ["\x1b[1m", "y"]))),
    ("prompt_tokens", lambda random: random.choice(NUMBERS)),
    ("cost_usd", lambda random: random.choice(NUMBERS)),
    ("incidents", lambda random: {"bad_json": random.randrange(3)}),
    ("wall_seconds", lambda random: random.choice(NUMBERS)),
    ("score", lambda random: random.choice((0.0, 0.5, 1.0, None))),
    ("success", lambda random: random.random() < 0.5),
    ("schedule", lambda random: None),
    ("error", lambda random: random.choice((None, "it broke"))),
    ("memory_digest", lambda random: random.choice((None, "0" * 64))),
)
"""Plausible values for counts that only the harness can make."""


def forge_counts(forgery: Forgery) -> None:
    """Change plausible fields of a line together, with care."""
    lines = forgery.lines("results.jsonl")
    line = forgery.random.choice(lines)
    for name, draw in forgery.random.sample(WANTED, forgery.random.randrange(1, 5)):
        line[name] = draw(forgery.random)
        forgery.done.append(f"line {name}")
    if line["tries"] != len(line["faults"]) + 1 and forgery.random.random() < 0.7:
        line["faults"] = ["the disk was full"] * (line["tries"] - 1)
    forgery.write_lines("results.jsonl", lines)
    follow_line(forgery)


def forge_line_order(forgery: Forgery) -> None:
    """Repeat, remove, exchange or cut lines."""
    raw = forgery.entries["results.jsonl"].splitlines(keepends=True)
    place = forgery.random.randrange(len(raw))
    what = forgery.random.randrange(9)
    if what == 0:
        raw.append(raw[place])
    elif what == 1:
        del raw[place]
    elif what == 2:
        raw.reverse()
    elif what == 3:
        raw[place] = raw[place][: forgery.random.randrange(len(raw[place]))]
    elif what == 4:
        raw.append(b'{"episode": "')
    elif what == 5:
        raw[place] = raw[place].replace(b"\n", b"\r\n")
    elif what == 6:
        raw.insert(
            place, forgery.random.choice((b"\n", b"null\n", b"[]\n", b"{}\n", b"\xff\xfe\n"))
        )
    elif what == 7:
        raw[0] = b"\xef\xbb\xbf" + raw[0]
    else:
        again = json.loads(raw[place]) | {"score": 1.0, "success": True}
        raw.insert(forgery.random.choice((0, len(raw))), json.dumps(again).encode() + b"\n")
    forgery.done.append(f"lines {what}")
    forgery.entries["results.jsonl"] = b"".join(raw)
    if forgery.random.random() < 0.5:
        write_begun(forgery, follow_results(forgery, forgery.lines("begun.jsonl")))


def forge_trajectory(forgery: Forgery) -> None:
    """Change, remove, repeat or insert a part of a trajectory."""
    name = forgery.random.choice(forgery.names("trajectories/"))
    written_down = json.loads(forgery.entries[name])
    for _ in range(forgery.random.choice((1, 1, 2))):
        if forgery.random.random() < 0.5:
            step = forgery.random.choice(written_down["steps"])
            forge(forgery.random, step, forgery.texts)
            forgery.done.append("trajectory step")
        elif forgery.random.random() < 0.6:
            part = forgery.random.choice(("extra", "agent", "final_metrics"))
            forge(forgery.random, written_down[part], forgery.texts)
            forgery.done.append(f"trajectory {part}")
        else:
            forge(forgery.random, written_down, forgery.texts)
            forgery.done.append("trajectory")
    forgery.entries[name] = written(written_down, indent=forgery.random.choice((None, 1))).encode()


def forge_begun(forgery: Forgery) -> None:
    """Change the record of begun episodes, and perhaps rewrite its chain."""
    events = forgery.lines("begun.jsonl")
    event = forgery.random.choice(events)
    place = events.index(event)
    what = forgery.random.randrange(10)
    if what == 0:
        events.remove(event)
    elif what == 1:
        events.insert(forgery.random.randrange(len(events) + 1), dict(event))
    elif what == 2:
        events.reverse()
    elif what == 3:
        events[place:place] = [dict(event) | {"event": "begun", "score": None, "tries": 1}]
    elif what == 4:
        event["score"] = forgery.random.choice((None, 0.5, 1.0, -1, 1e308))
    elif what == 5:
        event["tries"] = forgery.random.choice((0, 1, 2, 3, 10**30))
    elif what == 6:
        events.insert(0, dict(event) | {"event": "ended", "score": 0.25, "digest": "0" * 64})
    elif what == 7:
        event["episode"] = forgery.random.choice((*forgery.texts, "one.day_9.nothing.1"))
    else:
        forge(forgery.random, event, forgery.texts)
    forgery.done.append(f"begun {what}")
    if forgery.random.random() < 0.7:
        write_begun(forgery, events)
    else:
        forgery.write_lines("begun.jsonl", events)


def forge_plan(forgery: Forgery) -> None:
    """Change the plan, and perhaps all files with its digest."""
    plan = json.loads(forgery.entries["run.json"])
    part = forgery.random.choice(
        (plan, plan["agents"][0], plan["limits"], plan["scenarios"][0], plan)
    )
    if forgery.random.random() < 0.25:
        part = plan["model_settings"]
    if forgery.random.random() < 0.3:
        name, value = forgery.random.choice(_settings(forgery))
        at = plan["agents"][0] if name in plan["agents"][0] else plan
        at[name] = value
        forgery.done.append(f"plan {name}")
    else:
        place = forge(forgery.random, part, forgery.texts)
        forgery.done.append(f"plan {'.'.join(map(str, place))}")
    forgery.entries["run.json"] = written(plan, indent=1).encode()
    if forgery.random.random() < 0.8:
        follow_plan(forgery)


def _settings(forgery: Forgery) -> list[tuple[str, object]]:
    """Return settings that a plan may contain and that are costly or dangerous to believe."""
    return [
        ("epochs", 10**9),
        ("epochs", 10**30),
        ("only_day", 7),
        ("only_day", -1),
        ("only_day", 0),
        ("benchmark", "core-50"),
        ("benchmark", "quickstart"),
        ("benchmark", "../" + forgery.bait),
        ("model_settings", {"api_config": forgery.bait, "npc_model": "mine"}),
        ("model_settings", {"api_config": forgery.bait, "npc_model": None}),
        ("model_settings", {"api_config": None, "npc_model": "mine"}),
        ("transport", "http"),
        ("isolation", "sandbox"),
        ("isolation", "user:me"),
        ("command", "rm -rf x"),
        ("agent", "forged_bait:Agent"),
        ("agent", "oracle"),
        ("agent", "nothing"),
        ("agent", "person"),
        ("service", "forged_bait:Service"),
        ("history", "forged_bait:History"),
        ("model", "scripted"),
        ("model", "another"),
        ("results", "structured"),
        ("day_sequence", "after_others"),
        ("day_sequence", "reversed"),
        ("memory", "poisoned"),
        ("record_tokens", True),
        ("allowed", ["/"]),
        ("workers", 3),
        ("limits", {"steps": 10**9, "calls_per_turn": 10**9}),
        ("limits", {"steps": 150, "calls_per_turn": 3, "seconds": 1.5}),
        ("limits", {"steps": 150, "calls_per_turn": 3, "tokens": 5}),
        ("fork", {"point": {"run": "x", "episode": "y", "step": 1}, "day": 0}),
        ("unsupported", [{"scenario": "one", "day": 0, "name": "x"}]),
    ]


def forge_info(forgery: Forgery) -> None:
    """Change the submission's description of itself."""
    info = json.loads(forgery.entries["submission.json"])
    place = forge(forgery.random, info, forgery.texts)
    forgery.done.append(f"info {'.'.join(map(str, place))}")
    forgery.entries["submission.json"] = written(info).encode()


def forge_memory(forgery: Forgery) -> None:
    """Change an agent's memory, or give it one; perhaps with care."""
    lines = forgery.lines("results.jsonl")
    line = forgery.random.choice(lines)
    text = forgery.random.choice((b"", b"I know.", b"\xff\xfe", b"\x1b[2J"))
    forgery.entries[f"memories/{line['episode']}.md"] = text
    if forgery.random.random() < 0.6:
        line["memory_digest"] = sha256(text).hexdigest()
        forgery.write_lines("results.jsonl", lines)
        follow_line(forgery)
    forgery.done.append("memory")


def forge_bytes(forgery: Forgery) -> None:
    """Damage an entry as a file: bytes changed or cut, other encodings, another entry's content."""
    name = forgery.random.choice(sorted(forgery.entries))
    data = bytearray(forgery.entries[name])
    what = forgery.random.randrange(8)
    if what == 0:
        del data[forgery.random.randrange(len(data) or 1) :]
    elif what in (1, 2):
        for _ in range(forgery.random.choice((1, 3, 30))):
            if data:
                data[forgery.random.randrange(len(data))] = forgery.random.randrange(256)
    elif what == 3:
        data[:0] = b"\xef\xbb\xbf"
    elif what == 4:
        data[:] = bytes(data).decode("utf-8", "replace").encode("utf-16")
    elif what == 5:
        data[:] = forgery.entries[forgery.random.choice(sorted(forgery.entries))]
    elif what == 6:
        data[:] = forgery.random.choice((b"", b"\0" * 4096, b"null", b"[]", b'"x"', b"{", b"\n\n"))
    else:
        data += forgery.random.choice((b"\n", b" ", b"{}", b"\0", b"}\n", b"x" * 5000))
    forgery.done.append(f"bytes {what} of {name.partition('/')[0]}")
    forgery.entries[name] = bytes(data)


def follow_line(forgery: Forgery) -> None:
    """Let trajectories and begun.jsonl agree with the lines."""
    for line in forgery.lines("results.jsonl"):
        name = f"trajectories/{line.get('episode')}.json"
        if name in forgery.entries:
            told = json.loads(forgery.entries[name])
            for key in ("scenario", "day", "attempt", "score", "success", "ended", "agent_error"):
                told["extra"][key] = line.get(key)
            told["extra"]["incidents"] = line.get("incidents", {})
            told["agent"]["name"], told["trajectory_id"] = line.get("agent"), line.get("episode")
            for key in ("prompt_tokens", "completion_tokens", "cost_usd"):
                told["final_metrics"][f"total_{key}"] = line.get(key)
            _follow_turns(forgery.random, told["steps"], line)
            forgery.entries[name] = written(told).encode()
    write_begun(forgery, follow_results(forgery, forgery.lines("begun.jsonl")))


def _follow_turns(random: Random, steps: list[Json], line: Json) -> None:
    """Give *steps* the number of steps and calls that *line* claims."""
    counts = [line.get(name) for name in ("steps", "tool_calls", "refused_calls")]
    if line.get("days") or not all(type(count) is int and 0 <= count < 500 for count in counts):
        return
    wanted, calls, refused = map(int, counts)  # type: ignore[arg-type]
    while sum(step["source"] == "agent" for step in steps) < wanted:
        steps.append({"source": "agent", "message": "I look out of the window."})
    while len(steps) > max(2, wanted + 1):
        last = steps.pop()
        steps[-1].setdefault("tool_calls", []).extend(last.get("tool_calls", []))
    made = sum(len(step.get("tool_calls", [])) for step in steps)
    fake: Json = {"tool_call_id": "x", "function_name": "desk_now", "arguments": {}}
    if random.random() < 0.5:
        for _ in range(min(calls + refused - made, 30)):
            steps[-1].setdefault("tool_calls", []).append(fake)


def follow_results(forgery: Forgery, events: list[Json]) -> list[Json]:
    """Return *events*, with the present line in the last end of each episode."""
    digests: dict[str, tuple[str, Json]] = {}
    for line in forgery.lines("results.jsonl"):
        with suppress(ValueError):
            parsed = EpisodeResult.model_validate(line)
            digests.setdefault(parsed.episode, (result_digest(parsed), line))
    for episode, (digest, line) in digests.items():
        own = [event for event in events if event.get("episode") == episode]
        if own and own[-1].get("event") == "ended":
            own[-1] |= {"digest": digest, "score": line.get("score"), "tries": line.get("tries")}
        for event in own[-2:-1]:
            event["tries"] = line.get("tries", 1)
    return events


def write_begun(forgery: Forgery, events: list[Json]) -> None:
    """Write *events* with a new chain."""
    previous, text = "", ""
    for event in events:
        line = written(event | {"previous": previous})
        previous = sha256(line.encode()).hexdigest()
        text += f"{line}\n"
    forgery.entries["begun.jsonl"] = text.encode()


def follow_plan(forgery: Forgery) -> None:
    """Seal the plan again, and put its digests into lines and begun.jsonl."""
    try:
        plan = json.loads(forgery.entries["run.json"])
        if not isinstance(plan.get("epochs"), int) or plan["epochs"] > 100:
            return
        sealed = RunPlan.model_validate(plan).sealed()
        specs = {spec.id: spec for spec in sealed.episode_specs()}
    except (ValueError, TypeError, IndexError, RecursionError):
        return
    forgery.entries["run.json"] = sealed.model_dump_json().encode()
    lines, events = forgery.lines("results.jsonl"), forgery.lines("begun.jsonl")
    for line, (identifier, spec) in zip(lines, specs.items(), strict=False):
        was = line["episode"]
        line |= {"episode": identifier, "spec_digest": spec.digest, "agent": spec.agent}
        line |= {"transport": spec.transport, "remembers": spec.remembers}
        line |= {"world": f"worlds/{identifier}.world"}
        line |= {"trajectory": f"trajectories/{identifier}.json"}
        for name in [name for name in forgery.entries if f"/{was}." in name]:
            forgery.entries[name.replace(was, identifier)] = forgery.entries.pop(name)
        if forgery.random.random() < 0.8:
            with suppress(PlanError, ValueError, TypeError, OSError):
                bare = spec.model_copy(update={"model_settings": type(spec.model_settings)()})
                due = result_identity(bare, insider=False).model_dump(mode="json")
                kept = {name: line["identity"][name] for name in ("sandbox",)}
                line["identity"] = due | kept
        for event in events:
            if event["episode"] == was:
                event["episode"] = identifier
                event["digest"] = spec.digest if event["event"] == "begun" else event["digest"]
    forgery.write_lines("results.jsonl", lines)
    forgery.write_lines("begun.jsonl", events)
    follow_line(forgery)


def any_other(forgery: Forgery, value: object) -> object:
    """A value other than *value*."""
    return other_value(forgery.random, value, forgery.texts)
