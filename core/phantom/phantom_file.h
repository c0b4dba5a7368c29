#pragma once

#include <filesystem>
#include <string>

#include "core/phantom/phantom.h"

namespace gantry {

/// The phantom of a simulated scan, and its position: the content of the phantom.json beside its
/// scan.json.
struct PhantomFile {
    std::string phantom = "shepp-logan";
    PhantomPlacement placement = {.scaleMm = 100, .centerMm = {}, .density = 0.01};
};

/// The name of that file in a scan's folder.
inline constexpr const char* kPhantomFileName = "phantom.json";

/// @throws InputError naming the file and field: malformed, unknown, missing, of a wrong type
/// Tests: tests/core/simulate/simulate_test.cpp
[[nodiscard]] PhantomFile readPhantomFile(const std::filesystem::path& path);
[[nodiscard]] std::string toJson(const PhantomFile& file);

}  // namespace gantry
