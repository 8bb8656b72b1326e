#!/usr/bin/env bash
# Configures and builds lvtext in build/release, or in build/PRESET for another preset
# (CMakePresets.json, docs/development.md): all targets, or only TARGET. Run scripts/setup.sh first.
# Preset unity builds build/release in units of several sources, unless it is configured otherwise.
# usage: ./scripts/build.sh [PRESET [TARGET...]]
# LVTEXT_JOBS=N compiles N files in parallel (default: number of cores).
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
cd "$root"

preset="${1:-release}"
targets=("${@:2}")
case "$preset" in
  release | unity | debug | asan | gcc | tsan | fuzz | coverage | no-pch) ;;
  -h | --help) sed -n '2,6s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; exit 0 ;;
  *)
    fail 64 "build.sh: unknown preset '$preset'" \
      "allowed: release, unity, debug, asan, gcc, tsan, fuzz, coverage, no-pch"
    ;;
esac
build="build/$preset"
if [ "$preset" = unity ]; then
  build=build/release
  # A build of single sources stays one: the other mode would compile everything again.
  if [ -e "$build/CMakeCache.txt" ] && ! grep -qi '^CMAKE_UNITY_BUILD:.*=true$' "$build/CMakeCache.txt"; then
    preset=release
  fi
fi
compiler="$(find_compiler)" || fail 69 "no C++20 compiler" "run ./scripts/setup.sh"
libtorch="$(find_libtorch)"
[ -n "$libtorch" ] || fail 66 "LibTorch was not found" "run ./scripts/setup.sh"
if [ "$preset" = gcc ]; then
  compiler="$(command -v g++-12 || command -v g++)" || fail 69 "no g++" "run ./scripts/setup.sh"
fi
options=("-DLIBTORCH=$libtorch" "-DCMAKE_CXX_COMPILER=$compiler")
if ! command -v ld.lld >/dev/null; then
  options+=(-DCMAKE_EXE_LINKER_FLAGS= -DCMAKE_SHARED_LINKER_FLAGS=)
fi

start=$SECONDS
say "configuring $build"
log="$(mktemp)"
trap 'rm -f "$log"' EXIT
if ! cmake --preset "$preset" "${options[@]}" >"$log" 2>&1; then
  cat "$log" >&2
  fail 70 "cmake could not configure $build; its output is above" \
    "after a change of compiler or LibTorch: remove $build and run this again"
fi
say "building $build ($(nproc) cores; the first build takes minutes)"
cmake --build "$build" -j "${LVTEXT_JOBS:-$(nproc)}" ${targets[@]+--target "${targets[@]}"} >&2 ||
  fail 70 "the build failed; the compiler's messages are above" \
    "if the compiler ran out of memory: LVTEXT_JOBS=1 ./scripts/build.sh"
say "built in $((SECONDS - start)) s"
