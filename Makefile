# Every target makes what it needs: the virtual environment, the package, the tools.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
# What is installed is compiled when it is first imported, for most of it never is; and then the bytecode is kept, or
# each of the many processes that the tests start would compile all of it again.
unexport PYTHONDONTWRITEBYTECODE
INSTALL := -m pip --quiet --disable-pip-version-check install --no-compile

# The lowest versions that pyproject.toml allows, on the lowest Python, in an environment of their own.
MINIMA        := .venv-minima
MINIMA_PYTHON ?= python3.11

# An environment with nothing but the wheel and what it asks for.
WHEEL := .venv-wheel

# The tests that compare kernels with their plain twins: what `coverage` and `boundscheck` run.
KERNEL_TESTS := \
  tests/engine/test_boolean_twins.py tests/engine/test_general_twins.py tests/engine/test_descent.py \
  tests/test_lanes.py tests/tree/test_meaning.py::test_names_in_are_names_out \
  tests/forest/test_forest.py::test_the_random_state_decides_everything \
  tests/metrics/test_against_twins.py tests/consensus/test_voting.py tests/consensus/test_kemeny.py \
  tests/consensus/test_buckets.py tests/baselines/test_plr.py::test_a_tree_is_that_of_the_plain_twin \
  tests/baselines/test_plr.py::test_fractional_weights_that_are_proportional_to_whole_ones_give_the_same_tree \
  tests/baselines/test_plr.py::test_the_seed_decides_between_equal_cuts_alone \
  tests/oracles/test_mallows.py::test_the_kernel_inserts_as_its_plain_twin \
  tests/oracles/test_scores.py::test_scores_match_the_plain_twin \
  tests/oracles/test_mechanisms.py tests/oracles/test_noise.py tests/hypotheses/test_exact.py \
  tests/audits/test_against_twins.py tests/baselines/test_lrt.py tests/baselines/test_lrt_coding.py \
  tests/baselines/test_mallows.py tests/baselines/test_neighbours.py \
  tests/models/test_round_trip.py::test_a_joint_tree_comes_back \
  tests/ranker/test_ties.py::test_of_all_ways_to_cut_the_strict_ranking_the_best_is_taken \
  tests/theory/test_conditions_on_features.py::test_heterogeneity_equals_its_plain_twin

# A little of every package, and every command: what `minima` runs.
MINIMA_TESTS := \
  tests/audits/test_findings.py \
  tests/cli/test_manners.py tests/consensus/test_exact.py tests/datasets/test_excel.py tests/datasets/test_column_files.py \
  tests/datasets/test_tables.py \
  tests/engine/test_targets.py tests/explanations/test_explain.py \
  tests/forest/test_forest.py::test_the_random_state_decides_everything \
  tests/hypotheses/test_exact.py::test_rectangles_are_the_best_of_all \
  tests/metrics/test_scorers.py tests/models/test_columns.py tests/oracles/test_mechanisms.py \
  tests/pairwise/test_frames.py tests/paper/test_report.py tests/plots/test_rows.py tests/plots/test_tree.py \
  tests/rankings/test_long.py tests/theory/test_diagnose.py tests/tree/test_meaning.py::test_names_in_are_names_out \
  tests/validation/test_runner.py tests/test_package.py tests/test_ranker.py

.DEFAULT_GOAL := help
.PHONY: help demo test slow coverage boundscheck fingerprints fuzz properties guided faults dependency-audit minima wheel pythons lint format docs transcript bench bandwidth \
  auto incomplete ties costs paper paper-docs clean clean-cache

help:  ## show this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-12s %s\n", $$1, $$2}'

demo: $(VENV)/demo.stamp  ## learn to rank on made-up data and show the result
	@$(BIN)/rankwise demo

# In the order of folders, so that doctests, none of which takes long, come last and both workers end together.
test: $(VENV)/test.stamp  ## the whole test suite, but for the long studies
	@OMP_NUM_THREADS=1 $(BIN)/python -m pytest -n 2 --dist loadfile --no-loadscope-reorder $(PYTEST_ARGS)

slow: $(VENV)/test.stamp  ## the long studies, and properties on eight times as many random examples
	@$(BIN)/python -m pytest -m "slow or hypothesis" --hypothesis-profile long $(PYTEST_ARGS)

