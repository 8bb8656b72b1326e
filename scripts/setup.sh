#!/usr/bin/env bash
# Installs the dependencies of lvtext on Debian 12 (Ubuntu 24.04 should work, untested): the missing
# packages, and LibTorch 2.11.0 in ./.lvtext-env. Running it again changes nothing.
#   --cuda   LibTorch with CUDA, even if no CUDA GPU is found
#   --cpu    LibTorch for CPUs, even if a CUDA GPU is found
#   --slurm  also the programs of Slurm for the tests, unpacked in ./.lvtext-env/slurm (3.5 MB)
#   --long   also the tools of test.sh --long (300 MB): sanitizers, LLVM tools, Chromium
# LIBTORCH=/folder (with include/ and lib/) uses an existing LibTorch.
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

tidy_version=22.1.8
wanted_set=""
extra=()
tidy=no slurm=no
for argument in "$@"; do
  case "$argument" in
    --cuda) wanted_set=cuda ;;
    --cpu) wanted_set=cpu ;;
    --slurm) slurm=yes ;;
    --long) extra+=(libclang-rt-16-dev llvm-16 clang-format-16 chromium) tidy=yes slurm=yes ;;
    -h | --help) sed -n '2,8s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; exit 0 ;;
    *) fail 64 "setup.sh: unknown argument '$argument'" "allowed: --cuda, --cpu, --slurm, --long" ;;
  esac
done

packages=(
  cmake ninja-build lld ccache pkg-config g++
  libsentencepiece-dev sentencepiece libutf8proc-dev libstemmer-dev libyaml-cpp-dev libspdlog-dev catch2
  libcli11-dev nlohmann-json3-dev libssl-dev zlib1g-dev libpng-dev libjpeg-dev libexpat1-dev
  wordnet-base python3 python3-venv python3-jsonschema python3-yaml curl ca-certificates git "${extra[@]}"
)

