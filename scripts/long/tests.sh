#!/usr/bin/env bash
# All tests, including the long ones except those of the stage slurm
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/../common.sh"
# shellcheck source=scripts/testing.sh
source "$root/scripts/testing.sh"
cd "$root"

run_tests "all tests" release -E '^(slurm|sweep)_long$'
report
