"""`make bench`: every benchmark, each printing ratios measured within one run.

python -m tests.bench [playouts] [referee] [growth] [tournament] [rating] [certifying]
                      [sandbox] [channels] [report] [ladder] [serving] [cluster] [coordinator]
"""

import os
import sys
from importlib import import_module

PARTS = (
    "playouts",
    "referee",
    "growth",
    "tournament",
    "rating",
    "certifying",
    "sandbox",
    "channels",
    "report",
    "ladder",
    "serving",
    "cluster",
    "coordinator",
)


def main() -> None:
    """Run the parts that are named, or all."""
    named = sys.argv[1:] or PARTS
    for part in named:
        if part not in PARTS:
            sys.exit(f"there is no benchmark {part!r}; there are {', '.join(PARTS)}")
    cores = os.sched_getaffinity(0)
    for part in named:
        os.sched_setaffinity(0, cores)
        import_module(f"tests.bench.{part}").main()


if __name__ == "__main__":
    main()
