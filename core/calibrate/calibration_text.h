#pragma once

#include <string>
#include <vector>

#include "core/calibrate/calibrate.h"

namespace gantry {

/// The numbers of a calibration as rows of text, the head first: name, found, uncertainty, in the
/// scan, change; with the digits that are known.
/// Tests: tests/core/calibrate/calibration_text_test.cpp
[[nodiscard]] std::vector<std::vector<std::string>> calibrationTable(const BallCalibration& found);

/// "18 found, all of the list; 1230 images of 1402 used"
[[nodiscard]] std::string ballsText(const BallCalibration& found);
/// "0.043 px rms; worst in view 17, 0.081 px"
[[nodiscard]] std::string residualText(const BallCalibration& found);
/// What else there is to say, a sentence each: that the rotation runs the other way, which numbers
/// are kept and why, how many views have poses of their own.
[[nodiscard]] std::vector<std::string> calibrationNotes(const BallCalibration& found);

}  // namespace gantry
