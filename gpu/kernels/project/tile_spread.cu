#include "gpu/kernels/project/tile_spread.h"

#include <cstddef>

#include "gpu/kernels/parts.h"
#include "gpu/kernels/project/ray_math.cuh"
#include "gpu/kernels/project/spread_any.cuh"
#include "gpu/kernels/project/spread_tile.cuh"
#include "gpu/kernels/project/stages.cuh"

namespace gantry::gpu {

namespace {

// The compiled form of a tile with so many slices; each consumer warp has one of its planes.
static_assert(kSpreadPlanes == kConsumers);
template <int Number>
struct Shape {
    static constexpr int slices = kSpreadSlices[Number];
    static constexpr int perLane = slices / kWarpLanes;  // voxels of a column that a lane sums
};

struct Memory {
    StageBarriers barriers;
    LocalFan fans[kMaxSpreadFans];
};

// What precedes a stage's box, before maxColumns entries of each plane.
struct StageHead {
    int counts[kSpreadPlanes];  // of entries
    int rowsPerVoxel;
    int size;
};

constexpr unsigned kStagesFrom = roundUpTo128(sizeof(Memory));
constexpr unsigned kCountBytes = roundUpTo128(sizeof(StageHead));
__host__ __device__ unsigned headBytes(int maxColumns) {
    return kCountBytes +
           roundUpTo128(static_cast<unsigned>(kSpreadPlanes * maxColumns) * sizeof(SpreadEntry));
}
__device__ __forceinline__ StageHead& headOf(const Stages& stages, int stage) {
    return *reinterpret_cast<StageHead*>(stages.head(stage));
}
__device__ __forceinline__ SpreadEntry* entriesOf(const Stages& stages, int stage) {
    return reinterpret_cast<SpreadEntry*>(stages.head(stage) + kCountBytes);
}

// Places the boxes of all fans, eight warp lanes a fan.
__device__ void placeFans(const TileSpreadTask& task, const SpreadTile& tile, LocalFan* fans) {
    const int axis = task.fans.axis;
    const int corner = static_cast<int>(threadIdx.x) % 8;
    const int atOnce = static_cast<int>(blockDim.x) / 8;
    for (int begin = 0; begin < task.fans.count; begin += atOnce) {
        const int number = begin + static_cast<int>(threadIdx.x) / 8;
        const RayFanOfView& fan = task.fans.fans[min(number, task.fans.count - 1)];
        const RayView& view = task.fans.views[fan.view];
        const ViewPlace place = cornerOf(view, tile, axis, corner);
        const bool isBefore = minOfLanes<8>(place.depth > 0 ? 1 : 0) > 0;
        const int uLow = minOfLanes<8>(wholeBelow(place.u - kBoxSlack));
        const int uHigh = -minOfLanes<8>(-wholeBelow(place.u + kBoxSlack));
        const int vLow = minOfLanes<8>(boxRowBelow(place.v - kBoxSlack));
        const int vHigh = -minOfLanes<8>(-wholeBelow(place.v + kBoxSlack));
        const double steps =
            rowsPerVoxelOf(view, axis, tile.plane + (corner & 1 ? kSpreadPlanes - 1 : 0),
                           corner & 2 ? uHigh + 1 : uLow);
        const auto maxStep = -minOfLanes<8>(-static_cast<float>(fabs(steps)));
        LocalFan local{};
        local.view = fan.view;
        local.column = uLow;
        local.row = vLow;
        const int columns = uHigh - uLow + 1;
        // The lowest row that is read may be one below, and rows are read in whole groups.
        local.rowsPerVoxel = compiledRows(min(64, static_cast<int>(ceilf(2 * maxStep + 0.01F))));
        const int rows = vHigh - vLow + 2 + local.rowsPerVoxel;
        local.middle = rows / 4 * 2;
        local.first = max(fan.columnBegin, 0) - uLow;
        local.last = fan.columnEnd - 1 - uLow;
        local.planeFirst = fan.planeBegin - tile.plane;
        local.planeLast = fan.planeEnd - 1 - tile.plane;
        local.size = kNoBox;
        for (int size = 0; isBefore && size < kBoxSizes; ++size)
            if (columns <= task.boxes[size].columns && rows <= task.boxes[size].rows)
                local.size = size;
        if (isBefore &&
            (uHigh < fan.columnBegin || uLow >= fan.columnEnd || vHigh < 0 || vLow >= task.rows.nV))
            local.size = kNothing;
        if (local.planeLast < 0 || local.planeFirst >= kSpreadPlanes) local.size = kNothing;
        if (local.size >= 0) {
            local.columns = task.boxes[local.size].columns;
            local.rows = task.boxes[local.size].rows;
            relate(view, tile, axis, local);
        }
        if (corner == 0 && number < task.fans.count) fans[number] = local;
    }
}

// Sets a fan's entries, a few warp lanes a plane.
__device__ __forceinline__ void setEntries(const TileSpreadTask& task, const LocalFan& fan,
                                           unsigned box, int lane, StageHead& head,
                                           SpreadEntry* entries) {
    constexpr int kLanes = kWarpLanes / kSpreadPlanes;
    const int plane = lane / kLanes;
    const auto a = static_cast<float>(plane);
    Reach reach = reachOf(fan, a);
    if (plane < fan.planeFirst || plane > fan.planeLast) reach.count = 0;
    reach.count = min(reach.count, task.maxColumns);
    for (int k = lane % kLanes; k < reach.count; k += kLanes)
        entries[plane * task.maxColumns + k] = entryOf(fan, a, reach.first + k, box);
    if (lane % kLanes == 0) head.counts[plane] = reach.count;
}

// The producer warp: brings a fan's box and entries to each stage as it becomes free.
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
        StageHead& head = headOf(stages, turn.stage);
        if (copies) setEntries(task, fan, box, lane, head, entriesOf(stages, turn.stage));
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

// The rows that may reach a voxel, from the lowest on, or from the pair that has it.
struct EntryRows {
    unsigned address;
    float away;  // from the voxel down to the first row, voxels
};
template <int Rows>
__device__ __forceinline__ EntryRows rowsAt(const SpreadEntry& entry, float height) {
    constexpr int kAtOnce = Rows == kPairedRows ? 2 : 1;
    const float below = fmaf(height, entry.step, entry.row);
    const float row = __fadd_rd(below, kWholeMagic);
    const float share = below - (row - kWholeMagic);
    return {__float_as_uint(row) * (kAtOnce * kFloatBytes) + entry.address,
            fmaf(share, kAtOnce * entry.perRow, 1 - entry.perRow)};
}

// What row Row is worth at a voxel. The last one is never below the voxel
template <int Row, int Rows>
__device__ __forceinline__ float weightOf(float perRow, float away) {
    return Row == Rows - 1 ? __saturatef(away + (1 - Row * perRow))
                           : __saturatef(1 - fabsf(away - Row * perRow));
}

// Adds rows Row … Rows − 1.
template <int Row, int Rows>
__device__ __forceinline__ void addRows(float perRow, const EntryRows& rows, float& value) {
    if constexpr (Rows == kPairedRows) {
        const float2 pair = sharedPair<Row>(rows.address);
        value = fmaf(weightOf<Row, Rows>(perRow, rows.away), pair.x, value);
        value = fmaf(weightOf<Row + 1, Rows>(perRow, rows.away), pair.y, value);
        if constexpr (Row + 2 < Rows) addRows<Row + 2, Rows>(perRow, rows, value);
    } else {
        value = fmaf(weightOf<Row, Rows>(perRow, rows.away), sharedRow<Row>(rows.address), value);
        if constexpr (Row + 1 < Rows) addRows<Row + 1, Rows>(perRow, rows, value);
    }
}

// What the column's rays are worth at a height. Rows: that may reach a voxel, 0 for any number
template <int Rows>
__device__ __forceinline__ float valueAt(const SpreadEntry& entry, int count, float height) {
    EntryRows rows = rowsAt<Rows>(entry, height);
    float value = 0;
    if constexpr (Rows == 0) {
#pragma unroll 1
        for (int r = 0; r < count; ++r) {
            value = fmaf(__saturatef(1 - fabsf(rows.away)), sharedRow<0>(rows.address), value);
            rows.away -= entry.perRow;
            rows.address += kFloatBytes;
        }
    } else {
        addRows<0, Rows>(entry.perRow, rows, value);
    }
    return value;
}

// Adds a column's values to the voxel columns on either side of it.
template <int PerLane, int Upper = 0>
__device__ __forceinline__ void share(const SpreadEntry& entry, const float (&values)[PerLane],
                                      float (&sums)[kSpreadAcross][PerLane]) {
    if (entry.upper == Upper) {
#pragma unroll
        for (int j = 0; j < PerLane; ++j) {
            if constexpr (Upper > 0)
                sums[Upper - 1][j] = fmaf(entry.shares[0], values[j], sums[Upper - 1][j]);
            if constexpr (Upper < kSpreadAcross)
                sums[Upper][j] = fmaf(entry.shares[1], values[j], sums[Upper][j]);
        }
    } else if constexpr (Upper < kSpreadAcross) {
        share<PerLane, Upper + 1>(entry, values, sums);
    }
}

// Adds a plane's entries to a lane's voxels.
template <int PerLane, int Rows>
__device__ __forceinline__ void addEntries(const StageHead& head, const SpreadEntry* entries,
                                           int count, float lowest,
                                           float (&sums)[kSpreadAcross][PerLane]) {
#pragma unroll 1
    for (int k = 0; k < count; ++k) {
        const SpreadEntry entry = entries[k];
        float values[PerLane];
#pragma unroll
        for (int j = 0; j < PerLane; ++j)
            values[j] = valueAt<Rows>(entry, head.rowsPerVoxel,
                                      lowest + static_cast<float>(j * kWarpLanes));
        share(entry, values, sums);
    }
}

// The column of voxels in one of a tile's planes.
struct TileColumn {
    bool isInside;
    int x, y;
};
__device__ __forceinline__ TileColumn columnOf(const TileSpreadTask& task, const SpreadTile& tile,
                                               int plane, int b) {
    const int along = tile.plane + plane;
    const int across = tile.across + b;
    const int x = task.fans.axis == 0 ? along : across;
    const int y = task.fans.axis == 0 ? across : along;
    return {x < task.slab.n[0] && y < task.slab.n[1], x, y};
}

// Adds the fans whose footprints fit no box straight from device memory.
__device__ __noinline__ void addUnboxed(const TileSpreadTask& task, const SpreadTile& tile,
                                        const Memory& memory, int warp, int lane) {
    const int end = min(tile.sliceBegin + tile.slices, task.sliceEnd);
    for (int number = 0; number < task.fans.count; ++number) {
        if (memory.fans[number].size != kNoBox) continue;
        for (int b = 0; b < kSpreadAcross; ++b) {
            const TileColumn column = columnOf(task, tile, warp, b);
            if (!column.isInside) continue;
            float* const voxels =
                task.slab.voxels + column.y * task.slab.stride(1) + column.x * task.slab.stride(0);
            for (int z = tile.sliceBegin + lane; z < end; z += kWarpLanes)
                voxels[z] += sharesOfFan(task.fans, number, task.rows, column.x, column.y, z);
        }
    }
}

// How many tiles there are along the planes, across and upwards.
struct Counts {
    int planes, across, up;
};
__host__ __device__ Counts countsOf(const TileSpreadTask& task, int slices) {
    return {partsOf(task.slab.n[task.fans.axis], kSpreadPlanes),
            partsOf(task.slab.n[1 - task.fans.axis], kSpreadAcross),
            partsOf(task.sliceEnd - task.sliceBegin, slices)};
}

// Adds the sums of a warp's columns to the slab.
template <int PerLane>
__device__ __forceinline__ void storeSums(const TileSpreadTask& task, const SpreadTile& tile,
                                          int warp, int lane,
                                          const float (&sums)[kSpreadAcross][PerLane]) {
#pragma unroll
    for (int b = 0; b < kSpreadAcross; ++b) {
        const TileColumn column = columnOf(task, tile, warp, b);
        if (!column.isInside) continue;
        const int z = tile.sliceBegin + lane;
        float* const voxels =
            task.slab.voxels + column.y * task.slab.stride(1) + column.x * task.slab.stride(0) + z;
#pragma unroll
        for (int j = 0; j < PerLane; ++j)
            if (z + j * kWarpLanes < task.sliceEnd) voxels[j * kWarpLanes] += sums[b][j];
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
    const Stages stages(shared, kStagesFrom, headBytes(task.maxColumns), bytesOfBox(task.boxes[0]));
    const int warp = static_cast<int>(threadIdx.x) / kWarpLanes;
    const int lane = static_cast<int>(threadIdx.x) % kWarpLanes;
    const Counts counts = countsOf(task, S::slices);
    const int number = static_cast<int>(blockIdx.x);
    const SpreadTile tile = {number % counts.planes * kSpreadPlanes,
                             number / counts.planes % counts.across * kSpreadAcross,
                             task.sliceBegin + number / counts.planes / counts.across * S::slices,
                             S::slices};
    placeFans(task, tile, memory.fans);
    if (threadIdx.x == 0) stages.init(task.stages);
    __syncthreads();
    if (warp == kConsumers) {
        produce(task, maps, stages, memory.fans, lane);
        return;
    }
    float sums[kSpreadAcross][S::perLane] = {};
    const auto lowest = static_cast<float>(lane - S::slices / 2);
    StageTurn turn;
    for (int fan = 0; fan < task.fans.count; ++fan) {
        turn.waitUntilFull(stages);
        const StageHead& head = headOf(stages, turn.stage);
        if (head.size >= 0) {
            const int count = head.counts[warp];
            const SpreadEntry* const first = entriesOf(stages, turn.stage) + warp * task.maxColumns;
            if (head.rowsPerVoxel == 2)
                addEntries<S::perLane, 2>(head, first, count, lowest, sums);
            else if (head.rowsPerVoxel == 3)
                addEntries<S::perLane, 3>(head, first, count, lowest, sums);
            else if (head.rowsPerVoxel == kPairedRows)
                addEntries<S::perLane, kPairedRows>(head, first, count, lowest, sums);
            else
                addEntries<S::perLane, 0>(head, first, count, lowest, sums);
        }
        arrive(stages.empty(turn.stage));
        turn.next(task.stages);
    }
    storeSums(task, tile, warp, lane, sums);
    addUnboxed(task, tile, memory, warp, lane);
}

template <class S>
cudaError_t launch(const TileSpreadTask& task, const TileMaps& maps, cudaStream_t stream) {
    const Counts counts = countsOf(task, S::slices);
    const std::size_t bytes = tileSpreadSharedBytes(task.boxes[0], task.maxColumns, task.stages);
    if (const cudaError_t allowed = allowShared(tileSpreadKernel<S>); allowed != cudaSuccess)
        return allowed;
    tileSpreadKernel<S><<<static_cast<unsigned>(counts.planes * counts.across * counts.up),
                          (kConsumers + 1) * kWarpLanes, bytes, stream>>>(task, maps);
    return cudaGetLastError();
}

}  // namespace

SpreadFootprint footprintOf(const RayFans& fans, int number, const SpreadTile& tile) {
    const RayFanOfView& fan = fans.fans[number];
    const RayView& view = fans.views[fan.view];
    double low[2] = {1e300, 1e300};
    double high[2] = {-1e300, -1e300};
    double steps = 0;
    SpreadFootprint result;
    for (int corner = 0; corner < 8; ++corner) {
        const ViewPlace place = cornerOf(view, tile, fans.axis, corner);
        if (!(place.depth > 0)) return {1e9, 1e9, 0};
        const ViewPlace other = cornerOf(view, tile, fans.axis, corner ^ 2);
        const double perPlane = place.u - other.u;
        result.perPlane = perPlane > result.perPlane ? perPlane : result.perPlane;
        low[0] = place.u < low[0] ? place.u : low[0];
        low[1] = place.v < low[1] ? place.v : low[1];
        high[0] = place.u > high[0] ? place.u : high[0];
        high[1] = place.v > high[1] ? place.v : high[1];
        const double plane = tile.plane + (corner & 1 ? kSpreadPlanes - 1 : 0);
        const double rows = rowsPerVoxelOf(view, fans.axis, plane, place.u);
        steps = rows > steps ? rows : steps;
    }
    result.columns = high[0] - low[0];
    result.rows = high[1] - low[1] + 2 * steps;
    return result;
}

std::size_t tileSpreadSharedBytes(const TileBox& largest, int maxColumns, int stages) {
    return kStagesFrom +
           static_cast<std::size_t>(stages) * (headBytes(maxColumns) + bytesOfBox(largest));
}

cudaError_t spreadTileRays(const TileSpreadTask& task, const TileMaps& maps, cudaStream_t stream) {
    const auto start = task.shape == 0   ? launch<Shape<0>>
                       : task.shape == 1 ? launch<Shape<1>>
                                         : launch<Shape<2>>;
    return start(task, maps, stream);
}

}  // namespace gantry::gpu
