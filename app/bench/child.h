#pragma once

#include <filesystem>
#include <stop_token>
#include <string>
#include <vector>

namespace gantry {

/// This program's own file.
[[nodiscard]] std::filesystem::path programPath();

/// Runs this program with these arguments, as a user would, and waits for its end.
/// @returns what it printed
/// @throws InputError with the sentence that it failed with; Cancelled, when it has ended
[[nodiscard]] std::string outputOfProgram(const std::vector<std::string>& words,
                                          const std::stop_token& stop);

}  // namespace gantry
