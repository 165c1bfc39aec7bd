# The project's commands. Needs make and Python 3.11 or newer; everything else goes into .venv.

VENV  := .venv
BIN   := $(VENV)/bin
STAMP := $(VENV)/.installed
ARGS  ?=

.DEFAULT_GOAL := help
.PHONY: help setup demo test check format bench docs clean

help: ## List these commands
	@sed -n 's/^\([a-z]*\):.*## /\1\t/p' Makefile | while IFS="$$(printf '\t')" read -r name text; do \
		printf '  make %-8s %s\n' "$$name" "$$text"; done

setup: $(STAMP) ## Create .venv and install the package with its tools into it

demo: $(STAMP) ## Index the demo vault and show a search, a section and a guarded edit
	@PATH="$(CURDIR)/$(BIN):$$PATH" bash docs/demo.sh

test: $(STAMP) ## Run the tests (ARGS="tests/markdown -x" passes options on)
	@$(BIN)/python -m pytest -q $(ARGS)

check: $(STAMP) ## Style, types, import floors, authentication of every route, and documentation
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo
	$(BIN)/python -m tests.server.routes
	@$(MAKE) --no-print-directory docs
	@if [ -d labextension ]; then $(MAKE) --no-print-directory check-labextension; fi

check-labextension:
	cd labextension && npx prettier --check . && npx eslint . && npx tsc --noEmit
.PHONY: check-labextension

format: $(STAMP) ## Let ruff rewrite what it can
	@$(BIN)/ruff check --fix
	@$(BIN)/ruff format

bench: $(STAMP) ## Measure against the sample vaults in JUPYTER_KB_DATA
	@$(BIN)/python -m tests.benchmarks $(ARGS)

docs: $(STAMP) ## Build the documentation into docs/_build/html; a warning is an error
	$(BIN)/sphinx-build -q -W --keep-going -b html docs docs/_build/html

clean: ## Remove .venv and everything built
	@rm -rf $(VENV) build dist docs/_build .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis
	@find . -name __pycache__ -type d -not -path './node_modules/*' -prune -exec rm -rf {} +

# The environment is made once, and brought up to date when a requirement changes.
$(STAMP): pyproject.toml constraints.txt
	@if ! $(BIN)/python -m pip --version >/dev/null 2>&1; then \
		for name in $(PYTHON) python3 python3.14 python3.13 python3.12 python3.11; do \
			if "$$name" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; then python="$$name"; break; fi; \
		done; \
		if [ -z "$$python" ]; then \
			echo "Python 3.11 or newer was not found. On Debian or Ubuntu: sudo apt install python3 python3-venv" >&2; \
			echo "Another place: make $(or $(MAKECMDGOALS),setup) PYTHON=/path/to/python3" >&2; exit 1; fi; \
		if ! "$$python" -c 'import ensurepip, venv' >/dev/null 2>&1; then \
			version=$$("$$python" -c 'import sys; print("python%d.%d" % sys.version_info[:2])'); \
			echo "$$python cannot create environments. On Debian or Ubuntu: sudo apt install $$version-venv" >&2; exit 1; fi; \
		echo "Creating $(VENV) with $$("$$python" --version)"; \
		rm -rf $(VENV); "$$python" -m venv $(VENV) || { rm -rf $(VENV); exit 1; }; fi
	@echo "Installing jupyter-kb and its tools into $(VENV) (once; takes a few minutes)"
	@: >$(VENV)/install.log # torch by itself: it is the one that takes long, and whatever is wrong is then soon seen
	@for what in torch "--editable .[dev]"; do \
		$(BIN)/python -m pip install --disable-pip-version-check --constraint constraints.txt $$what \
			>>$(VENV)/install.log 2>&1 || { tail -n 15 $(VENV)/install.log >&2; exit 1; }; done
	@touch $@
	@echo "Done. \`make demo\` shows it at work; \`source $(BIN)/activate\` makes \`jupyter kb\` a command of this shell."
