#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/base/host_buffer.h"
#include "core/base/types.h"
#include "core/prep/calibration.h"

namespace gantry {

/// Why a detector's pixel should not be used.
enum class PixelDefect : unsigned char {
    none,
    dead,    ///< in the mask, without net signal, or saturated in the flat field
    hot,     ///< its dark level is far from those around it
    uneven,  ///< its net signal is
    noisy,   ///< it differs from frame to frame far more than those around it
};

/// The pixels of a detector that should not be used.
struct DefectMap {
    Index rows = 0;
    Index columns = 0;
    std::vector<PixelDefect> pixels;  ///< [v][u]

    [[nodiscard]] Index count(PixelDefect defect) const;
    /// "12 dead, 3 hot, 5 noisy"; empty where there is none.
    [[nodiscard]] std::string text() const;
};

/// The dead pixels that a calibration knows, and those that stand out of their neighbours in the
/// dark level or the net signal: from the medians of the eight pixels to the left, to the right,
/// above and below, all four, by more than ten times what pixels usually differ, and by more than
/// 0.5 % (dark) or 15 % (net signal) of the usual net signal. So the edges of modules and of the
/// beam are none, nor are whole rows and columns that differ from others.
/// Tests: tests/core/prep/pixel_defects_test.cpp
[[nodiscard]] DefectMap defectsOf(const DetectorCalibration& calibration);

/// Marks pixels that are good so far and noisy over single frames of one kind: their standard
/// deviation over these is above that of their neighbours, as above, by more than chance and twice
/// as much. From less than four frames nothing is told.
/// Tests: tests/core/prep/pixel_defects_test.cpp
void markNoisyPixels(const FrameMean& frames, DefectMap& map);

}  // namespace gantry
