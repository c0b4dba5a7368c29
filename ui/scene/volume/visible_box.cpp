#include "ui/scene/volume/visible_box.h"

#include <algorithm>

#include "core/base/parallel.h"
#include "ui/scene/volume/voxel_ray.h"

namespace gantry {

namespace {

constexpr Index kBrick = 16;

// Samples in a brick also use the first voxels of the next.
IndexRange voxelsOf(Index brick, Index count) {
    return {brick * kBrick, std::min(count, (brick + 1) * kBrick + 1)};
}

// Whether any matter between two attenuations is visible.
bool isSeen(const TransferFunction& transfer, double min, double max) {
    if (transfer.at(min).opacity > 0 || transfer.at(max).opacity > 0) return true;
    return std::ranges::any_of(transfer.points, [&](const TransferPoint& point) {
        return point.opacity > 0 && min < point.value && point.value < max;
    });
}

bool isAlongAnAxis(const Vec3& direction) {
    return std::ranges::count(axesOf(direction), 0.0) == 2;
}

}  // namespace

BrickCodes::BrickCodes(const ReducedVolume& volume) {
    const auto& n = volume.grid.voxels;
    for (std::size_t axis = 0; axis < 3; ++axis)
        m_bricks[axis] = (n[axis] + kBrick - 1) / kBrick;
    const Index layer = m_bricks[0] * m_bricks[1];
    m_codes.resize(layer * m_bricks[2]);
    const auto take = [&](Index z, Codes* codes) {
        for (Index y = 0; y < n[1]; ++y) {
            const std::uint16_t* row = volume.voxels.data() + (z * n[1] + y) * n[0];
            for (Index bX = 0; bX < m_bricks[0]; ++bX) {
                const IndexRange x = voxelsOf(bX, n[0]);
                const auto [min, max] = std::minmax_element(row + x.begin, row + x.end);
                const Index bY = y / kBrick;
                // A brick's first row is also used by samples in the brick before.
                for (Index at = y % kBrick == 0 && y > 0 ? bY - 1 : bY; at <= bY; ++at) {
                    Codes& brick = codes[at * m_bricks[0] + bX];
                    brick = {std::min(brick.min, *min), std::max(brick.max, *max)};
                }
            }
        }
    };
    parallelFor(availableThreads(), m_bricks[2], 1, [&](Index begin, Index end, int) {
        for (Index bZ = begin; bZ < end; ++bZ)
            for (Index z = voxelsOf(bZ, n[2]).begin; z < voxelsOf(bZ, n[2]).end; ++z)
                take(z, m_codes.data() + bZ * layer);
    });
}

std::optional<BoxEnds> BrickCodes::visibleBox(const ReducedVolume& volume,
                                              const RayCastRequest& request) const {
    const auto value = [perCode = (volume.high - volume.low) / 65535,
                        low = volume.low](std::uint16_t code) { return low + perCode * code; };
    std::array<Index, 3> first = m_bricks;
    std::array<Index, 3> last = {-1, -1, -1};
    for (Index i = 0; i < std::ssize(m_codes); ++i) {
        const auto [min, max] = m_codes[i];
        const bool isClear = request.isMaximum ? value(max) <= request.window.black
                                               : !isSeen(request.transfer, value(min), value(max));
        if (isClear) continue;
        const std::array brick = {i % m_bricks[0], i / m_bricks[0] % m_bricks[1],
                                  i / m_bricks[0] / m_bricks[1]};
        for (std::size_t axis = 0; axis < 3; ++axis) {
            first[axis] = std::min(first[axis], brick[axis]);
            last[axis] = std::max(last[axis], brick[axis]);
        }
    }
    if (last[0] < 0) return std::nullopt;
    BoxEnds box;
    const std::array<double, 3> origin = axesOf(volume.grid.originMm());
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const IndexRange end = voxelsOf(last[axis], volume.grid.voxels[axis]);
        const double pitch = volume.grid.pitchMm[axis];
        box.lowMm[axis] = origin[axis] + pitch * static_cast<double>(first[axis] * kBrick);
        box.highMm[axis] = origin[axis] + pitch * static_cast<double>(end.end - 1);
    }
    return box;
}

std::vector<HalfSpace> clipsWithin(const BoxEnds& box, const std::vector<HalfSpace>& clips) {
    BoxEnds ends = box;
    clipEnds(ends, clips);
    const auto [lowX, lowY, lowZ] = ends.lowMm;
    const auto [highX, highY, highZ] = ends.highMm;
    const Vec3 low{lowX, lowY, lowZ};
    const Vec3 high{highX, highY, highZ};
    std::vector<HalfSpace> all;
    for (const Vec3& axis : {Vec3{1, 0, 0}, Vec3{0, 1, 0}, Vec3{0, 0, 1}}) {
        all.push_back({low, axis});
        all.push_back({high, -1 * axis});
    }
    std::ranges::copy_if(clips, std::back_inserter(all),
                         [](const HalfSpace& half) { return !isAlongAnAxis(half.inward); });
    return all;
}

}  // namespace gantry
