#pragma once

#include <array>
#include <filesystem>
#include <vector>

#include "core/describe/description_sheet.h"
#include "core/geometry/scan_geometry.h"

namespace gantry {

/// How far the picture of each view is shifted, pixels along the images' columns and rows.
using ViewShifts = std::vector<std::array<double, 2>>;

/// The shifts of a text table whose lines have a number, which counts the views in steps of 1, then
/// the shift along columns and that along rows; lines before the first such are skipped. Rows
/// beyond `max` are left out.
/// @throws InputError naming the file and the line: fewer than two shifts, or a number that does
///         not follow the one before
/// Tests: tests/core/describe/view_shifts_test.cpp
[[nodiscard]] ViewShifts readShiftTable(const std::filesystem::path& file, Index max);

/// Shifts at some views, as they are in between and beyond: on straight lines, level at the ends.
/// at: numbers of views, ascending
[[nodiscard]] ViewShifts interpolated(const std::vector<double>& at, const ViewShifts& shifts,
                                      Index views);

/// Moves each view's detector by so many pixels towards higher columns and rows of its image, and
/// gives each view a pose of its own. Poses have no parallel rays, so those of a parallel beam come
/// from a source that is so far away that they differ by less than a thousandth of a pixel.
/// byPx: one for each view
void moveDetectors(ScanFile& scan, const ViewShifts& byPx);

/// Asks whether shifts that the scanner noted beside its images are used, and in which sense, and
/// gives each view a pose of its own where they are. As a rule they are not: nothing public says
/// their sense, and the wrong one doubles them.
/// shifts: one for each view where, for messages, they are from
void askViewShifts(DescriptionSheet& sheet, const ViewShifts& shifts, const std::string& where);

}  // namespace gantry
