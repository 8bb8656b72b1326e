#!/usr/bin/env bash
# Installs what lvtext needs on Debian 12 (Ubuntu 24.04 is meant to work, untried): the packages that
# are missing, and LibTorch 2.11.0 in ./.lvtext-env. Running it again changes nothing.
#   --cuda   the full LibTorch, also where no CUDA GPU is found
#   --cpu    the small one, also where a CUDA GPU is found
#   --long   also what test.sh --long needs: sanitizers, llvm-cov, clang-format, clang-tidy, Chromium (300 MB)
# LIBTORCH=/folder (with include/ and lib/) uses a LibTorch that is there already.
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

wanted_set=""
extra=()
for argument in "$@"; do
  case "$argument" in
    --cuda) wanted_set=cuda ;;
    --cpu) wanted_set=cpu ;;
    --long) extra+=(libclang-rt-16-dev llvm-16 clang-format-16 clang-tidy-16 chromium) ;;
    -h | --help) sed -n '2,7s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; exit 0 ;;
    *) fail 64 "setup.sh: unknown argument '$argument'" "allowed: --cuda, --cpu, --long" ;;
  esac
done

packages=(
  cmake ninja-build lld ccache pkg-config g++
  libsentencepiece-dev sentencepiece libyaml-cpp-dev libspdlog-dev catch2 libcli11-dev
  nlohmann-json3-dev libssl-dev zlib1g-dev
  python3 python3-venv python3-jsonschema python3-yaml curl ca-certificates git "${extra[@]}"
)

