#pragma once

#include <span>

#include "core/base/span3.h"
#include "core/geometry/volume_grid.h"
#include "core/iterate/iteration_space.h"
#include "core/iterate/subsets.h"
#include "core/project/projector.h"
#include "core/project/space_peers.h"

namespace gantry {

/// Shorter chords, as parts of the longest, and smaller sums of columns, as parts of the largest,
/// do not count: see RowWeights and IterationSpace::prepare().
inline constexpr double kShortestChord = 0.01;
inline constexpr double kSmallestColumn = 1e-6;

/// The views of a scan in the order in which subsets store them.
[[nodiscard]] ProjectedViews inStoredOrder(const ProjectedViews& views, const Subsets& subsets);

/// The problem that a space is made for. views, grid: of the whole problem; views in the scan's
/// order
struct SpaceTask {
    const ProjectedViews& views;
    const VolumeGrid& grid;
    const Subsets& subsets;
    bool hasCounts = false;  ///< setViews() gets counts
    /// Those that have the other parts of the problem; null: the space has all of it. They outlive
    /// it.
    SpacePeers* peers = nullptr;
};

/// An IterationSpace of line integrals of a volume, which is given the measured ones. It has the
/// whole problem, or a part of it: see space_peers.h.
class ProjectionSpace : public IterationSpace {
  public:
    using IterationSpace::IterationSpace;

    /// The line integrals b of views [views.begin, views.end) of the scan and, where the shape has
    /// counts, the counts n of their rays, the inverse of the variance of b. Views that are never
    /// set are 0.
    /// integrals, counts: [s][v][u], the rows of its part
    virtual void setViews(IndexRange views, Span3<const float> integrals,
                          Span3<const float> counts) = 0;
    /// 1 where voxels may be other than 0; without, all may.
    /// mask: [z][y][x], the slices of its part, or a single slice that holds for all
    virtual void setMask(Span3<const unsigned char> mask) = 0;
    /// read() of slices or views that this space has, without the other parts of the problem.
    virtual void readHeld(const IterationVector& vector, Index first, std::span<float> out) = 0;
};

}  // namespace gantry
