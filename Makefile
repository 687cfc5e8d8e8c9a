# Every target makes what it needs: the virtual environment, the package, the tools.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
PIP    := $(BIN)/python -m pip --quiet --disable-pip-version-check

.DEFAULT_GOAL := help
.PHONY: help demo test slow lint format bench clean clean-cache

help:  ## show this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-12s %s\n", $$1, $$2}'

demo: $(VENV)/demo.stamp  ## learn to rank on made-up data and show the result
	@$(BIN)/rankwise demo

test: $(VENV)/test.stamp  ## the whole test suite, but for the long studies
	@$(BIN)/python -m pytest -n 2 --dist loadfile $(PYTEST_ARGS)

slow: $(VENV)/test.stamp  ## the long studies
	@$(BIN)/python -m pytest -m slow $(PYTEST_ARGS)

lint: $(VENV)/test.stamp  ## style, imports and types
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/lint-imports --no-cache
	@$(BIN)/mypy

format: $(VENV)/test.stamp  ## mend what the linter can mend
	@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format .

bench: $(VENV)/bench.stamp  ## every benchmark, as tables and JSON lines
	@for script in benchmarks/bench_*.py; do echo "== $$script"; $(BIN)/python $$script || exit 1; done

clean-cache:  ## forget compiled kernels (after changing one that another file calls)
	find src -name '*.nb[ic]' -delete

clean:  ## remove the environment and every cache
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis build dist
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "rankwise needs Python 3.11 or newer, but $(PYTHON) is " + sys.version.split()[0] + ". Try: make PYTHON=python3.12 ...")'
	@echo "Making $(VENV) ..."
	@$(PYTHON) -m venv $(VENV)

$(VENV)/demo.stamp: pyproject.toml | $(VENV)/bin/python
	@echo "Installing rankwise (half a minute on a new machine) ..."
	@$(PIP) install -e '.[plot]'
	@touch $@

$(VENV)/test.stamp: pyproject.toml | $(VENV)/bin/python
	@echo "Installing rankwise and its test tools (a minute on a new machine) ..."
	@$(PIP) install -e '.[test]'
	@touch $@ $(VENV)/demo.stamp

$(VENV)/bench.stamp: $(VENV)/test.stamp benchmarks/requirements.txt
	@echo "Installing the peers that the benchmarks compare with ..."
	@$(PIP) install -r benchmarks/requirements.txt
	@touch $@
