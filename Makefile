# make demo: see it run.   make test: everything.   make check: the inner loop.   make bench: ratios.
.PHONY: setup demo check lint types contracts test bench format clean

BIN := .venv/bin

setup: .venv/.dev

.venv/.dev: pyproject.toml .ci/setup
	.ci/setup dev
	@touch $@

.venv/.bench: pyproject.toml .ci/setup
	.ci/setup dev,bench
	@touch $@

demo: setup
	@$(BIN)/arena demo

lint: setup
	$(BIN)/ruff check
	$(BIN)/ruff format --check

types: setup
	$(BIN)/mypy

contracts: setup
	$(BIN)/lint-imports

check: lint types contracts
	$(BIN)/pytest -n auto -m "not slow"

test: lint types contracts
	$(BIN)/pytest -n auto

bench: .venv/.bench
	@$(BIN)/python -m tests.bench

format: setup
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

clean:
	rm -rf .venv .mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache dist
