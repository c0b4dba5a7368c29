#!/bin/sh
# Tests what needs a GPU, in one command: packs the release build for a machine that has nothing but a
# driver, and where this machine has a GPU runs the tests at once.
#
#   sh packaging/test-gpu.sh FOLDER [--pack]     --pack: runs nothing
#
# FOLDER (new, empty, or of an earlier call) gets run.sh and gantry-gpu.tar.xz, 50 MB at most. Without a
# GPU here carry it to a machine with one and run `sh FOLDER/run.sh` there; that needs tar and xz.
#
# GANTRY_BUILD   a finished build to pack as it is; by default build/release, which is built first
# GANTRY_JOBS    compilers at a time
set -eu
if [ $# = 0 ] || [ "${2:---pack}" != --pack ]; then
    echo "test-gpu: name the folder that the bundle goes to, and --pack if nothing is to run" >&2
    exit 2
fi
only_pack=${2:-}
mkdir -p "$1"
folder=$(cd "$1" && pwd)
cd "$(dirname "$0")/.."
max_bytes=50000000

for file in "$folder"/* "$folder"/.[!.]*; do
    case "$file" in
        */gantry-gpu.tar.xz | */run.sh | */\* | */.\[!.\]\*) ;;
        *)
            echo "test-gpu: $folder holds $file, which is not of a bundle; name a new folder" >&2
            exit 2
            ;;
    esac
done

build=${GANTRY_BUILD:-}
if [ -z "$build" ]; then
    build=$(pwd)/build/release
    sh packaging/setup.sh
    cmake --preset release -DGANTRY_TESTS=ON
    cmake --build --preset release --parallel "${GANTRY_JOBS:-$(nproc)}" --target gantry gantry_gpu_tests
fi
programs=$(ctest --test-dir "$build" -L '^gpu$' -N -V |
    sed -n 's/.*Test command: \([^ ]*\).*/\1/p' | sort -u)
if [ -z "$programs" ]; then
    echo "test-gpu: $build has no tests for GPUs: it was configured without a CUDA toolkit or without tests" >&2
    exit 1
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/bin" "$work/tests" "$work/lib" "$work/plugins/platforms" "$work/mpi/bin"

# copy_libraries FILE...: the libraries that these load, but for those of the C library
copy_libraries() {
    ldd "$@" | awk '$3 ~ /^\// {print $3}' | sort -u |
        grep -vE '/(libc|libm|libpthread|libdl|librt)\.so' |
        while read -r library; do
            name=$(basename "$library")
            [ -e "$work/lib/$name" ] || strip -o "$work/lib/$name" "$library"
        done
}

strip -o "$work/bin/gantry" "$build/app/gantry"
for program in $programs; do
    strip -o "$work/tests/$(basename "$program")" "$program"
done
# shellcheck disable=SC2086  # a list of paths
copy_libraries "$build/app/gantry" $programs

# A window that nobody sees, for the bench of the desktop.
for plugin in /usr/lib/*/qt6/plugins/platforms/libqoffscreen.so; do
    [ ! -e "$plugin" ] || cp "$plugin" "$work/plugins/platforms/"
done

# What starts ranks: Open MPI finds the rest of itself below OPAL_PREFIX. Fabrics stay behind.
if command -v ompi_info >/dev/null && command -v mpirun >/dev/null; then
    mpi_path() { ompi_info --parsable --path "$1" | sed -n "s/^path:$1://p" | head -n 1; }
    prefix=$(mpi_path prefix)
    plugins=$(mpi_path pkglibdir)
    target=$work/mpi${plugins#"$prefix"}
    mkdir -p "$target"
    cp -L "$(command -v mpirun)" "$work/mpi/bin/mpirun"
    for plugin in "$plugins"/mca_*.so; do
        case "$plugin" in
            *_ofi.so | *_ucx.so | *_openib.so | *_psm*.so | *slurm.so | *flux.so) ;;
            *) strip -o "$target/$(basename "$plugin")" "$plugin" ;;
        esac
    done
    copy_libraries "$work/mpi/bin/mpirun" "$target"/*.so
fi

# The Unicode tables are a fifth of the bundle, and nothing that is tested sorts words of a language.
for tables in "$work"/lib/libicudata.so.*; do
    [ -e "$tables" ] || continue
    version=${tables##*.so.}
    echo "const char icudt${version}_dat[64] = {0};" |
        cc -shared -nostdlib -Wl,-soname,"libicudata.so.$version" -x c -o "$tables" -
done

# Small problems of every kernel, for compute-sanitizer.
cp tests/gpu/engine/small_problems.txt "$work/small-problems"

# The commands of README and manual that use a GPU where there is one: their examples and what stands
# in a sentence, without those that name a file in capitals, or a column of a larger detector.
# shellcheck disable=SC2016  # backticks as Markdown has them
grep -hoE '^gantry [^#`]+|`gantry [^`]+`' README.md resources/help/*.md | tr -d '`' | sed 's/ *$//' |
    grep -E '^gantry (simulate .*--out scan/|devices( |$)|bench [a-z]|(align|montage|plan|project|reconstruct|verify|worker) [^-])' |
    grep -vE -e '--host|--engine cpu|bench cpu|axisColumn=|…| [A-Z]+( |$)' | awk '!seen[$0]++' >"$work/commands"

# All four programs hold the same kernels: a window that spans them stores these once.
tar cf - -C "$work" bin tests lib plugins mpi commands small-problems |
    xz -T1 --x86 --lzma2=preset=0,dict=64MiB >"$folder/gantry-gpu.tar.xz"
cp packaging/run-gpu-tests.sh "$folder/run.sh"
bytes=$(wc -c <"$folder/gantry-gpu.tar.xz")
echo "test-gpu: $folder/gantry-gpu.tar.xz has $((bytes / 1000000)) MB and $(wc -l <"$work/commands") commands of the manual"
if [ "$bytes" -gt "$max_bytes" ]; then
    echo "test-gpu: that is more than $((max_bytes / 1000000)) MB" >&2
    exit 1
fi

case "$only_pack$("$build/app/gantry" devices)" in
    --pack*) ;;
    "No GPU"*) echo "test-gpu: this machine has no GPU; on one that has: sh run.sh, in that folder" ;;
    *) sh "$folder/run.sh" ;;
esac
