#include "gpu/kernels/project/tile_spread.h"

#include <cstddef>

#include "gpu/kernels/parts.h"
#include "gpu/kernels/project/ray_math.cuh"
#include "gpu/kernels/project/spread_any.cuh"
#include "gpu/kernels/project/spread_tile.cuh"
#include "gpu/kernels/project/stages.cuh"

namespace gantry::gpu {

namespace {

// The compiled form of a SpreadTile.
template <int Number>
struct Shape {
    static constexpr int x = kSpreadTiles[Number].x;
    static constexpr int y = kSpreadTiles[Number].y;
    static constexpr int z = kSpreadTiles[Number].z;
    static constexpr int columns = x * y;
    static constexpr int rounds = columns / kConsumers;  // columns that a consumer warp goes up
    static constexpr int perLane = z / kWarpLanes;       // voxels of a column that a lane sums
    static constexpr int columnsPerLane = columns / kWarpLanes;  // of the producer
};

struct Memory {
    StageBarriers barriers;
    LocalFan fans[kMaxSpreadFans];
};

// The rays of one detector column that pass within one voxel of a column of voxels.
struct __align__(16) Entry {
    float row;         // below the lowest that may reach a voxel at the tile's middle height
    float step;        // rows a voxel upwards
    float perRow;      // voxels a row
    float share;       // across
    unsigned address;  // of the column's first row, minus the magic number's own bits
    float unused[3];
};

// What precedes a stage's box, before maxColumns entries of each column.
template <class S>
struct StageHead {
    int counts[S::columns];  // of entries
    int rowsPerVoxel;
    int size;
};

constexpr unsigned kStagesFrom = roundUpTo128(sizeof(Memory));
template <class S>
constexpr unsigned kCountBytes = roundUpTo128(sizeof(StageHead<S>));
template <class S>
__host__ __device__ unsigned headBytes(int maxColumns) {
    return kCountBytes<S> +
           roundUpTo128(static_cast<unsigned>(S::columns * maxColumns) * sizeof(Entry));
}
template <class S>
__device__ __forceinline__ StageHead<S>& headOf(const Stages& stages, int stage) {
    return *reinterpret_cast<StageHead<S>*>(stages.head(stage));
}
template <class S>
__device__ __forceinline__ Entry* entriesOf(const Stages& stages, int stage) {
    return reinterpret_cast<Entry*>(stages.head(stage) + kCountBytes<S>);
}

// Places the boxes of all fans, eight warp lanes a fan.
template <class S>
__device__ void placeFans(const TileSpreadTask& task, const Tile& tile, LocalFan* fans) {
    constexpr SpreadTile kShape = {S::x, S::y, S::z};
    const int axis = task.fans.axis;
    const int planes = axis == 0 ? S::x : S::y;
    const int corner = static_cast<int>(threadIdx.x) % 8;
    const int atOnce = static_cast<int>(blockDim.x) / 8;
    for (int begin = 0; begin < task.fans.count; begin += atOnce) {
        const int number = begin + static_cast<int>(threadIdx.x) / 8;
        const RayFanOfView& fan = task.fans.fans[min(number, task.fans.count - 1)];
        const RayView& view = task.fans.views[fan.view];
        const ViewPlace place = cornerOf(view, kShape, tile, axis, corner);
        const bool isBefore = minOfLanes<8>(place.depth > 0 ? 1 : 0) > 0;
        const int uLow = minOfLanes<8>(wholeBelow(place.u - kBoxSlack));
        const int uHigh = -minOfLanes<8>(-wholeBelow(place.u + kBoxSlack));
        const int vLow = minOfLanes<8>(boxRowBelow(place.v - kBoxSlack));
        const int vHigh = -minOfLanes<8>(-wholeBelow(place.v + kBoxSlack));
        const double steps =
            rowsPerVoxelOf(view, axis, tile.plane(axis) + (corner & 1 ? planes - 1 : 0),
                           corner & 2 ? uHigh + 1 : uLow);
        const auto maxStep = -minOfLanes<8>(-static_cast<float>(fabs(steps)));
        LocalFan local{};
        local.view = fan.view;
        local.column = uLow;
        local.row = vLow;
        const int columns = uHigh - uLow + 1;
        // The lowest row that is read may be one below, and rows are read in whole groups.
        local.rowsPerVoxel = min(64, static_cast<int>(ceilf(2 * maxStep + 0.01F)));
        const int rows = vHigh - vLow + 2 + local.rowsPerVoxel;
        local.middle = rows / 2;
        local.first = max(fan.columnBegin, 0) - uLow;
        local.last = fan.columnEnd - 1 - uLow;
        local.planeFirst = fan.planeBegin - tile.plane(axis);
        local.planeLast = fan.planeEnd - 1 - tile.plane(axis);
        local.size = kNoBox;
        for (int size = 0; isBefore && size < kBoxSizes; ++size)
            if (columns <= task.boxes[size].columns && rows <= task.boxes[size].rows)
                local.size = size;
        if (isBefore &&
            (uHigh < fan.columnBegin || uLow >= fan.columnEnd || vHigh < 0 || vLow >= task.rows.nV))
            local.size = kNothing;
        if (local.planeLast < 0 || local.planeFirst >= planes) local.size = kNothing;
        if (local.size >= 0) {
            local.columns = task.boxes[local.size].columns;
            local.rows = task.boxes[local.size].rows;
            relate<S>(view, tile, axis, local);
        }
        if (corner == 0 && number < task.fans.count) fans[number] = local;
    }
}

// 1/x to the last bit but one.
__device__ __forceinline__ float refinedReciprocal(float x) {
    float estimate;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(estimate) : "f"(x));
    return fmaf(estimate, fmaf(-x, estimate, 1.0F), estimate);
}

// The columns of a fan within one voxel of a column of voxels, counted in the box.
struct Reach {
    int first, count;
};
__device__ Reach reachOf(const LocalFan& fan, float a, float b) {
    const float n0 = fmaf(a, fan.b0, fan.e0);
    const float n1 = fmaf(a, fan.b1, fan.e1);
    const auto at = [&](float b) {
        return fmaf(b, fan.a0, -n0) * refinedReciprocal(fmaf(-b, fan.a1, n1));
    };
    const float one = at(b - 1);
    const float other = at(b + 1);
    constexpr float kSlack = 1e-3F;
    const int first = max(static_cast<int>(ceilf(fminf(one, other) - kSlack)), max(fan.first, 0));
    const int last =
        min(static_cast<int>(floorf(fmaxf(one, other) + kSlack)), min(fan.last, fan.columns - 1));
    return {first, max(0, last - first + 1)};
}

__device__ Entry entryOf(const LocalFan& fan, float a, float b, int column, unsigned box) {
    const auto u = static_cast<float>(column);
    const float along = fmaf(fan.a1, u, fan.a0);
    const float across = fmaf(a, fmaf(fan.b1, u, fan.b0), fmaf(fan.e1, u, fan.e0)) - b * along;
    Entry entry;
    entry.share = __saturatef(1 - fabsf(across * refinedReciprocal(along)));
    const double depth = fan.g0 + fan.g1 * a;
    const double estimate = refinedReciprocal(static_cast<float>(depth));
    const double g = estimate * (2 - depth * estimate);
    const double step = (fan.r0 + fan.r1 * u) * g;
    entry.step = static_cast<float>(step);
    entry.perRow = refinedReciprocal(entry.step);
    // The row above which rays lie less than one voxel below.
    entry.row = static_cast<float>((fan.p0 + fan.p1 * u + a * (fan.p2 + fan.p3 * u)) * g - step);
    entry.address = box + static_cast<unsigned>(column * fan.rows) * kFloatBytes +
                    (static_cast<unsigned>(fan.middle + 1) - kWholeMagicBits) * kFloatBytes;
    return entry;
}

// The producer warp: brings a fan's box and entries to each stage as it becomes free.
template <class S>
__device__ __forceinline__ void produce(const TileSpreadTask& task, const TileMaps& maps,
                                        const Stages& stages, const LocalFan* fans, int lane) {
    StageTurn turn;
    for (int number = 0; number < task.fans.count; ++number) {
        const LocalFan fan = fans[number];
        const bool copies = fan.size >= 0;
        const unsigned box = stages.box(turn.stage);
        turn.waitUntilEmpty(stages);
        if (lane == 0 && copies)
            copyRowPairs(&maps.map[fan.size], box, stages.full(turn.stage), fan.row, fan.column,
                         fan.view - task.rows.firstView);
        StageHead<S>& head = headOf<S>(stages, turn.stage);
        if (copies) {
            Entry* const entries = entriesOf<S>(stages, turn.stage);
#pragma unroll
            for (int i = 0; i < S::columnsPerLane; ++i) {
                const int column = lane + i * kWarpLanes;
                const int x = column % S::x;
                const int y = column / S::x;
                const int plane = task.fans.axis == 0 ? x : y;
                const auto a = static_cast<float>(plane);
                const auto b = static_cast<float>(task.fans.axis == 0 ? y : x);
                Reach reach = reachOf(fan, a, b);
                if (plane < fan.planeFirst || plane > fan.planeLast) reach.count = 0;
                reach.count = min(reach.count, task.maxColumns);
                for (int k = 0; k < reach.count; ++k)
                    entries[column * task.maxColumns + k] =
                        entryOf(fan, a, b, reach.first + k, box);
                head.counts[column] = reach.count;
            }
        }
        if (lane == 0) {
            head.rowsPerVoxel = fan.rowsPerVoxel;
            head.size = fan.size;
        }
        arriveExpecting(
            stages.full(turn.stage),
            lane == 0 && copies ? static_cast<unsigned>(fan.columns * fan.rows) * kFloatBytes : 0);
        turn.next(task.stages);
    }
}

// What the rays of an entry are worth at a voxel, from its lowest row on. first: rows from that one
// up to `step` below the voxel.
struct EntryRows {
    unsigned address;
    float away;  // from the voxel down to the lowest row, voxels
};
__device__ __forceinline__ EntryRows rowsAt(const Entry& entry, float height) {
    const float below = fmaf(height, entry.step, entry.row);
    const float row = __fadd_rd(below, kWholeMagic);
    const float share = below - (row - kWholeMagic);
    return {__float_as_uint(row) * kFloatBytes + entry.address,
            fmaf(share, entry.perRow, 1 - entry.perRow)};
}

// Adds an entry's rays to a lane's voxels, of which `Rows` at most reach each.
template <class S, int Rows>
__device__ __forceinline__ void addEntry(const Entry& entry, float lowest,
                                         float (&sums)[S::perLane]) {
#pragma unroll
    for (int j = 0; j < S::perLane; ++j) {
        const EntryRows rows = rowsAt(entry, lowest + static_cast<float>(j * kWarpLanes));
        float value = __saturatef(1 - fabsf(rows.away)) * sharedRow<0>(rows.address);
        value = fmaf(__saturatef(1 - fabsf(rows.away - entry.perRow)), sharedRow<1>(rows.address),
                     value);
        if constexpr (Rows > 2)
            value = fmaf(__saturatef(1 - fabsf(rows.away - 2 * entry.perRow)),
                         sharedRow<2>(rows.address), value);
        sums[j] = fmaf(entry.share, value, sums[j]);
    }
}

// The same for any number of rows.
template <class S>
__device__ __forceinline__ void addManyRows(const Entry& entry, int count, float lowest,
                                            float (&sums)[S::perLane]) {
#pragma unroll
    for (int j = 0; j < S::perLane; ++j) {
        EntryRows rows = rowsAt(entry, lowest + static_cast<float>(j * kWarpLanes));
        float value = 0;
#pragma unroll 1
        for (int r = 0; r < count; ++r) {
            value = fmaf(__saturatef(1 - fabsf(rows.away)), sharedRow<0>(rows.address), value);
            rows.away -= entry.perRow;
            rows.address += kFloatBytes;
        }
        sums[j] = fmaf(entry.share, value, sums[j]);
    }
}

// Rows: 0 for any number.
template <class S, int Rows>
__device__ __forceinline__ void addAll(const StageHead<S>& head, const Entry* entries,
                                       int maxColumns, int warp, float lowest,
                                       float (&sums)[S::rounds][S::perLane]) {
#pragma unroll
    for (int round = 0; round < S::rounds; ++round) {
        const int column = warp * S::rounds + round;
        const int count = head.counts[column];
        const Entry* const first = entries + column * maxColumns;
#pragma unroll 1
        for (int k = 0; k < count; ++k) {
            if constexpr (Rows > 0)
                addEntry<S, Rows>(first[k], lowest, sums[round]);
            else
                addManyRows<S>(first[k], head.rowsPerVoxel, lowest, sums[round]);
        }
    }
}

// Adds the fans whose footprints fit no box straight from device memory.
template <class S>
__device__ __noinline__ void addUnboxed(const TileSpreadTask& task, const Tile& tile,
                                        const Memory& memory, int warp, int lane) {
    for (int number = 0; number < task.fans.count; ++number) {
        if (memory.fans[number].size != kNoBox) continue;
        for (int i = 0; i < S::rounds * S::perLane; ++i) {
            const int column = warp * S::rounds + i / S::perLane;
            const int x = tile.x + column % S::x;
            const int y = tile.y + column / S::x;
            const int z = tile.z + lane + i % S::perLane * kWarpLanes;
            if (x < task.slab.n[0] && y < task.slab.n[1] && z < task.slab.n[2])
                task.slab.voxels[y * task.slab.stride(1) + x * task.slab.stride(0) + z] +=
                    sharesOfFan(task.fans, number, task.rows, x, y, z);
        }
    }
}

struct Counts {
    int x, y, z;
};
template <class S>
__host__ __device__ Counts countsOf(const RaySlab& slab) {
    return {partsOf(slab.n[0], S::x), partsOf(slab.n[1], S::y), partsOf(slab.n[2], S::z)};
}

// Adds the sums of a warp's columns to the slab.
template <class S>
__device__ __forceinline__ void storeSums(const RaySlab& slab, const Tile& tile, int warp, int lane,
                                          const float (&sums)[S::rounds][S::perLane]) {
#pragma unroll
    for (int round = 0; round < S::rounds; ++round) {
        const int column = warp * S::rounds + round;
        const int x = tile.x + column % S::x;
        const int y = tile.y + column / S::x;
        if (x >= slab.n[0] || y >= slab.n[1]) continue;
        float* const voxels = slab.voxels + y * slab.stride(1) + x * slab.stride(0) + tile.z + lane;
#pragma unroll
        for (int j = 0; j < S::perLane; ++j)
            if (tile.z + lane + j * kWarpLanes < slab.n[2])
                voxels[j * kWarpLanes] += sums[round][j];
    }
}

// A block adds some fans to a tile of voxels, which its consumer warps hold in registers; one more
// warp is the producer.
template <class S>
__global__ void __launch_bounds__((kConsumers + 1) * kWarpLanes, 3)
    tileSpreadKernel(const __grid_constant__ TileSpreadTask task,
                     const __grid_constant__ TileMaps maps) {
    extern __shared__ __align__(128) unsigned char shared[];
    Memory& memory = *reinterpret_cast<Memory*>(shared);
    const Stages stages(shared, kStagesFrom, headBytes<S>(task.maxColumns),
                        bytesOfBox(task.boxes[0]));
    const int warp = static_cast<int>(threadIdx.x) / kWarpLanes;
    const int lane = static_cast<int>(threadIdx.x) % kWarpLanes;
    const Counts counts = countsOf<S>(task.slab);
    const int number = static_cast<int>(blockIdx.x);
    const Tile tile = {number % counts.x * S::x, number / counts.x % counts.y * S::y,
                       number / counts.x / counts.y * S::z};
    placeFans<S>(task, tile, memory.fans);
    if (threadIdx.x == 0) stages.init(task.stages);
    __syncthreads();
    if (warp == kConsumers) {
        produce<S>(task, maps, stages, memory.fans, lane);
        return;
    }
    float sums[S::rounds][S::perLane] = {};
    const auto lowest = static_cast<float>(lane - S::z / 2);
    StageTurn turn;
    for (int fan = 0; fan < task.fans.count; ++fan) {
        turn.waitUntilFull(stages);
        const StageHead<S>& head = headOf<S>(stages, turn.stage);
        const Entry* const entries = entriesOf<S>(stages, turn.stage);
        if (head.size >= 0) {
            if (head.rowsPerVoxel <= 2)
                addAll<S, 2>(head, entries, task.maxColumns, warp, lowest, sums);
            else if (head.rowsPerVoxel == 3)
                addAll<S, 3>(head, entries, task.maxColumns, warp, lowest, sums);
            else
                addAll<S, 0>(head, entries, task.maxColumns, warp, lowest, sums);
        }
        arrive(stages.empty(turn.stage));
        turn.next(task.stages);
    }
    storeSums<S>(task.slab, tile, warp, lane, sums);
    addUnboxed<S>(task, tile, memory, warp, lane);
}

template <class S>
std::size_t sharedBytes(const TileBox& largest, int maxColumns, int stages) {
    return kStagesFrom +
           static_cast<std::size_t>(stages) * (headBytes<S>(maxColumns) + bytesOfBox(largest));
}

template <class S>
cudaError_t launch(const TileSpreadTask& task, const TileMaps& maps, cudaStream_t stream) {
    const Counts counts = countsOf<S>(task.slab);
    const std::size_t bytes = sharedBytes<S>(task.boxes[0], task.maxColumns, task.stages);
    if (const cudaError_t allowed = allowShared(tileSpreadKernel<S>); allowed != cudaSuccess)
        return allowed;
    tileSpreadKernel<S><<<static_cast<unsigned>(counts.x * counts.y * counts.z),
                          (kConsumers + 1) * kWarpLanes, bytes, stream>>>(task, maps);
    return cudaGetLastError();
}

}  // namespace

