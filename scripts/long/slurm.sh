#!/usr/bin/env bash
# Jobs under a private Slurm: preemption, time limits, requeue, canceled and failing rows
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/../common.sh"
# shellcheck source=scripts/testing.sh
source "$root/scripts/testing.sh"
cd "$root"

run_tests "jobs under a private Slurm" release -R '^slurm_long$'
report
