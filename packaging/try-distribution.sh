#!/bin/sh
# Runs both scripts on a bare system of a distribution, as a newcomer would, in a chroot of its own:
# debootstrap makes it, this checkout's committed files are put into it, and run.sh and test.sh run there,
# timed. By hand: it takes as long as two builds, and needs root, debootstrap and 8 GB of disk.
#
#   sudo sh packaging/try-distribution.sh trixie [run|test|both|ranks]
#       ranks: builds without the desktop, and tests only jobs of several ranks on its MPI
#   sudo CXX=clang++ sh packaging/try-distribution.sh bookworm
#
# GANTRY_ROOTS    folder of the bare systems and logs (default: /var/tmp/gantry-roots)
# GANTRY_MIRROR   where debootstrap fetches packages from (default: its own choice); for other
#                 distributions than Debian
# GANTRY_CUDA     a CUDA toolkit's folder that is to be seen there, at /usr/local/cuda
# GANTRY_JOBS     compilers and tests at a time
set -eu
release=${1:-}
what=${2:-both}
if [ -z "$release" ] || [ "$(id -u)" != 0 ]; then
    echo "try-distribution: run as root, with the name of a release: trixie, bookworm, noble" >&2
    exit 2
fi
cd "$(dirname "$0")/.."
roots=${GANTRY_ROOTS:-/var/tmp/gantry-roots}
mkdir -p "$roots"
bare=$roots/$release.bare
root=$roots/$release.${CXX:-default}
log=$root.log

if [ ! -e "$bare/etc/os-release" ]; then
    echo "try-distribution: making a bare $release"
    rm -rf "$bare" "$bare.new"
    # shellcheck disable=SC2086  # one word or none
    debootstrap --variant=minbase "$release" "$bare.new" ${GANTRY_MIRROR:-} >"$roots/debootstrap.log"
    mv "$bare.new" "$bare"
fi

leave() {
    for folder in usr/local/cuda dev/shm dev/pts sys proc; do
        if mountpoint -q "$root/$folder"; then umount -l "$root/$folder"; fi
    done
}
leave
rm -rf "$root"
cp -a "$bare" "$root"
trap leave EXIT
mount -t proc proc "$root/proc"
mount -t sysfs sysfs "$root/sys"
mount -t devpts devpts "$root/dev/pts"
mkdir -p "$root/dev/shm"
mount -t tmpfs -o mode=1777 tmpfs "$root/dev/shm"
if [ -n "${GANTRY_CUDA:-}" ]; then
    mkdir -p "$root/usr/local/cuda"
    mount --bind "$GANTRY_CUDA" "$root/usr/local/cuda"
fi
# How this machine reaches its packages.
for file in /etc/resolv.conf /etc/hosts; do
    if [ -r "$file" ]; then cp "$file" "$root$file"; fi
done
for file in /etc/apt/apt.conf.d/*proxy*; do
    if [ -r "$file" ]; then cp "$file" "$root$file"; fi
done
mkdir "$root/gantry"
git archive HEAD | tar -x -C "$root/gantry"

: >"$log"
# try COMMAND NAME: prints how it ended and how long it took.
try() {
    begin=$(date +%s)
    code=0
    env -i HOME=/root LANG=C.UTF-8 PATH=/usr/local/cuda/bin:/usr/sbin:/usr/bin:/sbin:/bin \
        ${CXX:+CXX="$CXX"} ${GANTRY_JOBS:+GANTRY_JOBS="$GANTRY_JOBS"} \
        chroot "$root" sh -c "$1" </dev/null >>"$log" 2>&1 || code=$?
    end=$(date +%s)
    tail -n 5 "$log"
    echo "try-distribution: $release, ${CXX:-its own compiler}: $2 ended with $code after $((end - begin)) s on $(nproc) processors" |
        tee -a "$log"
    [ "$code" = 0 ] || failed=1
}
failed=0
case "$what" in run | both) try "sh /gantry/packaging/run.sh" run.sh ;; esac
case "$what" in test | both) try "sh /gantry/packaging/test.sh" test.sh ;; esac
if [ "$what" = ranks ]; then
    try "cd /gantry && sh packaging/setup.sh --headless &&
        cmake -S . -B build -G Ninja -DCMAKE_BUILD_TYPE=Release -DGANTRY_TESTS=OFF &&
        cmake --build build --target gantry && export GANTRY=/gantry/build/app/gantry &&
        cd tests/cli && python3 -B test_ranks.py && python3 -B test_rank_faults.py" "jobs of several ranks"
fi
echo "try-distribution: the whole log is $log"
exit "$failed"
