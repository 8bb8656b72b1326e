#!/usr/bin/env bash
# Tests the example plug-in: installs lvtext, moves the installation, compiles the plug-in against
# it, and lists, trains, kills, resumes, scores and tests its components.
# usage: run.sh BUILD COMPILER CONTRACT_TEST
set -euo pipefail
build=$1
compiler=$2
contract=$3
source="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
work="$build/plugin-example"
prefix="$work/prefix"
lvtext="$prefix/bin/lvtext"
plugin="$work/example/build/libfeedforward_lm.so"
unset LVTEXT_OUT LVTEXT_DATA_MIRROR
export NO_COLOR=1

step() { echo "== $*"; }
fail() {
  echo "FAILED: $*"
  exit 1
}
# quietly FILE COMMAND...: runs a command with output to FILE; prints the output if it fails.
quietly() {
  local log=$1
  shift
  "$@" >"$log" 2>&1 || {
    cat "$log"
    fail "$*"
  }
}
# expect CODE TEXT COMMAND...: checks the exit code and that standard error contains TEXT.
expect() {
  local code=$1 text=$2 status=0
  shift 2
  "$@" >out.txt 2>err.txt </dev/null || status=$?
  [ "$status" = "$code" ] && grep -qF -e "$text" err.txt && return
  cat out.txt err.txt
  fail "expected exit code $code and '$text', got $status: $*"
}

# The example's build and the installed headers are kept, so that a second run does not recompile.
rm -rf "$work/first" "$prefix" "$work/runs" "$work/example/reports" "$work"/*-report
mkdir -p "$work/runs" "$work/example"
cd "$work/example"

step "install, and move the installation"
quietly ../install.log cmake --install "$build" --prefix "$work/first"
mv "$work/first" "$prefix"
# Only the path of LibTorch may remain, as the last one to be searched.
recorded="$(sed -n 's/^LIBTORCH:PATH=//p' "$build/CMakeCache.txt")"
for place in "$build" "$(dirname "$(dirname "$source")")"; do
  found="$(grep -rIF "$place" "$prefix" | grep -vF "\"$recorded/lib\"" || true)"
  [ -z "$found" ] || fail "the installed files contain paths of the build: $found"
done
for file in "$lvtext" "$prefix"/lib*/liblvtext.so; do
  paths="$(readelf -d "$file" | sed -n 's/.*R[UN]*PATH.*\[\(.*\)\]/\1/p' | tr ':' '\n')"
  for path in $paths; do
    case "$path" in
      "\$ORIGIN"* | "$recorded/lib" | /usr/*) ;;
      *) fail "$file looks for libraries in $path" ;;
    esac
  done
done

step "compile the example"
cp -p "$source"/{CMakeLists.txt,*.cpp,*.h,*.yaml} .
quietly ../configure.log cmake -B build -G Ninja -DCMAKE_PREFIX_PATH="$prefix" \
  -DCMAKE_CXX_COMPILER="$compiler" -DCMAKE_BUILD_TYPE=Release -DCMAKE_UNITY_BUILD=ON
quietly ../build.log cmake --build build

step "lines of code of one component of each kind"
wc -l word_count.cpp probes.cpp biased_lm.cpp unigram_lm.cpp paragraph_reader.cpp letters_tokenizer.cpp \
  head_packer.cpp length_figure.cpp clarity_sheet.cpp | grep -v total

step "list and help"
"$lvtext" list models --plugin "$plugin" | grep feedforward_lm
"$lvtext" help model feedforward_lm --plugin "$plugin" >help.txt
grep -q 'from the plug-in .*libfeedforward_lm.so' help.txt || fail "the help does not name the plug-in"
grep -q 'number of previous words that are read' help.txt || fail "the help lacks an option"

step "train, kill -9 in the middle, resume"
train=("$lvtext" train feedforward.yaml --profile smoke --rows three train.stop=120u train.save_every=20u)
quietly ../whole.log "${train[@]}" --out ../runs/whole
"${train[@]}" --out ../runs/killed >../killed.log 2>&1 &
child=$!
while kill -0 "$child" 2>/dev/null && ! ls ../runs/killed/*.three.*/checkpoints/step-* >/dev/null 2>&1; do
  sleep 0.02
done
kill -9 "$child" 2>/dev/null || fail "the training ended before it was killed"
wait "$child" 2>/dev/null || true
run="$(cd ../runs/killed && ls -d ./*.three.*)"
[ ! -e "../runs/killed/$run/manifest.json" ] || fail "the killed run is marked as finished"
quietly ../resumed.log "${train[@]}" --out ../runs/killed
for file in log.jsonl snapshots; do
  diff -r "../runs/whole/$run/$file" "../runs/killed/$run/$file" || fail "resuming changed $file"
done
sum="$(sha256sum "$plugin" | cut -d ' ' -f 1)"
for text in '"name": "libfeedforward_lm.so"' "\"sha256\": \"$sum\"" '"interface_version": '; do
  grep -qF "$text" "../runs/whole/$run/manifest.json" || fail "the manifest lacks $text"
