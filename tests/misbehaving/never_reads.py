"""Is ready for very many games, reads nothing and ends once its questions have piled up."""

import sys
import time

print('{"type":"ready","games":1000}', flush=True)
time.sleep(0.5)
sys.exit(5)
