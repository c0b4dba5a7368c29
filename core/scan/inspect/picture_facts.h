#pragma once

#include <array>
#include <cstdint>
#include <stop_token>
#include <vector>

#include "core/base/span3.h"
#include "core/scan/open_scan.h"

namespace gantry {

/// One of a view's four edges: of a strip along it, with line integrals.
struct EdgeStrip {
    double level = 0;   ///< mean
    double slope = 0;   ///< mean of its inner third less that of its outer third
    double spread = 0;  ///< standard deviation of the strip's means along the edge, in 16 parts
};

/// What checkPictures() knows about a view.
struct PictureFacts {
    Index view = 0;  ///< number among the scan's
    double angleDeg = 0;
    EdgeStrip left, right, bottom, top;
    double darkest = 0;  ///< the line integral that one pixel in a hundred exceeds
    /// Means over a quarter of the rows each, [u], and over a quarter of the columns each, [v].
    std::array<std::vector<double>, 4> bandsU, bandsV;
    std::vector<double> alongU;      ///< [u], means over the rows
    std::vector<double> alongV;      ///< [v], means over the columns
    std::vector<double> middleRows;  ///< [u], means over the rows about the mid-plane
};

/// A number for the bits of these pixels.
[[nodiscard]] std::uint64_t hashOf(Span3<const float> view);

/// Facts of these views of the source.
/// @throws InputError, ResourceError, Cancelled
[[nodiscard]] std::vector<PictureFacts> pictureFacts(const OpenScan& scan,
                                                     const std::vector<Index>& chosen, int threads,
                                                     const std::stop_token& stop);

}  // namespace gantry
