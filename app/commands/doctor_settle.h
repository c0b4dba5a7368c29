#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "app/cli/session.h"
#include "core/describe/scan_description.h"

namespace gantry {

/// Options of `gantry doctor` on what a scanner's maker describes a scan by.
struct SettleCommandOptions {
    std::filesystem::path out;  ///< empty: none
    int threads = 0;            ///< 0: as many as there are
    bool json = false;
};

/// Prints what the scan's views show of the description's open questions, and writes the scan with
/// the answers.
/// @throws InputError naming the option, file or field
/// Tests: tests/cli/test_settle.py
int settle(const ScanDescription& description, const SettleCommandOptions& options,
           Session& session);

}  // namespace gantry
