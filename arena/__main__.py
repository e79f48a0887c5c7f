"""`python -m arena` is the command `arena`."""

from arena.cli.main import main

if __name__ == "__main__":
    main()
