#!/usr/bin/env bash
# Sets up, builds, and runs the tests. --long also runs the long ones, clang-tidy and a build with
# g++ 12, the unit tests under the address and undefined-behavior sanitizers, and writes what came
# out to docs/results/long/summary.md (more than an hour on 2 cores the first time).
# The last line is "N passed, N failed"; the exit status is 0 only if nothing failed. What could not run
# for want of a tool (a browser, clang-format) is neither, and named above it.
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
cd "$root"

long=no
for argument in "$@"; do
  case "$argument" in
    --long) long=yes ;;
    -h | --help) sed -n '2,6s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; exit 0 ;;
    *) fail 64 "test.sh: unknown argument '$argument'" "allowed: --long" ;;
  esac
done

passed=0
failed=0
skipped=() # names
rows=() # of the summary
log="$(mktemp)"
trap 'rm -f "$log"' EXIT

# record WHAT PASSED FAILED BEGIN: counts a part and notes it for the summary.
record() {
  passed=$((passed + $2))
  failed=$((failed + $3))
  rows+=("| $1 | $2 | $3 | $((SECONDS - $4)) |")
}

# run_tests WHAT PRESET CTEST-ARGUMENTS...: one ctest run, recorded.
run_tests() {
  local what="$1" preset="$2" begin=$SECONDS status=0 counts bad total missed
  shift 2
  say "testing: $what"
  ctest --test-dir "build/$preset" "$@" --output-on-failure -j "${LVTEXT_JOBS:-2}" </dev/null 2>&1 |
    tee "$log" || status=$?
  # ctest's own closing line: "98% tests passed, 1 tests failed out of 42".
  counts="$(sed -n 's/^[0-9]*% tests passed, \([0-9]*\) tests failed out of \([0-9]*\)$/\1 \2/p' "$log")"
  read -r bad total <<<"${counts:-0 0}"
  if [ "$total" = 0 ]; then
    note "no test ran: that counts as a failure"
    bad=1
    total=1
  elif [ "$status" != 0 ] && [ "$bad" = 0 ]; then
    bad=1 # ctest itself failed: not seeing it as a failure would call this green
  fi
  # Those that ctest counts as passed: "	46 - render (Skipped)".
  mapfile -t missed < <(sed -n 's/^\t *[0-9]* - \([^ ]*\) (Skipped)$/\1/p' "$log")
  skipped+=("${missed[@]}")
  record "$what" "$((total - bad - ${#missed[@]}))" "$bad" "$begin"
}

# run_build WHAT PRESET: compiles everything, recorded as one test.
run_build() {
  local begin=$SECONDS
  say "building: $1"
  if ./scripts/build.sh "$2"; then
    record "$1" 1 0 "$begin"
  else
    record "$1" 0 1 "$begin"
    return 1
  fi
}

# run_tidy: clang-tidy, recorded as one test.
run_tidy() {
  local begin=$SECONDS
  say "clang-tidy: what does not see LibTorch"
  if ./scripts/style.sh --tidy; then
    record "clang-tidy of what does not see LibTorch" 1 0 "$begin"
  else
    record "clang-tidy of what does not see LibTorch" 0 1 "$begin"
  fi
}

write_summary() {
  local folder=docs/results/long changes=""
  [ -z "$(git status --porcelain --untracked-files=no)" ] || changes=", with uncommitted changes"
  mkdir -p "$folder"
  {
    echo "# The long tests"
    echo
    echo "Written by \`./scripts/test.sh --long\`."
    echo
    echo "- commit: $(git rev-parse --short=12 HEAD)$changes"
    echo "- machine: $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)," \
      "$(nproc) cores, $(awk '/MemTotal/ {printf "%.0f", $2 / 1048576}' /proc/meminfo) GiB"
    echo "- compilers: $("$(find_compiler)" --version | head -n 1); $(g++ --version | head -n 1)"
    echo
    echo "| what | passed | failed | seconds |"
    echo "|---|---|---|---|"
    printf '%s\n' "${rows[@]}"
    [ ${#skipped[@]} = 0 ] || printf '\nSkipped: %s\n' "${skipped[*]}"
  } >"$folder/summary.md"
  note "written: $folder/summary.md"
}

# What cannot be set up or built counts as one failure, so that the last line is always there.
setup=(./scripts/setup.sh)
[ "$long" = no ] || setup+=(--long)
{ "${setup[@]}" && ./scripts/build.sh release; } || {
  status=$?
  echo "0 passed, 1 failed"
  exit "$status"
}

if [ "$long" = no ]; then
  run_tests "tests" release -LE long
else
  run_tests "tests, the long ones included" release
  run_tidy
  run_build "the same sources with g++" gcc || true
  if run_build "the same sources with sanitizers" asan; then
    # Only the unit tests: recipes and the plug-in would repeat them, several times slower.
    # Containers that LibTorch fills are not instrumented, so their overflow checks are off.
    export ASAN_OPTIONS=detect_container_overflow=0
    export LSAN_OPTIONS="suppressions=$root/tests/leaks.supp:print_suppressions=0"
    export UBSAN_OPTIONS=print_stacktrace=1
    run_tests "unit tests under the sanitizers" asan -LE long -E '^(recipes|plugin|docs|render|style)$'
  fi
  write_summary
fi

[ ${#skipped[@]} = 0 ] || note "skipped, see above why: ${skipped[*]}"
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
