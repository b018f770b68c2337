# What a developer and CI run. `make test` is all of CI.

CACHE := $(or $(COLDFRAME_CACHE),$(or $(XDG_CACHE_HOME),$(HOME)/.cache)/coldframe)
CARGO := cargo

.PHONY: build test fmt lint core docs deny bench

build:
	$(CARGO) build

# cargo test comes last, so that its summary closes the run.
test: lint core docs deny
	$(CARGO) test --doc
	$(CARGO) test --lib --bins --tests

fmt:
	$(CARGO) fmt

lint:
	$(CARGO) fmt --check
	$(CARGO) clippy --all-targets --all-features -- -D warnings
	$(CARGO) clippy --lib --no-default-features -- -D warnings

# The pipeline alone: it must build without the command line.
core:
	$(CARGO) check --lib --no-default-features

docs:
	RUSTDOCFLAGS='-D warnings' $(CARGO) doc --no-deps

# Advisories are left out: they need a database from the network.
deny:
	@if $(CARGO) deny --version >/dev/null 2>&1; then \
	  $(CARGO) deny check bans licenses sources; \
	else \
	  echo 'SKIPPED: cargo deny check: cargo-deny is not installed (cargo install cargo-deny --locked)'; \
	fi

# Against helm and kustomize where Go can build them; without Go the bench skips what it does not find on PATH.
bench: $(if $(shell command -v go),$(CACHE)/bench/helm $(CACHE)/bench/kustomize)
	$(CARGO) build --release
	$(CARGO) run --release --example bench -- $(ARGS)

$(CACHE)/bench/%: tests/go/%/go.mod tests/go/%/go.sum
	go -C tests/go/$* build -trimpath -ldflags=-s -o $@ tool
