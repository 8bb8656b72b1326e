#!/usr/bin/env bash
# Checks the form of all sources: clang-format 16, whose file is .clang-format. --fix rewrites them.
# --tidy runs clang-tidy 16 (.clang-tidy) over the sources in PATH..., by default all: 40 s for each that
# includes LibTorch, but none for those that are as they were when they had no findings (tidy.py). It
# needs a build (LVTEXT_BUILD, default build/release). LVTEXT_JOBS=N reads N files at a time.
# usage: style.sh [--fix | --tidy [PATH...]]
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
cd "$root"

# tool NAME: its command, or the end of this script: other versions format differently.
tool() {
  command -v "$1-16" || fail 69 "$1-16 is not there" "install it: ./scripts/setup.sh --long"
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
