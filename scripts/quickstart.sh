#!/usr/bin/env bash
# From a clean clone to a first table: sets up, builds, trains the smallest recipe on embedded text.
# Arguments go to `lvtext reproduce`, for example: ./scripts/quickstart.sh --profile cpu
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
cd "$root"

./scripts/setup.sh
./scripts/build.sh release

arguments=("$@")
case " $* " in
  *" --profile"*) ;;
  *) arguments=(--profile smoke "$@") ;;
esac
say "lvtext reproduce recipes/quickstart ${arguments[*]}"
start=$SECONDS
marker="$(mktemp)"
trap 'rm -f "$marker"' EXIT
status=0
build/release/lvtext reproduce recipes/quickstart "${arguments[@]}" || status=$?

say "took $((SECONDS - start)) s"
if [ -d reports ]; then
  find reports -name index.html -newer "$marker" -printf 'report: %p\n' | sort
fi
exit "$status"
