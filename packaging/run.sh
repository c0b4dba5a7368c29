#!/bin/sh
# Installs what is missing, builds Gantry, and does its main job on a scan that it makes itself:
# simulate a scanner's files, reconstruct them, compare the volume with the truth; where there is a
# display, the desktop opens on the result.
#
#   sh packaging/run.sh [FOLDER]     results go to FOLDER (new or empty), by default to
#                                    build/run-result, which is made anew each time
set -eu
own_folder=${1:-}
if [ -n "$own_folder" ]; then
    mkdir -p "$own_folder"
    result=$(cd "$own_folder" && pwd)
    if [ -n "$(ls -A "$result")" ]; then
        echo "run: the folder $result is not empty; name a new one" >&2
        exit 2
    fi
    cd "$(dirname "$0")/.."
else
    cd "$(dirname "$0")/.."
    result=$(pwd)/build/run-result
fi

step() {
    printf '\n== %s\n' "$1"
}

step "1 of 6: installing what is missing"
sh packaging/setup.sh

step "2 of 6: building a release: some minutes; each line says how much is done"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
cmake --preset release >"$log" 2>&1 || {
    cat "$log" >&2
    exit 1
}
NINJA_STATUS="[%p, %e s] " cmake --build --preset release --target gantry --parallel "${GANTRY_JOBS:-$(nproc)}"
gantry=build/release/app/gantry

[ -n "$own_folder" ] || rm -rf "$result"
mkdir -p "$result"

step "3 of 6: simulating a cone-beam scan of the Shepp-Logan phantom, as a scanner stores it"
"$gantry" simulate --phantom shepp-logan --views 360 --detector 256x256 --out "$result/scan"

step "4 of 6: reconstructing it"
"$gantry" reconstruct "$result/scan/scan.json" --voxels 256 --out "$result/volume.mha"

step "5 of 6: comparing the volume with the analytic phantom"
# Within the field of view: what lies outside no view has seen whole.
"$gantry" compare "$result/volume.mha" --phantom shepp-logan --mask-radius-mm 100 \
    --report "$result/volume.mha.job"

step "6 of 6: the time of each stage"
"$gantry" timeline "$result/volume.mha.job"

step "Done. The results:"
printf '  %-17s %s\n' \
    scan "$result/scan" \
    volume "$result/volume.mha" \
    job "$result/volume.mha.job"
printf '  %-17s %s\n' \
    report "$result/volume.mha.job/report.html" \
    timeline "$result/volume.mha.job/events.jsonl" \
    "beside the truth" "$result/volume.mha.job/comparison.png"

if [ -n "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ] && [ "${GANTRY_DESKTOP:-}" != skip ]; then
    step "Opening the desktop on it (GANTRY_DESKTOP=skip leaves this out)"
    exec "$gantry" view "$result/volume.mha.job"
fi
