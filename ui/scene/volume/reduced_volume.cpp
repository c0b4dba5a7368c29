#include "ui/scene/volume/reduced_volume.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>

#include "core/base/parallel.h"

namespace gantry {

namespace {

constexpr double kMaxCode = 65535;

// A block of voxels, clipped at the volume's end.
struct Block {
    IndexRange x;
    IndexRange y;
    IndexRange z;
};

// The mean of a block's finite voxels; NaN where it has none.
float meanOf(const VolumeGrid& grid, std::span<const float> voxels, const Block& block) {
    double sum = 0;
    Index count = 0;
    for (Index z = block.z.begin; z < block.z.end; ++z)
        for (Index y = block.y.begin; y < block.y.end; ++y) {
            const float* row = voxels.data() + (z * grid.voxels[1] + y) * grid.voxels[0];
            for (Index x = block.x.begin; x < block.x.end; ++x) {
                if (!std::isfinite(row[x])) continue;
                sum += static_cast<double>(row[x]);
                ++count;
            }
        }
    if (count == 0) return std::numeric_limits<float>::quiet_NaN();
    return static_cast<float>(sum / static_cast<double>(count));
}

IndexRange blockRange(Index block, Index factor, Index count) {
    return {block * factor, std::min(count, (block + 1) * factor)};
}

std::vector<float> means(const VolumeGrid& grid, std::span<const float> voxels,
                         const VolumeGrid& coarse, Index factor, const std::stop_token& stop) {
    std::vector<float> result(coarse.count());
    const auto [nX, nY, nZ] = coarse.voxels;
    parallelFor(
        availableThreads(), nZ, 1,
        [&, columns = nX, rows = nY](Index begin, Index end, int) {
            for (Index z = begin; z < end; ++z)
                for (Index y = 0; y < rows; ++y)
                    for (Index x = 0; x < columns; ++x)
                        result[(z * rows + y) * columns + x] =
                            meanOf(grid, voxels,
                                   {blockRange(x, factor, grid.voxels[0]),
                                    blockRange(y, factor, grid.voxels[1]),
                                    blockRange(z, factor, grid.voxels[2])});
        },
        stop);
    return result;
}

constexpr Index kPiece = Index{1} << 20;  // voxels that a thread works on at a time

struct Range {
    float low = std::numeric_limits<float>::max();
    float high = std::numeric_limits<float>::lowest();
};

// The range of the finite values.
Range rangeOf(std::span<const float> values, const std::stop_token& stop) {
    std::mutex mutex;
    Range range;
    parallelFor(
        availableThreads(), std::ssize(values), kPiece,
        [&](Index begin, Index end, int) {
            Range here;
            for (const float value : values.subspan(begin, end - begin)) {
                if (!std::isfinite(value)) continue;
                here.low = std::min(here.low, value);
                here.high = std::max(here.high, value);
            }
            const std::scoped_lock lock(mutex);
            range = {std::min(range.low, here.low), std::max(range.high, here.high)};
        },
        stop);
    return range;
}

}  // namespace

double ReducedVolume::code(double value) const {
    return kMaxCode * (value - low) / (high - low);
}

double diagonalMm(const VolumeGrid& grid) {
    const auto edge = [&](std::size_t axis) {
        return static_cast<double>(grid.voxels[axis]) * grid.pitchMm[axis];
    };
    return length({edge(0), edge(1), edge(2)});
}

ReducedVolume reducedVolume(const VolumeGrid& grid, std::span<const float> voxels, Index maxVoxels,
                            const std::stop_token& stop) {
    const Index longest = *std::ranges::max_element(grid.voxels);
    const Index factor = std::max<Index>(1, (longest + maxVoxels - 1) / maxVoxels);
    ReducedVolume reduced;
    reduced.grid = grid;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const Index count = (grid.voxels[axis] + factor - 1) / factor;
        reduced.grid.voxels[axis] = count;
        reduced.grid.pitchMm[axis] = grid.pitchMm[axis] * static_cast<double>(factor);
        // The last block may extend beyond the last voxel.
        reduced.grid.centerMm[axis] +=
            static_cast<double>(count * factor - grid.voxels[axis]) / 2 * grid.pitchMm[axis];
    }
    std::vector<float> blocks;
    if (factor > 1) blocks = means(grid, voxels, reduced.grid, factor, stop);
    const std::span<const float> values =
        factor > 1 ? std::span<const float>(blocks) : voxels.first(grid.count());
    const Range range = rangeOf(values, stop);
    reduced.low = range.low <= range.high ? static_cast<double>(range.low) : 0;
    reduced.high = range.low < range.high ? static_cast<double>(range.high) : reduced.low + 1;
    reduced.voxels.resize(values.size());
    parallelFor(
        availableThreads(), std::ssize(values), kPiece,
        [&](Index begin, Index end, int) {
            for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
                const float value = values[i];
                const double code =
                    std::isfinite(value) ? reduced.code(static_cast<double>(value)) : 0;
                reduced.voxels[i] =
                    static_cast<std::uint16_t>(std::lround(std::clamp(code, 0.0, kMaxCode)));
            }
        },
        stop);
    return reduced;
}

}  // namespace gantry
