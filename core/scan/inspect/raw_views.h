#pragma once

#include <algorithm>
#include <span>
#include <stop_token>
#include <vector>

#include "core/base/host_buffer.h"
#include "core/scan/open_scan.h"

namespace gantry {

/// How many pixels have exactly the largest value, and how many come near it.
struct LargestCount {
    double level = 0;
    Index at = 0;
    Index justBelow = 0;  ///< by less than a count, or by one
    Index pixels = 0;

    [[nodiscard]] double share() const {
        return static_cast<double>(at) / static_cast<double>(std::max<Index>(1, pixels));
    }
};

/// dead: [v][u], which are left out; may be empty
[[nodiscard]] LargestCount largestCountOf(std::span<const float> pixels,
                                          const HostBuffer<unsigned char>& dead);

/// What eight views, spread evenly over the scan, have in common as they are stored.
struct RawViews {
    std::vector<LargestCount> tops;
    std::vector<unsigned char> isAlwaysAtTop;  ///< [v][u], where the flat field is not; of counts
    std::vector<unsigned char> isStill;        ///< [v][u]: the same number in all of them
    std::vector<float> first;                  ///< [v][u] of the first view
};

/// @throws InputError, Cancelled
[[nodiscard]] RawViews lookAtRaw(const OpenScan& scan, const std::stop_token& stop);

}  // namespace gantry
