#!/usr/bin/env bash
# Build without the precompiled header; each header alone
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/../common.sh"
# shellcheck source=scripts/testing.sh
source "$root/scripts/testing.sh"
cd "$root"

# Headers first: one missing include in a header fails many sources.
if check "compiling each header alone" ./scripts/build.sh no-pch headers; then
  check "building without the precompiled header" ./scripts/build.sh no-pch lvtext || true
fi
report
