#include "gpu/kernels/project/tile_rays.h"

#include <cmath>
#include <cstddef>

#include "gpu/kernels/parts.h"
#include "gpu/kernels/project/ray_runs.cuh"
#include "gpu/kernels/project/ray_tile.cuh"
#include "gpu/kernels/project/stages.cuh"
#include "gpu/kernels/project/sum_any.cuh"

namespace gantry::gpu {

namespace {

constexpr int kColumns = kRayTileColumns * kRayTileViews;
constexpr int kPatches = kColumns / kWarpLanes;
constexpr int kColumnsPerLane = kColumns / kWarpLanes;  // of the producer
constexpr int kRoomPitch = kWarpLanes + 1;
constexpr int kRoom = kWarpLanes * kRoomPitch;
static_assert(kPatches * (kRayTileRows / kPerLane) == kConsumers);

// What a tile's rays pass in one plane: the box of voxels that is copied.
struct PlaneBox {
    int column, row;  // its corner in the plane
    int columns, rows;
    int middle;  // of its rows
    int size;    // which of the launch's box sizes it is, or kNothing or kNoBox
    int rise;    // how its columns rise: see run_rise.h
};

struct Memory {
    StageBarriers barriers;
    PlaneBox boxes[kMaxRayPlanes];
    RayColumns columns[kRayTileViews];  // of (0 …, j)
};

struct StageHead {
    RayColumn columns[kColumns];
    int columnPitch;  // bytes from one column of the box to the next
    int rise;
    int size;
};

constexpr unsigned kHeadBytes = roundUpTo128(sizeof(StageHead));
constexpr unsigned kStagesFrom = roundUpTo128(sizeof(Memory));

// Columns are numbered in the order of warp lanes. A warp takes neighbours of a few views, whose
// paths are close together, so that its lanes hardly meet on a bank.
struct ColumnPlace {
    int i, j;
};
__device__ ColumnPlace columnPlace(int number) {
    return {number % kRayTileColumns, number / kRayTileColumns};
}

// Places the boxes of all planes, a warp for each plane: lane = (j, end of its columns, bottom or
// top).
__device__ void placeBoxes(const TileRaysTask& task, const RayTile& tile, int warp, int lane,
                           Memory& memory) {
    const RayTiles& tiles = task.tiles;
    const ColumnPath path = pathOfEnd(tiles, tile, lane / 4, memory.columns[lane / 4], lane & 1);
    const double up = (lane & 2) != 0 ? kRayTileRows - 1 - kMiddleRow : -kMiddleRow;
    for (int p = warp; p < tiles.planes; p += kConsumers + 1) {
        const int n = tiles.planeBegin + p;
        const bool hits = n >= path.planeBegin && n < path.planeEnd;
        const double b = path.b0 + n * path.bStep;
        const double rise = path.rise0 + n * path.riseStep;
        const double z = path.z0 + n * path.zStep + up * rise;
        constexpr int kNone = 1 << 29;
        const int bLow = minOfLanes<32>(hits ? wholeBelow(b - kBoxSlack) : kNone);
        const int bHigh = -minOfLanes<32>(hits ? -wholeBelow(b + kBoxSlack) : kNone);
        const int zLow = minOfLanes<32>(hits ? boxRowBelow(z - kBoxSlack) : kNone);
        const int zHigh = -minOfLanes<32>(hits ? -wholeBelow(z + kBoxSlack) : kNone);
        const auto riseFloat = static_cast<float>(rise);
        const float riseLow = minOfLanes<32>(hits ? riseFloat : 1e30F);
        const float riseHigh = -minOfLanes<32>(hits ? -riseFloat : 1e30F);
        PlaneBox box{};
        box.column = bLow;
        box.row = zLow;
        const int columns = bHigh - bLow + 2;
        const int rows = zHigh - zLow + 2 + kRowsBeyondRun;
        box.middle = rows / 2;
        box.rise = riseOf(riseLow, riseHigh, RiseNumbers());
        box.size = kNoBox;
        for (int size = 0; size < kBoxSizes; ++size)
            if (columns <= task.boxes[size].columns && rows <= task.boxes[size].rows)
                box.size = size;
        if (bLow == kNone || bLow >= task.slab.n[1 - tiles.fans.axis] || bHigh < -1 ||
            zLow >= task.slab.n[2] || zHigh < -1)
            box.size = kNothing;
        if (box.size >= 0) {
            box.columns = task.boxes[box.size].columns;
            box.rows = task.boxes[box.size].rows;
        }
        if (lane == 0) memory.boxes[p] = box;
    }
}

// The producer warp: brings a plane's box and columns to each stage as it becomes free.
__device__ __forceinline__ void produce(const TileRaysTask& task, const TileMaps& maps,
                                        const Stages& stages, const Memory& memory,
                                        const RayTile& tile, int lane) {
    const RayTiles& tiles = task.tiles;
    const bool alongX = tiles.fans.axis == 0;
    ColumnPath paths[kColumnsPerLane];
#pragma unroll
    for (int i = 0; i < kColumnsPerLane; ++i) {
        const ColumnPlace place = columnPlace(lane + i * kWarpLanes);
        const RayColumns own = memory.columns[place.j];
        if (own.begin + place.i < own.end)
            paths[i] = pathOf(tiles.fans, tiles.fans.fans[fanOf(tiles, tile, place.j)],
                              own.begin + place.i, tile.v + kMiddleRow);
    }
    StageTurn turn;
    for (int p = 0; p < tiles.planes; ++p) {
        const PlaneBox box = memory.boxes[p];
        const int n = tiles.planeBegin + p;
        RayColumn columns[kColumnsPerLane];
        const unsigned pitch = static_cast<unsigned>(box.rows) * kFloatBytes;
        const unsigned middle = stages.box(turn.stage) +
                                (static_cast<unsigned>(box.middle) - kWholeMagicBits) * kFloatBytes;
        // Everything that does not need the stage is computed before the stage is free.
        if (box.size >= 0) {
#pragma unroll
            for (int i = 0; i < kColumnsPerLane; ++i) {
                const bool hits = n >= paths[i].planeBegin && n < paths[i].planeEnd;
                const auto b = static_cast<float>(paths[i].b0 + n * paths[i].bStep - box.column);
                const auto z =
                    static_cast<float>(paths[i].z0 + n * paths[i].zStep - (box.row + box.middle));
                const float whole = floorf(b);
                columns[i].z = hits ? z : 0.0F;
                columns[i].step =
                    hits ? static_cast<float>(paths[i].rise0 + n * paths[i].riseStep) : 0.0F;
                columns[i].share = hits ? b - whole : 0.0F;
                columns[i].address =
                    middle + (hits ? static_cast<unsigned>(static_cast<int>(whole)) : 0U) * pitch;
            }
        }
        turn.waitUntilEmpty(stages);
        const bool copies = box.size >= 0;
        if (lane == 0 && copies)
            copyRowPairs(&maps.map[box.size], stages.box(turn.stage), stages.full(turn.stage),
                         box.row, alongX ? n : box.column, alongX ? box.column : n);
        StageHead& head = *reinterpret_cast<StageHead*>(stages.head(turn.stage));
        if (copies) {
#pragma unroll
            for (int i = 0; i < kColumnsPerLane; ++i)
                head.columns[lane + i * kWarpLanes] = columns[i];
        }
        if (lane == 0) {
            head.columnPitch = static_cast<int>(pitch);
            head.rise = box.rise;
            head.size = box.size;
        }
        arriveExpecting(
            stages.full(turn.stage),
            lane == 0 && copies ? static_cast<unsigned>(box.columns * box.rows) * kFloatBytes : 0);
        turn.next(task.stages);
    }
}

// Adds the plane in a stage to the sums of a consumer warp.
__device__ __forceinline__ void addStage(unsigned head, int warp, int lane, float lowest,
                                         float (&sums)[kPerLane]) {
    RayColumn k;
    asm volatile("ld.shared.v4.b32 {%0, %1, %2, %3}, [%4];"
                 : "=f"(k.z), "=f"(k.step), "=f"(k.share), "=r"(k.address)
                 : "r"(head + static_cast<unsigned>((warp % kPatches * kWarpLanes + lane) *
                                                    sizeof(RayColumn))));
    const auto load = [head](std::size_t offset) {
        int value;
        asm volatile("ld.shared.b32 %0, [%1];"
                     : "=r"(value)
                     : "r"(head + static_cast<unsigned>(offset)));
        return value;
    };
    const int pitch = load(offsetof(StageHead, columnPitch));
    const int rise = load(offsetof(StageHead, rise));
    if (load(offsetof(StageHead, size)) >= 0)
        addAny(rise, k, static_cast<unsigned>(pitch), lowest, sums, RiseNumbers());
}

// Where a column of a tile is stored. The distance from plane to plane is, squared, c0 + c1·v +
// c2·v² with v rows from the tile's middle.
struct StoredColumn {
    std::int64_t place = -1;  // of the tile's first row; -1: nowhere
    float c0 = 0, c1 = 0, c2 = 0;
};

__device__ StoredColumn storedColumn(const TileRaysTask& task, const RayTile& tile,
                                     const Memory& memory, int number) {
    StoredColumn column;
    const RayTiles& tiles = task.tiles;
    const ColumnPlace place = columnPlace(number);
    const RayColumns columns = memory.columns[place.j];
    const int u = columns.begin + place.i;
    if (u >= columns.end) return column;
    const RayFanOfView& fan = tiles.fans.fans[fanOf(tiles, tile, place.j)];
    const RayView& view = tiles.fans.views[fan.view];
    const RayLine ray = rayAt(view, u, tile.v + kMiddleRow);
    double c[3] = {0, 0, 0};
    for (int i = 0; i < 3; ++i) {
        const double at = ray.along[i] * view.pitchMm[i];
        const double step = view.vStep.along[i] * view.pitchMm[i];
        c[0] += at * at;
        c[1] += 2 * at * step;
        c[2] += step * step;
    }
    const double planes = ray.along[tiles.fans.axis];
    if (!(planes * fan.sign > 0)) return column;
    const double scale = 1 / (planes * planes);
    return {task.rows.at(fan.view, u, tile.v), static_cast<float>(c[0] * scale),
            static_cast<float>(c[1] * scale), static_cast<float>(c[2] * scale)};
}

// Adds the sums of a warp's columns to their rays, times the distance from plane to plane; they are
// transposed through `room`, so that lanes add neighbouring rows.
__device__ void storeSums(const TileRaysTask& task, const RayTile& tile, const Memory& memory,
                          int warp, int lane, const float (&sums)[kPerLane], float* room) {
#pragma unroll
    for (int part = 0; part < kPerLane; ++part)
        room[lane * kRoomPitch + part] = sums[part];
    const StoredColumn own = storedColumn(task, tile, memory, warp % kPatches * kWarpLanes + lane);
    __syncwarp();
    const int up = warp / kPatches * kPerLane + lane;
    const auto row = static_cast<float>(up - kMiddleRow);
    const bool exists = tile.v + up < task.rows.nV;
#pragma unroll 8
    for (int column = 0; column < kWarpLanes; ++column) {
        const auto of = [column](float value) { return __shfl_sync(0xFFFFFFFFU, value, column); };
        const float square = fmaf(fmaf(of(own.c2), row, of(own.c1)), row, of(own.c0));
        const auto place = __shfl_sync(0xFFFFFFFFU, own.place, column);
        if (place >= 0 && exists)
            task.rows.values[place + up] += sqrtf(square) * room[column * kRoomPitch + lane];
    }
}

// Adds what planes hold whose footprints fit no box straight from device memory.
__device__ __noinline__ void addUnboxed(const TileRaysTask& task, const RayTile& tile,
                                        const Memory& memory, int warp, int lane) {
    const RayTiles& tiles = task.tiles;
    const int v = tile.v + warp / kPatches * kPerLane + lane;
    if (v >= task.rows.nV) return;
    for (int p = 0; p < tiles.planes; ++p) {
        if (memory.boxes[p].size != kNoBox) continue;
        for (int column = 0; column < kWarpLanes; ++column) {
            const ColumnPlace place = columnPlace(warp % kPatches * kWarpLanes + column);
            const RayColumns columns = memory.columns[place.j];
            if (columns.begin + place.i < columns.end)
                addRay(tiles.fans, fanOf(tiles, tile, place.j), task.slab, task.rows,
                       columns.begin + place.i, v, tiles.planeBegin + p, tiles.planeBegin + p + 1);
        }
    }
}

struct TileCounts {
    int across, fans, v;
};
__host__ __device__ TileCounts countsOf(const TileRaysTask& task) {
    const RayTiles& tiles = task.tiles;
    return {tiles.count, partsOf(tiles.fans.count, tiles.viewsAtOnce),
            partsOf(task.rows.nV, kRayTileRows)};
}

// A block adds what some planes hold to a tile of rays, whose sums its consumer warps hold in
// registers; one more warp is the producer. Rows go slowest, so that the planes' heights that
// blocks read stay in the level 2 cache.
__global__ void __launch_bounds__((kConsumers + 1) * kWarpLanes, 3)
    tileRaysKernel(const __grid_constant__ TileRaysTask task,
                   const __grid_constant__ TileMaps maps) {
    extern __shared__ __align__(128) unsigned char shared[];
    Memory& memory = *reinterpret_cast<Memory*>(shared);
    const Stages stages(shared, kStagesFrom, kHeadBytes, bytesOfBox(task.boxes[0]));
    const int warp = static_cast<int>(threadIdx.x) / kWarpLanes;
    const int lane = static_cast<int>(threadIdx.x) % kWarpLanes;
    const TileCounts counts = countsOf(task);
    const int number = static_cast<int>(blockIdx.x);
    const RayTile tile = {number / counts.across % counts.fans * task.tiles.viewsAtOnce,
                          number % counts.across,
                          number / counts.across / counts.fans * kRayTileRows};
    if (threadIdx.x < kRayTileViews)
        memory.columns[threadIdx.x] = columnsOf(task.tiles, tile, static_cast<int>(threadIdx.x));
    __syncthreads();
    placeBoxes(task, tile, warp, lane, memory);
    if (threadIdx.x == 0) stages.init(task.stages);
    __syncthreads();
    if (warp == kConsumers) {
        produce(task, maps, stages, memory, tile, lane);
        return;
    }
    float sums[kPerLane] = {};
    const auto lowest = static_cast<float>(warp / kPatches * kPerLane - kMiddleRow);
    StageTurn turn;
    for (int p = 0; p < task.tiles.planes; ++p) {
        turn.waitUntilFull(stages);
        addStage(stages.headAddress(turn.stage), warp, lane, lowest, sums);
        arrive(stages.empty(turn.stage));
        turn.next(task.stages);
    }
    asm volatile("bar.sync 1, %0;" ::"n"(kConsumers * kWarpLanes) : "memory");  // stages are free
    storeSums(task, tile, memory, warp, lane, sums,
              reinterpret_cast<float*>(stages.all()) + warp * kRoom);
    addUnboxed(task, tile, memory, warp, lane);
}

}  // namespace

bool divide(RayTiles& tiles) {
    const double low = -kMaxSlant;
    const double high = tiles.across - 1 + kMaxSlant;
    double columns = 0;  // of any view, between the ends
    double ratio = 1;    // of a view's columns to those of its group's reference
    for (int number = 0; number < tiles.fans.count; ++number) {
        const RayFanOfView& fan = tiles.fans.fans[number];
        if (isEmpty(fan)) continue;
        const RayFanOfView& reference =
            referenceOf(tiles, number / tiles.viewsAtOnce * tiles.viewsAtOnce);
        if (isEmpty(reference)) return false;
        const auto across = [&](const RayFanOfView& of, double from, double to) {
            const ViewPlace one = pixelAcross(tiles, of, from);
            const ViewPlace other = pixelAcross(tiles, of, to);
            return one.depth > 0 && other.depth > 0 ? fabs(other.u - one.u) : NAN;
        };
        // The ratio of two projections of a line is extreme at its ends.
        for (const double end : {low, high - 1}) {
            const double here = across(fan, end, end + 1) / across(reference, end, end + 1);
            ratio = here > ratio ? here : ratio;
            if (!(here > 0 && here < 1e6)) return false;
        }
        const double all = across(reference, low, high);
        columns = all > columns ? all : columns;
        if (!(all < 1e6)) return false;
    }
    tiles.columnsPerTile = (tiles.capacity() - 1) / (1.001 * ratio);
    tiles.count = static_cast<int>(ceil(columns / tiles.columnsPerTile));
    return tiles.count > 0;
}

RayFootprint footprintOf(const RayTiles& tiles, int fan, int number, int v, int plane) {
    const RayTile tile = {fan, number, v};
    double low[2] = {1e300, 1e300};
    double high[2] = {-1e300, -1e300};
    const auto add = [&](int of, double place) {
        low[of] = place < low[of] ? place : low[of];
        high[of] = place > high[of] ? place : high[of];
    };
    for (int j = 0; j < kRayTileViews; ++j)
        for (const int end : {0, 1}) {
            const ColumnPath path = pathOfEnd(tiles, tile, j, columnsOf(tiles, tile, j), end);
            if (plane < path.planeBegin || plane >= path.planeEnd) continue;
            const double rise = path.rise0 + plane * path.riseStep;
            const double middle = path.z0 + plane * path.zStep;
            add(0, path.b0 + plane * path.bStep);
            add(1, middle - kMiddleRow * rise);
            add(1, middle + (kRayTileRows - 1 - kMiddleRow) * rise);
        }
    if (low[0] > high[0]) return {};
    return {high[0] - low[0], high[1] - low[1]};
}

std::size_t tileRaysSharedBytes(const TileBox& largest, int stages) {
    const std::size_t used = static_cast<std::size_t>(stages) * (kHeadBytes + bytesOfBox(largest));
    const std::size_t rooms = kConsumers * kRoom * sizeof(float);
    return kStagesFrom + (used > rooms ? used : rooms);
}

cudaError_t sumTileRays(const TileRaysTask& task, const TileMaps& maps, cudaStream_t stream) {
    const TileCounts counts = countsOf(task);
    const std::size_t bytes = tileRaysSharedBytes(task.boxes[0], task.stages);
    if (const cudaError_t allowed = allowShared(tileRaysKernel); allowed != cudaSuccess)
        return allowed;
    tileRaysKernel<<<static_cast<unsigned>(counts.across * counts.fans * counts.v),
                     (kConsumers + 1) * kWarpLanes, bytes, stream>>>(task, maps);
    return cudaGetLastError();
}

}  // namespace gantry::gpu