# Kernels of another numba go elsewhere: two versions would throw out each other's.
minima: $(MINIMA)/stamp  ## a short selection of tests with the lowest versions that pyproject.toml allows
	@cd $(MINIMA) && NUMBA_CACHE_DIR=kernels bin/rankwise demo --rows 100 > demo.txt && ls rankwise-demo/*.png > /dev/null
	@OMP_NUM_THREADS=1 NUMBA_CACHE_DIR=$(MINIMA)/kernels $(MINIMA)/bin/python -m pytest -n 2 --dist loadfile -q \
	  -p no:cacheprovider $(or $(PYTEST_ARGS),$(MINIMA_TESTS))

wheel:  ## build the wheel, install it into an empty environment and run the front page's lines with it
	@rm -rf $(WHEEL)
	@$(PYTHON) -m venv $(WHEEL)
	@$(WHEEL)/bin/python -m pip --quiet --disable-pip-version-check wheel --no-deps --wheel-dir $(WHEEL)/dist .
	@$(WHEEL)/bin/python $(INSTALL) "$$(echo $(WHEEL)/dist/*.whl)[plot]"
	@$(WHEEL)/bin/python -I tests/front_page.py

pythons:  ## the whole suite on every Python from 3.11 on that is on this machine, pyenv's included
	@for minor in 11 12 13 14; do found=; \
	  for python in python3.$$minor $${PYENV_ROOT:-$$HOME/.pyenv}/versions/3.$$minor.*/bin/python; do \
	    if $$python -c "" 2> /dev/null; then found=$$python; break; fi; \
	  done; \
	  if [ -z "$$found" ]; then echo "Python 3.$$minor: not on this machine, skipped"; continue; fi; \
	  echo "Python 3.$$minor: $$found"; \
	  $(MAKE) --no-print-directory test PYTHON=$$found VENV=.venv-3.$$minor || exit 1; \
	done

fingerprints: $(VENV)/test.stamp  ## whether predictions and model files are as they were; no change that moves code may alter them
	@$(BIN)/python tests/fingerprints.py

fuzz: $(VENV)/test.stamp  ## crafted, mutated and odd input for all that takes input; FUZZ_ARGS="--cases 100000 --seed 7"
	@$(BIN)/python tests/fuzz/run.py $(FUZZ_ARGS)

properties: $(VENV)/test.stamp  ## facts that hold for every estimator, on 10,000 random problems
	@$(BIN)/python tests/fuzz/run.py --surface properties --cases 10000 $(FUZZ_ARGS)

guided: $(VENV)/test.stamp  ## readers under atheris, which it installs, for ten minutes each; FUZZ_ARGS="--kinds csv --minutes 1"
	@$(BIN)/python -m pip install --quiet atheris && $(BIN)/python tests/fuzz/guided.py $(FUZZ_ARGS)

faults: $(VENV)/test.stamp  ## programs killed at 50 moments, full disks, locked folders, two writers at once
	@$(BIN)/python tests/fuzz/faults.py $(FAULTS_ARGS)

# Known weaknesses are looked up by network; where that cannot be reached, nothing was looked up, and this is said.
dependency-audit: $(VENV)/test.stamp  ## whether a package that rankwise needs has a known weakness
	@$(BIN)/python tests/dependency_audit.py || test $$? -eq 3 # 3: could not be asked, which it says

lint: $(VENV)/test.stamp  ## style, imports and types
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/lint-imports --no-cache
	@$(BIN)/mypy

format: $(VENV)/test.stamp  ## mend what the linter can mend
	@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format .

docs: $(VENV)/docs.stamp  ## build the pages and run the gallery; every warning is an error
	@$(BIN)/python -m sphinx -W --keep-going -q -b html docs docs/_build/html
	@$(BIN)/python docs/_ext/faults.py docs/_build/html/gallery
	@echo "Open docs/_build/html/index.html"

transcript: $(VENV)/test.stamp  ## run the commands and sessions of the pages and write their output there anew
	@COLUMNS=80 $(BIN)/python docs/_ext/transcript.py docs/first_hour.md docs/first_hour
	@COLUMNS=80 $(BIN)/python docs/_ext/transcript.py docs/guide/values.md docs/guide/lab
	@$(BIN)/python docs/_ext/sessions.py docs/*.md docs/guide/*.md

# Kernels as plain Python, so that lines can be counted: slow, hence their own tests alone.
coverage: $(VENV)/test.stamp  ## which lines of the kernels no test reaches; fails below 95 %
	@NUMBA_DISABLE_JIT=1 $(BIN)/python -m coverage run -m pytest -n 0 -q -W "ignore:overflow:RuntimeWarning" $(KERNEL_TESTS)
	@$(BIN)/python -m coverage report

boundscheck: $(VENV)/test.stamp  ## tests of the kernels with every index checked; compiles anew, for minutes
	@NUMBA_BOUNDSCHECK=1 NUMBA_CACHE_DIR=$(VENV)/boundscheck $(BIN)/python -m pytest -n 2 --dist loadfile -q $(KERNEL_TESTS)

bench: $(VENV)/bench.stamp  ## every benchmark, as tables; figures are added to benchmarks/history.jsonl
	@$(BIN)/python benchmarks/run.py $(BENCH_ARGS)

bandwidth: $(VENV)/test.stamp  ## how near growing comes to the speed at which this machine reads and adds, for docs/fast.md
	@$(BIN)/python benchmarks/run.py bandwidth

incomplete: $(VENV)/test.stamp  ## forests on incomplete rankings beside their peers, for docs/results/incomplete.md
	@$(BIN)/python benchmarks/incomplete.py $(INCOMPLETE_ARGS)

auto: $(VENV)/test.stamp  ## the default learner beside all others, its choice inside the folds, for docs/results/auto.md; hours
	@OMP_NUM_THREADS=1 $(BIN)/python benchmarks/auto.py --out $(VENV)/auto $(AUTO_ARGS)

# scikit-lr needs Python 3.13: where there is one, it gets an environment of its own.
PEER := .venv-scikit-lr
ties: $(VENV)/test.stamp  ## forests, trees and neighbours on rankings with ties beside scikit-lr, for docs/results/ties.md
	@for python in python3.13 $${PYENV_ROOT:-$$HOME/.pyenv}/versions/3.13.*/bin/python; do \
	  if [ ! -e $(PEER)/stamp ] && $$python -c "" 2> /dev/null; then \
	    echo "Installing scikit-lr for $$python ..."; \
	    $$python -m venv $(PEER) && $(PEER)/bin/python $(INSTALL) scikit-lr==0.3.0 && touch $(PEER)/stamp; \
	  fi; \
	done
	@OMP_NUM_THREADS=1 $(BIN)/python benchmarks/ties.py --peer $(PEER)/bin/python $(TIES_ARGS)

