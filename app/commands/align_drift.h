#pragma once

#include <filesystem>

#include "app/cli/session.h"

namespace gantry {

/// Options of `gantry align SCAN --reference`, which finds a drift instead of the centre.
struct DriftCommandOptions {
    std::filesystem::path scan;
    std::filesystem::path reference;
    std::filesystem::path out;  ///< empty: none
    int threads = 0;            ///< 0: as many as there are
    bool json = false;
};

/// Prints how far the scan's views drifted from the reference views, and writes the scan with their
/// poses.
/// @throws InputError naming the option, file or field
/// Tests: tests/cli/test_drift.py
int alignDrift(const DriftCommandOptions& options, Session& session);

}  // namespace gantry
