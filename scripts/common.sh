# shellcheck shell=bash
# Functions shared by the scripts: messages, compiler, path of LibTorch. Sourced, not executed.

root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
environment="$root/.lvtext-env"
export torch_version=2.11.0

say() { printf '\033[1m==>\033[0m %s\n' "$*" >&2; }
note() { printf '    %s\n' "$*" >&2; }
if [ ! -t 2 ]; then
  say() { printf '==> %s\n' "$*" >&2; }
fi

# fail CODE MESSAGE...: prints the error (first line) and what to do (other lines), and exits with
# CODE (docs/errors.md).
fail() {
  local code="$1"
  shift
  printf 'lvtext: %s\n' "$1" >&2
  shift
  for line in "$@"; do printf '        %s\n' "$line" >&2; done
  exit "$code"
}

# Prints the name of the C++ compiler: LVTEXT_CXX, else clang 16, else the newest clang after 16,
# else g++. Returns 1 if there is none.
find_compiler() {
  local version
  if [ -n "${LVTEXT_CXX:-}" ]; then
    echo "$LVTEXT_CXX"
    return
  fi
  for version in 16 22 21 20 19 18 17; do
    # Without clang's own omp.h, all loops would run on one core.
    if command -v "clang++-$version" >/dev/null && [ -e "/usr/lib/llvm-$version/lib/libomp.so" ]; then
      echo "clang++-$version"
      return
    fi
  done
  command -v g++ >/dev/null && echo g++
}

# Prints the folder of LibTorch: LIBTORCH, else the wheel in .lvtext-env; nothing if there is none.
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
