#!/usr/bin/env bash
# Installs weigh for the steps that follow: $WEIGH_VERSION, or the version of this action.
set -euo pipefail
here=$(cd "$(dirname "$0")/../.." && pwd)
own=$(sed -n 's/^version = "\(.*\)"/\1/p' "$here/pyproject.toml" | head -1)
python3 -m venv "$RUNNER_TEMP/weigh"
"$RUNNER_TEMP/weigh/bin/python" -m pip install --quiet --disable-pip-version-check "${WEIGH_VERSION:-weigh==$own}"
echo "$RUNNER_TEMP/weigh/bin" >> "$GITHUB_PATH"
