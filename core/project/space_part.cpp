#include "core/project/space_part.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>

#include "core/base/error.h"
#include "core/project/grid_rays.h"

namespace gantry {

namespace {

constexpr Index kExchangeBytes = 16 << 20;

// The detector row, counted from the middle one, that the ray through this point hits; none: the
// point is not in front of the source.
std::optional<double> rowOf(const ViewPose& pose, Vec3 point) {
    constexpr double kNearest = 1e-3;  // of the way to the detector
    const Vec3 normal = cross(pose.uStepMm, pose.vStepMm);
    Vec3 hit = point;
    if (pose.isParallel) {
        const double along = dot(pose.sourceMm, normal);
        hit = point + (dot(pose.detectorCenterMm - point, normal) / along) * pose.sourceMm;
    } else {
        const Vec3 ray = point - pose.sourceMm;
        const double way = dot(ray, normal) / dot(pose.detectorCenterMm - pose.sourceMm, normal);
        if (!(way > kNearest)) return std::nullopt;
        hit = pose.sourceMm + (1 / way) * ray;
    }
    return dot(hit - pose.detectorCenterMm, pose.vStepMm) / dot(pose.vStepMm, pose.vStepMm);
}

// The rows whose rays come within one voxel of a slab's voxels, in all upright views; none: a voxel
// is not in front of the source.
std::optional<IndexRange> rowsThrough(const ProjectedViews& views, const VolumeGrid& slab) {
    const double middle = (static_cast<double>(views.rows) - 1) / 2;
    double low = static_cast<double>(views.rows);
    double high = -1;
    for (const ViewPose& pose : views.poses) {
        for (int corner = 0; corner < 8; ++corner) {
            const auto side = [&](int axis) {
                return (corner >> axis) % 2 == 0 ? -1.0 : static_cast<double>(slab.voxels[axis]);
            };
            const std::optional<double> row =
                rowOf(pose, slab.positionMm(side(0), side(1), side(2)));
            if (!row) return std::nullopt;
            low = std::min(low, *row + middle);
            high = std::max(high, *row + middle);
        }
    }
    const double last = static_cast<double>(views.rows) - 1;
    // A part that no ray passes keeps the nearest row.
    return IndexRange{static_cast<Index>(std::clamp(std::floor(low), 0.0, last)),
                      static_cast<Index>(std::clamp(std::ceil(high), 0.0, last)) + 1};
}

bool areUpright(const ProjectedViews& views, const VolumeGrid& grid) {
    return std::ranges::all_of(views.poses, [&](const ViewPose& pose) {
        return raysOn(grid, pose, views.columns, views.rows).isUpright;
    });
}

IndexRange overlapOf(const IndexRange& a, const IndexRange& b) {
    return {std::max(a.begin, b.begin), std::min(a.end, b.end)};
}

// Rows that a part shares with each of the others, together.
Index sharedRows(const std::vector<SpacePart>& parts, std::size_t own) {
    Index rows = 0;
    for (std::size_t i = 0; i < parts.size(); ++i)
        if (i != own) rows += std::max<Index>(0, overlapOf(parts[own].rows, parts[i].rows).size());
    return rows;
}

}  // namespace

std::vector<SpacePart> spaceParts(const ProjectedViews& views, const VolumeGrid& grid,
                                  Index parts) {
    const Index slices = grid.voxels[2];
    require(parts >= 1 && parts <= slices, "parts of a volume that would have no slice");
    bool haveRows = parts > 1 && areUpright(views, grid);
    std::vector<SpacePart> all;
    for (Index i = 0; i < parts; ++i) {
        const IndexRange own = {i * slices / parts, (i + 1) * slices / parts};
        std::optional<IndexRange> rows;
        if (haveRows) rows = rowsThrough(views, grid.slab(own));
        haveRows = rows.has_value();
        all.push_back({own, rows.value_or(IndexRange()), {}});
    }
    for (SpacePart& part : all)
        part.ownRows = part.rows = haveRows ? part.rows : IndexRange{0, views.rows};
    // Rows that two neighbours see count in the nearer one; both ranges rise from part to part.
    for (std::size_t i = 1; i < all.size(); ++i) {
        SpacePart& below = all[i - 1];
        SpacePart& above = all[i];
        if (above.rows.begin >= below.rows.end) continue;
        const Index cut = std::max(below.ownRows.begin, (above.rows.begin + below.rows.end) / 2);
        below.ownRows.end = above.ownRows.begin = cut;
    }
    return all;
}

ProjectedViews withRows(const ProjectedViews& views, IndexRange rows) {
    ProjectedViews some = views;
    some.rows = rows.size();
    const double moved = (static_cast<double>(rows.begin + rows.end - views.rows)) / 2;
    for (ViewPose& pose : some.poses)
        pose.detectorCenterMm = pose.detectorCenterMm + moved * pose.vStepMm;
    return some;
}

Index exchangedViews(const std::vector<SpacePart>& parts, Index columns, Index views) {
    Index rows = 1;
    for (std::size_t i = 0; i < parts.size(); ++i)
        rows = std::max(rows, sharedRows(parts, i));
    const Index viewBytes = 2 * rows * columns * Index{sizeof(float)};  // given and taken
    return std::clamp<Index>(kExchangeBytes / viewBytes, 1, std::max<Index>(1, views));
}

Index exchangedBytes(const std::vector<SpacePart>& parts, Index own, Index columns, Index views) {
    return sharedRows(parts, static_cast<std::size_t>(own)) * columns * views *
           Index{sizeof(float)};
}

IndexRange sharedRowsOf(const std::vector<SpacePart>& parts, std::size_t own) {
    const IndexRange& rows = parts[own].rows;
    IndexRange all;
    for (std::size_t other = 0; other < parts.size(); ++other) {
        const IndexRange both = {std::max(rows.begin, parts[other].rows.begin),
                                 std::min(rows.end, parts[other].rows.end)};
        if (other != own && !both.empty()) all = hullOf(all, both);
    }
    return all.empty() ? IndexRange() : IndexRange{all.begin - rows.begin, all.end - rows.begin};
}

}  // namespace gantry
