#!/usr/bin/env bash
# Tests the local executor with real processes: killed workers, killed parents, signals, locked
# runs, a full disk, and trainings that resume from shorter ones. toys.py compares one worker with
# two.
# usage: executor.sh LVTEXT RECIPES
set -euo pipefail
lvtext=$1
recipe=$2/quickstart/quickstart.yaml
folder=$(mktemp -d)
trap 'pkill -9 -f "$folder" || true; rm -rf "$folder"' EXIT
cd "$folder"
export OMP_NUM_THREADS=1 XDG_CACHE_HOME=$folder/cache
unset LVTEXT_OUT

fail() { echo "FAILED: $1"; tail -n 20 ./*.log; exit 1; }
expect() { # CODE WHAT: checks the exit code of the previous command
  [ "$1" = "$2" ] || fail "$3: exit code $1, expected $2"
}
workers_of() { pgrep -P "$1" -f -- "--worker" || true; }
# Waits until a worker of process $1 trains node $2 in run folder $3.
until_training() {
  for _ in $(seq 300); do
    if compgen -G "$3/*.$2.*/log.jsonl" >/dev/null && [ -n "$(workers_of "$1")" ]; then
      if [ -s "$(compgen -G "$3/*.$2.*/timing.jsonl" | head -n 1)" ]; then return; fi
    fi
    sleep 0.1
  done
  fail "the training of $2 did not start"
}
# Prints the worker that holds the lock of a folder.
owner_of() { sed -n 's/.*"pid": *\([0-9]*\).*/\1/p' "$1"/lock | head -n 1; }

echo "== a longer training resumes from a shorter one, bit for bit"
"$lvtext" train "$recipe" --profile smoke --rows vae --out longer train.stop=20u 2>short.log || fail "20u"
"$lvtext" train "$recipe" --profile smoke --rows vae --out longer train.stop=35u 2>long.log || fail "35u"
grep -q "resuming from the end of" long.log || fail "35u did not resume"
"$lvtext" train "$recipe" --profile smoke --rows vae --out fresh train.stop=35u 2>fresh.log || fail "fresh"
name=$(basename "$(ls -d fresh/*.vae.*)")
cmp "longer/$name/log.jsonl" "fresh/$name/log.jsonl"
for weights in "fresh/$name"/snapshots/*; do
  cmp "$weights/model.safetensors" "longer/$name/snapshots/$(basename "$weights")/model.safetensors"
done

echo "== bf16 works on every CPU, with a warning where doctor reports that it is slow"
"$lvtext" train "$recipe" --profile smoke --rows lm --out bf16 train.stop=3u train.precision=bf16 2>bf16.log ||
  fail "bf16"
"$lvtext" doctor >doctor.txt
if grep -q "^bf16 .*faster than fp32" doctor.txt; then
  ! grep -q "slower than fp32" bf16.log || fail "a warning about bf16 on a CPU with fast products"
elif grep -q amx_bf16 /proc/cpuinfo; then
  fail "doctor reports that bf16 is slow on a CPU with AMX"
else
  grep -q "warning: precision bf16 is slower than fp32 on this CPU.*trainings with bf16: lm" bf16.log || fail "no warning"
fi

echo "== nodes fail on a full disk; with free space the same command resumes"
mkdir full
cat >on_full_disk.sh <<'END'
mount -t tmpfs -o size=1400k none full || exit 96
code=0
"$1" train "$2" --profile smoke --rows lm --workers 1 --out full 2>full.log || code=$?
[ "$code" = 1 ] || exit 1
grep -q "No space left on device; free some space and run the command again" full.log || exit 1
finished=$(ls full/*/manifest.json | wc -l)
[ "$finished" -ge 2 ] || exit 1
mount -o remount,size=100m full
"$1" train "$2" --profile smoke --rows lm --workers 1 --out full 2>room.log || exit 1
grep -q ": $finished of 5 nodes finished" room.log
END
code=0
unshare -m bash on_full_disk.sh "$lvtext" "$recipe" || code=$?
if [ "$code" != 0 ] && ! unshare -m true 2>/dev/null; then code=96; fi
if [ "$code" = 96 ]; then
  echo "not tested: full disk (cannot mount a small file system)"