costs: $(VENV)/test.stamp  ## what a choice costs on ASlib scenarios, by their own folds, and on generated ones, for docs/results/costs.md
	@OMP_NUM_THREADS=1 $(BIN)/python benchmarks/costs.py $(COSTS_ARGS)

# The run of the whole protocol has a manifest of its own; the other grid of noise levels comes after it, ten folds once.
PAPER_RUN ?= rankwise-reproduce
paper: $(VENV)/test.stamp  ## the paper's whole protocol on two cores (an hour), then the noise levels of its programs
	@OMP_NUM_THREADS=1 $(BIN)/rankwise reproduce all --jobs 2 --backend loky --out $(PAPER_RUN)
	@OMP_NUM_THREADS=1 $(BIN)/rankwise reproduce figure-noise --set noise_grid=programs --repeats 1 --jobs 2 \
	  --backend loky --out $(PAPER_RUN)-programs

paper-docs: $(VENV)/test.stamp  ## bring the files of that run into docs/reproduction, and their tables into the pages
	@$(BIN)/python docs/_ext/reproduction.py $(PAPER_RUN) docs $(wildcard $(PAPER_RUN)-programs)

clean-cache:  ## forget compiled kernels (after changing one that another file calls)
	find src -name '*.nb[ic]' -delete

clean:  ## remove the environment and every cache
	rm -rf $(VENV) .venv-* .pytest_cache .mypy_cache .ruff_cache .hypothesis build dist .coverage
	rm -rf docs/_build docs/_generated docs/api docs/gallery
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "rankwise needs Python 3.11 or newer, but $(PYTHON) is " + sys.version.split()[0] + ". Try: make PYTHON=python3.12 ...")'
	@echo "Making $(VENV) ..."
	@$(PYTHON) -m venv $(VENV)

$(VENV)/demo.stamp: pyproject.toml | $(VENV)/bin/python
	@echo "Installing rankwise (half a minute on a new machine) ..."
	@$(BIN)/python $(INSTALL) -e '.[plot]'
	@touch $@

$(VENV)/test.stamp: pyproject.toml | $(VENV)/bin/python
	@echo "Installing rankwise and its test tools (a minute on a new machine) ..."
	@$(BIN)/python $(INSTALL) -e '.[test]'
	@touch $@ $(VENV)/demo.stamp

$(VENV)/docs.stamp: pyproject.toml | $(VENV)/bin/python
	@echo "Installing rankwise and what builds its pages (half a minute on a new machine) ..."
	@$(BIN)/python $(INSTALL) -e '.[docs]'
	@touch $@

$(VENV)/bench.stamp: $(VENV)/test.stamp benchmarks/requirements.txt
	@echo "Installing the peers that the benchmarks compare with ..."
	@$(BIN)/python $(INSTALL) -r benchmarks/requirements.txt
	@touch $@

$(MINIMA)/stamp: pyproject.toml tests/minima.py
	@$(MINIMA_PYTHON) -c "" || { echo "make minima needs $(MINIMA_PYTHON), the lowest Python that rankwise takes"; exit 1; }
	@echo "Installing the lowest versions that rankwise takes (a minute on a new machine) ..."
	@rm -rf $(MINIMA) && $(MINIMA_PYTHON) -m venv $(MINIMA)
	@$(MINIMA_PYTHON) tests/minima.py > $(MINIMA)/constraints.txt
	@$(MINIMA)/bin/python $(INSTALL) -c $(MINIMA)/constraints.txt -e '.[test]'
	@touch $@
