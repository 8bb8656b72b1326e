#!/usr/bin/env bash
# Build with g++ 12
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/../common.sh"
# shellcheck source=scripts/testing.sh
source "$root/scripts/testing.sh"
cd "$root"

check "building the preset gcc" ./scripts/build.sh gcc || true
report
