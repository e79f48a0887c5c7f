"""Its first line is a banner, not `ready`."""

import sys

print("SuperBot 3000, all rights reserved", flush=True)
for _ in sys.stdin:
    pass
