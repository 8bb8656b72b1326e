#!/usr/bin/env bash
# Checks the format of all sources with clang-format 16 (.clang-format). --fix reformats them.
# --tidy runs clang-tidy 16 (.clang-tidy) on the sources in PATH..., by default all. A source that
# includes LibTorch takes 40 s; unchanged sources without findings are skipped (tidy.py). Needs a
# build (LVTEXT_BUILD, default build/release). LVTEXT_JOBS=N checks N files in parallel.
# usage: style.sh [--fix | --tidy [PATH...]]
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
cd "$root"

# tool NAME: prints the command of version 16 (other versions format differently), or exits.
tool() {
  command -v "$1-16" || fail 69 "$1-16 was not found" "install it: ./scripts/setup.sh --long"
}
sources() { find "$@" -name '*.cpp' -o -name '*.h' | sort; }
everything=(framework models losses trainers evaluators tests)

case "${1:-}" in
  "")
    program="$(tool clang-format)"
    sources "${everything[@]}" | xargs "$program" --dry-run -Werror
    ;;
  --fix)
    program="$(tool clang-format)"
    sources "${everything[@]}" | xargs "$program" -i
    ;;
  --tidy)
    shift
    build="${LVTEXT_BUILD:-build/release}"
    [ -e "$build/compile_commands.json" ] || fail 66 "'$build' is not configured" "./scripts/build.sh"
    program="$(tool clang-tidy)"
    [ $# -gt 0 ] || set -- "${everything[@]}"
    scripts/tidy.py "$program" "$build" "${LVTEXT_JOBS:-$(nproc)}" "$@"
    ;;
  -h | --help) sed -n '2,6s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" ;;
  *) fail 64 "style.sh: unknown argument '$1'" "allowed: --fix, --tidy" ;;
esac
