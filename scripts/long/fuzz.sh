#!/usr/bin/env bash
# Fuzz targets of tests/fuzz with libFuzzer, LVTEXT_FUZZ_SECONDS (default 60) each
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/../common.sh"
# shellcheck source=scripts/testing.sh
source "$root/scripts/testing.sh"
cd "$root"

# fuzz.sh [TARGET...] runs only these targets. Inputs that reach new code are kept in
# build/long/fuzz/TARGET/corpus, from which the next run continues. A failing input is written to
# build/long/fuzz/TARGET; libFuzzer's output contains its name.
targets=("$@")
if [ $# = 0 ]; then
  for source in tests/fuzz/*.cpp; do
    name="$(basename "$source" .cpp)"
    [ "$name" = replay ] || targets+=("$name")
  done
fi

# run_target TARGET: runs a fuzz target; prints its output only if it fails.
run_target() {
  local folder="build/long/fuzz/$1" log dictionary=()
  log="$folder/log"
  mkdir -p "$folder/corpus"
  [ ! -e "tests/fuzz/$1.dict" ] || dictionary=("-dict=tests/fuzz/$1.dict")
  if ! "build/fuzz/tests/fuzz/fuzz_$1" -max_total_time="${LVTEXT_FUZZ_SECONDS:-60}" -timeout=10 \
    -rss_limit_mb=2048 -print_final_stats=1 -artifact_prefix="$folder/" "${dictionary[@]}" \
    "$folder/corpus" "tests/fuzz/corpus/$1" >"$log" 2>&1; then
    tail -n 60 "$log"
    return 1
  fi
  note "$(sed -n 's/^stat::number_of_executed_units: *//p' "$log") inputs," \
    "$(sed -n 's/.* cov: \([0-9]*\) .*/\1/p' "$log" | tail -n 1) edges reached"
}

if check "building the preset fuzz" ./scripts/build.sh fuzz "${targets[@]/#/fuzz_}"; then
  # Containers that LibTorch fills are not instrumented, so their overflow checks are off.
  export ASAN_OPTIONS=detect_container_overflow=0
  export LSAN_OPTIONS="suppressions=$root/tests/leaks.supp:print_suppressions=0"
  export UBSAN_OPTIONS=print_stacktrace=1
  for target in "${targets[@]}"; do
    check "fuzzing $target for ${LVTEXT_FUZZ_SECONDS:-60} s" run_target "$target" || true
  done
fi
report