SpreadFootprint footprintOf(const RayFans& fans, int number, const SpreadTile& shape, int x, int y,
                            int z) {
    const RayFanOfView& fan = fans.fans[number];
    const RayView& view = fans.views[fan.view];
    const Tile tile = {x, y, z};
    const int planes = fans.axis == 0 ? shape.x : shape.y;
    const int across = fans.axis == 0 ? shape.y : shape.x;
    double low[2] = {1e300, 1e300};
    double high[2] = {-1e300, -1e300};
    double steps = 0;
    SpreadFootprint result;
    for (int corner = 0; corner < 8; ++corner) {
        const ViewPlace place = cornerOf(view, shape, tile, fans.axis, corner);
        if (!(place.depth > 0)) return {1e9, 1e9, 0};
        const ViewPlace other = cornerOf(view, shape, tile, fans.axis, corner ^ 2);
        const double perVoxel = (place.u - other.u) / (across + 1);
        result.perVoxel = perVoxel > result.perVoxel ? perVoxel : result.perVoxel;
        low[0] = place.u < low[0] ? place.u : low[0];
        low[1] = place.v < low[1] ? place.v : low[1];
        high[0] = place.u > high[0] ? place.u : high[0];
        high[1] = place.v > high[1] ? place.v : high[1];
        const double plane = tile.plane(fans.axis) + (corner & 1 ? planes - 1 : 0);
        const double rows = rowsPerVoxelOf(view, fans.axis, plane, place.u);
        steps = rows > steps ? rows : steps;
    }
    result.columns = high[0] - low[0];
    result.rows = high[1] - low[1] + 2 * steps;
    return result;
}

std::size_t tileSpreadSharedBytes(int shape, const TileBox& largest, int maxColumns, int stages) {
    const auto bytes = shape == 0   ? sharedBytes<Shape<0>>
                       : shape == 1 ? sharedBytes<Shape<1>>
                                    : sharedBytes<Shape<2>>;
    return bytes(largest, maxColumns, stages);
}

cudaError_t spreadTileRays(const TileSpreadTask& task, const TileMaps& maps, cudaStream_t stream) {
    const auto start = task.shape == 0   ? launch<Shape<0>>
                       : task.shape == 1 ? launch<Shape<1>>
                                         : launch<Shape<2>>;
    return start(task, maps, stream);
}

}  // namespace gantry::gpu
