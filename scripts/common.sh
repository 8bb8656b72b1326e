# shellcheck shell=bash
# Shared by the scripts beside it: messages, the compiler, the place of LibTorch. Sourced, never run.

root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
environment="$root/.lvtext-env"
export torch_version=2.11.0

say() { printf '\033[1m==>\033[0m %s\n' "$*" >&2; }
note() { printf '    %s\n' "$*" >&2; }
if [ ! -t 2 ]; then
  say() { printf '==> %s\n' "$*" >&2; }
fi

# fail CODE MESSAGE...: the first line says what is wrong, the others what to do. Codes: docs/errors.md.
fail() {
  local code="$1"
  shift
  printf 'lvtext: %s\n' "$1" >&2
  shift
  for line in "$@"; do printf '        %s\n' "$line" >&2; done
  exit "$code"
}

# The C++ compiler: LVTEXT_CXX, else clang 16, else the newest clang from 16 on, else g++. Prints its
# name; returns 1 where there is none.
find_compiler() {
  local version
  if [ -n "${LVTEXT_CXX:-}" ]; then
    echo "$LVTEXT_CXX"
    return
  fi
  for version in 16 22 21 20 19 18 17; do
    # A clang without its own omp.h would run everything on one core.
    if command -v "clang++-$version" >/dev/null && [ -e "/usr/lib/llvm-$version/lib/libomp.so" ]; then
      echo "clang++-$version"
      return
    fi
  done
  command -v g++ >/dev/null && echo g++
}

# The folder of LibTorch: LIBTORCH, else the wheel in .lvtext-env. Prints nothing where there is none.
find_libtorch() {
  if [ -n "${LIBTORCH:-}" ]; then
    echo "$LIBTORCH"
    return
  fi
  local folder
  for folder in "$environment"/lib/python3*/site-packages/torch; do
    if [ -e "$folder/lib/libtorch_cpu.so" ]; then
      echo "$folder"
      return
    fi
  done
}
