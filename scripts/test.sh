#!/usr/bin/env bash
# Sets up, builds, and runs the tests. --long runs the long ones too and builds with g++ 12 as well.
# The last line is "N passed, N failed"; the exit status is 0 only if nothing failed.
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
cd "$root"

selection=(-LE long)
long=no
for argument in "$@"; do
  case "$argument" in
    --long) long=yes; selection=() ;;
    -h | --help) sed -n '2,3s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; exit 0 ;;
    *) fail 64 "test.sh: unknown argument '$argument'" "allowed: --long" ;;
  esac
done

# What cannot be set up or built counts as one failure, so that the last line is always there.
{ ./scripts/setup.sh && ./scripts/build.sh release; } || {
  status=$?
  echo "0 passed, 1 failed"
  exit "$status"
}

log="$(mktemp)"
trap 'rm -f "$log"' EXIT
say "testing"
status=0
ctest --test-dir build/release "${selection[@]}" --output-on-failure -j2 </dev/null 2>&1 |
  tee "$log" || status=$?

# ctest's own closing line: "98% tests passed, 1 tests failed out of 42".
counts="$(sed -n 's/^[0-9]*% tests passed, \([0-9]*\) tests failed out of \([0-9]*\)$/\1 \2/p' "$log")"
read -r failed total <<<"${counts:-0 0}"
passed=$((total - failed))
if [ "$status" != 0 ] && [ "$failed" = 0 ]; then
  failed=1 # ctest itself failed: not seeing it as a failure would call this green
fi
if [ "$total" = 0 ]; then
  note "no test ran: that counts as a failure"
  failed=1
fi

if [ "$long" = yes ]; then
  say "the same sources with g++ 12"
  if ./scripts/build.sh gcc; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
  fi
fi

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
