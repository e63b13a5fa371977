"""Running a command where it can harm nothing: no network, no host, limits on all it can use.

    job (argv, files) ──► init_process.py as process 1 of the sandbox ──► what the command left

The sandbox is bubblewrap's, Docker's or Podman's, whichever a real run has proved to work. The
command works on copies in the sandbox's own memory and has no path to a folder of the host, so
nothing is left behind. Where there is no sandbox nothing is run.
"""
