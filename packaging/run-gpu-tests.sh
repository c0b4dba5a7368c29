#!/bin/sh
# Runs on a machine with a GPU what packaging/test-gpu.sh has packed, and prints a table. Every step
# runs whatever became of the others; the exit code is 0 where none failed. Nothing is left behind.
#
#   sh run.sh [LOGS]     LOGS: a folder in which what each step printed is kept
#
# GANTRY_COMPUTE_SANITIZER   that program, where it is not found by itself
# GANTRY_STEPS               runs only steps whose name this pattern of grep -E matches: 'job|bench'
set -u
bundle=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
logs=$work/logs
if [ $# -gt 0 ]; then
    mkdir -p "$1"
    logs=$(cd "$1" && pwd)
fi
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
mkdir -p "$logs" "$work/home" "$work/tmp" "$work/run" "$work/manual" "$work/jobs" "$work/shim"
chmod 700 "$work/run"
tar xJf "$bundle/gantry-gpu.tar.xz" -C "$work" || exit 2

# Programs of this machine keep their own libraries: only ours are shown those of the bundle.
cat >"$work/shim/gantry" <<END
#!/bin/sh
LD_LIBRARY_PATH=$work/lib exec $work/bin/gantry "\$@"
END
chmod +x "$work/shim/gantry"
export HOME="$work/home" TMPDIR="$work/tmp" XDG_RUNTIME_DIR="$work/run" PATH="$work/shim:$PATH"
unset XDG_CACHE_HOME XDG_CONFIG_HOME
export QT_QPA_PLATFORM=offscreen QT_PLUGIN_PATH="$work/plugins"
if [ -x "$work/mpi/bin/mpirun" ]; then
    export OPAL_PREFIX="$work/mpi" PATH="$work/mpi/bin:$PATH"
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
fi

table=$work/table
: >"$table"
failures=0
steps=0
left_out=0

# note RESULT SECONDS NAME
note() {
    printf '%-8s %5s s  %s\n' "$1" "$2" "$3" | tee -a "$table"
}

# step LIMIT NAME COMMAND...: runs it, for LIMIT seconds at most
step() {
    limit=$1
    name=$2
    shift 2
    echo "$name" | grep -qE -e "${GANTRY_STEPS:-.}" || return 0
    steps=$((steps + 1))
    log=$logs/$(printf '%03d' "$steps").log
    echo "$name" >"$log"
    begin=$(date +%s)
    code=0
    timeout -k 10 "$limit" "$@" >>"$log" 2>&1 </dev/null || code=$?
    seconds=$(($(date +%s) - begin))
    skipped=$(sed -n 's/^\[  SKIPPED \] \([0-9]*\) tests\{0,1\}.*/, \1 skipped/p' "$log" | tail -n 1)
    case "$code" in
        0) note passed "$seconds" "$name$skipped" ;;
        124 | 137) note FAILED "$seconds" "$name (took longer than $limit s)" ;;
        *) note FAILED "$seconds" "$name (exit code $code)" ;;
    esac
    if [ "$code" != 0 ]; then
        failures=$((failures + 1))
        tail -n 15 "$log" | sed 's/^/    | /'
    fi
    return "$code"
}

# leave_out NAME WHY
leave_out() {
    echo "$1" | grep -qE -e "${GANTRY_STEPS:-.}" || return 0
    left_out=$((left_out + 1))
    note "left out" - "$1: $2"
}

gpus=$(gantry devices --json | grep -c '"uuid"')
gantry devices
if [ "$gpus" = 0 ]; then
    echo "run: Gantry sees no GPU on this machine" >&2
    exit 1
fi

# --- the tests with the label gpu
for program in "$work"/tests/*; do
    step 240 "tests: $(basename "$program")" env LD_LIBRARY_PATH="$work/lib" "$program" --gtest_brief=1
done

# --- every kernel under compute-sanitizer
sanitizer=${GANTRY_COMPUTE_SANITIZER:-$(command -v compute-sanitizer)}
for candidate in /usr/local/cuda/bin/compute-sanitizer /usr/local/cuda-*/bin/compute-sanitizer \
    /opt/cuda/bin/compute-sanitizer /usr/lib/nvidia-cuda-toolkit/compute-sanitizer/compute-sanitizer; do
    [ -n "$sanitizer" ] || [ ! -x "$candidate" ] || sanitizer=$candidate
done
# One process waits for its GPU most of the time, so several share the tests: in three times as many
# parts, as some tests last longer than others.
cat >"$work/sanitize-part" <<'END'
tool=$1 parts=$2 part=$3 gpus=$4
CUDA_VISIBLE_DEVICES=$((part % gpus)) GTEST_TOTAL_SHARDS=$parts GTEST_SHARD_INDEX=$part \
    "$sanitizer" --tool "$tool" --error-exitcode 1 --target-processes all \
    env LD_LIBRARY_PATH="$work/lib" "$work/tests/gantry_test_gpu_engine" \
    --gtest_brief=1 --gtest_filter="$(cat "$work/small-problems")" >"$TMPDIR/$tool.$part" 2>&1
