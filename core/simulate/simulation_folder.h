#pragma once

#include <filesystem>

namespace gantry {

/// Creates the folder with a temporary name in which a scan is made that shall be `folder`.
/// replace: a simulation in `folder` may be replaced
/// @throws InputError  `folder` contains something else, alone or beside a simulation, or cannot
/// be made
/// Tests: tests/core/simulate/simulate_test.cpp
[[nodiscard]] std::filesystem::path startTemporary(const std::filesystem::path& folder,
                                                   bool replace);

/// Gives the finished scan in `part` its final name, in place of an earlier simulation.
void takeFinalName(const std::filesystem::path& part, const std::filesystem::path& folder);

}  // namespace gantry
