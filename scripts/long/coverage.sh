#!/usr/bin/env bash
# Line coverage of the default tests, by folder: docs/results/long/coverage.md
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/../common.sh"
# shellcheck source=scripts/testing.sh
source "$root/scripts/testing.sh"
cd "$root"

# coverage.sh [PROGRAM...] measures only these test programs, for example test_base, and writes the
# table to build/coverage/coverage.md.
table=build/coverage/coverage.md
[ $# -gt 0 ] || table=docs/results/long/coverage.md

if ! check "building the preset coverage" ./scripts/build.sh coverage "$@"; then
  report
  exit
fi
profiles="$root/build/coverage/profiles"
rm -rf "$profiles"
# %m: one file per program, into which its processes merge their counts.
export LLVM_PROFILE_FILE="$profiles/%m.profraw"
if [ $# -gt 0 ]; then
  for program in "$@"; do check "$program" "build/coverage/tests/$program" '~[long]' || true; done
else
  run_tests "default tests with line coverage" coverage -LE long
fi
unset LLVM_PROFILE_FILE

# All instrumented programs and libraries: the first is llvm-cov's argument, the others are options.
objects=()
while IFS= read -r object; do
  objects+=(-object "$object")
done < <(
  if [ $# -gt 0 ]; then
    printf 'build/coverage/tests/%s\n' "$@"
  else
    find build/coverage -maxdepth 1 \( -name lvtext -o -name '*.so' \)
    find build/coverage/tests -maxdepth 1 -name 'test_*' -type f -executable
  fi
)
summarize() {
  llvm-profdata-16 merge -sparse "$profiles"/*.profraw -o build/coverage/all.profdata &&
    llvm-cov-16 export -summary-only -instr-profile build/coverage/all.profdata "${objects[@]:1}" \
      >build/coverage/summary.json &&
    ./scripts/coverage_table.py build/coverage/summary.json >"$table"
}
if check "writing the coverage table" summarize; then
  note "written: $table"
fi
report
