"""Google's ADK, with Gemini's dialect, streamed."""

from __future__ import annotations

from typing import ClassVar

from trainee_bench.harness.parity.client_door import ClientTransport, ProgramDoor


class GoogleAdkStdioDoor(ProgramDoor):
    """Over stdio."""

    name: ClassVar[str] = "google_adk-stdio"
    packages: ClassVar[tuple[str, ...]] = ("google-adk",)


class GoogleAdkHttpDoor(GoogleAdkStdioDoor):
    """Over HTTP."""

    name: ClassVar[str] = "google_adk-http"
    transport: ClassVar[ClientTransport] = ClientTransport.HTTP
