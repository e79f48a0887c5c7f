"""The test suite. Its processes, and all that they start, do without threads of BLAS."""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
