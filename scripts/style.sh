#!/usr/bin/env bash
# Checks the format of all sources with clang-format 16 (.clang-format). --fix reformats them.
# --tidy runs clang-tidy 22 (.clang-tidy) on the sources in PATH..., by default all; unchanged sources
# without findings are skipped (tidy.py). The compile commands are those of the preset no-pch.
# LVTEXT_JOBS=N checks N files in parallel.
# usage: style.sh [--fix | --tidy [PATH...]]
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
cd "$root"

# format_tool: prints the command of clang-format 16 (other versions format differently), or exits.
format_tool() {
  command -v clang-format-16 ||
    fail 69 "clang-format-16 was not found" "install it: ./scripts/setup.sh --long"
}
# tidy_tool: prints the command of clang-tidy, or exits.
tidy_tool() {
  command -v "$environment/bin/clang-tidy" ||
    fail 69 "clang-tidy was not found in .lvtext-env" "install it: ./scripts/setup.sh --long"
}
sources() { find "$@" -name '*.cpp' -o -name '*.h' | sort; }
everything=(framework models losses trainers evaluators tests)

case "${1:-}" in
  "")
    program="$(format_tool)"
    sources "${everything[@]}" | xargs "$program" --dry-run -Werror
    ;;
  --fix)
    program="$(format_tool)"
    sources "${everything[@]}" | xargs "$program" -i
    ;;
  --tidy)
    shift
    program="$(tidy_tool)"
    ./scripts/build.sh no-pch build.ninja # configures
    [ $# -gt 0 ] || set -- "${everything[@]}"
    scripts/tidy.py "$program" build/no-pch "${LVTEXT_JOBS:-$(nproc)}" "$@"
    ;;
  -h | --help) sed -n '2,6s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" ;;
  *) fail 64 "style.sh: unknown argument '$1'" "allowed: --fix, --tidy" ;;
esac