else
  expect $code 0 "a full disk"
fi

echo "== resource limits are reported as errors"
if ! command -v prlimit >/dev/null; then
  echo "not tested: resource limits (prlimit is not installed)"
else
  code=0
  prlimit --fsize=200000 "$lvtext" train "$recipe" --profile smoke --rows lm --workers 1 --out large 2>large.log || code=$?
  expect $code 1 "a limit of file sizes"
  grep -q "File too large; raise the limit of file sizes" large.log || fail "the limit of file sizes is not reported"
  # Process limits do not apply to root.
  unprivileged=(setpriv --reuid=65534 --regid=65534 --clear-groups prlimit --nproc=1)
  chmod 755 "$folder"
  mkdir -m 777 crowded
  if [ "$(id -u)" = 0 ] && "${unprivileged[@]}" "$lvtext" --version >/dev/null 2>&1; then
    code=0
    "${unprivileged[@]}" "$lvtext" train "$recipe" --profile smoke --rows lm --out crowded 2>crowded.log || code=$?
    expect $code 71 "a limit of processes"
    grep -q "cannot start .* threads: .*ulimit -u" crowded.log || fail "the limit of processes is not reported"
  else
    echo "not tested: process limit (lvtext cannot be run as another user)"
  fi
fi

long=(--profile smoke --workers 2 train.stop=180u train.log_every=10u train.validate_every=60u)

echo "== an uninterrupted run, for comparison"
"$lvtext" train "$recipe" "${long[@]}" --rows vae,ae --out calm 2>calm.log || fail "the uninterrupted run"

echo "== a killed worker fails its node only; the next call finishes it"
"$lvtext" train "$recipe" "${long[@]}" --rows vae,ae --out killed 2>killed.log &
parent=$!
until_training $parent vae killed
kill -9 "$(owner_of killed/*.vae.*)"
code=0; wait $parent || code=$?
expect $code 1 "a killed worker"
grep -q "killed by signal 9" killed.log || fail "the reason is not reported"
"$lvtext" train "$recipe" "${long[@]}" --rows vae,ae --out killed 2>again.log || fail "after the kill"

echo "== SIGTERM saves, exits with 75 and leaves no worker running"
"$lvtext" train "$recipe" "${long[@]}" --rows vae,ae --out stopped 2>stopped.log &
parent=$!
until_training $parent vae stopped
held=$(workers_of $parent)
kill -TERM $parent
code=0; wait $parent || code=$?
expect $code 75 "SIGTERM"
[ "$(grep -c "stopped by SIGTERM" stopped.log)" = 1 ] || fail "not reported exactly once: $(cat stopped.log)"
for worker in $held; do
  if kill -0 "$worker" 2>/dev/null; then fail "a worker is left after SIGTERM"; fi
done
compgen -G "stopped/*.vae.*/checkpoints/step-*" >/dev/null || fail "nothing was saved"

echo "== stop signals that all processes receive twice within milliseconds are one request"
for workers in 1 2; do
  "$lvtext" train "$recipe" --profile smoke --workers $workers --rows vae,ae --out twice$workers \
    train.stop=2000u 2>twice.log &
  parent=$!
  for _ in $(seq 300); do
    compgen -G "twice$workers/*.vae.*/timing.jsonl" >/dev/null && break
    sleep 0.1
  done
  held=$(workers_of $parent)
  # As Slurm does at a time limit.
  for _ in 1 2; do
    kill -TERM $parent $held 2>/dev/null || true
    sleep 0.006
  done
  code=0; wait $parent || code=$?
  expect $code 75 "two SIGTERM with $workers workers"
  compgen -G "twice$workers/*.vae.*/checkpoints/step-*" >/dev/null || fail "two SIGTERM with $workers workers: nothing was saved"
