# make demo: see it run.   make test: everything.   make check: the inner loop.   make bench: ratios.
.PHONY: setup demo check lint types contracts test bench format clean

BIN := .venv/bin
# Tests start hundreds of processes; each would compile the program anew.
unexport PYTHONDONTWRITEBYTECODE
# Who has nothing left takes from the other: both cores end together, and a module stays on one.
PYTEST := $(BIN)/pytest -n auto --dist worksteal

setup: .venv/.dev .venv/.bench

.venv/.demo: pyproject.toml .ci/setup
	@.ci/setup fast,web
	@touch $@

.venv/.dev: pyproject.toml .ci/setup
	@.ci/setup dev
	@touch .venv/.demo $@

.venv/.bench: .venv/.dev
	@.ci/setup dev,bench
	@touch $@

demo: .venv/.demo
	@$(BIN)/arena demo

lint: .venv/.dev
	$(BIN)/ruff check
	$(BIN)/ruff format --check

types: .venv/.dev
	$(BIN)/mypy
	@for bot in python careful counter sampler champion; do \
		echo "mypy in bots/$$bot"; \
		(cd bots/$$bot && ../../$(BIN)/mypy --strict --no-warn-return-any \
			--cache-dir=../../.mypy_cache/$$bot *.py) || exit 1; \
	done

contracts: .venv/.dev
	$(BIN)/lint-imports

check: lint types contracts
	$(PYTEST) -m "not slow"

test: lint types contracts
	@.ci/tools
	$(PYTEST) --hypothesis-profile=thorough

bench: .venv/.bench
	@$(BIN)/python -m tests.bench

format: .venv/.dev
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

clean:
	rm -rf .venv .mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache dist
