#!/usr/bin/env bash
# Tests the completion scripts: the candidates of the bash script, and the syntax of the scripts for
# zsh and fish if these shells are installed. usage: completion.sh LVTEXT
set -euo pipefail
lvtext=$(realpath "$1")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
ln -s "$lvtext" "$folder/lvtext"
PATH=$folder:$PATH
unset LVTEXT_OUT
fail() { echo "FAILED: $1"; exit 1; }

# complete_bash LINE: prints bash's candidates at the end of the line, one per line. Splits words as
# Readline does.
complete_bash() {
  bash --norc -c '
    eval "$(lvtext completion bash)"
    COMP_LINE=$1 COMP_POINT=${#1} COMP_WORDS=()
    rest=$1
    while [[ $rest =~ ^[[:space:]]*(([^[:space:]=:@]+)|([=:@]+))(.*)$ ]]; do
      COMP_WORDS+=("${BASH_REMATCH[1]}"); rest=${BASH_REMATCH[4]}
    done
    [[ $1 == *" " ]] && COMP_WORDS+=("")
    COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
    _lvtext
    printf "%s\n" "${COMPREPLY[@]}"' bash "$1"
}
# offers LINE WORD...: checks that the candidates are exactly these words.
offers() {
  local line=$1 expected found
  shift
  expected=$(printf '%s\n' "$@")
  found=$(complete_bash "$line")
  [ "$found" = "$expected" ] || fail "'$line' offers: $found; expected: $expected"
}
offers 'lvtext reprod' reproduce
offers 'lvtext runs comp' compare
offers 'lvtext generate --dev' --device
offers 'lvtext generate --device cu' cuda
offers 'lvtext reproduce quickstart/q' quickstart/quickstart
offers 'lvtext train tests/cli/reports.yaml train.sto' train.stop= train.stop_when=
offers 'lvtext train tests/cli/reports.yaml train.precision=b' bf16
offers 'lvtext train tests/cli/reports.yaml train.precision=' bf16 fp32 tf32
offers 'lvtext train tests/cli/reports.yaml --rows ' ae lm
offers 'lvtext generate tests/cli/reports.yaml row=a' ae
offers 'lvtext generate --out tests/cli/none @la' latest
offers 'lvtext runs ls --state da' damaged
offers 'lvtext list sch' schedules
offers 'lvtext completion z' zsh
offers 'lvtext data build embedded-p' embedded-pairs
offers 'lvtext explain tests/cli/reports.yaml ae.bl' ae.bleu
offers 'lvtext rate export sampling tests/cli/reports.yaml train.sto' train.stop= train.stop_when=
offers 'lvtext help repro' reproduce
offers 'lvtext help tok' tokenizer
offers 'lvtext help sheet pair' pairwise
offers 'lvtext help runs comp' compare
offers 'lvtext schema tests/cli/own.t' tests/cli/own.txt
for shell in zsh fish; do
  "$lvtext" completion $shell >"$folder/script.$shell"
  if command -v $shell >/dev/null; then
    $shell -n "$folder/script.$shell" || fail "the $shell script has a syntax error"
  else
    echo "not tested: $shell script ($shell is not installed)"
  fi
done
bash -n <("$lvtext" completion bash)
echo "passed"
