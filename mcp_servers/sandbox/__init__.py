"""Runs a command in isolation: no network, no host files, limits on every resource.

    job (argv, files) ──► init_process.py as process 1 of the sandbox ──► what the command left

The backend is bubblewrap, Docker or Podman: the first one that passes a test run. The command
works on copies in the sandbox's memory and sees no folder of the host that it could write, so
nothing is left behind. Without a working sandbox nothing runs.
"""
