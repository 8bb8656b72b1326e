#!/bin/sh
# Runs the cases of tests/cli/*.test with an executable. usage: run.sh EXECUTABLE [FOLDER]
# A case is a line "$ arguments" followed by its expectations, one per line:
#   exit N      the exit code (0 if absent)
#   out TEXT    a line of standard output contains TEXT
#   err TEXT    a line of standard error contains TEXT
#   no TEXT     neither output contains TEXT
# Lines that start with "#" and blank lines are skipped. The working directory is the source tree.
# Arguments may contain "$scratch", a folder that contains only a FIFO named fifo.
program=$1
folder=${2:-tests/cli}
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
mkfifo "$scratch/fifo" || exit 1
unset LVTEXT_OUT LVTEXT_DATA_MIRROR LVTEXT_TRACE
export LVTEXT_DATA="$scratch/data" NO_COLOR=1
cases=0
failures=0
arguments=
code=0

fail() {
  failures=$((failures + 1))
  echo "FAILED $file: lvtext $arguments"
  echo "  $1"
  sed 's/^/  | /' "$scratch/out" "$scratch/err" | head -n 20
}

finish() {
  [ "$open" = yes ] && [ "$code" -ne "$expected" ] && fail "exit code $code, expected $expected"
  open=no
}

for file in "$folder"/*.test; do
  open=no
  while IFS= read -r line || [ -n "$line" ]; do
    case "$line" in
      '' | '#'*) ;;
      '$'*)
        finish
        arguments=${line#\$}
        arguments=${arguments# }
        eval "\"\$program\" $arguments" >"$scratch/out" 2>"$scratch/err" </dev/null
        code=$?
        expected=0
        open=yes
        cases=$((cases + 1))
        ;;
      'exit '*) expected=${line#exit } ;;
      'out '*) grep -qF -e "${line#out }" "$scratch/out" || fail "standard output lacks: ${line#out }" ;;
      'err '*) grep -qF -e "${line#err }" "$scratch/err" || fail "standard error lacks: ${line#err }" ;;
      'no '*) grep -qF -e "${line#no }" "$scratch/out" "$scratch/err" && fail "printed: ${line#no }" ;;
      *) fail "not an expectation: $line" ;;
    esac
  done <"$file"
  finish
done
echo "$cases cases, $failures failures"
[ "$cases" -gt 0 ] && [ "$failures" -eq 0 ]
