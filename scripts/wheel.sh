#!/usr/bin/env bash
# The distributions of weigh, into dist/: wheels of this processor for every Linux since glibc 2.28, and sources.
set -euo pipefail
cd "$(dirname "$0")/.."
uv=${UV:-uv}
out=${1:-dist}
rm -rf "$out"
# An environment that stays: from another one cargo compiles everything again.
export UV_PROJECT_ENVIRONMENT=${XDG_CACHE_HOME:-$HOME/.cache}/weigh/wheel-environment
run() { "$uv" run --quiet --locked --only-group wheel "$@"; }

# zig links against the symbols of that glibc, whatever the machine has.
run maturin build --release --zig --compatibility manylinux_2_28 --out "$out"
run maturin sdist --out "$out"
# In a folder of its own, so that `uv tool install dist/*.whl` is one wheel.
"$uv" build --quiet --package weigh-liars --out-dir "$out/liars"
rm -f "$out/.gitignore" "$out/liars/.gitignore"
for wheel in "$out"/weigh-*.whl; do run auditwheel show "$wheel"; done
run python scripts/check_wheel.py "$out"
ls -l "$out"/*.whl "$out"/*.tar.gz "$out"/liars/*
