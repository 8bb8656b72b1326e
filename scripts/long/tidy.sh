#!/usr/bin/env bash
# clang-tidy on all sources; skips unchanged files without findings
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/../common.sh"
# shellcheck source=scripts/testing.sh
source "$root/scripts/testing.sh"
cd "$root"

check "clang-tidy" ./scripts/style.sh --tidy || true
report
