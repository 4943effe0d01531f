# Two commands do everything: `make demo` shows the product, `make test` runs the whole suite.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
SOURCES := $(wildcard trapcore/native/src/*.rs trapcore/native/src/*/*.rs) trapcore/native/Cargo.toml pyproject.toml

.PHONY: demo test bench check clean

$(VENV)/ready: $(SOURCES)
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	PYTHONWARNINGS=ignore $(BIN)/python -m pip install --quiet --editable '.[test]'
	touch $@

demo: $(VENV)/ready
	@sh examples/demo.sh $(BIN)

test: $(VENV)/ready
	$(BIN)/python -m pytest

bench: $(VENV)/ready
	$(BIN)/python -m research.benchmarks

# What has to pass before anything lands, beside the tests.
check: $(VENV)/ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	cd trapcore/native && cargo fmt --check
	cd trapcore/native && cargo clippy --locked --all-targets -- -D warnings
	cd trapcore/native && cargo clippy --locked --features python -- -D warnings
	cd trapcore/native && cargo test --locked --release --quiet

clean:
	rm -rf $(VENV) build dist out *.egg-info trapcore/*.so trapcore/native/target
