#pragma once

#include <filesystem>
#include <vector>

namespace gantry {

/// The files that a job writes or removes in its folder, as far as they are known or there.
[[nodiscard]] std::vector<std::filesystem::path> filesOfJob(const std::filesystem::path& folder);

}  // namespace gantry
