#pragma once

#include <filesystem>

#include "core/plan/job_spec.h"

namespace gantry {

/// Checks that nothing that a job writes replaces anything that it reads: the volume with the files
/// beside it, its record, and the files of the job's folder, against all files of the scan.
/// folder: the job's; empty: it has none
/// @throws InputError naming the file, also if a name is longer than its disk allows
/// Tests: tests/cli/test_outputs.py
void requireInputsSpared(const JobSpec& spec, const std::filesystem::path& folder);

}  // namespace gantry
