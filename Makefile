# Everything a fresh machine with Python 3.11 or newer and a Rust toolchain needs is made by these targets.
# Caches live outside the tree.

PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV := .venv
BIN := $(VENV)/bin
CACHE := $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/weigh
UV_VERSION := 0.13.9

export CARGO_TARGET_DIR ?= $(CACHE)/target
export UV_PYTHON_DOWNLOADS := never
export UV_PROJECT_ENVIRONMENT := $(VENV)
export RUFF_CACHE_DIR := $(CACHE)/ruff
export PYTHONDONTWRITEBYTECODE := 1

RUST := $(shell find crates -name '*.rs' -o -name Cargo.toml) Cargo.toml Cargo.lock
TESTS ?= tests
# More than twice the CPUs of CI: tests also wait.
WORKERS ?= 5
# Bytecode outside the tree: each process would compile all modules again.
BYTECODE := env -u PYTHONDONTWRITEBYTECODE PYTHONPYCACHEPREFIX=$(CACHE)/bytecode
PYTEST := $(BYTECODE) $(BIN)/pytest \
	--numprocesses $(WORKERS) --dist loadfile --no-loadscope-reorder
RUST_TESTS := cargo test --quiet --package weigh-digest --package weigh-host --package weigh-isolation --package weigh-load \
	--package weigh-stats --package weigh-store
FACTOR ?= 0.5

.PHONY: demo test test-browser test-cluster test-servers test-long fuzz sim check bench format clean

demo: $(VENV)/.ready
	@$(BIN)/weigh demo

# Those in Rust mostly wait: they run beside the others, and are printed at the end.
test: $(VENV)/.ready
	$(RUST_TESTS) --no-run
	@mkdir -p $(CACHE); $(RUST_TESTS) >$(CACHE)/rust-tests 2>&1 & rust=$$!; $(PYTEST) -m "not long and not browser and not servers and not cluster" $(TESTS); python=$$?; \
	wait $$rust; rust=$$?; cat $(CACHE)/rust-tests; exit $$((rust ? rust : python))

# Chromium is not a Python package; everything else that these tests need is.
test-browser: $(VENV)/.ready
	@command -v chromium >/dev/null || (apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium)
	$(BIN)/pytest -m browser tests/browser

# Systems by URL, each started here on loopback; what the machine lacks is skipped by name, with what installs it.
# One process: two servers in Java are the most that runs at a time.
test-servers: $(VENV)/.ready
	$(BYTECODE) $(BIN)/pytest -m servers -rs tests/servers

# Three hosts as network namespaces, a scheduler of Dask, a server: needs root, and is skipped by name without.
test-cluster: $(VENV)/.ready
	$(BYTECODE) $(BIN)/pytest -m cluster -rs tests/cluster

test-long: $(VENV)/.ready
	$(RUST_TESTS) --release
	$(PYTEST) --hypothesis-profile long -m "not browser and not servers and not cluster" $(TESTS)
	@$(MAKE) --no-print-directory test-servers

# At least 10,000 hostile inputs, so many for each of the doors: what tests/fuzz/frame.py says must hold of each.
fuzz: $(VENV)/.ready
	WEIGH_FUZZ=$(or $(WEIGH_FUZZ),500) $(PYTEST) tests/fuzz

# Every guarantee of docs/concept/statistics.md, measured; FACTOR multiplies 20,000 experiments a figure.
sim: $(VENV)/.ready
	@PYTHONPATH=src:tests $(BIN)/python -m guarantees $(FACTOR)

# What every command prints of kept evidence, written anew: read the diff before you commit it.
.PHONY: golden
golden: $(VENV)/.ready
	$(BIN)/pytest --quiet tests/golden --update-golden

check: $(VENV)/.ready
	$(BIN)/ruff format --check --quiet src liars tests scripts benchmarks
	$(BIN)/ruff check --quiet src liars tests scripts benchmarks
	$(BIN)/mypy --cache-dir $(CACHE)/mypy
	$(BIN)/lint-imports --no-cache
	$(BIN)/python scripts/arrows.py --check
	cargo fmt --check
	cargo clippy --quiet --workspace --all-targets -- -D warnings
	@PYTHONPATH=scripts $(BIN)/python -m reference --check
	$(BIN)/python scripts/check_links.py README.md CHANGELOG.md CONTRIBUTING.md changelog.d docs

# The site of docs/ in dist/site: search, dead links fail, nothing from elsewhere.
.PHONY: docs
docs: $(VENV)/.ready
	@NO_MKDOCS_2_WARNING=1 PYTHONPATH=scripts:src $(BIN)/uv run --quiet --isolated --locked --only-group docs mkdocs build --clean --quiet
	@$(BIN)/python scripts/check_site.py dist/site
	@echo 'python3 -m http.server --directory dist/site --bind 127.0.0.1 shows it; search needs a server'

# The version, the changelog, a commit and a tag, and nothing is published: make release VERSION=0.2.0
.PHONY: release
release: $(VENV)/.ready
	@$(BIN)/python scripts/release.py $(VERSION)

# Distributions in dist/: what pip and uv install without a Rust toolchain.
.PHONY: wheel
wheel: $(VENV)/.ready
	UV=$(abspath $(BIN))/uv scripts/wheel.sh

# What weigh says of every type and engine, asked anew; the page follows from what is recorded, also where an engine is
# accused: a known wrong answer is a cell like others.
.PHONY: types
types: $(VENV)/.ready
	@PYTHONPATH=scripts $(BIN)/python -m type_table $(ONLY); asked=$$?; \
	PYTHONPATH=scripts $(BIN)/python -m reference; exit $$asked

# What several engines agree on of TPC-DS, asked anew.
.PHONY: tpcds
tpcds: $(VENV)/.ready
	$(BIN)/python scripts/tpcds_agreed.py $(ONLY)

bench: $(VENV)/.ready
	@$(BYTECODE) $(BIN)/python -m benchmarks $(ONLY)

format: $(VENV)/.ready
	$(BIN)/ruff check --quiet --fix src liars tests scripts benchmarks
	$(BIN)/ruff format --quiet src liars tests scripts benchmarks
	cargo fmt
	@PYTHONPATH=scripts $(BIN)/python -m reference

clean:
	rm -rf $(VENV)

$(VENV)/.ready: pyproject.toml uv.lock $(RUST)
	@test -x $(BIN)/uv || ($(PYTHON) -m venv $(VENV) && $(BIN)/python -m pip install --quiet --disable-pip-version-check uv==$(UV_VERSION))
	@echo 'installing weigh into $(VENV): packages, and its native module in Rust (the first time some minutes)'
	$(BIN)/uv sync --locked --quiet --compile-bytecode
	@touch $@
