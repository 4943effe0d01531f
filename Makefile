# Two commands to begin with: `make demo` shows the product, `make test` runs the usual tests.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
SOURCES := $(shell find trapcore/native/src -name '*.rs') trapcore/native/Cargo.toml pyproject.toml
WORKSHOP := $(shell find workshop/native/src -name '*.rs') workshop/native/Cargo.toml workshop/pyproject.toml

.PHONY: demo test test-rest test-pages test-all fuzz soak-library soak-week bench check check-python check-rust certificates patterns decoys docs pictures wheel release lock audit clean

# INSTALL(what) makes the environment with it.
define INSTALL
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	PYTHONWARNINGS=ignore $(BIN)/python -m pip install --quiet $(1)
	-$(PYTHON) deploy/fetch_board.py
	touch $(VENV)/product $@
endef

# The product alone.
$(VENV)/product: $(SOURCES)
	$(call INSTALL,--editable '.[web]')

# The product with the workshop and all that tests and checks need.
$(VENV)/ready: $(SOURCES) $(WORKSHOP)
	$(call INSTALL,--editable '.[test]' --editable ./workshop)

demo: $(VENV)/product
	@sh examples/demo.sh $(BIN)

# Syzygy tables of few men, for the tests.
TABLES := out/syzygy
$(TABLES): | $(VENV)/ready
	-$(BIN)/python deploy/fetch_tables.py $@

# As many processes at a time as there are processors; JOBS=0 runs the tests in one, as a debugger needs it.
JOBS ?= auto
PYTEST = $(BIN)/python -m pytest -n $(JOBS) --dist worksteal

test: $(VENV)/ready | $(TABLES)
	$(PYTEST)

# What `make test` leaves out: browsers, a database server, processes that are killed, wheels.
test-rest: $(VENV)/ready
	$(PYTEST) -m "(fault or browser or postgres or slow) and not (bench or experiment)"

# The pages in a browser: keyboard, phone, accessibility.
test-pages: $(VENV)/ready
	$(PYTEST) -m "browser and not (bench or experiment)"

test-all: test test-rest

# Each fuzz target for so long; with FUZZ_SECONDS=3600 an hour. What fails prints the FUZZ_SEED that repeats it.
FUZZ_SECONDS ?= 60
FUZZ_SEED ?= $(shell date +%s)
fuzz: export FUZZ_SECONDS := $(FUZZ_SECONDS)
fuzz: export FUZZ_SEED := $(FUZZ_SEED)
fuzz: $(VENV)/ready
	$(PYTEST) tests/faults/fuzz
	cd trapcore/native && cargo test --locked --profile checked --quiet fuzz

# One library under a server, a service, a bot and all reading commands; fails if an acknowledged row is lost.
SOAK_SECONDS ?= 120
soak-library: $(VENV)/ready
	$(BIN)/python -m tests.soak.library --seconds $(SOAK_SECONDS)

# A week of the bot on a stand-in for lichess, its calendar accelerated: 3,000 games take about an hour.
# SOAK_WEEK="--games 300" plays fewer.
SOAK_WEEK ?=
soak-week: $(VENV)/ready
	$(BIN)/python -m tests.soak.week $(SOAK_WEEK)

bench: $(VENV)/ready
	$(BIN)/python -m workshop.benchmarks

# The workshop's crate is checked beside the core's, so that what both need is built once.
SHARED := CARGO_TARGET_DIR=../../trapcore/native/target
# What has to pass before anything lands, beside the tests.
check: check-python check-rust

check-python: $(VENV)/ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/stubtest trapcore._native workshop.native._core --allowlist tests/layout/stub_exceptions.txt
	$(BIN)/lint-imports --no-cache
	$(BIN)/deptry trapcore lichess db annotator coach bot trapline
	$(BIN)/deptry tests deploy examples --ignore DEP002,DEP004
	$(BIN)/deptry workshop --config workshop/pyproject.toml

