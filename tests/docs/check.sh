#!/usr/bin/env bash
# Checks the pages of docs/ and the README against the code. usage: check.sh BUILD LVTEXT
# - docs/reference/ equals the output of scripts/reference.sh;
# - every relative link points to a file, and every #anchor to a heading of it;
# - docs/README.md lists every page of docs/;
# - quoted blocks are in their files, recipes are valid, shown outputs are printed (blocks.awk);
# - every command line parses: those with recipes as a dry run, the others with --help;
# - exit codes are those of framework/core/base/error.h.
set -uo pipefail
build="$(realpath "$1")"
lvtext="$(realpath "$2")"
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 66
scratch="$(mktemp -d)" || exit 73
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/text"
seq 1000 | sed 's/.*/sentence & of a text/' >"$scratch/text/my.txt"
export LVTEXT_OUT="$scratch/runs" LVTEXT_DATA="$scratch/data" NO_COLOR=1
unset LVTEXT_DATA_MIRROR LVTEXT_TRACE

mapfile -t written < <(find docs -name '*.md' -not -path 'docs/results/*' -not -path 'docs/reference/*' | sort)
pages=(README.md CONTRIBUTING.md "${written[@]}")
failures=0
checks=0
declare -A accepted # command lines that passed before
fail() {
  failures=$((failures + 1))
  printf 'FAILED %s\n' "$*"
}

check_reference() {
  checks=$((checks + 1))
  mkdir "$scratch/reference"
  scripts/reference.sh "$build" "$scratch/reference" || fail "scripts/reference.sh"
  diff -ru docs/reference "$scratch/reference" || fail "docs/reference is out of date: run scripts/reference.sh"
}

# Prints the anchors of a page, derived from its headings as on GitHub.
anchors() {
  sed -n 's/^##* *//p' "$1" | tr 'A-Z ' 'a-z-' | sed 's/[^a-z0-9_-]//g'
}

check_links() {
  local page target file anchor
  for page in "${pages[@]}" docs/reference/*.md; do
    while IFS= read -r target; do
      case "$target" in http://* | https://* | mailto:*) continue ;; esac
      checks=$((checks + 1))
      file="${target%%#*}"
      anchor="${target#"$file"}"
      file="$(dirname "$page")/$file"
      [ "${target:0:1}" = '#' ] && file="$page"
      [ -e "$file" ] || { fail "$page: the link '$target' leads nowhere"; continue; }
      [ -z "$anchor" ] || anchors "$file" | grep -qxF -e "${anchor#\#}" ||
        fail "$page: '$file' has no heading for '$anchor'"
    done < <(sed '/^```/,/^```/d' "$page" | grep -o '](\([^)]*\))' | sed 's/^](//; s/)$//')
  done
  for page in "${written[@]}"; do
    [ "$page" = docs/README.md ] || grep -qF "](${page#docs/})" docs/README.md ||
      fail "docs/README.md does not list $page"
  done
}

# run_line PLACE LINE: checks that the command line is accepted, as a dry run or with --help.
run_line() {
  local place="$1" line="$2" words code
  line="$(sed 's/ *# .*//; s/^ *//; s/^\([A-Z_]*=[^ ]* \)*//; s/^build\/release\///' <<<"$line")"
  case "$line" in lvtext\ *) ;; *) return ;; esac
  # Provide the text file that pages use as an example.
  line="$(sed "s|=\([a-z]*\.txt\)|=$scratch/text/\1|g" <<<"${line#lvtext }")"
  words="$line"
  case "$line" in
    *[A-Z][A-Z]*) words="$line --help" ;; # placeholders such as RECIPE
    reproduce\ * | train\ *) words="$line --dry-run" ;;
    config\ * | list\ * | help\ * | help | schema | completion\ *) ;;
    *) words="$line --help" ;;
  esac
  checks=$((checks + 1))
  [ -z "${accepted[$words]:-}" ] || return
  eval "\"\$lvtext\" $words" >"$scratch/out" 2>&1 </dev/null
  code=$?
  if [ "$code" = 0 ]; then
    accepted[$words]=yes
  else
    fail "$place: lvtext $words: exit code $code"
    cat "$scratch/out"
  fi
}

check_recipe() {
  local place="$1" block="$2"
  if ! grep -q '^lvtext:' "$block"; then
    { printf 'lvtext: 1\nrecipe: docs/example\nbase: %s/recipes/quickstart/quickstart.yaml\n' "$PWD"
      cat "$block"; } >"$block.yaml"
  else
    cp "$block" "$block.yaml"
  fi
  "$lvtext" config "$block.yaml" >"$scratch/out" 2>&1 ||
    { fail "$place: invalid recipe"; cat "$scratch/out"; }
}

