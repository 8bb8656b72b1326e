#!/usr/bin/env bash
# Sets up, builds, and runs the tests. The last line is "N passed, N failed"; the exit status is 0
# only if nothing failed. Tests that could not run because a tool is missing (a browser,
# clang-format) are not counted; the line above lists them as skipped.
#   --long           runs all stages of scripts/long: long tests, other compilers, clang-tidy,
#                    sanitizers, fuzzing, coverage. Stages that passed are not run again until a file
#                    outside docs/results changes.
#   --long STAGE...  runs these stages, even if they passed before
#   --long --list    lists the stages and their state
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
# shellcheck source=scripts/testing.sh
source "$root/scripts/testing.sh"
cd "$root"

long=no
list=no
chosen=()
for argument in "$@"; do
  case "$argument" in
    --long) long=yes ;;
    --list) list=yes ;;
    -h | --help) sed -n '2,9s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; exit 0 ;;
    -*) fail 64 "test.sh: unknown argument '$argument'" "allowed: --long, --long STAGE..., --long --list" ;;
    *) chosen+=("$argument") ;;
  esac
done
if [ "$long" = no ] && { [ "$list" = yes ] || [ ${#chosen[@]} -gt 0 ]; }; then
  fail 64 "test.sh: stages and --list require --long"
fi
if [ "$list" = yes ]; then
  exec ./scripts/long/run.sh --list
fi

# A failed setup or build counts as one failure, so that the last line is always printed.
setup=(./scripts/setup.sh)
if [ "$long" = yes ]; then
  setup+=(--long)
fi
{ "${setup[@]}" && ./scripts/build.sh unity; } || {
  status=$?
  echo "0 passed, 1 failed"
  exit "$status"
}

if [ "$long" = yes ]; then
  exec ./scripts/long/run.sh "${chosen[@]}"
fi
run_tests "tests" release -LE long
report
