"""The command `arena`, also as `python -m arena`.

Workers are started by importing this module again, so it loads nothing of the command line.
"""

import atexit
import os
import signal
import sys


def main() -> None:
    """Run the command line."""
    # BLAS would start a thread for each core in every process, which burn CPU time as they start;
    # its matrices here are small, and the cores are needed by bots.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # Registered first, so it runs last. Without it, Ctrl-C could kill Python while it frees memory,
    # and a command that had finished would seem to have failed.
    atexit.register(signal.signal, signal.SIGINT, signal.SIG_IGN)
    try:
        from arena.cli.main import main as run  # noqa: PLC0415
    except KeyboardInterrupt:
        sys.exit(128 + signal.SIGINT)
    run()


if __name__ == "__main__":
    main()