is_installed() {
  [ "$(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

as_root() {
  if [ "$(id -u)" = 0 ]; then
    DEBIAN_FRONTEND=noninteractive "$@"
  elif command -v sudo >/dev/null; then
    sudo DEBIAN_FRONTEND=noninteractive "$@" # sudo does not pass the environment on
  else
    fail 77 "packages are missing, and installing them requires root or sudo" \
      "ask an administrator to run: apt-get install ${missing[*]}"
  fi
}

# apt_get ARGUMENTS...: runs apt-get quietly; prints its output only if it fails.
apt_get() {
  local log
  log="$(mktemp)"
  if ! as_root apt-get -q -y "$@" </dev/null >"$log" 2>&1; then
    tail -n 15 "$log" >&2
    rm -f "$log"
    fail 69 "apt-get $1 failed; its last lines are above" \
      "no network: check the connection or the proxy (http_proxy) and run this again" \
      "a lock or a broken package: run 'dpkg --configure -a' as root, then run this again"
  fi
  rm -f "$log"
}

# Adds the compiler's packages: clang 16 if the distribution has it, else the newest clang it has.
add_compiler_packages() {
  if find_compiler | grep -q clang || [ -n "${LVTEXT_CXX:-}" ]; then
    return
  fi
  local version
  for version in 16 22 21 20 19 18 17; do
    if apt-cache show "clang-$version" "libomp-$version-dev" >/dev/null 2>&1; then
      if [ "$version" != 16 ]; then
        note "this distribution has no clang 16: using clang $version (untested)"
      fi
      missing+=("clang-$version" "libomp-$version-dev")
      return
    fi
  done
  note "this distribution has no clang 16 or later: using g++ (compiles several times slower)"
}

read_package_lists() {
  say "reading the package lists (apt-get update)"
  apt_get update
}

install_packages() {
  if ! command -v apt-get >/dev/null; then
    say "apt-get was not found: install the packages listed in docs/getting-started.md"
    return
  fi
  missing=()
  local package
  for package in "${packages[@]}"; do
    is_installed "$package" || missing+=("$package")
  done
  # On a new machine the lists are empty, so clang 16 can only be looked up after reading them.
  if [ ${#missing[@]} = 0 ]; then
    add_compiler_packages
    if [ ${#missing[@]} = 0 ]; then
      note "packages: all installed"
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

# Prints a Python 3.10 or later that can create virtual environments. Prefers the system's: removing
# a python3 of pyenv or conda would break the environment.
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

# check_libtorch FOLDER: exits with an error if the library does not load (incomplete download).
check_libtorch() {
  local folder="$1" python
  python="$(find_python)"
  if [ ! -e "$folder/lib/libtorch_cpu.so" ] || [ ! -e "$folder/include/ATen/ATen.h" ]; then
    fail 66 "no LibTorch in '$folder': lib/libtorch_cpu.so or include/ATen/ATen.h is missing" \
      "set LIBTORCH to the parent folder of include/ and lib/, or unset it to install LibTorch"
  fi
  if ! grep -rqs "TORCH_VERSION_MINOR 11$" "$folder"/include/torch/headeronly/version.h \
    "$folder"/include/torch/csrc/api/include/torch/version.h; then
    note "LibTorch in '$folder' is not version $torch_version (untested)"
  fi
  if [ -n "$python" ] && ! "$python" -c "import ctypes, sys; ctypes.CDLL(sys.argv[1])" \
    "$folder/lib/libtorch_cpu.so"; then
    fail 69 "LibTorch in '$folder' does not load; the error is above" \
      "remove $environment and run this again; with LIBTORCH=, use a complete LibTorch $torch_version"
  fi
}

# Creates the Python environment .lvtext-env if it is missing; locks it until the script ends.
create_environment() {
  local python
  python="$(find_python)"
  if [ -z "$python" ]; then
    fail 69 "no Python 3.10 or later with the modules venv and ensurepip" \
      "Debian, Ubuntu: apt-get install python3-venv"
  fi
  mkdir -p "$environment"
  exec 9>"$environment/lock"
  flock 9 # wait for a concurrent setup
  if [ ! -x "$environment/bin/pip" ]; then
    "$python" -m venv "$environment" || fail 73 "the environment $environment cannot be created" \
      "check for a full disk, remove the folder and run this again"
  fi
}

# pip_install PACKAGE...: installs packages in .lvtext-env.
pip_install() {
  "$environment/bin/pip" install --quiet --disable-pip-version-check --no-input --no-cache-dir "$@" \
    </dev/null
}

# Installs clang-tidy 22 from PyPI: version 16 of Debian 12 takes four times as long.
install_tidy() {
  if "$environment/bin/clang-tidy" --version 2>/dev/null | grep -q "version $tidy_version"; then
    note "clang-tidy: $tidy_version is in .lvtext-env"
    return
  fi
  create_environment
  say "installing clang-tidy $tidy_version in .lvtext-env"
  pip_install "clang-tidy==$tidy_version" || fail 69 "pip could not install clang-tidy; its error is above" \
    "no network: check the connection or the proxy and run this again"
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
  # The CUDA wheel also runs on CPUs. Ignore the stamp if the library is missing.
  if [ -n "$(find_libtorch)" ] &&
    { [ -e "$stamp" ] || { [ "$set" = cpu ] && [ -e "$environment/libtorch-$torch_version-cuda" ]; }; }; then
    note "LibTorch: $torch_version is in .lvtext-env"
    return
  fi

  create_environment
  # A concurrent setup may have installed LibTorch meanwhile.
  if [ -e "$stamp" ] && [ -n "$(find_libtorch)" ]; then
    return
  fi
  local wheels
  if [ "$set" = cuda ]; then
    say "installing LibTorch $torch_version with CUDA in .lvtext-env (disk 4.6 GB, some minutes)"
    wheels=("torch==$torch_version")
  else
    say "installing LibTorch $torch_version for CPUs in .lvtext-env (download 531 MB, disk 1.3 GB)"
    # libtorch_cpu.so of this wheel needs the two NVIDIA packages to load, even without a GPU.
    wheels=(--no-deps "torch==$torch_version" nvidia-cuda-runtime==13.0.96 nvidia-cuda-cupti==13.0.85)
  fi
  pip_install "${wheels[@]}" || fail 69 "pip could not install LibTorch; its error is above" \
    "no network: check the connection or the proxy and run this again" \
    "CERTIFICATE_VERIFY_FAILED: set PIP_CERT=FILE to the certificate authority of your network" \
    "disk full: installation needs $([ "$set" = cuda ] && echo 10 || echo 3) GB" \
    "to use an existing LibTorch $torch_version: LIBTORCH=/folder ./scripts/setup.sh"
  check_libtorch "$(find_libtorch)"
  touch "$stamp"
}

# Unpacks Slurm without installing it, which would start services.
unpack_slurm() {
  local folder="$environment/slurm" scratch package
  if [ -x "$folder/usr/sbin/slurmd" ]; then
    note "Slurm: unpacked in .lvtext-env/slurm"
    return
  fi
  say "unpacking Slurm in .lvtext-env/slurm"
  mkdir -p "$folder"
  scratch="$(mktemp -d)"
  # Downloads as the user, without apt's own user, which cannot write here.
  if ! (cd "$scratch" && apt-get -q -o APT::Sandbox::User="$(id -un)" download slurmctld slurmd slurm-client \
    slurm-wlm-basic-plugins munge libmunge2 libhwloc15 libnuma1 >/dev/null); then
    rm -rf "$scratch"
    fail 69 "apt-get download failed; its error is above" "no network: check the connection or the proxy"
  fi
  for package in "$scratch"/*.deb; do dpkg -x "$package" "$folder"; done
  rm -rf "$scratch"
  for package in slurmctld slurmd slurmstepd; do ln -sf "$package-wlm" "$folder/usr/sbin/$package"; done
}

say "setting up lvtext"
install_packages
install_libtorch
[ "$tidy" = no ] || install_tidy
[ "$slurm" = no ] || unpack_slurm
if [ -z "$(find_compiler || true)" ]; then
  fail 69 "no C++20 compiler" "Debian, Ubuntu: apt-get install clang-16 libomp-16-dev; or LVTEXT_CXX=NAME"
fi
note "compiler: $(find_compiler)"
