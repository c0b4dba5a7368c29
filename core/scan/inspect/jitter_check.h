#pragma once

#include <optional>
#include <vector>

#include "core/geometry/check/validate.h"
#include "core/geometry/scan_geometry.h"
#include "core/scan/inspect/picture_facts.h"
#include "core/scan/inspect/sinogram.h"

namespace gantry {

/// How far profiles are shifted at random against each other, from each to the next.
struct ProfileJitter {
    double samples = 0;  ///< standard deviation, without what noise adds
    bool isClear = false;
};

/// The jitter of profiles that otherwise change slowly, as views of an object that turns: a profile
/// that is shifted against the mean of both neighbours differs from it by its slope. Levels, slopes
/// and bends over the whole profile do not count, nor does what goes on from one to the next.
/// profiles: equally long, in order
/// Tests: tests/core/scan/jitter_check_test.cpp
[[nodiscard]] ProfileJitter jitterOf(const std::vector<std::vector<double>>& profiles);

/// A warning where single views are shifted at random, by 0.25 px or more in the standard
/// deviation. It judges scans with views in the order of their angles, in steps of up to 12°.
/// facts: of views spread over the scan
/// Tests: tests/core/scan/jitter_check_test.cpp
[[nodiscard]] std::optional<Problem> checkJitter(const ScanGeometry& geometry,
                                                 const std::vector<PictureFacts>& facts,
                                                 const Sinogram& sinogram);

}  // namespace gantry
