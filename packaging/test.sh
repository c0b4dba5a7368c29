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
# Windows and processes are tested with what else the machine does beside them: what fails is tried
# once more, and both results are printed.
ctest --preset release --parallel "$jobs" --no-tests=error --repeat until-pass:2 "$@"