check-rust: $(VENV)/ready
	cd trapcore/native && cargo fmt --check
	cd trapcore/native && cargo clippy --locked --all-targets -- -D warnings
	cd trapcore/native && cargo clippy --locked --features python -- -D warnings
	cd trapcore/native && cargo test --locked --profile checked --quiet
	cd workshop/native && cargo fmt --check
	cd workshop/native && $(SHARED) cargo clippy --locked --all-targets --features python -- -D warnings
	cd workshop/native && $(SHARED) cargo test --locked --profile checked --quiet

# The certificates of the bundled traps, made anew: after a change of a trap, of a prover or of the search.
certificates: $(VENV)/ready
	$(BIN)/python -m db.formats.bundled

# The losing moves that come with trapline, from games that it plays itself: about an hour of processor time.
# Another run goes on where one stopped.
# PATTERNS=--judge-again judges those that there are anew, after a change of a prover or of the search: minutes.
patterns: $(VENV)/ready
	$(BIN)/python -m workshop.experiments.bundled_patterns --jobs $(shell nproc) $(PATTERNS)

# Decoys for practice, made anew from the bundled patterns: after a change of these or of the search, 4 minutes of
# processor time.
decoys: $(VENV)/ready
	$(BIN)/python -m workshop.experiments.decoys --jobs $(shell nproc)

# The documentation as a site in out/site, with the reference of the Python packages and of the Rust crate.
docs: $(VENV)/ready
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet --strict
	cd trapcore/native && cargo doc --locked --quiet --no-deps --document-private-items --features python
	rm -rf out/site/reference/rust && cp -R trapcore/native/target/doc out/site/reference/rust
	@echo "out/site/index.html"

# The wheel for this system, in dist/; needs no .venv.
wheel:
	$(PYTHON) deploy/build_wheel.py

# The wheel, the list of what it and the container are made of (CycloneDX), and checksums of all, in dist/.
release: wheel
	$(PYTHON) deploy/release_files.py

# The versions and hashes that the container is built of, deploy/requirements.lock, as they are today; needs uv.
lock:
	uv pip compile pyproject.toml deploy/build.in --extra postgres --generate-hashes --python-version 3.11 \
	    --python-platform linux --no-emit-index-url --no-annotate --custom-compile-command "make lock" \
	    --upgrade --quiet --output-file deploy/requirements.lock

# Known holes of what is locked, as the lock files are; needs pip-audit, cargo-audit and the network. Both are asked, whatever
# becomes of the first, and what could not be asked for is a failure. AUDIT_SERVICE=osv asks another service than the package
# index, and AUDIT_ADVISORIES=FOLDER takes a copy of RustSec's advisories (github.com/RustSec/advisory-db) instead of fetching it.
AUDIT_SERVICE ?= pypi
AUDIT_ADVISORIES ?=
audit:
	@command -v pip-audit >/dev/null || { echo "make audit needs pip-audit: pipx install pip-audit" >&2; exit 1; }
	@command -v cargo-audit >/dev/null || { echo "make audit needs cargo-audit: cargo install cargo-audit" >&2; exit 1; }
	@failed=; \
	pip-audit --strict --require-hashes --disable-pip --vulnerability-service $(AUDIT_SERVICE) \
	    --requirement deploy/requirements.lock || { failed=1; echo "make audit: where no table of holes stands above, the \
	service was not reached: 'not found' is also what an index without advisories, as a mirror, answers. Nothing is known \
	then: use a network that reaches it, or another service with AUDIT_SERVICE=osv" | tr -s '\t ' ' ' >&2; }; \
	(cd trapcore/native && cargo audit $(if $(AUDIT_ADVISORIES),--no-fetch --db $(abspath $(AUDIT_ADVISORIES)))) || { failed=1; \
	echo "make audit: where no hole stands above, the advisories were not fetched. Nothing is known then: use a network \
	that reaches them, or a copy with AUDIT_ADVISORIES=FOLDER" | tr -s '\t ' ' ' >&2; }; \
	test -z "$$failed"

# The pictures of README and guide; needs Chromium.
pictures: $(VENV)/ready
	$(BIN)/python examples/pictures.py docs/images

clean:
	rm -rf $(VENV) build dist out *.egg-info trapcore/*.so workshop/native/*.so trapcore/native/target workshop/native/target
