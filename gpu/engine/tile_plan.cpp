#include "gpu/engine/tile_plan.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <optional>
#include <utility>

#include "core/base/error.h"
#include "gpu/kernels/tile/run_rise.h"

namespace gantry {

namespace {

using Row = double[4];

double at(const Row& row, const std::array<double, 3>& p) {
    return row[0] * p[0] + row[1] * p[1] + row[2] * p[2] + row[3];
}

// Bounds |d(a/z)/d(axis)| over the slab, where depth z does not change upwards. The numerator
// a'·z − z'·a is affine and free of the axis itself; over z² it is extreme where z is along the
// axis, at an end upwards, and across at an end or where its own derivative is zero.
double steepest(const Row& a, const Row& z, int axis, const gpu::ConeSlab& slab) {
    const std::array<double, 3> last = {slab.nX - 1.0, slab.nY - 1.0, slab.nZ - 1.0};
    const int along = axis == 1 ? 1 : 0;
    const int across = 1 - along;
    double max = 0;
    const auto look = [&](const std::array<double, 3>& p) {
        const double depth = at(z, p);
        max = std::max(max, std::abs(a[axis] * depth - z[axis] * at(a, p)) / (depth * depth));
    };
    for (const double up : {0.0, last[2]})
        for (const double here : {0.0, last[along]}) {
            std::array<double, 3> p = {0, 0, up};
            p[along] = here;
            const double depth = at(z, p);
            const double numerator = a[axis] * depth - z[axis] * at(a, p);
            look(p);
            // N(t) = numerator + slope·t and z(t) = depth + z_across·t: (N/z²)' = 0
            const double slope = a[axis] * z[across] - z[axis] * a[across];
            const double still = (slope * depth - 2 * numerator * z[across]) / (slope * z[across]);
            p[across] = last[across];
            look(p);
            if (still > 0 && still < last[across]) {
                p[across] = still;
                look(p);
            }
        }
    return max;
}

// Whether the whole slab lies before the source in every view. Depth does not change upwards, and
// tiles do not reach beyond the slab in x and y.
bool isBeforeSource(const gpu::ConeBatch& batch, const gpu::ConeSlab& slab) {
    for (int s = 0; s < batch.views; ++s)
        for (const double x : {0.0, slab.nX - 1.0})
            for (const double y : {0.0, slab.nY - 1.0})
                if (!(at(batch.m[s][2], {x, y, 0}) > 0)) return false;
    return true;
}

}  // namespace

gpu::TileBox largestBox(const gpu::TileShape& shape, const gpu::ConeBatch& batch,
                        const gpu::ConeSlab& inside) {
    double columns = 0;
    double rows = 0;
    // The topmost tiles may reach beyond the slab.
    gpu::ConeSlab slab = inside;
    slab.nZ = (inside.nZ + shape.z - 1) / shape.z * shape.z;
    for (int s = 0; s < batch.views; ++s) {
        const auto& m = batch.m[s];
        columns = std::max(columns, (shape.x - 1) * steepest(m[0], m[2], 0, slab) +
                                        (shape.y - 1) * steepest(m[0], m[2], 1, slab));
        rows = std::max(rows, (shape.x - 1) * steepest(m[1], m[2], 0, slab) +
                                  (shape.y - 1) * steepest(m[1], m[2], 1, slab) +
                                  (shape.z - 1) * steepest(m[1], m[2], 2, slab));
    }
    // Both ends are rounded outwards, columns by one and rows by as many as are copied at once,
    // with a little to spare.
    constexpr double kSlack = 0.05;
    constexpr double kMax = 1 << 12;  // far beyond any shared memory
    const double rowsAtOnce = gpu::rowsAtOnce(shape.order);
    const int beyond = gpu::isSplit(shape.order) ? 0 : gpu::kRowsBeyondRun;
    rows = rowsAtOnce * std::ceil((rows + kSlack + 1 + beyond + rowsAtOnce) / rowsAtOnce);
    const int wholeRows = static_cast<int>(std::min(kMax, rows));
    return {static_cast<int>(
                std::min(kMax, std::ceil(columns + kSlack) + gpu::columnsOfPosition(shape.order))),
            gpu::isSplit(shape.order) ? wholeRows : gpu::rowsOfPairBox(wholeRows)};
}

namespace {

struct Span {
    double low = 1e300;
    double high = -1e300;
    void add(double value) {
        low = std::min(low, value);
        high = std::max(high, value);
    }
    [[nodiscard]] double length() const { return high - low; }
};

// Raises `max` to the size of a tile's footprint in one view.
void addTile(const double (&m)[3][4], const gpu::TileShape& shape, const std::array<int, 3>& first,
             std::array<double, 2>& max) {
    std::array<Span, 2> spans;  // u and v
    for (int corner = 0; corner < 8; ++corner) {
        const std::array<double, 3> p = {
            first[0] + 1.0 * (corner & 1) * (shape.x - 1),
            first[1] + 1.0 * (corner >> 1 & 1) * (shape.y - 1),
            first[2] + 1.0 * (corner >> 2) * (shape.z - 1),
        };
        const double depth = at(m[2], p);
        if (!(depth > 0)) return;
        for (std::size_t axis = 0; axis < 2; ++axis)
            spans[axis].add(at(m[axis], p) / depth);
    }
    for (std::size_t axis = 0; axis < 2; ++axis)
        max[axis] = std::max(max[axis], spans[axis].length());
}

}  // namespace

gpu::TileBox largestPoseBox(const gpu::TileShape& shape, const gpu::ConeBatch& batch,
                            const gpu::ConeSlab& slab) {
    constexpr int kAcross = 5;
    constexpr int kUp = 3;
    // The first voxel of tile `number` of `of` tiles spread along an axis.
    const auto place = [](int number, int of, int voxels, int tile) {
        return ((voxels + tile - 1) / tile - 1) * number / (of - 1) * tile;
    };
    std::array<double, 2> max = {};
    for (int s = 0; s < batch.views; ++s)
        for (int i = 0; i < kAcross; ++i)
            for (int j = 0; j < kAcross; ++j)
                for (int k = 0; k < kUp; ++k)
                    addTile(batch.m[s], shape,
                            {place(i, kAcross, slab.nX, shape.x),
                             place(j, kAcross, slab.nY, shape.y), place(k, kUp, slab.nZ, shape.z)},
                            max);
    // Slack for tiles between those sampled, and for the ends, which are rounded outwards.
    constexpr double kSlack = 0.3;
    constexpr double kMax = 1 << 12;
    const auto whole = [=](double pixels) {
        return static_cast<int>(std::min(kMax, std::ceil(pixels + kSlack)));
    };
    return {whole(max[0]) + gpu::columnsOfPosition(shape.order),
            gpu::rowsOfPairBox(whole(max[1]) + gpu::rowsAtOnce(shape.order) + 1)};
}

double rowsPerVoxel(const gpu::ConeBatch& batch, const gpu::ConeSlab& slab) {
    const std::array<double, 3> middle = {(slab.nX - 1) / 2.0, (slab.nY - 1) / 2.0, 0};
    return std::abs(batch.m[0][1][2]) / at(batch.m[0][2], middle);
}

namespace {

// Detector columns that a step of one voxel moves a position by at most, whatever its direction.
double columnsPerVoxel(const gpu::ConeBatch& batch, const gpu::ConeSlab& slab) {
    const std::array<double, 3> middle = {(slab.nX - 1) / 2.0, (slab.nY - 1) / 2.0, 0};
    const auto& m = batch.m[0];
    const double depth = at(m[2], middle);
    const double u = at(m[0], middle) / depth;
    return std::hypot(m[0][0] - u * m[2][0], m[0][1] - u * m[2][1]) / depth;
}

// Rows that a voxel steps where it is nearest to the source.
double nearestRowsPerVoxel(const gpu::ConeBatch& batch, const gpu::ConeSlab& slab) {
    double max = 0;
    for (int s = 0; s < batch.views; ++s)
        max = std::max(max, steepest(batch.m[s][1], batch.m[s][2], 2, slab));
    return max;
}

// The order in which shapes are tried. Runs are fastest up to about two rows a voxel; beyond, their
// boxes of pairs leave room for few blocks. Wide tiles come first where voxels step more than a
// column.
std::vector<int> shapesInOrder(double nearestRows, bool wide) {
    constexpr double kMaxInRuns = 2.3;
    std::vector<int> order(gpu::tileShapeCount());
    std::iota(order.begin(), order.end(), 0);
    const auto rank = [&](int shape) {
        const gpu::TileShape tile = gpu::tileShape(shape);
        const bool split = gpu::isSplit(tile.order);
        const int width = split ? 0 : tile.x * tile.y;
        return std::pair(split == (nearestRows > kMaxInRuns), wide ? width : -width);
    };
    std::ranges::stable_sort(order, [&](int a, int b) { return rank(a) > rank(b); });
    return order;
}

// Boxes of bulk copies have at most 256 pixels along an axis.
constexpr int kMaxPixels = 256;

// The plan of a shape, if as many blocks share a multiprocessor as its registers allow (allBlocks)
// or at least one fits.
std::optional<TilePlan> planShape(int shape, int stages, bool allBlocks, gpu::TileBox box,
                                  const DeviceInfo& device) {
    const gpu::TileShape tile = gpu::tileShape(shape);
    if (box.columns > kMaxPixels || box.rows / (gpu::isSplit(tile.order) ? 2 : 1) > kMaxPixels)
        return std::nullopt;
    if (tile.boxRows > 0 && box.rows > tile.boxRows) return std::nullopt;
    if (tile.boxRows > 0) box.rows = tile.boxRows;
    const auto fits = [&](int count, int blocks) {
        // CUDA reserves as much shared memory for each block as for each multiprocessor.
        constexpr Index kKeptBytes = 1024;
        const auto bytes = static_cast<Index>(gpu::tileSharedBytes(shape, box, count));
        return blocks * (bytes + kKeptBytes) <= device.sharedBytes + kKeptBytes;
    };
    // More views at once hide more of the copying's latency, and so do more blocks.
    const int max = stages > 0 ? stages : tile.stages;
    const int few = std::min(2, max);
    for (int count = allBlocks ? max : few; count >= (allBlocks ? few : 1); --count)
        if (fits(count, allBlocks ? tile.blocks : 1)) return TilePlan{shape, count, box, false};
    return std::nullopt;
}

}  // namespace

TilePlan planTile(const gpu::ConeBatch& batch, const gpu::ConeSlab& slab, const DeviceInfo& device,
                  int shape, int stages) {
    // Where voxels step farther than this, little of a box is used.
    constexpr double kDirectRows = 2.5;
    if (!isBeforeSource(batch, slab)) return {};
    std::vector<int> candidates;
    if (shape != kFetchDirectly && rowsPerVoxel(batch, slab) <= kDirectRows)
        candidates =
            shapesInOrder(nearestRowsPerVoxel(batch, slab), columnsPerVoxel(batch, slab) > 1.2);
    const auto firstThatFits = [&](const std::vector<int>& shapes) -> std::optional<TilePlan> {
        for (const bool allBlocks : {true, false})
            for (const int one : shapes)
                if (auto plan = planShape(one, stages, allBlocks,
                                          largestBox(gpu::tileShape(one), batch, slab), device))
                    return plan;
        return std::nullopt;
    };
    if (shape >= 0)
        if (const auto plan = firstThatFits({shape})) return *plan;
    if (const auto plan = firstThatFits(candidates)) return *plan;
    constexpr int kManyVoxels = 256;  // enough wide tiles for all of a device
    return {-1, 0, {}, slab.nX >= kManyVoxels};
}

TilePlan planPoses(const gpu::ConeBatch& batch, const gpu::ConeSlab& slab,
                   const DeviceInfo& device) {
    const int first = gpu::tileShapeCount();
    const int count = gpu::poseShapeCount();
    for (const bool allBlocks : {true, false})
        for (int shape = first; shape < first + count; ++shape) {
            const gpu::TileBox box = largestPoseBox(gpu::tileShape(shape), batch, slab);
            if (auto plan = planShape(shape, 0, allBlocks, box, device)) return *plan;
        }
    // Halves the box until a block has room for it.
    gpu::TileBox box = largestPoseBox(gpu::tileShape(first), batch, slab);
    box.columns = std::min(box.columns, kMaxPixels);
    box.rows = std::min(box.rows, gpu::rowsOfPairBox(kMaxPixels - 4));
    while (true) {
        if (auto plan = planShape(first, 0, false, box, device)) return *plan;
        require(box.columns > 1, "a GPU has no shared memory");
        if (box.rows > 2 * box.columns)
            box.rows = gpu::rowsOfPairBox(box.rows / 2);
        else
            box.columns /= 2;
    }
}

}  // namespace gantry
