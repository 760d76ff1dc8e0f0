#!/usr/bin/env bash
# What was built on several machines, in one folder: every wheel, and each source distribution and pure wheel once.
# Fails where the tag $TAG is of another version, or a processor is missing.
set -euo pipefail
built=$1 out=$2 version=${TAG#v}
mkdir -p "$out"
find "$built" -type f \( -name '*.whl' -o -name '*.tar.gz' \) -exec cp -f {} "$out" \;
for name in \
  "weigh-$version-cp311-abi3-manylinux_2_28_x86_64.whl" "weigh-$version-cp311-abi3-manylinux_2_28_aarch64.whl" \
  "weigh-$version.tar.gz" "weigh_liars-$version-py3-none-any.whl" "weigh_liars-$version.tar.gz"; do
  [ -f "$out/$name" ] || { echo "error: $name was not built" >&2; exit 1; }
done
[ "$(find "$out" -type f | wc -l)" = 5 ] || { echo "error: there is more in $out than belongs to $version" >&2; exit 1; }