check_blocks() {
  local block language kind place argument line content file
  while IFS=$'\t' read -r block language kind place argument; do
    case "$kind" in
      quote)
        checks=$((checks + 1))
        content=$'\n'"$(cat "$block")"$'\n'
        file=$'\n'"$(cat "$argument" 2>/dev/null)"$'\n'
        [[ "$file" == *"$content"* ]] || fail "$place: the block is not in '$argument'"
        ;;
      output)
        checks=$((checks + 1))
        eval "\"\$lvtext\" $argument" >"$scratch/out" 2>&1 </dev/null
        diff -u "$block" "$scratch/out" || fail "$place: 'lvtext $argument' prints a different output"
        ;;
      recipe)
        checks=$((checks + 1))
        check_recipe "$place" "$block"
        ;;
      *)
        case "$language" in
          sh) while IFS= read -r line; do run_line "$place" "$line"; done \
            < <(sed -e ':a' -e '/\\$/N; s/\\\n//; ta' "$block") ;;
          yaml | cpp | cmake) fail "$place: a $language block without a check (see blocks.awk)" ;;
        esac
        ;;
    esac
  done < <(awk -v folder="$scratch" -f tests/docs/blocks.awk "${pages[@]}")
}

check_inline_commands() {
  local page line
  for page in "${pages[@]}"; do
    while IFS= read -r line; do
      run_line "$page" "${line//\`/} --help"
    done < <(sed '/^```/,/^```/d' "$page" | grep -o '`lvtext [a-z][^`]*`' | sort -u)
  done
}

check_exit_codes() {
  checks=$((checks + 1))
  diff <(sed -n 's/^| \([0-9]*\) |.*/\1/p' docs/errors.md) \
    <(sed -n '/^enum class Exit/,/^};/s/.* = \([0-9]*\),$/\1/p' framework/core/base/error.h) ||
    fail "docs/errors.md and framework/core/base/error.h have different exit codes"
}

# Prints the string literals of the sources, one per line: messages and help texts.
texts() {
  grep -rhoP '"(?:[^"\\]|\\.)*"' framework evaluators trainers models losses --include='*.cpp' --include='*.h' \
    --exclude-dir=report --exclude=sheet_form.cpp --exclude=fetch.cpp
}

# Checks that the options and flags in messages exist.
check_advice() {
  local name
  { sed -n 's/^| `\([^`]*\)`.*/train.\1/p' docs/reference/train.md
    sed -n 's/^| `\([^`]*\)`.*/data.\1/p' docs/reference/data.md
    sed -n 's/^| `\([^`]*\)`.*/\1/p' docs/reference/recipe.md; } | sort -u >"$scratch/options"
  while IFS= read -r name; do
    checks=$((checks + 1))
    # The reference has a star in place of an optimizer's name; messages must not contain the star.
    [[ "$name" != *'*'* ]] && {
      grep -qxF -e "$name" "$scratch/options" || [[ "$name" =~ ^train\.optimizers\.[a-z_]+$ ]] ||
        grep -qxF -e "$(sed -E 's/^(train\.optimizers\.)[a-z_]+/\1*/' <<<"$name")" "$scratch/options"
    } || fail "a message names the option $name, which does not exist"
  # data.reverse is a split, the default of a metric.
  done < <(texts | grep -oP '(?<![\w./])(train|data|generation)\.[a-z_]+(\.[a-z_*]+)*' |
    grep -vE '\.(txt|tsv|csv|md|json|jsonl|tex|h)$|^data\.(key|reverse)$' | sort -u)
  # Job files and calls of Slurm have its flags.
  { grep -ohE -e '--[a-z][a-z-]*' docs/reference/commands.md scripts/setup.sh framework/pipeline/slurm/*.cpp framework/cli/slurm_*.cpp framework/core/base/lock.cpp; printf '%s\n' --worker --version; } |
    sort -u >"$scratch/flags"
  while IFS= read -r name; do
    checks=$((checks + 1))
    grep -qxF -e "$name" "$scratch/flags" || fail "a message names the flag $name, which does not exist"
  done < <(texts | grep -oP '(?<![\w-])--[a-z][a-z-]*(?![\w-])' | sort -u)
}

check_reference
check_links
check_advice
check_blocks
check_inline_commands
check_exit_codes
echo "$checks checks, $failures failures"
[ "$checks" -gt 0 ] && [ "$failures" -eq 0 ]
