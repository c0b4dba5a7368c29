#pragma once

#include <string>
#include <vector>

#include "core/scan/guess/guess_scan.h"

namespace gantry {

/// A line for each field of a scan that was guessed, with its reason; those that nothing supports
/// come first, as "not sure".
[[nodiscard]] std::string guessesText(const std::vector<GuessedScan::Guess>& guesses);

}  // namespace gantry