is_installed() {
  [ "$(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

as_root() {
  if [ "$(id -u)" = 0 ]; then
    DEBIAN_FRONTEND=noninteractive "$@"
  elif command -v sudo >/dev/null; then
    sudo DEBIAN_FRONTEND=noninteractive "$@" # sudo drops the environment: set inside
  else
    fail 77 "packages are missing, and this is neither root nor is there sudo" \
      "ask for: apt-get install ${missing[*]}"
  fi
}

# apt_get ARGUMENTS...: quiet; what it printed is shown where it fails.
apt_get() {
  local log
  log="$(mktemp)"
  if ! as_root apt-get -q -y "$@" </dev/null >"$log" 2>&1; then
    tail -n 15 "$log" >&2
    rm -f "$log"
    fail 69 "apt-get $1 failed; its last lines are above" \
      "no network: check the connection or the proxy (http_proxy) and run this again" \
      "a lock or a broken package: 'dpkg --configure -a' as root, then run this again"
  fi
  rm -f "$log"
}

# The compiler's packages: clang 16 where the distribution has it, else the newest one that it has.
add_compiler_packages() {
  if find_compiler | grep -q clang || [ -n "${LVTEXT_CXX:-}" ]; then
    return
  fi
  local version
  for version in 16 22 21 20 19 18 17; do
    if apt-cache show "clang-$version" "libomp-$version-dev" >/dev/null 2>&1; then
      if [ "$version" != 16 ]; then
        note "clang 16 is not in this distribution: taking clang $version (untried)"
      fi
      missing+=("clang-$version" "libomp-$version-dev")
      return
    fi
  done
  note "no clang from 16 on is in this distribution: taking g++ (it compiles several times slower)"
}

read_package_lists() {
  say "reading the package lists (apt-get update)"
  apt_get update
}

install_packages() {
  if ! command -v apt-get >/dev/null; then
    say "no apt-get here: packages are left to you (docs/getting-started.md names them)"
    return
  fi
  missing=()
  local package
  for package in "${packages[@]}"; do
    is_installed "$package" || missing+=("$package")
  done
  # On a new machine the lists are empty, and whether clang 16 is there shows only after reading them.
  if [ ${#missing[@]} = 0 ]; then
    add_compiler_packages
    if [ ${#missing[@]} = 0 ]; then
      note "packages: all there"
      return
    fi
    read_package_lists
  else
    read_package_lists
    add_compiler_packages
  fi
  say "installing ${#missing[@]} packages: ${missing[*]}"
  apt_get install --no-install-recommends "${missing[@]}"
}

# A Python from 3.10 on that can make environments. The system's is preferred: a python3 of pyenv or
# conda may vanish under the environment.
find_python() {
  local python
  for python in /usr/bin/python3 python3; do
    if command -v "$python" >/dev/null &&
      "$python" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 10))' 2>/dev/null; then
      echo "$python"
      return
    fi
  done
}

# check_libtorch FOLDER: its library must load, which a download that broke off does not.
check_libtorch() {
  local folder="$1" python
  python="$(find_python)"
  if [ ! -e "$folder/lib/libtorch_cpu.so" ] || [ ! -e "$folder/include/ATen/ATen.h" ]; then
    fail 66 "no LibTorch in '$folder': lib/libtorch_cpu.so and include/ATen/ATen.h are expected" \
      "LIBTORCH names the folder above include/ and lib/; without it, setup.sh installs one itself"
  fi
  if ! grep -rqs "TORCH_VERSION_MINOR 11$" "$folder"/include/torch/headeronly/version.h \
    "$folder"/include/torch/csrc/api/include/torch/version.h; then
    note "LibTorch in '$folder' is not $torch_version: untried"
  fi
  if [ -n "$python" ] && ! "$python" -c "import ctypes, sys; ctypes.CDLL(sys.argv[1])" \
    "$folder/lib/libtorch_cpu.so"; then
    fail 69 "LibTorch in '$folder' does not load (see the line above)" \
      "remove $environment and run this again; with LIBTORCH=, use a complete LibTorch $torch_version"
  fi
}

install_libtorch() {
  if [ -n "${LIBTORCH:-}" ]; then
    note "LibTorch: $LIBTORCH (LIBTORCH is set)"
    check_libtorch "$LIBTORCH"
    return
  fi
  local set="$wanted_set"
  if [ -z "$set" ]; then
    set=cpu
    if command -v nvidia-smi >/dev/null && nvidia-smi -L 2>/dev/null | grep -q GPU; then
      set=cuda
    fi
  fi
  local stamp="$environment/libtorch-$torch_version-$set"
  # The full set serves the CPU as well. A mark without its library is worth nothing.
  if [ -n "$(find_libtorch)" ] &&
    { [ -e "$stamp" ] || { [ "$set" = cpu ] && [ -e "$environment/libtorch-$torch_version-cuda" ]; }; }; then
    note "LibTorch: $torch_version is in .lvtext-env"
    return
  fi

  local python
  python="$(find_python)"
  if [ -z "$python" ]; then
    fail 69 "no Python from 3.10 on with the modules venv and ensurepip" \
      "Debian, Ubuntu: apt-get install python3-venv"
  fi
  mkdir -p "$environment"
  exec 9>"$environment/lock"
  flock 9 # a second set-up waits for the first and then finds its work done
  if [ -e "$stamp" ] && [ -n "$(find_libtorch)" ]; then
    return
  fi
  if [ ! -x "$environment/bin/pip" ]; then
    "$python" -m venv "$environment" || fail 73 "the environment $environment cannot be made" \
      "remove the folder and run this again; is the disk full?"
  fi
  local wheels
  if [ "$set" = cuda ]; then
    say "LibTorch $torch_version with CUDA into .lvtext-env (4.6 GB on disk, some minutes)"
    wheels=("torch==$torch_version")
  else
    say "LibTorch $torch_version for CPUs into .lvtext-env (531 MB to load, 1.3 GB on disk)"
    # libtorch_cpu.so of this wheel does not load without the two NVIDIA packages, a GPU or not.
    wheels=(--no-deps "torch==$torch_version" nvidia-cuda-runtime==13.0.96 nvidia-cuda-cupti==13.0.85)
  fi
  "$environment/bin/pip" install --quiet --disable-pip-version-check --no-input --no-cache-dir \
    "${wheels[@]}" </dev/null || fail 69 "pip could not install LibTorch (its reason is above)" \
    "no network: check the connection or the proxy and run this again; it goes on where it stopped" \
    "CERTIFICATE_VERIFY_FAILED: PIP_CERT=FILE names the certificate authority of your network" \
    "disk full: $([ "$set" = cuda ] && echo 10 || echo 3) GB are needed while it unpacks" \
    "a LibTorch $torch_version that is there already: LIBTORCH=/folder ./scripts/setup.sh"
  check_libtorch "$(find_libtorch)"
  touch "$stamp"
}

say "lvtext set-up"
install_packages
install_libtorch
if [ -z "$(find_compiler || true)" ]; then
  fail 69 "no C++20 compiler" "Debian, Ubuntu: apt-get install clang-16 libomp-16-dev; or LVTEXT_CXX=NAME"
fi
note "compiler: $(find_compiler)"