done

step "reproduce"
"$lvtext" reproduce feedforward.yaml --profile smoke --out ../runs/table >table.md 2>../table.log || {
  cat ../table.log
  fail "reproduce"
}
cat table.md
grep -qE 'three words.*[0-9]\.[0-9]' table.md || fail "the table has no numbers for the plug-in's model"

step "a later command finds the plug-in through the run"
generate=("$lvtext" generate plugin/three@smoke --out ../runs/table --count 3)
"${generate[@]}" >samples.txt 2>err.txt || fail "generate: $(cat err.txt)"
[ "$(wc -l <samples.txt)" = 3 ] || fail "generate did not write 3 lines"
mkdir -p elsewhere
mv "$plugin" elsewhere/
expect 66 "'libfeedforward_lm.so': no longer at" "${generate[@]}"
"${generate[@]}" --plugin elsewhere/libfeedforward_lm.so | cmp - samples.txt ||
  fail "generate --plugin wrote different samples"
mv elsewhere/libfeedforward_lm.so "$plugin"

# reads_back RECIPE ROW: the model of a finished run generates two sentences or, if it has no prior,
# reconstructs two.
reads_back() {
  local use=("plugin/$2" --out "../runs/$1")
  if ! "$lvtext" generate "${use[@]}" --count 2 >samples.txt 2>err.txt; then
    grep -qF 'which needs a prior' err.txt || fail "generate from $2: $(cat err.txt)"
    printf 'the police arrest a man\nrain in london\n' |
      "$lvtext" reconstruct "${use[@]}" >samples.txt 2>err.txt || fail "reconstruct by $2: $(cat err.txt)"
  fi
  [ "$(wc -l <samples.txt)" = 2 ] || fail "$2 did not write 2 lines"
}

# survives RECIPE KILLED ROW...: an uninterrupted run and a run that is resumed after KILLED was
# killed in training have the same report, logs and weights; each ROW is read back.
survives() {
  local recipe=$1 killed=$2 child run file
  shift 2
  local command=("$lvtext" reproduce "$recipe.yaml")
  quietly "../$recipe.log" "${command[@]}" --out "../runs/$recipe"
  "${command[@]}" --out "../runs/$recipe-killed" >"../$recipe-killed.log" 2>&1 &
  child=$!
  while kill -0 "$child" 2>/dev/null &&
    ! ls "../runs/$recipe-killed"/*."$killed".*/checkpoints/step-* >/dev/null 2>&1; do
    sleep 0.02
  done
  kill -9 "$child" 2>/dev/null || fail "$recipe: '$killed' ended before it was killed"
  wait "$child" 2>/dev/null || true
  cp -r "reports/plugin/$recipe-default" "../$recipe-report"
  quietly "../$recipe-resumed.log" "${command[@]}" --out "../runs/$recipe-killed"
  diff -r "../$recipe-report" "reports/plugin/$recipe-default" || fail "resuming changed the report"
  for row in "$@"; do
    grep -m 1 -E "^\| $row \|.*[0-9]" "reports/plugin/$recipe-default/table.md" ||
      fail "the table of $recipe has no numbers for $row"
    run="$(cd "../runs/$recipe" && ls -d ./*."$row".*)"
    for file in log.jsonl snapshots; do
      diff -r "../runs/$recipe/$run/$file" "../runs/$recipe-killed/$run/$file" ||
        fail "resuming changed $file of $row"
    done
    reads_back "$recipe" "$row"
  done
}

step "a second stage on a frozen first one: trained, killed, resumed, evaluated, read back"
survives stages above first above inline

step "unlikelihood training, and an evaluator that trains probes: the same"
survives toys coin coin ae
grep -qE '^\| ae \|.*\| 0\.[0-9]+ \|$' reports/plugin/toys-default/table.md ||
  fail "the evaluator that trains probes has no score"

step "parallel texts, language models as inputs: the same"
survives transfer transfer transfer again
reads_back transfer zero
reads_back transfer one
again="$(ls -d ../runs/transfer/*.again.*)"
grep -qF '"initialized":' "$again/manifest.json" || fail "the manifest does not list the copied parameters"

step "fitted models, inference as an input, a figure"
quietly ../fits.log "$lvtext" reproduce fits.yaml --out ../runs/fits
for row in "token frequencies" reverse second; do
  grep -m 1 -E "^\| $row \|( +-?[0-9][^|]*\|){4}$" reports/plugin/fits-default/table.md ||
    fail "the table of fits lacks numbers for $row"
done
[ "$(grep -c '^second,' reports/plugin/fits-default/lengths.csv)" = 20 ] || fail "the figure lacks points"
reads_back fits unigram
"$lvtext" list figures --plugin "$plugin" | grep -q '^lengths ' || fail "list figures lacks lengths"
"$lvtext" list sheets --plugin "$plugin" | grep -q '^clarity ' || fail "list sheets lacks clarity"
"$lvtext" rate export clear fits.yaml --out ../runs/fits --sentences 5 >/dev/null 2>err.txt ||
  fail "rate export: $(cat err.txt)"
