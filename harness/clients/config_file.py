"""Add a server to a client's configuration file, without losing anything in the file.

A file is rewritten only if it can be read with certainty: JSON without comments, or TOML in which
the server's table is new or unchanged since this program wrote it. Other files are refused.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import tomllib
from collections.abc import Mapping
from enum import Enum
from pathlib import Path

from pydantic import JsonValue

from trainee_bench.harness.clients.client_table import ConfigFormat, McpClient

_OUR_MODULE = "trainee_bench"
"""A part of every command that starts our server."""
_INDENT = re.compile(r"^([ \t]+)\S", re.MULTILINE)


class CannotConfigure(Exception):
    """Raised if a configuration file cannot be changed; names the file and says what to do."""


class ConfigChange(Enum):
    """The change to a server's entry."""

    ADDED = "added"
    REPLACED = "replaced"
    SAME = "was there already"


def render_config(client: McpClient, name: str, command: list[str]) -> str:
    """Return a whole configuration file of *client* with only the server *name*."""
    entry = client.entry(command)
    if client.format is ConfigFormat.TOML:
        return _toml_table(client.servers, name, entry)
    return json.dumps({client.servers: {name: entry}}, indent=2, ensure_ascii=False) + "\n"


def write_config(path: Path, client: McpClient, name: str, command: list[str]) -> ConfigChange:
    """Add the server *name* to the file of *client* at *path*, or replace the entry that this
    program wrote there. Everything else stays. Missing folders are made.

    Raises CannotConfigure and leaves the file unchanged if the file is not understood, if *name* is
    a different server there, or if it cannot be written.
    """
    path = path.resolve()  # replace the target of a link, not the link
    try:
        before = path.read_bytes() if path.exists() else b""
        text = before.decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise CannotConfigure(f"{path} cannot be read ({error}); nothing was changed.") from None
    merge = _merged_toml if client.format is ConfigFormat.TOML else _merged_json
    try:
        after, change = merge(text, client.servers, name, client.entry(command))
    except CannotConfigure as error:
        raise CannotConfigure(
            f"{path}: {error} Nothing was changed. Run it without --write to see what to add."
        ) from None
    if change is not ConfigChange.SAME:
        _replace(path, before, after)
    return change


def _settle(servers: Mapping[str, object], name: str, entry: dict[str, JsonValue]) -> ConfigChange:
    """Return the change that *name* needs. Raises CannotConfigure if it is a foreign server."""
    if name not in servers:
        return ConfigChange.ADDED
    present = servers[name]
    if isinstance(present, dict) and {**present, **entry} == present:
        return ConfigChange.SAME
    if not isinstance(present, dict) or _OUR_MODULE not in json.dumps(present, default=str):
        raise CannotConfigure(f"another server is called {name!r}; choose another --name.")
    return ConfigChange.REPLACED


def _merged_json(
    text: str, key: str, name: str, entry: dict[str, JsonValue]
) -> tuple[str, ConfigChange]:
    try:
        config = json.loads(text.strip() or "{}", object_pairs_hook=_each_key_once)
        json.dumps(config, allow_nan=False)
    except (ValueError, RecursionError) as error:
        raise CannotConfigure(f"this is not plain JSON ({error}).") from None
    if not isinstance(config, dict) or not isinstance(config.get(key, {}), dict):
        raise CannotConfigure(f"{key} is not an object in it.")
    servers = config.setdefault(key, {})
    change = _settle(servers, name, entry)
    if change is ConfigChange.REPLACED:  # keep what the user added to it
        entry = {**servers[name], **entry}
    servers[name] = entry
    found = _INDENT.search(text)
    indent = found[1] if found else "  "
    return json.dumps(config, indent=indent, ensure_ascii=False) + "\n", change


def _each_key_once(pairs: list[tuple[str, JsonValue]]) -> dict[str, JsonValue]:
    made = dict(pairs)
    if len(made) < len(pairs):
        raise ValueError("a key occurs twice in one object")
    return made


def _merged_toml(
    text: str, key: str, name: str, entry: dict[str, JsonValue]
) -> tuple[str, ConfigChange]:
    try:
        config = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise CannotConfigure(f"this is not TOML ({error}).") from None
    servers = config.get(key, {})
    if not isinstance(servers, dict):
        raise CannotConfigure(f"{key} is not a table in it.")
    change = _settle(servers, name, entry)
    if change is ConfigChange.SAME:
        return text, change
    table = _toml_table(key, name, entry)
    if change is ConfigChange.REPLACED:
        written = _toml_table(key, name, servers[name])
        if text.count(written) != 1:
            raise CannotConfigure(f"[{key}.{name}] was changed by hand; correct it there.")
        after = text.replace(written, table)
    elif text.strip():
        after = f"{text}{'' if text.endswith(chr(10)) else chr(10)}\n{table}"
    else:
        after = table
    wanted = {**config, key: {**servers, name: entry}}
    try:
        kept = tomllib.loads(after) == wanted
    except tomllib.TOMLDecodeError:
        kept = False
    if not kept:
        raise CannotConfigure(f"{key} is written in a form that cannot be extended.")
    return after, change


def _toml_table(key: str, name: str, entry: Mapping[str, JsonValue]) -> str:
    """Return *entry* as a table. Its values are texts, numbers, booleans and lists of these, which
    JSON and TOML write alike."""
    lines = [
        f"{field} = {json.dumps(value, ensure_ascii=False, default=str)}"
        for field, value in entry.items()
    ]
    return "\n".join([f"[{key}.{name}]", *lines]) + "\n"


def _replace(path: Path, before: bytes, text: str) -> None:
    """Replace *before* with *text*, either completely or not at all."""
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with draft.open("x", encoding="utf-8", newline="") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        if path.exists():
            shutil.copymode(path, draft)
            if path.read_bytes() != before:
                raise CannotConfigure(
                    f"{path} was changed by another program meanwhile; try again."
                )
        draft.replace(path)
    except OSError as error:
        raise CannotConfigure(f"{path} cannot be written ({error.strerror}).") from None
    finally:
        draft.unlink(missing_ok=True)
