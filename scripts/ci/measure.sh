#!/usr/bin/env bash
# Carries out $WEIGH_COMMAND with $WEIGH_ARGUMENTS, quoted as in a shell, and ends as weigh ends.
set -euo pipefail
split() { xargs -r printf '%s\0' <<< "$1"; }
mapfile -d '' -t words < <(split "$WEIGH_COMMAND"; split "${WEIGH_ARGUMENTS:-}")
code=0
weigh ci measure "${words[@]}" || code=$?
if [ -f weigh-ci/comment.md ]; then cat weigh-ci/comment.md >> "$GITHUB_STEP_SUMMARY"; fi
exit "$code"
