#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/base/types.h"
#include "core/live/montage_values.h"

namespace gantry {

/// One picture of a sheet, and what is written below it.
struct SheetPicture {
    std::span<const float> pixels;  ///< 1/mm, [row][column], the first row at the bottom
    std::string value;              ///< "11 px"
    std::string note;               ///< "sharpness 0.98"; may be empty
    bool isBest = false;            ///< has a frame, and its text stands out
};

/// Pictures of the same size beside and below each other, in one grey window.
struct MontageSheet {
    std::string title;
    std::string subtitle;
    std::vector<SheetPicture> pictures;
    Index columns = 0;  ///< pixels of a picture
    Index rows = 0;
    double pixelAspect = 1;  ///< height of a pixel over its width
    Index longestPx = 0;     ///< of a picture on the sheet, along its longer side
};

/// What a montage has made.
struct MontageResult {
    std::vector<std::span<const float>> pixels;  ///< of each picture, as many as the plane has
    Index binning = 1;
    MontageScores scores;
};

/// scan: its name, for the head of the sheet; longestPx: of a picture on it
/// Tests: tests/core/live/montage_values_test.cpp
[[nodiscard]] MontageSheet montageSheet(const MontageValues& values, const MontageSlice& slice,
                                        const MontageResult& made, const std::string& scan,
                                        Index longestPx);

/// Height of a pixel over its width.
[[nodiscard]] double pixelAspect(const Plane& plane);

}  // namespace gantry
