#include "core/report/uniform_regions.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "core/phantom/shape_math.h"

namespace gantry {

namespace {

// Signed distance to a shape's surface, negative inside; its size is at most the true distance,
// because a unit of the shape's own coordinates is at least its shortest half axis long.
double distanceTo(const PhantomShape& shape, const UnitSpace& space, Vec3 pointMm) {
    const Vec3 q = space.point(pointMm);
    const auto& [a, b, c] = shape.halfAxesMm;
    if (shape.kind == PhantomShape::Kind::ellipsoid) return (length(q) - 1) * std::min({a, b, c});
    const double wall = (std::hypot(q.x, q.y) - 1) * std::min(a, b);
    const double ends = (std::abs(q.z) - 1) * c;
    return std::max(wall, ends);
}

struct Candidate {
    std::vector<bool> inside;  // shapes that contain it
    double room = std::numeric_limits<double>::max();
};

Candidate candidateAt(const Phantom& phantom, const std::vector<UnitSpace>& spaces, Vec3 pointMm) {
    Candidate candidate;
    for (std::size_t i = 0; i < spaces.size(); ++i) {
        const double distance = distanceTo(phantom.shapes[i], spaces[i], pointMm);
        candidate.inside.push_back(distance < 0);
        candidate.room = std::min(candidate.room, std::abs(distance));
    }
    return candidate;
}

}  // namespace

std::vector<UniformRegion> uniformRegions(const Phantom& phantom, const VolumeGrid& grid,
                                          double midplaneMm) {
    constexpr double kMarginVoxels = 2;
    constexpr double kMinVoxels = 3;
    constexpr int kAcross = 61;
    constexpr int kUp = 17;
    const double voxel = *std::max_element(grid.pitchMm.begin(), grid.pitchMm.end());
    const std::vector<UnitSpace> spaces(phantom.shapes.begin(), phantom.shapes.end());
    const auto half = [&](std::size_t axis) {
        return static_cast<double>(grid.voxels[axis]) * grid.pitchMm[axis] / 2;
    };
    std::map<std::vector<bool>, UniformRegion> best;
    for (int iz = 0; iz < kUp; ++iz) {
        for (int iy = 0; iy < kAcross; ++iy) {
            for (int ix = 0; ix < kAcross; ++ix) {
                const auto step = [](int i, int n) { return 2.0 * (i + 0.5) / n - 1; };
                const Vec3 point = {grid.centerMm[0] + half(0) * step(ix, kAcross),
                                    grid.centerMm[1] + half(1) * step(iy, kAcross),
                                    midplaneMm + 0.5 * half(2) * step(iz, kUp)};
                const Candidate candidate = candidateAt(phantom, spaces, point);
                // The sphere must lie within the grid too.
                const double room =
                    std::min({candidate.room, half(0) - std::abs(point.x - grid.centerMm[0]),
                              half(1) - std::abs(point.y - grid.centerMm[1]),
                              half(2) - std::abs(point.z - grid.centerMm[2])});
                const double radius = room - kMarginVoxels * voxel;
                UniformRegion& region = best[candidate.inside];
                if (radius > region.radiusMm)
                    region = {point, radius, phantom.attenuationAt(point)};
            }
        }
    }
    std::vector<UniformRegion> regions;
    for (const auto& [inside, region] : best)
        if (region.radiusMm >= kMinVoxels * voxel && region.attenuation > 0)
            regions.push_back(region);
    std::sort(regions.begin(), regions.end(),
              [](const auto& a, const auto& b) { return a.radiusMm > b.radiusMm; });
    return regions;
}

}  // namespace gantry
