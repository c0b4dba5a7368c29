#pragma once

#include <string>
#include <vector>

#include "core/base/types.h"
#include "core/io/projection_format.h"
#include "core/prep/calibration.h"

namespace gantry {

/// Which of several dark or flat frames look unlike the others by their mean values.
struct OddFrames {
    std::vector<Index> far;   ///< so far from most that they show something else, sorted
    std::vector<Index> near;  ///< farther than noise and the others' differences explain
};

/// kind: dark frames differ by counts, flat ones by shares. means: of each frame. Nothing can
/// be told from fewer than three, or where every second one is odd.
/// Tests: tests/core/scan/frame_levels_test.cpp
[[nodiscard]] OddFrames oddFrames(FrameKind kind, const std::vector<double>& means);

/// The sentences on odd frames. names: of all frames
[[nodiscard]] std::vector<std::string> oddFramesNotes(FrameKind kind, const OddFrames& odd,
                                                      const std::vector<double>& means,
                                                      const std::vector<std::string>& names);

/// A sentence where a later flat field differs from the first one in part of the detector only, as
/// if the object stood in its beam.
/// Tests: tests/core/scan/frame_levels_test.cpp
[[nodiscard]] std::vector<std::string> laterFlatsNotes(const DetectorCalibration& calibration);

/// Sentences on rows and columns whose dark field differs from those around them, where the flat
/// field does not: they were odd in the dark frames alone, and dividing by flat − dark is wrong.
/// Tests: tests/core/scan/frame_levels_test.cpp
[[nodiscard]] std::vector<std::string> darkLinesNotes(const DetectorCalibration& calibration);

}  // namespace gantry
