#pragma once

#include <string>
#include <vector>

namespace gantry {

/// What a name says of the images that have it.
enum class FrameRole { projections, dark, flat, darkOrFlat };
/// When dark and flat frames were taken.
enum class FrameTime { unknown, before, after };

/// A name taken apart: words in lower case, and numbers. "DarkField_007" gives dark, field, 007.
[[nodiscard]] std::vector<std::string> partsOfName(const std::string& name);

/// By any word of the name: "mouse_dark_03" may be dark frames, or a scan of a dark mouse.
[[nodiscard]] FrameRole roleOfName(const std::string& name);

/// Whether the whole name says that it holds dark or flat frames: their word alone ("dark", "io",
/// "I0", "openbeam"), with numbers, units, and words that go with frames ("Flat_Before_2",
/// "white_images_80kV"), or with the name of the scan. scanNames: parts of each of its names; a
/// name counts only whole, so that black_rock_01 says nothing of rock_02.
/// Tests: tests/core/scan/frame_names_test.cpp
[[nodiscard]] bool saysFramesAlone(const std::string& name,
                                   const std::vector<std::vector<std::string>>& scanNames);

[[nodiscard]] FrameTime timeOfName(const std::string& name);

/// Whether a word of the name says that it holds projections.
[[nodiscard]] bool isCalledProjections(const std::string& name);

/// The parts of a scan's name without the words for projections: "walnut_proj" gives walnut.
[[nodiscard]] std::vector<std::string> ownParts(std::vector<std::string> parts);

/// What the names of the files of one series have in common: the name in lower case without its
/// numbers, signs and points in front of digits.
[[nodiscard]] std::string familyOfName(const std::string& fileName);

}  // namespace gantry
