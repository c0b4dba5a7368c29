#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/cli/reconstruction_options.h"
#include "app/cli/session.h"

namespace gantry {

/// Further scans of the same object, between which the stage moved it along the axis.
struct StackOptions {
    std::vector<std::filesystem::path> scans;
    std::optional<double> stepMm;
    std::vector<double> heightsMm;

    [[nodiscard]] bool isAsked() const {
        return !scans.empty() || stepMm.has_value() || !heightsMm.empty();
    }
};
void addStackOptions(Command& command, StackOptions& options);

/// Reconstructs the first scan's and the further ones' parts of one volume, a job each in the
/// folder "OUT.stack", and joins them, with a record of this beside the volume; prints how well
/// they match. If called again after an interruption, it keeps the finished parts and resumes the
/// unfinished one.
/// @throws InputError naming the option or the scan; ResourceError, Cancelled. @returns exit code
/// Tests: tests/cli/test_main_path.py
[[nodiscard]] int runStack(const ReconstructionOptions& first, const StackOptions& stack, bool json,
                           Session& session);

}  // namespace gantry
