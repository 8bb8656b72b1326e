#!/usr/bin/env bash
# From a clean clone to a first table: installs dependencies, builds, trains the smallest recipe on
# generated sentences (under two minutes on 2 cores), prints its table and the path of its report.
# After an interruption, the next run resumes; after a complete run, it prints the table at once.
# Arguments are passed to `lvtext reproduce`, for example: ./scripts/quickstart.sh --profile smoke
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
cd "$root"

./scripts/setup.sh
./scripts/build.sh unity lvtext_main

say "lvtext reproduce quickstart $*"
start=$SECONDS
marker="$(mktemp)"
trap 'rm -f "$marker"' EXIT
status=0
build/release/lvtext reproduce recipes/quickstart "$@" || status=$?

case "$status" in
  0) ;;
  1) note "some nodes failed; their errors are above, and the table contains the other nodes" ;;
  75) note "stopped and saved: run this again to resume" ;;
  *) note "failed with exit code $status (docs/errors.md); the error is above" ;;
esac
say "took $((SECONDS - start)) s"
find "$root/reports" -name index.html -newer "$marker" -printf 'report: %p\n' 2>/dev/null || true
exit "$status"