head -1 reports/plugin/fits-default/ratings/clear/sheets/sheet.csv | grep -qx 'item_id,text,clarity,rater_id,comment' ||
  fail "the sheet lacks the plug-in's question"
expect 64 "is fitted, not trained" "$lvtext" config fits.yaml models.unigram.fit=null models.unigram.model=unigram_lm
expect 64 "models.unigram has both" "$lvtext" config fits.yaml models.unigram.model=unigram_lm

step "an exported fit of the plug-in, and bugs of the plug-in"
quietly ../export.log "$lvtext" checkpoint export plugin/unigram --out ../runs/fits -o ../runs/unigram
"$lvtext" generate ../runs/unigram --count 2 --plugin "$plugin" >exported.txt 2>err.txt || fail "generate: $(cat err.txt)"
"$lvtext" generate plugin/unigram --out ../runs/fits --count 2 | cmp - exported.txt ||
  fail "the exported model generates other sentences"
expect 65 "unknown model 'unigram_lm'; load the plug-in that has it" "$lvtext" generate ../runs/unigram
broken=("$lvtext" reproduce fits.yaml --out ../runs/fits --report ../broken-report --rows unigram
  "evaluate.broken={evaluator: broken_count}" "table.columns=[broken]")
expect 1 "the component 'broken_count' of the plug-in 'libfeedforward_lm.so' failed: index 7 of 3" "${broken[@]}"
! grep -q "bug in lvtext" err.txt || fail "an exception of the plug-in is called a bug of lvtext"
crash="computing 'unigram-broken-score' with the component 'broken_count' of the plug-in 'libfeedforward_lm.so'"
expect 139 "the process crashed with SIGSEGV while $crash" "${broken[@]}" evaluate.broken.crash=true --workers 1
expect 1 "was killed by signal 11 (Segmentation fault) while $crash" "${broken[@]}" evaluate.broken.crash=true --workers 2

step "a reader, a tokenizer and a packer: listed, checked, used, read back"
for each in "readers paragraphs" "tokenizers letters" "packers head"; do
  "$lvtext" list ${each% *} --plugin "$plugin" | grep -q "^${each#* } " || fail "list ${each% *} lacks ${each#* }"
done
"$lvtext" list readers | grep -q paragraphs && fail "a plug-in's reader is listed without the plug-in"
for i in $(seq 60); do printf 'the cat number %s\nsat on a mat\n\n' "$i"; done >paragraphs.txt
expect 64 "data.pack.lenth" "$lvtext" config parts.yaml data.pack.lenth=3
quietly ../parts.log "$lvtext" reproduce parts.yaml --out ../runs/parts
for node in data-source data-tokenizer data-pack-train; do
  grep -qF "\"sha256\": \"$sum\"" ../runs/parts/*."$node".*/manifest.json ||
    fail "the manifest of $node does not name the plug-in"
done
grep -q '"text":"the cat number 7 sat on a mat"' ../runs/parts/*.data-source.*/*.jsonl ||
  fail "the records are not paragraphs"
"$lvtext" generate plugin/lm --out ../runs/parts --count 2 >samples.txt 2>err.txt ||
  fail "generate with the plug-in's tokenizer: $(cat err.txt)"
[ "$(wc -l <samples.txt)" = 2 ] || fail "generate did not write 2 lines"

step "contract tests"
LVTEXT_TEST_PLUGIN="$plugin" quietly ../contract.log "$contract" "contract: every registered model"
tail -n 2 ../contract.log

step "invalid plug-ins"
expect 66 "--plugin none.so: there is no file '" "$lvtext" list models --plugin none.so
expect 65 "cannot be loaded" "$lvtext" list models --plugin feedforward.yaml
for bytes in 40 1000 100000; do
  head -c $bytes "$plugin" >cut.so
  expect 65 "--plugin cut.so: the file is cut off after $bytes bytes" "$lvtext" list models --plugin cut.so
done
echo 'int nothing;' >other.cpp
"$compiler" -shared -fPIC other.cpp -o no_plugin.so
expect 65 "is not a plug-in of lvtext" "$lvtext" list models --plugin no_plugin.so
echo 'extern "C" int lvtext_plugin_interface() { return 999; }' >other.cpp
"$compiler" -shared -fPIC other.cpp -o newer.so
expect 65 "was built for version 999 of the plug-in interface" "$lvtext" list models --plugin newer.so
cp "$plugin" copy.so
expect 78 "two models are named 'feedforward_lm'" "$lvtext" list models --plugin "$plugin" --plugin copy.so
"$lvtext" list models --plugin "$plugin" --plugin build/libfeedforward_lm.so >/dev/null ||
  fail "one plug-in under two paths conflicts with itself"
sed 's|build/libfeedforward_lm.so|gone.so|' feedforward.yaml >gone.yaml
expect 66 "/gone.so'; give the path of a shared library (.so), relative to the recipe" "$lvtext" reproduce gone.yaml --dry-run
echo "plug-in: all passed"
