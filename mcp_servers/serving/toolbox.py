"""Declaring tools: a synchronous function over a Turn becomes a typed tool.

    TOOLS = Toolbox("mail", "Read, search and send mail.")

    @TOOLS.tool(minutes=5)
    def mail_send(turn: Turn, to: Annotated[str, Field(description="…")]) -> Result[MailSent]:
        \"\"\"Send a mail. Use it to …\"\"\"

The signature without ``tx`` gives the input schema, the docstring the description, the
type in ``Result[…]`` the schema of the data.
"""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Concatenate, ParamSpec, TypeVar, get_args, get_type_hints

from pydantic import BaseModel, ConfigDict, JsonValue, ValidationError, create_model

from trainee_bench.mcp_servers.serving.arguments import UNSERIALIZABLE, fits_sqlite, is_serializable
from trainee_bench.mcp_servers.serving.schema import compact_input_schema, result_schema
from trainee_bench.world.errors import Invalid
from trainee_bench.world.transaction import Result, Transaction
from trainee_bench.world.world import World

__all__ = ["ExampleCall", "SideEffect", "Tool", "Toolbox"]

P = ParamSpec("P")
Data = TypeVar("Data", bound=BaseModel)

SideEffect = Callable[[World, str, BaseModel], Awaitable[Mapping[str, JsonValue]]]
"""What must happen outside the transaction (a sandbox, a model): world, actor, arguments →
effects, which are recorded in the log and read by the verb through ``Transaction.effect``."""


ExampleCall = tuple[str, Mapping[str, JsonValue]]
"""A tool's name and the arguments of a call that succeeds."""


class _Arguments(BaseModel):
    """Base of all argument models: what is not declared is refused."""

    model_config = ConfigDict(extra="forbid")


@dataclass(frozen=True)
class Tool:
    """One tool: its name, what it costs in simulated minutes, and the verb behind it."""

    name: str
    app: str
    about: str
    minutes: int
    read_only: bool
    destructive: bool
    verb: Callable[..., Result[BaseModel]]
    side_effect: SideEffect | None = None

    @cached_property
    def arguments(self) -> type[BaseModel]:
        """A model of the arguments, made from the verb's signature."""
        hints = get_type_hints(self.verb, include_extras=True)
        parameters = list(inspect.signature(self.verb).parameters.values())[1:]
        fields: dict[str, Any] = {
            p.name: (hints[p.name], ... if p.default is p.empty else p.default) for p in parameters
        }
        return create_model(f"{self.name}_arguments", __base__=_Arguments, **fields)

    @cached_property
    def data(self) -> type[BaseModel]:
        """The model of the result's data; TypeError if the verb does not say ``Result[…]``."""
        given = get_args(get_type_hints(self.verb)["return"])
        if len(given) != 1 or not issubclass(given[0], BaseModel):
            raise TypeError(f"{self.name} must return Result[…] of a pydantic model")
        model: type[BaseModel] = given[0]
        return model

    @cached_property
    def input_schema(self) -> dict[str, Any]:
        """JSON schema of the arguments, without what only costs tokens: titles, and null as
        another way to leave an argument out."""
        return compact_input_schema(self.arguments.model_json_schema())

    @cached_property
    def output_schema(self) -> dict[str, Any]:
        """JSON schema of the structured content: data, time, notices."""
        return result_schema(self.data)

    def description(self, minutes: int | None = None) -> str:
        """What the model reads: when to use it and what it costs."""
        cost = self.minutes if minutes is None else minutes
        return f"{self.about} ({cost} min)" if cost else self.about

    def parse(self, given: Mapping[str, JsonValue]) -> BaseModel:
        """The validated arguments. Raises Invalid, naming what a right call looks like."""
        if not is_serializable(given):
            raise Invalid(f"{self.name}: {UNSERIALIZABLE}")
        try:
            parsed = self.arguments.model_validate(given)
        except ValidationError as error:
            raise Invalid(self._complaint(error)) from None
        for name, value in parsed:
            if not fits_sqlite(value):
                raise Invalid(f"{self.name}: {name!r} holds a number too large to be stored.")
        return parsed

    def _complaint(self, error: ValidationError) -> str:
        taken = ", ".join(self.arguments.model_fields) or "no arguments"
        said = []
        for flaw in error.errors(include_url=False, include_input=False)[:4]:
            where = ".".join(str(part) for part in flaw["loc"])[:60]
            if flaw["type"] == "extra_forbidden":
                said.append(f"there is no argument {where!r}")
            elif flaw["type"] == "missing":
                said.append(f"the argument {where!r} is missing")
            else:
                said.append(f"{where!r}: {flaw['msg']}"[:300])
        return f"{self.name}: {'; '.join(said)}. It takes: {taken}."


def _nothing_missing() -> str:
    return ""


class Toolbox:
    """The tools of one app, in the order of their declaration.

    An *opt_in* app is offered only on days that name it; the others belong to every day that
    names none, so to make an app a default changes the identity of those days' results.
    *missing_requirement* says what this machine lacks to offer the app and how to get it, "" if
    it lacks nothing; it may take a while.

    *examples* are calls that leave behind what a lived-in office contains; the property tests
    make them before they try each tool, those of all apps by the apps' names. Every text
    "{colleague}" in them stands for the id of a colleague, "{me}" for that of who calls.
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

    def __iter__(self) -> Iterator[Tool]:
        return iter(self._tools.values())

    def tool(
        self,
        *,
        minutes: int = 1,
        read_only: bool = False,
        destructive: bool = False,
        outside: SideEffect | None = None,
    ) -> Callable[
        [Callable[Concatenate[Transaction, P], Result[Data]]],
        Callable[Concatenate[Transaction, P], Result[Data]],
    ]:
        """Declare the decorated function as a tool of this app.

        *minutes* is what a call costs; *read_only* and *destructive* are told to clients;
        *outside* runs before the transaction. Raises TypeError for a name that does not
        begin with the app's, a name declared twice, or a missing docstring.
        """

        def declare(
            verb: Callable[Concatenate[Transaction, P], Result[Data]],
        ) -> Callable[Concatenate[Transaction, P], Result[Data]]:
            name = verb.__name__
            if not name.startswith(f"{self.app}_") or name in self._tools:
                raise TypeError(f"{name} is not a new name of the form {self.app}_verb_noun")
            if not verb.__doc__:
                raise TypeError(f"{name} has no docstring, so no model would know when to use it")
            about = " ".join(inspect.cleandoc(verb.__doc__).split())
            self._tools[name] = Tool(
                name, self.app, about, minutes, read_only, destructive, verb, outside
            )
            return verb

        return declare
