#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/base/types.h"

namespace gantry {

/// One picture of a sheet, and what is written below it.
struct SheetPicture {
    std::span<const float> pixels;  ///< 1/mm, [row][column], the first row at the bottom
    std::string value;              ///< "11 px"
    std::string note;               ///< "sharpness 0.98"; may be empty
    bool isBest = false;            ///< has a frame, and its text stands out
};

/// Pictures of the same size beside and below each other, in one grey window. This header is free
/// of Qt.
struct MontageSheet {
    std::string title;
    std::string subtitle;
    std::vector<SheetPicture> pictures;
    Index columns = 0;  ///< pixels of a picture
    Index rows = 0;
    double pixelAspect = 1;  ///< height of a pixel over its width
    Index longestPx = 0;     ///< of a picture on the sheet, along its longer side
};

/// The sheet as the bytes of a PNG. There must be an application of Qt, which has the fonts.
/// @throws ResourceError  this machine has no font
/// Tests: tests/ui/models/montage_sheet_test.cpp
[[nodiscard]] std::string toPng(const MontageSheet& sheet);

}  // namespace gantry
