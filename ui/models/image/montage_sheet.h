#pragma once

#include <string>

#include "core/live/montage_sheet.h"
#include "ui/models/image/grey_image.h"

namespace gantry {

/// The sheet as the bytes of a PNG. There must be an application of Qt, which has the fonts.
/// @throws ResourceError  this machine has no font
/// Tests: tests/ui/models/montage_sheet_test.cpp
[[nodiscard]] std::string toPng(const MontageSheet& sheet);

/// One window for all pictures of a sheet: percentiles of all together, from as many pixels as are
/// quick to sort.
/// Tests: tests/ui/models/montage_sheet_test.cpp
[[nodiscard]] GreyWindow commonWindow(const std::vector<std::span<const float>>& pictures);

}  // namespace gantry
