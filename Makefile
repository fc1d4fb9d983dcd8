# Everything a person types. Each target sets up what it needs by itself; Python 3.11 or newer is all that must be there.
# ARGS is handed on: make test ARGS="-k renown", make up ARGS="--help".

PYTHON ?= python3.11 python3.12 python3.13 python3.14 python3 python
ARGS ?=

VENV := .venv
BIN := $(VENV)/bin
UV := UV_PYTHON_DOWNLOADS=never $(BIN)/uv
INSTALLED := $(VENV)/.installed
GENERATED := shared/gen/.generated
COMPILE := $(UV) pip compile --quiet --universal --python-version 3.11 --generate-hashes \
	--no-header --no-annotate --no-emit-index-url --no-emit-find-links

.PHONY: help setup up test lint format protos bench playthroughs lock clean
.DEFAULT_GOAL := help

help:
	@echo "make up            run the whole backend on 127.0.0.1:50051"
	@echo "make test          run every test"
	@echo "make lint          check style, types and the wire"
	@echo "make format        put code and protos in shape"
	@echo "make protos        generate the code of the wire"
	@echo "make bench         measure, and compare with the targets"
	@echo "make playthroughs  rewrite the recorded games; review the difference"
	@echo "make lock          bring the locks in step with pyproject.toml (newer versions: ARGS=--upgrade)"
	@echo "make clean         remove what was built, but no games"

setup: $(INSTALLED) $(GENERATED)

up: setup
	@exec $(BIN)/strata up $(ARGS)

test: setup
	$(BIN)/pytest $(ARGS)

lint: setup
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/buf lint
	$(BIN)/buf format --diff --exit-code

format: setup
	$(BIN)/ruff check --fix
	$(BIN)/ruff format
	$(BIN)/buf format --write

protos: $(INSTALLED)
	$(BIN)/python hatch_build.py
	@touch $(GENERATED)

bench: setup
	@exec $(BIN)/strata bench $(ARGS)

playthroughs: setup
	$(BIN)/pytest tests/playthroughs --rewrite-playthroughs $(ARGS)

lock: $(INSTALLED)
	$(COMPILE) $(ARGS) --output-file requirements.lock pyproject.toml
	$(COMPILE) $(ARGS) --constraint requirements.lock --group build --output-file requirements-build.lock
	$(COMPILE) $(ARGS) --constraint requirements.lock --group dev --output-file requirements-dev.lock pyproject.toml

clean:
	rm -rf $(VENV) shared/gen dist .mypy_cache .pytest_cache .ruff_cache .hypothesis

# The lock of the build brings uv, uv brings the rest; a half-made environment leaves no stamp and is made again.
$(INSTALLED): pyproject.toml hatch_build.py requirements-build.lock requirements-dev.lock
	@$(BIN)/python -c 'import pip, sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
		for python in $(PYTHON); do \
			if "$$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then found="$$python"; break; fi; \
		done; \
		if [ -z "$$found" ]; then \
			echo "Strata needs Python 3.11 or newer and found none; if you have one: make PYTHON=/path/to/python3" >&2; exit 1; \
		fi; \
		echo "Setting up $(VENV) with $$found; this takes a moment, once."; \
		"$$found" -m venv --clear $(VENV) || { rm -rf $(VENV); exit 1; }; \
	}
	@[ -x $(BIN)/uv ] || $(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-build.lock
	@$(UV) pip sync --quiet --python $(BIN)/python --require-hashes requirements-dev.lock
	@$(UV) pip install --quiet --python $(BIN)/python --no-deps --no-build-isolation --editable .
	@touch $@

# Folders are named too, so that a proto that is gone takes its code with it; protos itself is the target above.
$(GENERATED): $(shell find protos -mindepth 1) hatch_build.py $(INSTALLED)
	@$(BIN)/python hatch_build.py
	@touch $@
