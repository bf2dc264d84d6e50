# The everyday commands; `.ci/run` calls the same ones.

# What must pass before a landing, without the heavy proofs.
ci: fmt clippy test doc

fmt:
    cargo fmt --all --check

clippy:
    cargo clippy --workspace --all-features --all-targets --locked -- -D warnings

test:
    cargo test --workspace --all-features --locked

doc:
    RUSTDOCFLAGS="-D warnings" cargo doc --workspace --all-features --no-deps --locked

# Speed as a ratio to parsing alone; the folder defaults to a generated corpus.
bench *FOLDER:
    cargo bench -p cargo-kopf-crd --bench check -- {{FOLDER}}

# Real API server, real Kopf (needs Go, Python and Debian's etcd-server).
live:
    tests/live/run

# Random cases against the API server's own code (needs Go and ../shared).
fuzz COUNT="20000":
    tests/fuzz/compare.py {{COUNT}}

# See and accept changed snapshots.
review:
    cargo insta review
