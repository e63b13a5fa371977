"""``python -m trainee_bench.harness`` and the program ``trainee-bench``: see `cli`."""

import signal


def main() -> None:
    """Run the program. An interrupt while it is still importing itself ends it without a word."""
    interruptible = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if interruptible:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from trainee_bench.harness.cli import main as run_command

    if interruptible:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    run_command()


if __name__ == "__main__":
    main()
