"""Ends before it says that it is ready, with a reason on stderr."""

import sys

sys.exit("the opening book is missing")
