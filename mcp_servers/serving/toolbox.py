"""Declares tools: a synchronous function of a Transaction becomes a typed tool.

    TOOLS = Toolbox("mail", "Read, search and send mail.")

    @TOOLS.tool(minutes=5)
    def mail_send(tx: Transaction, to: Annotated[str, Field(description="…")]) -> Result[SentMail]:
        \"\"\"Send a mail. Use it to …\"\"\"

The signature without ``tx`` becomes the input schema, the docstring the description, and the type
in ``Result[…]`` the schema of the data.
"""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Collection, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property
from typing import Any, Concatenate, ParamSpec, TypedDict, TypeVar, Unpack, get_args, get_type_hints

from pydantic import BaseModel, ConfigDict, JsonValue, create_model

from trainee_bench.mcp_servers.serving.arguments import USUAL_LENGTH
from trainee_bench.mcp_servers.serving.flaws import parse_arguments
from trainee_bench.mcp_servers.serving.schema import JsonSchema, compact_input_schema, result_schema
from trainee_bench.world.transaction import Result, Transaction
from trainee_bench.world.world import World

__all__ = ["ExampleCall", "FileUse", "SideEffect", "Tool", "Toolbox"]

P = ParamSpec("P")
Data = TypeVar("Data", bound=BaseModel)

SideEffect = Callable[[World, str, BaseModel], Awaitable[Mapping[str, JsonValue]]]
"""A function that runs before the transaction (a sandbox, a model). It takes world, actor and
arguments, and returns effects, which are logged and which the verb reads with
``Transaction.effect``."""


ExampleCall = tuple[str, Mapping[str, JsonValue]]
"""A tool's name and the arguments of a call that succeeds."""


class FileUse(StrEnum):
    """The effect of a call on files."""

    NOTHING = "nothing"
    WRITES = "writes a whole file, new or existing"
    MAKES = "makes a new file"
    CHANGES = "changes an existing file"
    DELETES = "deletes files"
    RUNS = "runs a program, which may do all of this to many files"


class ToolFacts(TypedDict, total=False):
    """Facts about a tool for honest work, bounds, provenance, injected mistakes and approval of
    calls."""

    files: FileUse
    content: str
    """The argument that holds the file's whole content, if there is one."""
    copies: bool
    """Whether the file repeats the content of an earlier file, mail or calendar."""
    once: str
    """The argument that names what the call is about, if repeating the call is refused."""
    effort: int | None
    """The minutes of work that a call represents, if they differ from the usual."""
    lasts: str
    """How long a successful call takes, in words, if not the tool's minutes."""
    opt_in: bool
    """Whether only days that name the tool offer it, as for each one newer than the frozen
    benchmarks."""


class _Arguments(BaseModel):
    """Base of all argument models: refuses undeclared arguments."""

    model_config = ConfigDict(extra="forbid")


@dataclass(frozen=True)
class Tool:
    """One tool: its name, its cost in simulated minutes, and the verb that it calls."""

    name: str
    app: str
    about: str
    minutes: int
    read_only: bool
    destructive: bool
    verb: Callable[..., Result[BaseModel]]
    side_effect: SideEffect | None = None
    expensive: bool = False
    longest: int = USUAL_LENGTH
    details: str = ""
    after_hours: bool = False
    pictures: bool = False
    lasts: str = ""
    files: FileUse = FileUse.NOTHING
    content: str = ""
    copies: bool = False
    once: str = ""
    effort: int | None = None
    opt_in: bool = False

    @property
    def writes_content(self) -> bool:
        """Whether a call writes new content to a file, not merely a copy."""
        return not self.copies and self.files not in (FileUse.NOTHING, FileUse.DELETES)

    @property
    def effort_minutes(self) -> int:
        """The minutes of a call on a day that charges for work; looking around takes none."""
        if self.effort is not None:
            return self.effort
        return 0 if self.read_only else self.minutes

    @cached_property
    def arguments(self) -> type[BaseModel]:
        """The model of the arguments, built from the verb's signature."""
        hints = get_type_hints(self.verb, include_extras=True)
        parameters = list(inspect.signature(self.verb).parameters.values())[1:]
        fields: dict[str, Any] = {
            p.name: (hints[p.name], ... if p.default is p.empty else p.default) for p in parameters
        }
        return create_model(f"{self.name}_arguments", __base__=_Arguments, **fields)

    @cached_property
    def data(self) -> type[BaseModel]:
        """The model of the result's data. Raises TypeError if the verb is not annotated with
        ``Result[…]``."""
        given = get_args(get_type_hints(self.verb)["return"])
        if len(given) != 1 or not issubclass(given[0], BaseModel):
            raise TypeError(f"{self.name} must return Result[…] of a pydantic model")
        model: type[BaseModel] = given[0]
        return model

    @cached_property
    def input_schema(self) -> JsonSchema:
        """The JSON schema of the arguments, without titles and without ``null`` for omitted
        arguments."""
        return compact_input_schema(self.arguments.model_json_schema())

    @cached_property
    def output_schema(self) -> JsonSchema:
        """The JSON schema of the structured content: data, time, notices."""
        return result_schema(self.data)

    def description(self, minutes: int | None = None) -> str:
        """Return the description for the model: when to use the tool and how long a call takes."""
        cost = self.minutes if minutes is None else minutes
        lasts = self.lasts or (f"{cost} min" if cost else "")
        text = f"{self.about} ({lasts})" if lasts else self.about
        return f"{text} {self.details}" if self.details else text

    def parse(self, given: Mapping[str, JsonValue]) -> BaseModel:
        """Validate the arguments. Raises Invalid with a text that shows the correct form."""
        return parse_arguments(self.name, given, self.arguments, self.input_schema, self.longest)


