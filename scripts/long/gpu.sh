#!/usr/bin/env bash
# The contract tests and all recipes on the CUDA GPU of this machine; skipped without one
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/../common.sh"
# shellcheck source=scripts/testing.sh
source "$root/scripts/testing.sh"
cd "$root"

mkdir -p docs/results/gpu
status=0
python3 tests/gpu/gpu.py --jobs "$(nproc)" build/release recipes docs/results/gpu/tests || status=$?
case "$status" in
  0) record 1 0 ;;
  77) skipped+=(gpu) ;;
  *) record 0 1 ;;
esac
report
