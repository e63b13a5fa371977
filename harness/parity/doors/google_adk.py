"""Google's ADK, with Gemini's dialect, streamed."""

from __future__ import annotations

from trainee_bench.harness.parity.client_door import ClientTransport, ProgramDoor


class GoogleAdkStdioDoor(ProgramDoor):
    """Over stdio."""

    name = "google_adk-stdio"
    packages = ("google-adk",)


class GoogleAdkHttpDoor(GoogleAdkStdioDoor):
    """Over HTTP."""

    name = "google_adk-http"
    transport = ClientTransport.HTTP
