#!/bin/sh
# Installs what is missing, builds a release, and runs every test.
#
#   sh packaging/test.sh [CTEST ARGUMENT...]     e.g. -R '^geometry\.'
set -eu
cd "$(dirname "$0")/.."

sh packaging/setup.sh
jobs=${GANTRY_JOBS:-$(nproc)}
cmake --preset release -DGANTRY_TESTS=ON
cmake --build --preset release --parallel "$jobs"
ctest --preset release --parallel "$jobs" --no-tests=error "$@"