END
cat >"$work/sanitize" <<'END'
tool=$1 gpus=$2 jobs=$(nproc) code=0
[ "$jobs" -lt 8 ] || jobs=8
parts=$((jobs * 3))
seq 0 $((parts - 1)) | xargs -P "$jobs" -I {} sh "$work/sanitize-part" "$tool" "$parts" {} "$gpus" || code=1
cat "$TMPDIR/$tool".*
# Each has seen kernels run.
[ "$(cat "$TMPDIR/$tool".* | grep -cE 'ERROR SUMMARY: 0 errors|RACECHECK SUMMARY: 0 hazards')" = "$parts" ] || code=1
exit "$code"
END
export sanitizer work
for tool in memcheck racecheck; do
    if [ -n "$sanitizer" ]; then
        step 300 "compute-sanitizer: $tool" sh "$work/sanitize" "$tool" "$gpus"
    else
        leave_out "compute-sanitizer: $tool" "compute-sanitizer is not installed here"
    fi
done

# --- a job through each kernel against the CPU's volume
# Root mean square of the difference, of voxels between 0 and 0.02 /mm. Exact kernels add in single
# precision, the others interpolate in texture hardware or in half floats.
exact_limit=5e-8
fast_limit=1e-5

# job_against SCAN OUT LIMIT OPTION...: reconstructs and compares with the CPU's volume of that scan
job_against() {
    scan=$1 out=$2 limit_of_difference=$3
    shift 3
    cat >"$work/job" <<END
gantry reconstruct $work/jobs/$scan/scan.json --voxels 192 --out $work/jobs/$out.mha $* &&
gantry compare $work/jobs/$out.mha $work/jobs/$scan-cpu.mha --max-rmse $limit_of_difference
END
    step 100 "job: $scan, $* (RMSE up to $limit_of_difference /mm)" sh "$work/job"
}

is_fast() {
    gantry plan "$work/jobs/cone/scan.json" --kernel "$1" 2>&1 | grep -q 'is not exact'
}

# make_scan NAME OPTION...: and its volume by the CPU
make_scan() {
    scan=$1
    shift
    cat >"$work/job" <<END
gantry simulate --views 200 --detector 256x192 --out $work/jobs/$scan $* &&
gantry reconstruct $work/jobs/$scan/scan.json --voxels 192 --engine cpu --out $work/jobs/$scan-cpu.mha
END
    step 100 "job: $scan, by the CPU" sh "$work/job"
}

make_scan cone
make_scan parallel --beam parallel
make_scan poses --jitter-mm 1 --jitter-deg 0.5
# Those of the CPU stand before auto, those of GPUs after it.
kernels=$(gantry reconstruct --help | sed -n 's/.*--kernel [a-z0-9|-]*|auto|\([a-z0-9|-]*\).*/\1/p' | tr '|' ' ')
step 10 "job: --help names kernels of GPUs" test -n "$kernels"
for kernel in $kernels; do
    scan=cone
    case "$kernel" in parallel-*) scan=parallel ;; esac
    if is_fast "$kernel"; then
        job_against "$scan" "$kernel" "$fast_limit" --kernel "$kernel" --precision fast
    else
        job_against "$scan" "$kernel" "$exact_limit" --kernel "$kernel"
    fi
done
for scan in cone parallel poses; do
    job_against "$scan" "$scan-auto" "$exact_limit" --engine gpu
    job_against "$scan" "$scan-filter" "$exact_limit" --engine gpu --filter-on cpu
    job_against "$scan" "$scan-fast" "$fast_limit" --engine gpu --precision fast
done
job_against cone slabs "$exact_limit" --engine gpu --device-memory 600M

# --- a job by each iterative method against the CPU's volume
# iterative_against SCAN METHOD LIMIT [OPTION...]: options are for the GPU alone
voxels=96
iterations=20
iterative_against() {
    scan=$1 method=$2 limit_of_difference=$3
    shift 3
    cpu=$work/jobs/$scan-$method-$voxels-cpu.mha
    cat >"$work/job" <<END
common="$work/jobs/$scan/scan.json --voxels $voxels --method $method --iterations $iterations"
[ -e $cpu ] || gantry reconstruct \$common --engine cpu --out $cpu || exit 1
gantry reconstruct \$common --engine gpu $* --out $work/jobs/$scan-$method-$voxels.mha &&
gantry compare $work/jobs/$scan-$method-$voxels.mha $cpu --max-rmse $limit_of_difference
END
    step 100 "job: $scan, --method $method $* (RMSE up to $limit_of_difference /mm)" sh "$work/job"
}
# They are 1e-5 of the object's 0.02 /mm, and 1e-3 where rounding grows.
iterative_limit=2e-7
for scan in cone parallel; do
    iterative_against "$scan" sirt "$iterative_limit"