def _nothing_missing() -> str:
    return ""


class Toolbox:
    """The tools of one app, in the order of their declaration.

    An *opt_in* app is offered only on days that name it. All others belong to every day that names
    no apps, so making an app a default changes the identity of those days. *missing_requirement*
    returns what this machine lacks to run the app and how to install it, "" if it lacks nothing.
    The check may be slow.

    *examples* are calls that fill the office with data. Property tests make them, app by app in
    alphabetical order, before they try each tool. In every text, "{colleague}" means a
    colleague's id and "{me}" the caller's id.
    """

    def __init__(
        self,
        app: str,
        about: str,
        *,
        opt_in: bool = True,
        missing_requirement: Callable[[], str] = _nothing_missing,
        examples: Sequence[ExampleCall] = (),
    ):
        self.app = app
        self.about = about
        self.opt_in = opt_in
        self.missing_requirement = missing_requirement
        self.examples = tuple(examples)
        self._tools: dict[str, Tool] = {}
        self._variants: dict[tuple[str, str], Tool] = {}

    def __iter__(self) -> Iterator[Tool]:
        return iter(self._tools.values())

    def offering(self, names: Collection[str]) -> Toolbox:
        """Return this toolbox with only those of its opt-in tools that *names* has."""
        offered = {
            name: tool for name, tool in self._tools.items() if not tool.opt_in or name in names
        }
        if len(offered) == len(self._tools):
            return self
        return self._with(offered)

    @property
    def variants(self) -> Mapping[tuple[str, str], Tool]:
        """The variants of tools, by the tool's name and the variant's."""
        return self._variants

    def varied(self, variants: Mapping[str, str]) -> Toolbox:
        """Return this toolbox with those *variants* (tool to variant) that are of its tools.

        Raises KeyError for a variant that one of its tools does not have.
        """
        chosen = {
            name: self._variants[name, variant]
            for name, variant in variants.items()
            if name in self._tools
        }
        return self._with({**self._tools, **chosen}) if chosen else self

    def _with(self, tools: dict[str, Tool]) -> Toolbox:
        other = copy(self)
        other._tools = tools
        return other

    def tool(
        self,
        *,
        minutes: int = 1,
        read_only: bool = False,
        destructive: bool = False,
        side_effect: SideEffect | None = None,
        details: str = "",
        expensive: bool = False,
        longest: int = USUAL_LENGTH,
        after_hours: bool = False,
        pictures: bool = False,
        **facts: Unpack[ToolFacts],
    ) -> Callable[
        [Callable[Concatenate[Transaction, P], Result[Data]]],
        Callable[Concatenate[Transaction, P], Result[Data]],
    ]:
        """Declare the decorated function as a tool of this app.

        *minutes* is the cost of a call. Clients are told *read_only* and *destructive*.
        *side_effect* runs before the transaction. *details* follow the docstring in the
        description. An *expensive* tool is precomputed, so that it holds the world only briefly
        (see `World.precompute`). *longest* is the maximum of characters in all its arguments
        together. An *after_hours* tool also works when the day is over. *pictures* says that
        results may have a picture.

        Raises TypeError for a name that does not begin with the app's name, a name declared twice,
        or a missing docstring.

        Agents are told none of the *facts* except *lasts*.
        """

        def declare(
            verb: Callable[Concatenate[Transaction, P], Result[Data]],
        ) -> Callable[Concatenate[Transaction, P], Result[Data]]:
            name = verb.__name__
            if not name.startswith(f"{self.app}_") or name in self._tools:
                raise TypeError(f"{name} is not a new name of the form {self.app}_verb_noun")
            about = _about(verb)
            self._tools[name] = Tool(
                name,
                self.app,
                about,
                minutes,
                read_only,
                destructive,
                verb,
                side_effect,
                expensive,
                longest,
                details,
                after_hours,
                pictures,
                **facts,
            )
            return verb

        return declare

    def variant(
        self, tool: str, variant: str
    ) -> Callable[
        [Callable[Concatenate[Transaction, P], Result[Data]]],
        Callable[Concatenate[Transaction, P], Result[Data]],
    ]:
        """Declare the decorated function as a *variant* of a *tool* declared above, which only
        worlds that name it offer in place of the tool.

        Arguments and description are the function's, all else is the tool's. Raises KeyError if
        there is no such tool, TypeError for a missing docstring.
        """

        def declare(
            verb: Callable[Concatenate[Transaction, P], Result[Data]],
        ) -> Callable[Concatenate[Transaction, P], Result[Data]]:
            usual = self._tools[tool]
            self._variants[tool, variant] = replace(usual, verb=verb, about=_about(verb))
            return verb

        return declare


def _about(verb: Callable[..., object]) -> str:
    """Return the docstring of a verb as one line. Raises TypeError if it has none."""
    if not verb.__doc__:
        raise TypeError(f"{verb.__name__} has no docstring to tell a model when to use it")
    return " ".join(inspect.cleandoc(verb.__doc__).split())
