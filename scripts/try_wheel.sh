#!/usr/bin/env bash
# Installs the wheels of a folder as a user would, without Rust and make, and takes the tour.
set -euo pipefail
dist=$(cd "$1" && pwd)
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cd "$place"
python=$(command -v python3)
export PATH=/usr/bin:/bin XDG_CACHE_HOME=$place/cache
"$python" -m venv installed
installed/bin/python -m pip install --quiet --disable-pip-version-check "$dist"/weigh-*.whl
installed/bin/weigh --version
if installed/bin/weigh lies --run A1; then echo "error: the liars are in the wheel of weigh" >&2; exit 1; fi
code=0
installed/bin/weigh demo || code=$?
# 3: a machine that others use may refuse everything.
[ "$code" = 0 ] || [ "$code" = 3 ] || exit "$code"
installed/bin/weigh verify latest
installed/bin/python -m pip install --quiet --disable-pip-version-check "$dist"/weigh_liars-*.whl
installed/bin/weigh lies --run A1
