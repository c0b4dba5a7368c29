#pragma once

#include <filesystem>
#include <stop_token>

#include "app/bench/cone_problems.h"

namespace gantry {

/// Bytes of the views of such a scan.
[[nodiscard]] Index benchScanBytes(const ScanGeometry& geometry);

/// Writes a scan of random 16-bit counts. @returns its scan.json
/// @throws ResourceError, InputError, Cancelled
std::filesystem::path writeBenchScan(const ConeProblem& problem,
                                     const std::filesystem::path& folder,
                                     const std::stop_token& stop);

}  // namespace gantry
