"""Any program as an agent: it gets the address of an MCP server, works the day, and ends.

    trainee-bench run --agent-command "my-agent --mcp {mcp_config} --task {prompt_file}"

The day ends with the process or with ``desk_finish_day``, whichever comes first.
"""

from __future__ import annotations

import asyncio
from typing import Self

import anyio

from trainee_bench.harness.agents.agent import Agent, UnknownAgent
from trainee_bench.harness.agents.external.command_run import (
    CommandRun,
    QuotaExceeded,
    passed_environment,
)
from trainee_bench.harness.agents.external.gateway import Gateway
from trainee_bench.harness.agents.external.output_buffer import OutputBuffer
from trainee_bench.harness.records.plan import AgentConfig
from trainee_bench.harness.session.agent_session import AgentSession
from trainee_bench.harness.session.limits import EndReason


class CommandFailed(Exception):
    """The program ended with an exit code other than 0, or was stopped because of what it did.

    The message has the program's last line or the reason for stopping it.
    """


class CommandAgent(Agent):
    """A command line that is run once for each day; ``log`` is what it printed on its last day."""

    name = "command"
    calls_per_turn = 1
    """One call per turn: nobody outside can see which calls a program's model made at once."""

    def __init__(self, config: AgentConfig):
        self._config = config

    @classmethod
    def from_config(cls, config: AgentConfig) -> Self:
        """Return the agent with the command of *config*. Raises UnknownAgent if it has none."""
        if config.command is None:
            raise UnknownAgent("The agent 'command' needs a program: name it with --agent-command.")
        return cls(config)

    async def work(self, session: AgentSession) -> None:
        """Let the program work the day. Raises CommandFailed."""
        gateway, output = Gateway(session), OutputBuffer(passed_environment(self._config))
        command_run = CommandRun(self._config, session.prompt, gateway, output)
        # Outside of the session's scope: the program must live on to be told that a limit ended it.
        running = asyncio.create_task(command_run.run())
        running.add_done_callback(lambda _: gateway.client_left())
        try:
            await gateway.serve()
        except BaseException:
            if not session.scope.cancel_called:  # the whole run is being stopped
                running.cancel()
            raise
        finally:
            with anyio.CancelScope(shield=True):
                await asyncio.wait([running])
            self.log = output.text
            if not running.cancelled():
                # retrieve the result, because another exception is already raised
                running.exception()
        try:
            code = running.result()
        except Exception as error:  # any other behaviour of the program shows in its exit code
            if isinstance(leaf := _leaf(error), QuotaExceeded):
                raise CommandFailed(str(leaf)) from None
            session.break_off(leaf)
            raise
        over = session.over and not gateway.finished
        if code and not over:
            last = f": {output.last_line}" if output.last_line else ""
            raise CommandFailed(f"the command ended with {_exit(code)}{last}")
        if over:
            await session.end(EndReason.DAY_OVER)


def _leaf(error: Exception) -> Exception:
    """Return *error*, or the first exception of its group."""
    return _leaf(error.exceptions[0]) if isinstance(error, ExceptionGroup) else error


def _exit(code: int) -> str:
    return f"exit code {code}" if code > 0 else f"signal {-code}"
