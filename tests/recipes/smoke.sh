#!/usr/bin/env bash
# Runs the smoke profile of each recipe twice, all in one run folder: the second run must not run any
# node, and its report must have the same bytes. Every trained, fitted and imported model can be
# opened afterwards.
# usage: smoke.sh LVTEXT RECIPE...
set -euo pipefail
lvtext=$1
recipes=("${@:2}")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
export XDG_CACHE_HOME=$folder/cache
for recipe in "${recipes[@]}"; do
  echo "== $recipe"
  "$lvtext" reproduce "$recipe" --profile smoke --workers 1 >first.txt 2>first.log || { cat first.log; exit 1; }
  cat first.txt
  mv reports reports.first
  "$lvtext" reproduce "$recipe" --profile smoke --workers 1 >second.txt 2>second.log || { cat second.log; exit 1; }
  if grep -q '^to run on' second.log; then echo "a finished recipe ran again:"; cat second.log; exit 1; fi
  diff -r reports.first reports
  cmp first.txt second.txt
  rm -rf reports.first reports
done

echo "== models"
mapfile -t models < <(grep -lE '"kind": "(train|model)"' runs/*/node.json | xargs -n 1 dirname)
echo "${#models[@]} models"
[ "${#models[@]}" -gt 0 ]
"$lvtext" prompt "${models[@]}" </dev/null 2>opened.log || { tail -n 3 opened.log; exit 1; }
[ "$(grep -c ': model ' opened.log)" = "${#models[@]}" ]
