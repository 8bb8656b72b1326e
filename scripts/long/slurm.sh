#!/usr/bin/env bash
# Jobs under a private Slurm (preemption, time limits, requeue, cancellation), and sweeps with kills
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/../common.sh"
# shellcheck source=scripts/testing.sh
source "$root/scripts/testing.sh"
cd "$root"

run_tests "jobs under a private Slurm, sweeps with kills" release -R '^(slurm|sweep)_long$'
report
