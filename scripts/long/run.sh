#!/usr/bin/env bash
# Runs the stages of ./scripts/test.sh --long, after it has set up and built build/release.
# Each stage is a script in this folder; its result is stored in docs/results/long/STAGE.stamp with
# the hash of the tree, so that another machine can continue from a commit of it.
# usage: run.sh [--list | STAGE...]
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/../common.sh"
cd "$root"

# In order of execution: stages that fail most often and soonest come first.
stages=(tests gpu slurm peers tidy headers gcc asan fuzz tsan coverage)
stamps=docs/results/long
logs=build/long

# Prints the hash of all files of the working tree that git does not ignore, except docs/results,
# where stages write.
tree_hash() {
  local scratch objects index status=0
  index="$(git rev-parse --git-path index)" && objects="$(realpath "$(git rev-parse --git-path objects)")" ||
    return 1
  scratch="$(mktemp -d)"
  cp "$index" "$scratch/index"
  # Uses a separate index and object folder, so that the clone is not changed.
  mkdir "$scratch/objects"
  (
    export GIT_INDEX_FILE="$scratch/index" GIT_OBJECT_DIRECTORY="$scratch/objects"
    export GIT_ALTERNATE_OBJECT_DIRECTORIES="$objects"
    git add --all && git rm -r -q --cached --ignore-unmatch docs/results && git write-tree
  ) || status=1
  rm -rf "$scratch"
  return "$status"
}

# value STAGE KEY: prints a value of the stage's stamp; empty if there is none.
value() { sed -n "s/^$2=//p" "$stamps/$1.stamp" 2>/dev/null || true; }

# state STAGE: prints "passed", "failed", "skipped" (a tool or device is missing), "old" (of another
# tree) or "not run".
state() {
  if [ ! -e "$stamps/$1.stamp" ]; then
    echo "not run"
  elif [ "$(value "$1" tree)" != "$tree" ]; then
    echo "old"
  elif [ "$(value "$1" failed)" != 0 ]; then
    echo "failed"
  elif [ "$(value "$1" passed)" = 0 ]; then
    echo "skipped"
  else
    echo "passed"
  fi
}

# is_done STAGE: true if it need not run again: it passed, and what was skipped would be here, too.
is_done() {
  [ "$(state "$1")" = passed ] && { [ -z "$(value "$1" skipped)" ] || [ "$(value "$1" machine)" = "$machine" ]; }
}

# about STAGE: prints the description of a stage, the second line of its script.
about() { sed -n '2s/^# //p' "scripts/long/$1.sh"; }

# run_stage STAGE: runs its script and writes its stamp, also after a failure.
run_stage() {
  local begin=$SECONDS log="$logs/$1.log" counts good bad missed commit tested
  # Held by the script too, so that a stage whose caller was killed is not started beside itself.
  exec 9>"$logs/$1.lock"
  flock --nonblock 9 ||
    fail 75 "test.sh: stage '$1' is running already" "wait for it, or stop the processes of scripts/long/$1.sh"
  say "stage $1: $(about "$1")"
  commit="$(git rev-parse --short=12 HEAD)$changes"
  "./scripts/long/$1.sh" 2>&1 | tee "$log" || true
  counts="$(tail -n 1 "$log" | sed -n 's/^\([0-9]*\) passed, \([0-9]*\) failed$/\1 \2/p')"
  read -r good bad <<<"${counts:-0 1}" # without a line of counts, the stage has failed
  missed="$(sed -n 's/^skipped: //p' "$log" | tail -n 1)"
  tested="$(tree_hash)"
  [ "$tested" = "$tree" ] || tested="changed during the stage"
  printf '%s\n' "tree=$tested" "commit=$commit" "passed=$good" \
    "failed=$bad" "seconds=$((SECONDS - begin))" "skipped=$missed" "machine=$machine" >"$stamps/$1.stamp"
}

write_summary() {
  local stage missed
  {
    echo "# The long tests"
    echo
    echo "Written by \`./scripts/test.sh --long\`."
    echo
    echo "- commit of the last call: $(git rev-parse --short=12 HEAD)$changes"
    echo "- compilers of its machine: $("$(find_compiler)" --version | head -n 1); $(g++ --version | head -n 1)"
    echo
    echo "| stage | description | state | passed | failed | seconds | commit | machine |"
    echo "|---|---|---|---|---|---|---|---|"
    for stage in "${stages[@]}"; do
      echo "| $stage | $(about "$stage") | $(state "$stage") | $(value "$stage" passed) |" \
        "$(value "$stage" failed) | $(value "$stage" seconds) | $(value "$stage" commit) |" \
        "$(value "$stage" machine) |"
    done
    echo
    echo "State \`old\`: the tree has changed since. Counts are those of the commit named in the row."
    for stage in "${stages[@]}"; do
      missed="$(value "$stage" skipped)"
      [ -z "$missed" ] || printf '\nSkipped in %s: %s\n' "$stage" "$missed"
    done
  } >"$stamps/summary.md"
  note "written: $stamps/summary.md"
}

tree="$(tree_hash)" || fail 66 "the long tests need a git clone: results are stored by tree hash"
changes=""
[ -z "$(git status --porcelain -- . ':!docs/results')" ] || changes=", with uncommitted changes"
machine="$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1), $(nproc) cores,"
machine+=" $(awk '/MemTotal/ {printf "%.0f", $2 / 1048576}' /proc/meminfo) GiB"
mkdir -p "$stamps" "$logs"

if [ "${1:-}" = --list ]; then
  for stage in "${stages[@]}"; do
    printf '%-9s %-8s %s\n' "$stage" "$(state "$stage")" "$(about "$stage")"
  done
  exit 0
fi

for stage in "$@"; do
  [[ " ${stages[*]} " == *" $stage "* ]] ||
    fail 64 "test.sh: unknown stage '$stage'" "allowed: ${stages[*]}"
done
selected=("$@")
[ $# -gt 0 ] || selected=("${stages[@]}")

passed=0
failed=0
for stage in "${selected[@]}"; do
  if [ $# = 0 ] && is_done "$stage"; then
    say "stage $stage: already passed for this tree"
  else
    run_stage "$stage"
  fi
  passed=$((passed + $(value "$stage" passed)))
  failed=$((failed + $(value "$stage" failed)))
done
write_summary
for stage in "${selected[@]}"; do
  note "$(printf '%-9s %s' "$stage" "$(state "$stage")")"
done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