done
iterative_against cone os-sart "$iterative_limit"
iterative_against cone tv "$iterative_limit"
iterative_against cone cgls 2e-5
# The CPU takes rays of such views one by one, which lasts.
iterations=6
iterative_against poses sirt "$iterative_limit"
# Vectors in the computer's memory, and slabs on their way to and from the GPU.
voxels=256
iterations=2
iterative_against cone sirt "$iterative_limit" --device-memory 600M

# --- two GPUs where there are two
if [ "$gpus" -gt 1 ]; then
    job_against cone one "$exact_limit" --devices 0
    job_against cone other "$exact_limit" --devices 1
    job_against cone both "$exact_limit" --devices 0,1
    step 30 "job: both GPUs against one" gantry compare "$work/jobs/both.mha" "$work/jobs/one.mha" \
        --max-rmse "$exact_limit"
    job_against cone ranks "$exact_limit" --ranks 2 --engine gpu
    job_against parallel ranks-parallel "$exact_limit" --ranks 2 --engine gpu
else
    leave_out "job: two GPUs, and ranks with a GPU each" "this machine has one"
fi

# --- the live preview
cat >"$work/live" <<'END'
gantry bench preview --quick --json >"$TMPDIR/preview.json" && cat "$TMPDIR/preview.json" &&
grep -q '"device": "' "$TMPDIR/preview.json" &&
sed -n 's/.*"relativeRmse": \([-+.0-9eE]*\).*/\1/p' "$TMPDIR/preview.json" |
    awk '{ worst = $1 > worst ? $1 : worst } END { exit !(NR > 0 && worst < 1e-3) }'
END
step 100 "live preview: on the GPU, within 1e-3 of the CPU's" sh "$work/live"

# --- every bench
benches=$(gantry bench --help | sed -n '/^Subcommands:/,/^$/s/^  \([a-z][a-z]*\) .*/\1/p' | tr '\n' ' ')
step 10 "bench: --help names benches" test -n "$benches"
for bench in $benches; do
    step 120 "bench: $bench --quick" gantry bench "$bench" --quick
done

# --- the commands of README and manual
# needs WORDS...: what of the files that a command reads is missing
needs() {
    previous=
    for word in "$@"; do
        case "$previous" in
            --out | --report | --picture | --profile-out | --keep-jobs | --pictures) ;;
            *)
                case "$word" in
                    *.json | *.mha | *.nxs | *.txrm | *.csv | *.job | */) [ -e "$work/manual/$word" ] || echo "$word" ;;
                esac
                ;;
        esac
        previous=$word
    done
}

while read -r command; do
    # Small problems, by the same code; what the benches did above is not done again.
    case "$command" in
        *" --quick"*) ;;
        "gantry bench "*) command="$command --quick" ;;
    esac
    ! echo "$command" | grep -qE '^gantry bench [a-z]+ --quick$' || continue
    command=$(echo "$command" | sed 's/--voxels [0-9]\{4,\}/--voxels 256/')
    # shellcheck disable=SC2086  # the words of the command
    missing=$(needs $command)
    if [ -n "$missing" ]; then
        leave_out "manual: $command" "$(echo "$missing" | tr '\n' ' ')is not at hand"
    elif [ "$gpus" = 1 ] && echo "$command" | grep -qE -e '--devices? [0-9,]*[1-9]'; then
        leave_out "manual: $command" "this machine has one GPU"
    elif [ "$(echo "$command" | sed -n 's/^gantry bench ranks .*--ranks \([0-9]*\) .*--engine gpu.*/\1/p')" -gt "$gpus" ] 2>/dev/null; then
        leave_out "manual: $command" "its ranks would share a GPU"
    else
        # What an earlier command of the manual has made under the same name.
        out=$(echo "$command" | sed -n 's/.*--out \([^ ]*\).*/\1/p')
        [ -z "$out" ] || rm -rf "$work/manual/${out%/}" "$work/manual/${out%/}.job"
        # A geometry that is made wrong is found to be wrong, which verify reports by its exit code.
        wanted=0
        case "$command" in *--perturb*) wanted=1 ;; esac
        step 120 "manual: $command" sh -c "cd '$work/manual' && $command; [ \$? = $wanted ]"
    fi
done <"$work/commands"

printf '\n%s\n' "=== $gpus × $(gantry devices --json | sed -n 's/.*"name": "\([^"]*\)".*/\1/p' | head -n 1)"
cat "$table"
echo "$((steps - failures)) of $steps steps passed, $left_out left out"
[ "$failures" = 0 ]
