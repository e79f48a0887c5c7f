"""`make bench`: every benchmark, each printing ratios measured within one run."""

from tests.bench import playouts

if __name__ == "__main__":
    playouts.main()
