"""Parses a model's text into a draft; every text gives one, if only one marked as malformed."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

from pydantic import BaseModel, ConfigDict, ValidationError

from trainee_bench.world.colleagues.model_reply import MAX_DRAFT_LENGTH, ReplyDraft
from trainee_bench.world.colleagues.reply_filter import PAYLOAD_PLACEHOLDER

MALFORMED_DRAFT = ReplyDraft(fault="malformed")
UNAVAILABLE_DRAFT = ReplyDraft(fault="unavailable")

_FENCE = re.compile(r"\A```\w*\s*|(?:(?<!\s)\s+)?```\Z")
_ANY_PLACE = re.compile(r"(?<![{\[<(])[{\[<(]+\s*told\s*[}\]>)]+", re.IGNORECASE)


class _Said(BaseModel):
    model_config = ConfigDict(extra="ignore")

    topic: int | None = None
    asks_back: tuple[int, ...] = ()
    reply: str


def parse_draft(text: str, topics: Sequence[str]) -> ReplyDraft:
    """The draft in a model's *text*, which names topics by their place in *topics*, from 1.

    0 means none. A number out of range makes a draft malformed only if it is the only one.
    """
    try:
        said = _Said.model_validate_json(_object(text))
    except (ValidationError, RecursionError):
        return MALFORMED_DRAFT
    if said.topic and not 1 <= said.topic <= len(topics):
        return MALFORMED_DRAFT
    clue = topics[said.topic - 1] if said.topic else ""
    known = [number for number in said.asks_back if 1 <= number <= len(topics)]
    if said.asks_back and not known and not clue:
        return MALFORMED_DRAFT
    back = tuple(dict.fromkeys(topics[number - 1] for number in known))
    reply = " ".join(_ANY_PLACE.sub(PAYLOAD_PLACEHOLDER, said.reply).split())
    if clue and PAYLOAD_PLACEHOLDER not in reply:
        reply = f"{reply} {PAYLOAD_PLACEHOLDER}"
    return ReplyDraft(text=_storable(reply)[:MAX_DRAFT_LENGTH], clue=clue, asks_back=back)


def _object(text: str) -> str:
    """The JSON object in *text*, which may be surrounded by words or a code fence."""
    bare = _FENCE.sub("", text.strip())
    begins, ends = bare.find("{"), bare.rfind("}")
    whole = bare if begins < 0 else bare[begins : ends + 1]
    try:
        json.loads(whole)
    except (ValueError, RecursionError):
        return "null"
    return whole


def _storable(text: str) -> str:
    """*text* without lone surrogates, which cannot be stored."""
    return text.encode(errors="replace").decode()
