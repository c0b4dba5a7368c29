#!/bin/sh
# Feeds every reader of files from outside inputs that reach new code, under the address and undefined
# behaviour sanitizers; stops at the first that crashes, hangs or takes too much memory.
#
#   packaging/fuzz.sh [SECONDS] [READER]
#
# SECONDS for each reader, 3 if not said. READER: one alone, of those that
# `build/dev/tests/fuzz/gantry_fuzz --readers` lists. Inputs that reached new code are kept in
# build/fuzz/corpus and used the next time; what failed is in build/fuzz/found, and
# `gantry_fuzz --reader=READER FILE` repeats it. GANTRY_JOBS: readers at a time (default: processors).
set -eu
cd "$(dirname "$0")/.."
seconds=${1:-3}
program=build/dev/tests/fuzz/gantry_fuzz

if [ $# -lt 2 ]; then
    cmake --preset dev >/dev/null
    cmake --build --preset dev --parallel "${GANTRY_JOBS:-$(nproc)}" --target gantry_fuzz
    "$program" --readers | cut -d ' ' -f 1 |
        xargs -P "${GANTRY_JOBS:-$(nproc)}" -n 1 sh "$0" "$seconds"
    exit
fi

reader=$2
ending=$("$program" --readers | sed -n "s/^$reader //p")
seeds=build/fuzz/seeds/$reader
corpus=build/fuzz/corpus/$reader
rm -rf "$seeds"
mkdir -p "$seeds" "$corpus" build/fuzz/found
find tests/fuzz/seeds -name "*$ending" -exec cp -t "$seeds" {} +
# Seeds are short, and inputs grow little beyond them: a reader takes some ten times as many of them
# in a second as of makers' whole files, most of whose keys bear on nothing.
largest=$(find "$seeds" -type f -printf '%s\n' | sort -n | tail -n 1)
log=build/fuzz/found/$reader.log
# What a reader may take at once. libmatio, which the program tries in a process of its own with
# little memory, is called in this one: what it asks for beyond 64 MiB it does not get.
max_mb=128
if [ "$reader" = tigre ]; then
    max_mb=0
    export ASAN_OPTIONS=max_allocation_size_mb=64:allocator_may_return_null=1
fi
# -entropic=0: weighing inputs by how rare what they reach is took half the time.
if ! "$program" "--reader=$reader" -max_total_time="$seconds" -timeout=5 -rss_limit_mb=2048 \
    -malloc_limit_mb="$max_mb" -max_len=$((largest * 5 / 4)) -entropic=0 -print_final_stats=1 \
    -verbosity=1 -artifact_prefix="build/fuzz/found/$reader-" "$corpus" "$seeds" >"$log" 2>&1; then
    tail -n 60 "$log"
    echo "packaging/fuzz.sh: $reader failed"
    exit 255
fi
echo "$reader: $(sed -n 's/^stat::number_of_executed_units: *//p' "$log") inputs"
