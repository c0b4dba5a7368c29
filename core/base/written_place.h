#pragma once

#include <filesystem>

namespace gantry {

/// Where something that is named so is written: the target of a link, which stays a link.
/// @throws InputError  links that lead nowhere
/// Tests: tests/core/base/written_place_test.cpp
[[nodiscard]] std::filesystem::path writtenPlace(const std::filesystem::path& path);

/// Makes a folder in one that exists; one that is there is fine.
/// @throws InputError, ResourceError naming it
void makeFolder(const std::filesystem::path& folder);

}  // namespace gantry
