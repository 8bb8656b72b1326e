# shellcheck shell=bash
# Functions shared by test.sh and the stages in scripts/long: run tests and builds, count results.
# Sourced after common.sh. A stage ends with a call of report, whose last line run.sh parses.

passed=0
failed=0
skipped=() # names of tests that could not run because a tool is missing

# record PASSED FAILED: adds to the counts.
record() {
  passed=$((passed + $1))
  failed=$((failed + $2))
}

# check WHAT COMMAND...: runs a command that counts as one test.
check() {
  local what="$1"
  shift
  say "$what"
  if "$@"; then
    record 1 0
  else
    note "FAILED: $what"
    record 0 1
    return 1
  fi
}

# failed_cases LOG: prints the names of failed Catch2 cases, which are between two lines of dashes.
failed_cases() {
  awk '/^-+$/ && length($0) == 79 { inside = !inside; next }
       /^=+$/ && length($0) == 79 { inside = 0 }
       inside && /^[^ ]/' "$1" | sort -u
}

# outputs: prints the entries of the folders in which commands write by default, if they exist.
outputs() {
  find "$root/runs" -mindepth 1 -maxdepth 1 2>/dev/null || true
  find "$root/reports" -mindepth 2 -maxdepth 2 2>/dev/null || true
}

# run_tests WHAT PRESET CTEST-ARGUMENTS...: runs ctest once. Files that tests leave in ./runs or
# ./reports count as a failure.
run_tests() {
  local what="$1" preset="$2" status=0 counts bad total missed cases left log before
  shift 2
  say "testing: $what"
  log="$(mktemp)"
  before="$(outputs | sort)"
  ctest --test-dir "build/$preset" "$@" --output-on-failure -j "${LVTEXT_JOBS:-2}" </dev/null 2>&1 |
    tee "$log" || status=$?
  # ctest's summary line: "98% tests passed, 1 tests failed out of 42".
  counts="$(sed -n 's/^[0-9]*% tests passed, \([0-9]*\) tests failed out of \([0-9]*\)$/\1 \2/p' "$log")"
  read -r bad total <<<"${counts:-0 0}"
  if [ "$total" = 0 ]; then
    note "no test ran: counted as a failure"
    bad=1
    total=1
  elif [ "$status" != 0 ] && [ "$bad" = 0 ]; then
    bad=1 # ctest itself failed
  fi
  # ctest counts skipped tests as passed: "	46 - render (Skipped)".
  mapfile -t missed < <(sed -n 's/^\t *[0-9]* - \(.*\) (Skipped)$/\1/p' "$log")
  skipped+=("${missed[@]}")
  mapfile -t cases < <(failed_cases "$log")
  [ ${#cases[@]} = 0 ] || printf 'failed case: %s\n' "${cases[@]}"
  rm -f "$log"
  record "$((total - bad - ${#missed[@]}))" "$bad"
  mapfile -t left < <(comm -13 <(echo "$before") <(outputs | sort))
  if [ ${#left[@]} = 0 ]; then
    record 1 0
  else
    note "FAILED: the tests left these files: ${left[*]}"
    record 0 1
  fi
}

# report: prints the skipped tests, then the counts; the status is 0 only if nothing failed.
report() {
  [ ${#skipped[@]} = 0 ] || echo "skipped: ${skipped[*]}"
  echo "$passed passed, $failed failed"
  [ "$failed" = 0 ]
}
