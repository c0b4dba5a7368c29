#pragma once

#include <array>
#include <optional>
#include <string>

#include "core/base/types.h"
#include "core/io/stated_geometry.h"

namespace gantry {

/// A detector's pixel pitch as far as images tell it.
struct PitchGuess {
    std::array<double, 2> pitchMm{};    ///< along u and v
    std::string reason;                 ///< a sentence without its full stop; empty: it is stated
    std::array<std::string, 2> doubts;  ///< clauses; empty: none
};
/// stated: what the file states; columns: of the detector, unbinned or not
/// Tests: tests/core/scan/guess_scan_test.cpp, tests/core/scan/guess_hdf5_test.cpp
[[nodiscard]] PitchGuess guessPitch(const std::optional<StatedGeometry>& stated, Index columns,
                                    bool isParallel);

}  // namespace gantry
