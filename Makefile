# Everything goes through here. `make run` and `make test` each set up what they need on a fresh machine.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
PEERS_READY := .peers/.ready
JOBS ?= auto

.PHONY: help run mutation test fast property lint format types vectors check-vectors spec check-spec official confirm peers interop bench cov ci clean
.DEFAULT_GOAL := help

help: ## this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | awk -F'\t' '{printf "  %-14s %s\n", $$1, $$2}'

$(READY): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Python 3.11 or newer is needed: make PYTHON=/path/to/python3.11"; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@

run: $(READY) ## set up, then put every vector and every live check to this package, and write conformance.html
	$(BIN)/nostrmcp conformance self --report html=conformance.html

test: $(READY) ## set up, then run all tests (quick property profile)
	$(BIN)/python -m pytest -n $(JOBS) -q

fast: $(READY) ## the tests that take milliseconds
	$(BIN)/python -m pytest -q -x -m "not slow"

property: $(READY) ## the property tests, with many more examples
	NOSTRMCP_HYPOTHESIS=deep $(BIN)/python -m pytest -n $(JOBS) -q tests/nostr tests/mcp tests/revisions tests/translate tests/session

lint: $(READY) ## style and import order
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

format: $(READY) ## rewrite files in the house style
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

types: $(READY) ## mypy, strict
	$(BIN)/mypy

vectors: $(READY) ## write vectors/ again from vectors/source
	$(BIN)/python -m vectors.source.fill

check-vectors: $(READY) ## fail if vectors/ is not what vectors/source says
	$(BIN)/python -m vectors.source.fill --check

spec: $(READY) ## write the generated pages and fences of spec/ again
	$(BIN)/python spec/make.py

check-spec: $(READY) ## fail if a page of spec/ is not what vectors, ledgers and code say
	$(BIN)/python spec/make.py --check

official: $(READY) ## get official test data from source archives of published packages into .official/
	$(BIN)/python tests/official/get.py .official

confirm: $(READY) ## run the vectors through published software that is not ours
	$(BIN)/python tests/confirm/confirm.py

$(PEERS_READY): tests/interop/peers.toml tests/interop/install.py | $(READY)
	$(BIN)/python tests/interop/install.py .peers
	@touch $@

peers: $(PEERS_READY) ## install published software that is not ours into .peers/, to test against

interop: $(READY) $(PEERS_READY) ## the tests against published software that is not ours
	$(BIN)/python -m pytest -q tests/interop

bench: $(READY) $(if $(PEERS),$(PEERS_READY)) ## speed, as ratios to the bare library calls (PEERS=1: and to other implementations)
	$(BIN)/python tests/bench/bench.py $(if $(PEERS),--peers)

mutation: $(READY) ## mutation testing of the core with the vectors alone (SAMPLE=300: so many mutants)
	$(BIN)/python tests/mutation/mutation.py $(if $(SAMPLE),--sample $(SAMPLE))

cov: $(READY) ## branch coverage, on both ways into libsecp256k1; the core must be covered whole
	rm -f .coverage .coverage.*
	$(BIN)/python -m coverage run -m pytest -n $(JOBS) -q tests/nostr tests/mcp tests/revisions tests/translate tests/session tests/vectors
	$(BIN)/python -m coverage run -m pytest -n $(JOBS) -q --public-api tests/nostr tests/vectors
	$(BIN)/python -m coverage combine -q
	$(BIN)/python -m coverage report --include='nostrmcp/nostr/*,nostrmcp/mcp/*,nostrmcp/revisions/*,nostrmcp/translate/*,nostrmcp/session/*' --fail-under=100

ci: lint types check-vectors check-spec peers test run cov ## what .ci/run runs, and a sample of mutants
	$(MAKE) mutation SAMPLE=300

clean: ## remove what make made
	rm -rf $(VENV) conformance.html .official .peers dist build .coverage .coverage.* .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
