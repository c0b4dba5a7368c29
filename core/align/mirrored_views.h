#pragma once

#include <span>
#include <stop_token>
#include <vector>

#include "core/align/differences.h"
#include "core/align/finding.h"
#include "core/base/types.h"
#include "core/geometry/scan_geometry.h"
#include "core/scan/stack/view_stack.h"

namespace gantry {

/// A view of parallel rays and the two views between which its mirror image lies, half a turn away:
/// by their places in a list of views. At the ends of half a turn one of the two looks the opposite
/// way and the other one, next to the view itself, the same way.
struct MirroredPair {
    struct Side {
        Index view = 0;
        double share = 0;         ///< of the mean of both
        bool isOpposite = false;  ///< else it looks nearly as the pair's own view does
    };
    Index view = 0;
    Side before;
    Side after;
};

/// The most accurate pairs, at most `max`, spread over those that are equally good. None if no two
/// views are half a turn apart, to a few degrees.
/// anglesDeg: gantry angles, of one view each
/// Tests: tests/core/align/consistency_test.cpp
[[nodiscard]] std::vector<MirroredPair> mirroredPairs(std::span<const double> anglesDeg,
                                                      std::size_t max);

/// What the pairs' views say differently of the same rays, pixel by pixel, but for what a pair
/// differs by as a whole, as the beam's brightness may change from one end of a scan to the other.
/// The result's pairs are of parts of views whose errors are their own: of some columns.
/// pairs: places in the stack; matrices: of the stack's views, of parallel rays
/// @throws Cancelled
/// Tests: tests/core/align/consistency_test.cpp, tests/core/align/find_alignment_test.cpp
[[nodiscard]] Differences mirroredViews(const ViewStack& stack,
                                        std::span<const ProjectionMatrix> matrices,
                                        std::span<const MirroredPair> pairs, int threads,
                                        const std::stop_token& stop = {});

/// The centre of rotation of a parallel beam from views half a turn apart, which are each other's
/// mirror images about the axis: over half a turn too, where the first and the last view are.
/// stack: whole views, smoothed by kRaySmoothing; pairs: places in it
/// about: where to begin; only centrePx changes
/// rangePx: to either side of it, in pixels of the detector
/// @throws Cancelled
/// Tests: tests/core/align/find_alignment_test.cpp
[[nodiscard]] Finding centreFromPairs(const ViewStack& stack, std::span<const MirroredPair> pairs,
                                      const MatricesAt& matricesAt, const Misalignment& about,
                                      double rangePx, int threads, const std::stop_token& stop);

}  // namespace gantry
