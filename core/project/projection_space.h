#pragma once

#include "core/base/span3.h"
#include "core/iterate/iteration_space.h"
#include "core/iterate/subsets.h"
#include "core/project/projector.h"

namespace gantry {

/// Shorter chords, as parts of the longest, and smaller sums of columns, as parts of the largest,
/// do not count: see RowWeights and IterationSpace::prepare().
inline constexpr double kShortestChord = 0.01;
inline constexpr double kSmallestColumn = 1e-6;

/// The views of a scan in the order in which subsets store them.
[[nodiscard]] ProjectedViews inStoredOrder(const ProjectedViews& views, const Subsets& subsets);

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
};

}  // namespace gantry
