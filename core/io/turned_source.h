#pragma once

#include <filesystem>
#include <memory>
#include <vector>

#include "core/io/projection_format.h"

namespace gantry {

/// Opens files of a format, whose images are turned as the options have it.
/// @throws InputError as ProjectionFormat::open
/// Tests: tests/core/io/turned_source_test.cpp
[[nodiscard]] std::unique_ptr<ProjectionSource> openTurned(
    const ProjectionFormat& format, const std::vector<std::filesystem::path>& files,
    const OpenOptions& options, const ChooseParts& choose);

/// The place in the stored image, row and column from its upper left pixel, that becomes the pixel
/// of this row and column of the image turned clockwise. columns, rows: of the turned image
struct ImagePlace {
    Index row = 0;
    Index column = 0;
};
[[nodiscard]] ImagePlace placeBeforeTurn(ImagePlace turned, Index columns, Index rows, int turnDeg);

}  // namespace gantry
