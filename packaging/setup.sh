#!/bin/sh
# Installs what is missing to build Gantry and its tests, by the system's own packages.
#
#   sh packaging/setup.sh          what run.sh and test.sh need
#   sh packaging/setup.sh --dev    also what checks the code: format, lint, pages of headers,
#                                  ranks on two machines, jobs on a private cluster
#   sh packaging/setup.sh --headless    without the desktop and its Qt and VTK: for servers
#
# With CXX=clang++ that compiler is installed too.
# Runs as root or through sudo, and does nothing where nothing is missing. It never installs CUDA or
# a driver. With GANTRY_SETUP=skip it does nothing: for systems whose packages have other names.
set -eu

needed="g++ cmake ninja-build ccache python3
        libtiff-dev zlib1g-dev libblosc-dev libhdf5-dev libmatio-dev libdcmtk-dev libpng-dev libfmt-dev
        nlohmann-json3-dev libpugixml-dev libcli11-dev libkissfft-dev libeigen3-dev
        libgtest-dev python3-zarr libopenmpi-dev openmpi-bin rsync"
for_desktop="qt6-base-dev qt6-svg-dev qt6-qpa-plugins libvtk9-dev
             libgl1-mesa-dri libegl1 fonts-dejavu-core xvfb"
# A private Slurm and ssh service, which the tests of jobs on hosts start themselves.
for_checks="clang libclang-rt-dev clang-format clang-tidy mold shellcheck doxygen iproute2
            slurm-wlm munge libpmix2 openssh-client openssh-server faketime dcmtk"
os_release=${GANTRY_OS_RELEASE:-/etc/os-release}
os="an unknown system"
if [ -r "$os_release" ]; then
    # shellcheck disable=SC1090  # the path is the system's
    os=$(. "$os_release" && echo "${ID:-unknown}${VERSION_ID:+ $VERSION_ID}")
fi
# The arrows of the desktop's fields are SVG files, which need this there; the other systems have it
# in a library that qt6-svg-dev brings.
if [ "$os" = "debian 13" ]; then for_desktop="$for_desktop qt6-svg-plugins"; fi

case "${CXX:-}" in
    *clang*) needed="$needed clang" ;;
esac

case "${1:-}" in
    "") needed="$needed $for_desktop" ;;
    --dev) needed="$needed $for_desktop $for_checks" ;;
    --headless) ;;
    *)
        echo "setup: '$1' is unknown; the options are --dev and --headless" >&2
        exit 2
        ;;
esac

if [ "${GANTRY_SETUP:-}" = skip ]; then
    echo "setup: skipped, as GANTRY_SETUP says"
    exit 0
fi

is_installed() {
    [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

missing=
for package in $needed; do
    is_installed "$package" || missing="$missing $package"
done
if [ -z "$missing" ]; then
    echo "setup: nothing to install, every package is there"
    exit 0
fi

case "$os" in
    "debian 12" | "debian 13" | "ubuntu 24.04") ;;
    *)
        echo "setup: this is $os; packages are known for Debian 12, Debian 13 and Ubuntu 24.04. \
Install the counterparts of:$missing, then run again with GANTRY_SETUP=skip" >&2
        exit 1
        ;;
esac

as_root=
if [ "$(id -u)" != 0 ]; then
    if ! command -v sudo >/dev/null 2>&1; then
        echo "setup: neither root nor sudo to install with; as root run: \
apt-get install$missing" >&2
        exit 1
    fi
    as_root=sudo
fi

echo "setup: installing on $os:$missing"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
# An old list of packages may still do, and the installation says so where it does not.
$as_root apt-get -qq update >"$log" 2>&1 || cat "$log" >&2
# shellcheck disable=SC2086  # a list of words
if ! $as_root env DEBIAN_FRONTEND=noninteractive \
    apt-get -qq -y --no-install-recommends install $missing </dev/null >"$log" 2>&1; then
    tail -n 20 "$log" >&2
    echo "setup: the packages could not be installed; the lines above say why" >&2
    exit 1
fi
echo "setup: done"
