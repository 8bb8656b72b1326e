#!/usr/bin/env bash
# Unit tests that use threads, under the thread sanitizer
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/../common.sh"
# shellcheck source=scripts/testing.sh
source "$root/scripts/testing.sh"
cd "$root"

# base: parallel loops, logs and signals; datasets: the prefetcher; statistics, tensor, nn and decoding:
# OpenMP loops; trainers: the prefetcher during updates.
programs=(base datasets statistics tensor nn decoding trainers)
if check "building the preset tsan" ./scripts/build.sh tsan "${programs[@]/#/test_}"; then
  # LibTorch and OpenMP are not instrumented. Some tests expect a failed allocation.
  options=("suppressions=$root/tests/threads.supp" print_suppressions=0 ignore_noninstrumented_modules=1
    allocator_may_return_null=1)
  TSAN_OPTIONS="$(IFS=:; echo "${options[*]}")"
  export TSAN_OPTIONS
  run_tests "unit tests under the thread sanitizer" tsan -LE long -R "^($(IFS='|'; echo "${programs[*]}"))/"
fi
report
