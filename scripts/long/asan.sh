#!/usr/bin/env bash
# Unit tests under the address and undefined-behavior sanitizers
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/../common.sh"
# shellcheck source=scripts/testing.sh
source "$root/scripts/testing.sh"
cd "$root"

if check "building the preset asan" ./scripts/build.sh asan; then
  # Containers that LibTorch fills are not instrumented, so their overflow checks are off. Some tests
  # expect a failed allocation.
  export ASAN_OPTIONS=detect_container_overflow=0:allocator_may_return_null=1
  export LSAN_OPTIONS="suppressions=$root/tests/leaks.supp:print_suppressions=0"
  export UBSAN_OPTIONS=print_stacktrace=1
  # Excluded: tests of whole programs, which are several times slower and cover the same code, and
  # tests of sources and pages.
  whole='recipes/.*|toy-.*|plugin|slurm|sweep|executor|damage|unfinished|render'
  pages='plugin_interface|no_libtorch|style|glossary|docs|printed|published'
  run_tests "unit tests and the command line with sanitizers" asan -LE long -E "^($whole|$pages)\$"
fi
report
