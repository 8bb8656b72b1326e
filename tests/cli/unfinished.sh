#!/usr/bin/env bash
# Samples from a model while a process trains it, and after that process was killed.
# usage: unfinished.sh LVTEXT RECIPE
set -euo pipefail
lvtext=$1
recipe=$2
folder=$(mktemp -d)
parent=
trap 'if [ -n "$parent" ]; then kill -9 "$parent" 2>/dev/null || true; fi; rm -rf "$folder"' EXIT
export OMP_NUM_THREADS=1 XDG_CACHE_HOME=$folder/cache NO_COLOR=1
unset LVTEXT_OUT
fail() { echo "FAILED: $1"; tail -n 20 "$folder"/*.log; exit 1; }

# Frequent checkpoints, so that they are replaced while they are read.
options=(--rows lm --workers 1 train.save_every=20u train.log_every=5u)
echo "== an uninterrupted run, for comparison"
"$lvtext" train "$recipe" "${options[@]}" train.stop=400u --out "$folder/calm" 2>"$folder/calm.log" || fail "the uninterrupted run"

echo "== generate uses the newest checkpoint of a running training"
"$lvtext" train "$recipe" "${options[@]}" train.stop=20000u --out "$folder/runs" 2>"$folder/train.log" &
parent=$!
for _ in $(seq 600); do
  compgen -G "$folder/runs/tests.lm.*/checkpoints/step-*/manifest.json" >/dev/null && break
  kill -0 "$parent" 2>/dev/null || fail "the training ended"
  sleep 0.1
done
"$lvtext" runs ls --out "$folder/runs" --kind train >"$folder/ls.log"
grep -q " running" "$folder/ls.log" || fail "runs ls does not report it as running"
steps=
for _ in 1 2 3 4 5 6; do
  "$lvtext" generate @latest --out "$folder/runs" --count 2 >"$folder/text.log" 2>"$folder/generate.log" ||
    fail "generate"
  [ "$(wc -l <"$folder/text.log")" = 2 ] || fail "generate did not print two sentences"
  step=$(sed -n 's/.*run is not finished; using step \([0-9]*\)$/\1/p' "$folder/generate.log")
  [ -n "$step" ] || fail "the step is not reported"
  steps="$steps $step"
done
[ "$(tr ' ' '\n' <<<"$steps" | sort -u | wc -l)" -gt 2 ] || fail "the step did not change:$steps"
kill -0 "$parent" || fail "the training ended during sampling"
"$lvtext" reconstruct tests/lm --out "$folder/runs" <<<"a dog" 2>"$folder/cannot.log" && fail "reconstruct accepted a language model"
grep -q "does not support reconstruct" "$folder/cannot.log" || fail "the missing capability is not reported"

echo "== generate works after the training was killed"
kill -9 "$parent"
wait "$parent" 2>/dev/null || true
parent=
"$lvtext" runs ls --out "$folder/runs" --kind train | grep -q " interrupted" || fail "runs ls does not report it as interrupted"
"$lvtext" generate tests/lm --out "$folder/runs" --count 1 --checkpoint last >/dev/null 2>"$folder/last.log" || fail "--checkpoint last"
code=0
"$lvtext" generate tests/lm --out "$folder/runs" --checkpoint best:objective 2>"$folder/best.log" || code=$?
[ "$code" = 64 ] && grep -q "is not valid for an unfinished run" "$folder/best.log" || fail "--checkpoint best:objective"
code=0
"$lvtext" generate tests/lm --out "$folder/runs" --checkpoint step:999999 2>"$folder/step.log" || code=$?
[ "$code" = 66 ] && grep -q "has no checkpoint of step 999999; there are: " "$folder/step.log" || fail "--checkpoint step:999999"

echo "== a damaged newest checkpoint is skipped in favor of the previous one"
newest=$(ls -d "$folder"/runs/tests.lm.*/checkpoints/step-???????? | tail -n 1)
printf x >>"$newest/model.safetensors"
"$lvtext" generate tests/lm --out "$folder/runs" --count 1 >/dev/null 2>"$folder/older.log" || fail "generate with a damaged newest checkpoint"
grep -q "using step" "$folder/older.log" || fail "the step of the older checkpoint is not reported"
grep -q "using step $((10#${newest##*-}))\$" "$folder/older.log" && fail "the damaged checkpoint was used"

echo "== sampling does not change the log of a training"
"$lvtext" train "$recipe" "${options[@]}" train.stop=400u --out "$folder/watched" 2>"$folder/watched.log" &
parent=$!
while kill -0 "$parent" 2>/dev/null; do
  "$lvtext" generate @latest --out "$folder/watched" --count 1 >/dev/null 2>&1 || true
done
wait "$parent" || fail "the training that was sampled"
parent=
cmp "$folder"/calm/tests.lm.*/log.jsonl "$folder"/watched/tests.lm.*/log.jsonl
echo "passed"
