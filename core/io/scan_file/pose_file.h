#pragma once

#include <array>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/geometry/views/view_pose.h"

namespace gantry {

/// The columns of a file of poses, mm: source, detector centre, u step and v step.
inline constexpr std::array<std::string_view, 12> kPoseColumns = {
    "sourceXMm", "sourceYMm", "sourceZMm", "detectorXMm", "detectorYMm", "detectorZMm",
    "uXMm",      "uYMm",      "uZMm",      "vXMm",        "vYMm",        "vZMm"};

/// The pose of twelve numbers in that order.
[[nodiscard]] ViewPose poseOfNumbers(const std::array<double, 12>& numbers);
[[nodiscard]] std::array<double, 12> numbersOfPose(const ViewPose& pose);

/// A text file with a line of column names and a line for each view, separated by commas: the
/// columns above in any order, and "view" if wanted, which counts the lines from 0. Blank lines and
/// lines that begin with # are passed over.
/// @throws InputError naming the file, the line and the column: one that is unknown, missing or
///         named twice; a line of another number of values; a value that is no finite number; a
///         pose that is unusable by itself; more than a million views
/// Tests: tests/core/io/pose_file_test.cpp
[[nodiscard]] std::vector<ViewPose> readPoseFile(const std::filesystem::path& path);

/// The same as text, every number exactly.
[[nodiscard]] std::string toPoseCsv(const std::vector<ViewPose>& poses);

}  // namespace gantry
