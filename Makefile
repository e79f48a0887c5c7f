# make demo: see it run.       make check: the inner loop.   make test: the test suite.
# make soak: the long tests.   make bench: benchmarks.       make durations: record test durations.
.PHONY: setup demo check check-tests lint types contracts test soak durations bench format clean

# `make test PYTHON=python3.13` uses that Python, in an environment of its own.
ifdef PYTHON
VERSION := $(shell $(PYTHON) -c 'import sys; print("%d.%d" % sys.version_info[:2])')
ifeq ($(VERSION),)
$(error PYTHON=$(PYTHON) does not run: name the path of Python 3.11 or later)
endif
VENV := .venv-$(VERSION)
export PYTHON
else
VENV := .venv
endif
export VENV
BIN := $(VENV)/bin
# Tests start hundreds of processes; each would compile the program anew.
unexport PYTHONDONTWRITEBYTECODE

setup: $(VENV)/.dev $(VENV)/.bench

$(VENV)/.demo: pyproject.toml .ci/setup
	@.ci/setup fast,web
	@touch $@

$(VENV)/.dev: pyproject.toml .ci/setup
	@.ci/setup dev
	@touch $(VENV)/.demo $@

$(VENV)/.bench: $(VENV)/.dev
	@.ci/setup dev,bench
	@touch $@

demo: $(VENV)/.demo
	@$(BIN)/arena demo

lint: $(VENV)/.dev
	$(BIN)/ruff check
	$(BIN)/ruff format --check

types: $(VENV)/.dev
	$(BIN)/mypy
	@for bot in python careful counter sampler champion; do \
		echo "mypy in bots/$$bot"; \
		(cd bots/$$bot && ../../$(BIN)/mypy --strict --no-warn-return-any \
			--disable-error-code=import-untyped --cache-dir=../../.mypy_cache/$$bot *.py) || exit 1; \
	done

contracts: $(VENV)/.dev
	$(BIN)/lint-imports

check: lint
	@$(MAKE) --no-print-directory --jobs=2 types contracts check-tests

check-tests: $(VENV)/.dev
	@.ci/tests check

test: lint
	@.ci/tools
	@.ci/tests test

soak: types contracts
	@.ci/tools
	@.ci/tests soak

durations: $(VENV)/.dev
	@.ci/tools
	@.ci/tests test --record-durations

bench: $(VENV)/.bench
	@$(BIN)/python -m tests.bench

format: $(VENV)/.dev
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

clean:
	rm -rf .venv .venv-* .mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache dist
