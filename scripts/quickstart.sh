#!/usr/bin/env bash
# From a clean clone to a first table: sets up, builds, trains the smallest recipe on sentences that
# lvtext makes itself (under two minutes of computing on 2 cores), prints its table and the path of
# its report. Stopped in the middle, it goes on where it was; run again, it shows the table at once.
# Arguments go to `lvtext reproduce`, for example: ./scripts/quickstart.sh --profile smoke
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
cd "$root"

./scripts/setup.sh
./scripts/build.sh release

say "lvtext reproduce quickstart $*"
start=$SECONDS
marker="$(mktemp)"
trap 'rm -f "$marker"' EXIT
status=0
build/release/lvtext reproduce recipes/quickstart "$@" || status=$?

case "$status" in
  0) ;;
  1) note "some parts failed, their reasons are above; the table has the others" ;;
  75) note "stopped and saved: run this again to go on" ;;
  *) note "the message above says what to do; exit codes: docs/errors.md" ;;
esac
say "took $((SECONDS - start)) s"
find "$root/reports" -name index.html -newer "$marker" -printf 'report: %p\n' 2>/dev/null || true
exit "$status"
