"""How thorough hypothesis is: `make check` is quick, `make test` looks longer."""

from hypothesis import settings

settings.register_profile("quick", max_examples=1, deadline=None, database=None)
settings.register_profile("thorough", max_examples=5, deadline=None, print_blob=True)
settings.load_profile("quick")
