#!/usr/bin/env bash
# The contract tests and all recipes on the CUDA GPU of this machine; not tested without one
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/../common.sh"
# shellcheck source=scripts/testing.sh
source "$root/scripts/testing.sh"
cd "$root"

if ! command -v nvidia-smi >/dev/null; then
  echo "not tested: nvidia-smi is not installed"
else
  mkdir -p docs/results/gpu
  check "tests on the GPU" python3 tests/gpu/gpu.py --jobs "$(nproc)" build/release recipes docs/results/gpu/tests || true
fi
report
