#pragma once

#include <filesystem>
#include <functional>

namespace gantry {

/// Where something that is named so is written: the target of a link, which stays a link.
/// @throws InputError  links that lead nowhere
/// Tests: tests/core/base/written_place_test.cpp
[[nodiscard]] std::filesystem::path writtenPlace(const std::filesystem::path& path);

/// Whether something is there that must not be replaced by a file: what is no regular file, and
/// descriptors of a process.
[[nodiscard]] bool isSpecial(const std::filesystem::path& place);

/// Calls `write` with a temporary name beside `path` and gives the file that it has made the final
/// one, so that `path` is never half-written; a link stays a link. If `write` throws, nothing is
/// left.
/// @throws InputError  what has that name is no regular file
void replaceFile(const std::filesystem::path& path,
                 const std::function<void(const std::filesystem::path& part)>& write);

/// Makes a folder in one that exists; one that is there is fine.
/// @throws InputError, ResourceError naming it
void makeFolder(const std::filesystem::path& folder);

}  // namespace gantry
