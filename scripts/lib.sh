# shellcheck shell=bash disable=SC2034
# Shared by the scripts: the packages of Debian and Ubuntu, and the choice of a preset. Sourced, not
# run; changes to the root of the repository.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

build_packages=(g++ cmake ninja-build libeigen3-dev libhdf5-dev libspdlog-dev libyaml-cpp-dev
                libcli11-dev nlohmann-json3-dev zlib1g-dev libboost-dev libssl-dev)
test_packages=(libgtest-dev libgmock-dev python3 python3-dev python3-venv gnuplot-nox locales mold
               libopenmpi-dev openmpi-bin libclang1-19)
# Python packages, from PyPI: those that build the extension, and those that its tests compare it
# with.
python_packages=(nanobind scikit-build-core numpy scipy pytest mypy pyscf)

say() { printf '%s: %s\n' "$(basename "$0")" "$*" >&2; }

die() {
  say "$*"
  exit 1
}

# The comment at the head of the script is its help.
print_help() { sed -n '2,/^[^#]/{s/^# \{0,1\}//p}' "$0"; }

missing_packages() {
  local package status
  for package in "$@"; do
    status=$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null) || status=absent
    [[ $status == installed ]] || printf '%s\n' "$package"
  done
}

# need PACKAGE... installs the missing ones of these, and asks for root only then.
need() {
  local missing
  if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
    say "this system has no apt-get; install what it calls these packages of Debian 12, if CMake
  finds them missing (g++ 12, CMake 3.25 and CUDA 13, if any, or newer): $*"
    return
  fi
  mapfile -t missing < <(missing_packages "$@")
  [[ ${#missing[@]} -gt 0 ]] || return 0

  local as_root=()
  if [[ $(id -u) -ne 0 ]]; then
    command -v sudo >/dev/null ||
      die "packages are missing and there is no sudo; as root run: apt-get install ${missing[*]}"
    as_root=(sudo)
    say "sudo may ask for your password, to install packages"
  fi
  as_root+=(env DEBIAN_FRONTEND=noninteractive apt-get -q)
  local install=("${as_root[@]}" install -y --no-install-recommends "${missing[@]}")

  say "installing ${missing[*]}"
  # If package lists are absent or old, nothing can be fetched: then they are renewed.
  if ! apt-get -qq --simulate install "${missing[@]}" >/dev/null 2>&1 || ! "${install[@]}" >&2; then
    # A server of somebody else may be away: that alone is no reason to give up.
    local answer=yes
    "${as_root[@]}" update -o APT::Update::Error-Mode=any >&2 || answer=no
    if ! "${install[@]}" >&2; then
      [[ $answer == yes ]] || die "the package servers did not answer; is there a network?
  Without one, install these from a mirror or medium of yours, then run this again: ${missing[*]}"
      die "apt-get could not install: ${missing[*]}
  (tried on Debian 12 and meant for it and Ubuntu 24.04, where some are in the section universe)"
    fi
  fi
}

# Installs python_packages into an environment of the checkout, once, with a wheel of NumPy for
# empty ones. If that fails, the tests of Python are left out.
need_python() {
  local folder=.cache/python stamp=.cache/python/holds failed=.cache/python-failed wanted
  local pip=(timeout 600 "$folder/bin/python" -m pip --no-input --disable-pip-version-check -q
             --retries 1 --timeout 15)
  wanted="$(python3 -V), ${python_packages[*]}"
  [[ ! -e $stamp || $(<"$stamp") != "$wanted" ]] || return 0
  [[ -z $(find "$failed" -mmin -720 2>/dev/null) ]] || return 0  # not again at once
  say "installing ${python_packages[*]} into $folder"
  if python3 -m venv --clear "$folder" &&
    "${pip[@]}" install --only-binary=:all: "${python_packages[@]}" >&2 &&
    "${pip[@]}" download --only-binary=:all: --no-deps -d .cache/wheels numpy >&2; then
    printf '%s\n' "$wanted" >"$stamp"
  else
    rm -rf "$folder"
    mkdir -p .cache
    touch "$failed"
    say "these cannot be had, so the Python package and its tests are left out"
  fi
}

# The CUDA compiler that the build would select, in the same order.
find_nvcc() {
  if [[ -n ${CUDACXX:-} ]]; then
    printf '%s\n' "$CUDACXX"
  elif [[ -x /usr/local/cuda/bin/nvcc ]]; then
    printf '/usr/local/cuda/bin/nvcc\n'
  else
    command -v nvcc
  fi
}

gpu_answers() { nvidia-smi -L >/dev/null 2>&1; }

# Sets `preset` and reports the reason; sets `cuda_check` to yes with a toolkit but no GPU: then the
# CUDA sources can be compiled and linked, but not run.
choose_preset() {
  local nvcc version
  preset=cpu
  cuda_check=no
  if ! nvcc=$(find_nvcc); then
    say "preset cpu: no CUDA toolkit found, so the cuda backend is left out"
    return
  fi
  version=$("$nvcc" --version | sed -n 's/.*release \([0-9.]*\).*/\1/p')
  if [[ ! ${version%%.*} =~ ^[0-9]+$ || ${version%%.*} -lt 13 ]]; then
    say "preset cpu: the CUDA toolkit of $nvcc is ${version:-unknown}, the cuda backend needs 13"
  elif gpu_answers; then
    preset=cuda
    say "preset cuda: CUDA $version ($nvcc) and a GPU found"
  else
    cuda_check=yes
    say "preset cpu: CUDA $version found ($nvcc), but no GPU answers here"
  fi
}

# configure PRESET SETTING...: runs CMake if the build tree lacks one of the settings, each given as
# -DNAME=VALUE. With CISOLVE_WERROR in the environment, warnings are errors in all that the scripts
# build.
configure() {
  local cache=build/$1/CMakeCache.txt name=$1 setting bare
  shift
  [[ -z ${CISOLVE_WERROR:-} ]] || set -- "$@" "-DCISOLVE_WERROR=$CISOLVE_WERROR"
  if [[ -e build/$name/build.ninja ]]; then
    for setting in "$@"; do
      bare=${setting#-D}
      grep -q "^${bare%%=*}:[A-Z]*=${bare#*=}\$" "$cache" 2>/dev/null || break
      shift
    done
    [[ $# -gt 0 ]] || return 0
  fi
  cmake --preset "$name" "$@" >&2
}
