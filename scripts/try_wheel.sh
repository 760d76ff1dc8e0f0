#!/usr/bin/env bash
# Installs the wheels of a folder as a user would, without Rust and make, and takes the tour: how long that takes is
# printed. With uv where there is one, as `uv tool install` does, otherwise with pip.
set -euo pipefail
dist=$(cd "$1" && pwd)
uv=${UV:-$(command -v uv || true)}
python=$(python3 -c "import sys; print(sys.executable)")
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cd "$place"
mkdir bin
# Nothing but Python and what every Linux has: a linker, cargo or make would be found by their names.
for name in sh bash env cat ls mkdir rm cp mv ln uname id sed grep tr head tail; do
  ln -s "$(command -v "$name")" "bin/$name"
done
ln -s "$python" bin/python3
export PATH=$place/bin XDG_CACHE_HOME=$place/cache XDG_DATA_HOME=$place/data HOME=$place
for name in cargo rustc make cc; do
  if command -v "$name" >/dev/null; then echo "error: $name is there" >&2; exit 1; fi
done
echo "load average: $(head -c 14 /proc/loadavg)"
begun=$SECONDS
if [ -n "$uv" ]; then
  export UV_TOOL_BIN_DIR=$place/tools UV_PYTHON_DOWNLOADS=never
  "$uv" tool install --quiet --python "$python" "$dist"/*.whl
  weigh=$place/tools/weigh
else
  "$python" -m venv installed
  installed/bin/python -m pip install --quiet --disable-pip-version-check "$dist"/*.whl
  weigh=$place/installed/bin/weigh
fi
echo "installed after $((SECONDS - begun)) s"
"$weigh" --version
code=0
"$weigh" demo || code=$?
# 3: a machine that others use may refuse everything.
[ "$code" = 0 ] || [ "$code" = 3 ] || exit "$code"
echo "the tour is over after $((SECONDS - begun)) s, installation included"
"$weigh" verify latest
if "$weigh" lies --run A1; then echo "error: the liars are in the wheel of weigh" >&2; exit 1; fi
if [ -n "$uv" ]; then
  "$uv" tool install --quiet --force --python "$python" "$dist"/*.whl --with "$(echo "$dist"/liars/*.whl)"
else
  installed/bin/python -m pip install --quiet --disable-pip-version-check "$dist"/liars/*.whl
fi
"$weigh" lies --run A1
