#pragma once

#include <string>

#include "core/plan/job_spec.h"

namespace gantry {

/// @throws InputError naming the file and field
[[nodiscard]] JobSpec parseJobSpec(const std::string& json, const std::string& where);
[[nodiscard]] std::string toJson(const JobSpec& spec);

/// All of a request but its scan, as it is kept beside a scan's file: the fields of job.json, the
/// volume among them only where it is not fitted to the field of view.
/// Tests: tests/ui/workspace/settings_file_test.cpp
[[nodiscard]] std::string settingsJson(const JobSpec& spec, bool withVolume);
/// Reads what settingsJson() wrote. @returns whether it has a volume; else that stays
/// @throws InputError naming the file and field; then `spec` is unchanged
[[nodiscard]] bool takeSettings(const std::string& json, const std::string& where, JobSpec& spec);

}  // namespace gantry
