"""Runs a command in isolation: no network, no host files, limits on every resource.

    job (argv, files) ──► init_process.py as process 1 of the sandbox ──► output and files

The backend is bubblewrap, Docker or Podman: the first that passes a test run. The command works on
copies in the sandbox's memory and can write to no folder of the host, so it leaves nothing behind.
Without a working sandbox, nothing runs.
"""