done

echo "== two trainings started together wait for the data that both need"
"$lvtext" train "$recipe" --profile smoke --workers 1 --rows vae --out together 2>together1.log >/dev/null &
parent=$!
"$lvtext" train "$recipe" --profile smoke --workers 1 --rows ae --out together 2>together2.log >/dev/null ||
  fail "the second of two trainings"
wait $parent || fail "the first of two trainings"

echo "== SIGHUP saves, exits with 75 and leaves no worker running"
"$lvtext" train "$recipe" "${long[@]}" --rows vae,ae --out hung 2>hung.log &
parent=$!
until_training $parent vae hung
held=$(workers_of $parent)
kill -HUP $parent
code=0; wait $parent || code=$?
expect $code 75 "SIGHUP"
grep -q "stopped by SIGHUP" hung.log || fail "the hangup is not reported"
for worker in $held; do
  if kill -0 "$worker" 2>/dev/null; then fail "a worker is left after SIGHUP"; fi
done
compgen -G "hung/*.vae.*/checkpoints/step-*" >/dev/null || fail "nothing was saved"

# Waits until folder $1 contains a file that matches $2.
until_file() {
  for _ in $(seq 300); do
    if compgen -G "$1/$2" >/dev/null; then return; fi
    sleep 0.1
  done
  fail "no $2 in $1"
}

echo "== a closed terminal saves"
if command -v script >/dev/null; then
  # The training is the terminal's session leader, so that it receives the hangup.
  echo "exec '$lvtext' train '$recipe' ${long[*]} --rows lm --out closed 2>closed.log" >terminal.sh
  script -qc "exec bash terminal.sh" /dev/null </dev/null >terminal.log 2>&1 &
  terminal=$!
  until_file closed "*.lm.*/timing.jsonl"
  kill -9 $terminal
  wait $terminal || true
  for _ in $(seq 300); do
    if grep -q "stopped by SIGHUP" closed.log; then break; fi
    sleep 0.1
  done
  grep -q "stopped by SIGHUP" closed.log || fail "a closed terminal: not stopped"
  compgen -G "closed/*.lm.*/checkpoints/step-*" >/dev/null || fail "a closed terminal: nothing was saved"
else
  echo "not tested: closed terminal (script is not installed)"
fi

echo "== nohup: a hangup is ignored"
nohup "$lvtext" train "$recipe" --profile smoke --workers 1 --rows lm --out nohup 2>nohup.log >/dev/null &
parent=$!
until_file nohup "*.lm.*/node.json"
kill -HUP $parent
code=0; wait $parent || code=$?
expect $code 0 "nohup"

echo "== workers end when their parent is killed"
"$lvtext" train "$recipe" "${long[@]}" --rows vae,ae --out stopped 2>parent.log &
parent=$!
until_training $parent ae stopped
held=$(workers_of $parent)
kill -9 $parent
wait $parent || true
for _ in $(seq 50); do
  alive=0
  for worker in $held; do if kill -0 "$worker" 2>/dev/null; then alive=1; fi; done
  [ $alive = 0 ] && break
  sleep 0.1
done
[ $alive = 0 ] || fail "workers still run after their parent was killed"

echo "== train refuses a run that is locked by another process"
"$lvtext" train "$recipe" "${long[@]}" --rows vae,ae --out stopped 2>owner.log &
parent=$!
until_training $parent ae stopped
code=0
"$lvtext" train "$recipe" "${long[@]}" --rows ae --out stopped 2>busy.log || code=$?
if [ -n "$(workers_of $parent)" ]; then expect $code 75 "a busy run"; fi
wait $parent || fail "the process that holds the lock"

for run in killed stopped; do
  for row in vae ae; do
    name=$(basename "$(ls -d calm/*."$row".*)")
    cmp "calm/$name/log.jsonl" "$run/$name/log.jsonl" || fail "$run/$row differs from the uninterrupted run"
  done
done
echo "passed"
