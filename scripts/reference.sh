#!/usr/bin/env bash
# Generates docs/reference/ from the code: options of recipes, models and evaluators, help of all
# commands, layers. usage: reference.sh [BUILD [FOLDER]]   (default: build/release docs/reference)
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
case "${1:-}" in -h | --help) sed -n '2,3s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; exit 0 ;; esac
build="$(realpath "${1:-$root/build/release}")"
folder="${2:-$root/docs/reference}"
lvtext="$build/lvtext"
for program in "$lvtext" "$build/tests/docs_reference"; do
  [ -x "$program" ] || fail 66 "'$program' was not found" "build it: ./scripts/build.sh"
done
mkdir -p "$folder"
folder="$(realpath "$folder")"
cd "$root" # the program looks for recipes and manifests in the working directory

# Prints the subcommands in a help text: the entries below its last heading.
subcommands() { sed -n '/^Subcommands:/,$s/^  \([a-z][a-z_]*\) .*/\1/p' <<<"$1"; }

# section COMMAND...: prints the help of a command, or of each command of a group.
section() {
  local text each
  text="$("$lvtext" "$@" --help)"
  if [ -n "$(subcommands "$text")" ]; then
    for each in $(subcommands "$text"); do section "$@" "$each"; done
  else
    printf '\n## `lvtext %s`\n```text\n%s\n```\n' "$*" "$text"
  fi
}

{
  echo "<!-- Written by scripts/reference.sh from the code: change the code, not this file. -->"
  echo "# Commands"
  echo
  echo "Every command takes \`--plugin\`, \`-q\` and \`-v\`. Results go to standard output, progress to"
  echo "standard error. Exit codes: [errors](../errors.md)."
  for command in $(subcommands "$("$lvtext" --help)"); do section "$command"; done
} >"$folder/commands.md"
cp "$build/generated/layers.md" "$folder/layers.md"
"$build/tests/docs_reference" "$folder"
