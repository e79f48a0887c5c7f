"""Is ready, but not for the variant that is played."""

import sys

print('{"type":"ready","variants":["was-sticht","poker*"]}', flush=True)
for _ in sys.stdin:
    pass
